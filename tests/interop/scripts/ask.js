'use strict';
// Calls functions of a connected client: `calls` is a list of [door, function, ...arguments].

const { connect, outcome, serve } = require('./harness.js');

serve(async ({ gateway, options, calls }) => {
  const api = await connect(gateway, options);
  const answers = [];
  for (const [door, name, ...given] of calls) answers.push(await outcome(() => api[door][name](...given)));
  return { answers };
});
