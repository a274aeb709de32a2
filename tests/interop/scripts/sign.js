'use strict';
// Signs payout and fee proofs with the client's keys, encoder and, for the fee, its own function; shows the bytes it signed.

const { fromClient, serve } = require('./harness.js');

const { registry } = fromClient('./lib/common.js');
const { u8aToHex } = fromClient('@polkadot/util');

const kinds = {
  payout({ relayer, era, nonce }, signer) {
    const fields = ['authorization for signed payout stakers operation', relayer, era, nonce];
    return u8aToHex(signer.sign(registry.createType('(Text, AccountId, EraIndex, u64)', fields).toU8a()));
  },
  fee_payment(fields, signer) {
    return fromClient('./lib/proxy.js').generateFeePaymentSignature({ ...fields, signer });
  }
};

function sign({ kind, suri, ...fields }) {
  const pair = fromClient('./lib/utils.js').getSigner(suri);
  let message;
  const signer = { sign: bytes => pair.sign((message = bytes)) };
  const signature = kinds[kind](fields, signer);
  return { message: u8aToHex(message), signature, public_key: u8aToHex(pair.publicKey), address: pair.address };
}

serve(requests => requests.map(sign));
