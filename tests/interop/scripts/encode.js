'use strict';
// Encodes values with polkadot-js' SCALE registry: a list of [type, value] gives their bytes, and what those read back as.

const { fromClient, outcome, serve } = require('./harness.js');

const { TypeRegistry } = fromClient('@polkadot/types');
const { u8aToHex } = fromClient('@polkadot/util');

const registry = new TypeRegistry();

function encode([type, value]) {
  const bytes = registry.createType(type, value).toU8a();
  return { bytes: u8aToHex(bytes), read: registry.createType(type, bytes).toHuman() };
}

serve(rows => Promise.all(rows.map(row => outcome(() => encode(row)))));
