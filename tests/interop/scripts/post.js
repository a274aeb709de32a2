'use strict';
// Posts ready-made params through the client's HTTP layer, as its second try: of a refused first one it says nothing.

const { connect, listen, machinery, outcome, serve } = require('./harness.js');

serve(async ({ gateway, options, method, posts }) => {
  const heard = listen();
  const api = await connect(gateway, options);
  const { inner } = await machinery(api, posts[0].relayer);
  const answers = [];
  for (const params of posts) answers.push(await outcome(() => api.send.postRequest(inner, method, params, true)));
  return { answers, heard };
});
