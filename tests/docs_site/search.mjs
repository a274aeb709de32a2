// Asks the search of a built site: its own worker with its own index. Prints the addresses of the pages found for each question.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [site, ...questions] = process.argv.slice(2);
const [SETUP, QUERY] = [0, 2];
const folder = join(site, "assets", "javascripts", "workers");
const script = readdirSync(folder).find((name) => /^search\..*\.js$/.test(name));
let listener;
let answer;
const worker = {
  addEventListener: (_, handler) => (listener = handler),
  postMessage: (message) => (answer = message),
  console,
};
worker.self = worker;
vm.runInNewContext(readFileSync(join(folder, script), "utf8"), worker);

const ask = async (type, data) => {
  await listener({ data: { type, data } });
  return answer.data;
};
const index = JSON.parse(readFileSync(join(site, "search", "search_index.json"), "utf8"));
await ask(SETUP, { ...index, options: { suggest: true } });
const found = {};
for (const question of questions) {
  const { items } = await ask(QUERY, question);
  found[question] = items.map(([best]) => best.location);
}
console.log(JSON.stringify(found));
