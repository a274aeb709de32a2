'use strict';
// Pays eras through the client's own request machinery: it reads nonces and fee, signs the fee proof, sends, tries again.
// The published client no longer knows how to sign a payout; that one function is added, on its registry and with its key.

const { connect, fromClient, listen, machinery, outcome, serve } = require('./harness.js');

const { convertToPublicKeyIfNeeded, registry } = fromClient('./lib/common.js');
const { u8aToHex } = fromClient('@polkadot/util');
const proxy = fromClient('./lib/proxy.js');

function signPayout(signer, { relayer, era, nonce }) {
  const context = 'authorization for signed payout stakers operation';
  const fields = [context, convertToPublicKeyIfNeeded(relayer), era, nonce];
  return u8aToHex(signer.sign(registry.createType('(Text, AccountId, EraIndex, u64)', fields).toU8a()));
}

serve(async ({ gateway, options, relayer, method, eras }) => {
  const heard = listen();
  const api = await connect(gateway, options);
  const published = proxy.generateProxySignature;
  proxy.generateProxySignature = (signer, transactionType, args) =>
    transactionType === method ? signPayout(signer, args) : published(signer, transactionType, args);

  const { inner, queries } = await machinery(api, relayer);
  const answers = [];
  for (const era of eras) {
    answers.push(await outcome(() => api.send.proxyRequest(inner, queries, relayer, { era }, method, 'staking')));
  }
  return { answers, heard };
});
