'use strict';
// Encodes values with polkadot-js' SCALE registry: a list of [type, value] gives their bytes, and what they read back as.

const { fromClient, serve } = require('./harness.js');

const { TypeRegistry } = fromClient('@polkadot/types');
const { u8aToHex } = fromClient('@polkadot/util');

serve(rows => {
  const registry = new TypeRegistry();
  return rows.map(([type, value]) => {
    const bytes = registry.createType(type, value).toU8a();
    return { bytes: u8aToHex(bytes), read: registry.createType(type, bytes).toHuman() };
  });
});
