'use strict';
// What polkadot-js says of signatures: true, false, or the text it throws.

const { fromClient, serve } = require('./harness.js');

const crypto = fromClient('@polkadot/util-crypto');
const { hexToU8a } = fromClient('@polkadot/util');
// Renamed between the two versions.
const sr25519Verify = crypto.sr25519Verify || crypto.schnorrkelVerify;

function said(call) {
  try {
    return call();
  } catch (error) {
    return `throws: ${error.message}`;
  }
}

serve(claims =>
  claims.map(({ message, signature, account }) => {
    const [bytes, signed] = [hexToU8a(message), hexToU8a(signature)];
    return {
      signatureVerify: said(() => crypto.signatureVerify(bytes, signed, account).isValid),
      sr25519Verify: said(() => sr25519Verify(bytes, signed, crypto.decodeAddress(account)))
    };
  })
);
