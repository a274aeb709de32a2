'use strict';
// What every script here needs: the client that the command line names by its folder and its package, JSON in, JSON out.

const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

// The clients log to stdout, where the result goes.
for (const level of ['debug', 'info', 'log']) console[level] = console.error;

const [folder, client] = process.argv.slice(2);
const fromFolder = createRequire(path.resolve(folder, 'package.json'));

/** Requires a package, or a file of the client, as the client itself does. */
const fromClient = createRequire(fromFolder.resolve(client));

/** Reads a request from stdin, gives it to `answer`, writes what that returns to stdout. */
async function serve(answer) {
  try {
    await fromClient('@polkadot/util-crypto').cryptoWaitReady();
    fs.writeFileSync(1, JSON.stringify(await answer(JSON.parse(fs.readFileSync(0, 'utf8')))));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}

/** A connected client of either version. */
async function connect(gateway, options) {
  const exported = fromFolder(client);
  const api = new (exported.AvnApi || exported)(gateway, options);
  await api.init();
  return api.apis ? Object.assign(api, await api.apis()) : api;
}

/** Keeps everything the client sends and is answered, word for word. */
function listen() {
  const heard = [];
  const keep = ({ config, data, status }) => {
    heard.push({ path: new URL(config.url).pathname, sent: config.data, status, answer: data });
  };
  fromClient('axios').interceptors.response.use(
    response => (keep(response), response),
    error => {
      if (error.response) keep(error.response);
      throw error;
    }
  );
  return heard;
}

/** What came of a call: its `value`, or the text of its `error`. */
async function outcome(call) {
  try {
    return { value: await call() };
  } catch (error) {
    return { error: error.message };
  }
}

/**
 * What the client's calls hand to its request machinery, its signer and its HTTP layer among it. They are private, but a
 * call that is stopped at the machinery's door shows them.
 */
async function machinery(api, relayer) {
  let shown;
  api.send.proxyRequest = async (inner, queries) => {
    shown = { inner, queries };
  };
  await api.send.scheduleLeaveNominators(relayer);
  delete api.send.proxyRequest;
  return shown;
}

module.exports = { connect, fromClient, listen, machinery, outcome, serve };
