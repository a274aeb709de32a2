'use strict';
// Calls functions of a connected client: `calls` is a list of [door, function, ...arguments]. With `tokens`, it makes the calls
// once with each in place of its own: a token it makes for that `suri` and time, with claims `changed` after signing.

const { connect, fromClient, listen, outcome, serve } = require('./harness.js');

function signIn(api, { suri, issued_at, options, changed }) {
  const awt = fromClient('./lib/awt.js');
  const claims = { ...awt.generateAwtPayload(suri, issued_at, options), ...changed };
  api.awtToken = awt.generateAwtTokenFromPayload(claims);
}

serve(async ({ gateway, options, calls, tokens = [null] }) => {
  const heard = listen();
  const api = await connect(gateway, options);
  const answers = [];
  for (const token of tokens) {
    if (token) signIn(api, token);
    for (const [door, name, ...given] of calls) answers.push(await outcome(() => api[door][name](...given)));
  }
  return { answers, heard };
});
