// Amounts, times and statuses in words. The states of an era come from the server: states.js.

export const STATUSES = {
  S: { letter: "S", word: "Staking" },
  N: { letter: "N", word: "Not staking" },
  A: { letter: "S", word: "Staking, and should not be", wrong: true },
  B: { letter: "N", word: "Not staking, and should be", wrong: true },
  ".": { letter: "·", word: "Not checked" },
};

const pad = (number) => String(number).padStart(2, "0");

export function moment(iso, { seconds = true } = {}) {
  const at = new Date(iso);
  const day = `${at.getUTCFullYear()}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`;
  return `${day} ${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}${seconds ? `:${pad(at.getUTCSeconds())}` : ""} UTC`;
}

export function length(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`;
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
  return `${Math.floor(whole / 86400)} d ${pad(Math.floor((whole % 86400) / 3600))} h`;
}

export function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const clock = `${pad(Math.floor((whole % 3600) / 60))}:${pad(whole % 60)}`;
  if (whole < 3600) return clock;
  if (whole < 86400) return `${Math.floor(whole / 3600)}:${clock}`;
  return `${Math.floor(whole / 86400)} d ${pad(Math.floor((whole % 86400) / 3600))}:${clock}`;
}

// Exact, however large: amounts are texts of digits.
export const amount = (digits) => String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

// `1 era`, `3 eras`.
export const eras = (number) => `${amount(number)} ${number === 1 ? "era" : "eras"}`;

// Groups the digits of amounts within a sentence, but not of hashes, addresses and era numbers; groups stay on one line.
export const readable = (text) =>
  text
    .replace(/(?<![\w.-]|\beras? (?:\d+(?:, | and | to ))*)\d{7,}(?![\w-])/gi, amount)
    .replace(/(?<=\d) (?=\d{3}(?!\d))/g, "\u202f");

// A text of the server as a sentence. Names, such as staking_payout_devnet, stay as they are.
export const sentence = (text) => readable(text).replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/(?<![.?!])$/, ".");

// Eras in ascending order as ranges, e.g. `5, 7-8`.
export function ranges(numbers, most = 4) {
  const found = [];
  for (const number of numbers) {
    const last = found[found.length - 1];
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  const listed = found.slice(0, most).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return found.length > most ? `${listed.join(", ")} and more` : listed.join(", ");
}

// Omits today's date.
export function soon(iso, { seconds = false } = {}) {
  const [day, clock] = moment(iso, { seconds }).split(/ (.*)/);
  return day === new Date().toISOString().slice(0, 10) ? clock : `${day} ${clock}`;
}
