'use strict';
// Makes access tokens with the published functions of either version, and reads tokens made by others with them: the bytes their
// signature should be over, and whether the client would go on using them.

const { fromClient, serve } = require('./harness.js');

function published() {
  try {
    return { awt: fromClient('./lib/awt.js'), signerOf: suri => suri };
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return { awt: fromClient('./awt').AwtUtils, signerOf: fromClient('./utils').Utils.getSignerFromSuri };
  }
}

const { awt, signerOf } = published();

async function make({ suri, issued_at, options }) {
  return awt.generateAwtTokenFromPayload(await awt.generateAwtPayload(signerOf(suri), issued_at, options));
}

function read(token) {
  const { pk, iat, hasPayer, payer } = JSON.parse(Buffer.from(token, 'base64'));
  return {
    message: awt.encodeAvnPublicKeyForSigning(pk, iat, hasPayer, payer),
    usable: awt.tokenAgeIsValid(token)
  };
}

serve(async ({ made = [], others = [] }) => {
  const tokens = await Promise.all(made.map(make));
  return { made: tokens, read: [...tokens, ...others].map(read) };
});
