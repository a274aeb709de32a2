'use strict';
// Makes access tokens with the published functions of either version, and says whether those would use a token of ours.

const { fromClient, serve } = require('./harness.js');

function published() {
  try {
    return { awt: fromClient('./lib/awt.js'), signerOf: suri => suri };
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return { awt: fromClient('./awt').AwtUtils, signerOf: fromClient('./utils').Utils.getSignerFromSuri };
  }
}

serve(async ({ made = [], judged = [] }) => {
  const { awt, signerOf } = published();
  const make = async ({ suri, issued_at, options }) => {
    const claims = await awt.generateAwtPayload(signerOf(suri), issued_at, options);
    const { pk, iat, hasPayer, payer } = claims;
    const message = awt.encodeAvnPublicKeyForSigning(pk, iat, hasPayer, payer);
    return { claims, message, token: awt.generateAwtTokenFromPayload(claims) };
  };
  return { made: await Promise.all(made.map(make)), judged: judged.map(awt.tokenAgeIsValid) };
});
