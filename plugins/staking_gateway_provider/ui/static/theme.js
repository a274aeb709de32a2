// Takes the colour mode that was chosen in Airflow, or else the system's, before the first paint.
(() => {
  const media = window.matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return window.localStorage.getItem("theme");
    } catch {
      return null; // the browser keeps nothing
    }
  }

  function apply() {
    const theme = chosen();
    document.documentElement.dataset.theme = ["dark", "light"].includes(theme) ? theme : media.matches ? "dark" : "light";
  }

  apply();
  media.addEventListener("change", apply);
  window.addEventListener("storage", apply); // a choice in Airflow's own page reaches this frame so
})();
