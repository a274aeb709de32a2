// Elements, addresses and requests. The page never turns data into markup.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export function drawing(tag, properties = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

export const byId = (id) => document.getElementById(id);

const HERE = new URL("./", window.location.href);
const AIRFLOW = new URL("../", HERE);

export const pageUrl = (path) => new URL(path, HERE);
export const airflowUrl = (path) => new URL(path, AIRFLOW);

export function runUrl(dagId, runId) {
  return airflowUrl(`dags/${encodeURIComponent(dagId)}/runs/${encodeURIComponent(runId)}`).href;
}

// Airflow's frame may not navigate the window (its sandbox), so the window's own document follows the link; see docs/decisions.md.
// Where that document cannot be reached, the link does what the browser lets it do.
export function follow(event, link) {
  let outside;
  try {
    outside = window.parent === window ? null : window.parent.document;
  } catch {
    outside = null; // of another site
  }
  if (!outside) return;
  event.preventDefault();
  const twin = outside.createElement("a");
  twin.href = link.href;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1) twin.target = "_blank";
  outside.body.append(twin);
  twin.click();
  twin.remove();
}

// A text in which `code` is marked by backticks.
export const prose = (text) => text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));

// A link out of the page. In Airflow's frame, the window follows it.
export function link(href, text, look = "", target = "_top") {
  const made = element("a", { href, class: look, target, rel: target === "_blank" ? "noopener noreferrer" : null }, text);
  if (target === "_top") made.addEventListener("click", (event) => follow(event, made));
  return made;
}

export class Refused extends Error {
  constructor(status, text, { topic, heading } = {}) {
    super(text);
    this.status = status;
    this.topic = topic; // section of the runbook, if any
    this.heading = heading; // its heading
  }
}

export async function request(url, { method = "GET", body, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) Object.assign(headers, { "Content-Type": "application/json", "X-Staking-Page": "1" });
  const answer = await fetch(url, {
    method,
    headers,
    signal,
    credentials: "same-origin",
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const detail = typeof data.detail === "string" ? data.detail : JSON.stringify(data.detail ?? answer.statusText);
    throw new Refused(answer.status, detail, data);
  }
  return data;
}
