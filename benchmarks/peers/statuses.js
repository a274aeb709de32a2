'use strict';
// Checks the staking status of accounts with the gateway's published JavaScript client, so many at a time, and times it.

const { connect, serve } = require('../../tests/interop/scripts/harness.js');

async function check(api, accounts, atATime) {
  const coming = accounts.values();
  async function worker() {
    for (const account of coming) {
      if ((await api.query.getStakingStatus(account)) !== 'isStaking') throw new Error('a wrong answer');
    }
  }
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: atATime }, worker));
  return Number(process.hrtime.bigint() - start) / 1e9;
}

serve(async ({ gateway, accounts, warm_up, at_a_time }) => {
  const api = await connect(gateway, { suri: '//Alice' });
  await check(api, accounts.slice(0, warm_up), at_a_time);
  return { seconds: await check(api, accounts, at_a_time) };
});
