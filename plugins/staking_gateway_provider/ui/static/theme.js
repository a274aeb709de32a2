// Copies Airflow's colour mode before the first paint.
(() => {
  const root = document.documentElement;
  const media = window.matchMedia("(prefers-color-scheme: dark)");

  function around() {
    try {
      return window.parent !== window ? window.parent.document : null;
    } catch {
      return null; // the frame of another site
    }
  }

  function chosen() {
    const outside = around();
    if (outside?.documentElement.classList.contains("dark")) return "dark";
    if (outside?.documentElement.classList.contains("light")) return "light";
    let stored = null;
    try {
      stored = window.localStorage.getItem("theme"); // Airflow's colour mode
    } catch {
      stored = null;
    }
    if (stored === "dark" || stored === "light") return stored;
    return media.matches ? "dark" : "light";
  }

  function apply() {
    root.dataset.theme = chosen();
    const outside = around();
    if (!outside?.body) return;
    const look = window.parent.getComputedStyle(outside.body);
    if (look.backgroundColor && look.backgroundColor !== "rgba(0, 0, 0, 0)") {
      root.style.setProperty("--background", look.backgroundColor);
    }
    if (look.fontFamily) root.style.setProperty("--font", look.fontFamily);
  }

  apply();
  media.addEventListener("change", apply);
  window.addEventListener("storage", apply);
  const outside = around();
  if (outside) new MutationObserver(apply).observe(outside.documentElement, { attributeFilter: ["class", "style"] });
})();
