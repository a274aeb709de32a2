'use strict';
// Checks the staking status of accounts with avn-api, so many at a time, and times it: JSON in, JSON out.

const fs = require('node:fs');
const { createRequire } = require('node:module');

for (const level of ['debug', 'info', 'log']) console[level] = console.error; // the client logs to stdout
const fromClient = createRequire(require.resolve('avn-api'));

async function check(api, accounts, atATime) {
  const coming = accounts.values();
  async function worker() {
    for (const account of coming) {
      if ((await api.query.getStakingStatus(account)) !== 'isStaking') throw new Error('a wrong answer');
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker));
}

async function main({ gateway, accounts, warm_up, at_a_time }) {
  await fromClient('@polkadot/util-crypto').cryptoWaitReady();
  const exported = require('avn-api');
  const api = new (exported.AvnApi || exported)(gateway, { suri: '//Alice' });
  await api.init();
  await check(api, accounts.slice(0, warm_up), at_a_time);
  const wall = process.hrtime.bigint();
  const processor = process.cpuUsage();
  await check(api, accounts, at_a_time);
  const used = process.cpuUsage(processor);
  const taken = Number(process.hrtime.bigint() - wall) / 1e9;
  fs.writeFileSync(1, JSON.stringify({ wall: taken, processor: (used.user + used.system) / 1e6 }));
}

main(JSON.parse(fs.readFileSync(0, 'utf8'))).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
