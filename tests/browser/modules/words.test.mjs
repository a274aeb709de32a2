import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, countdown, eras, length, moment, ranges, readable, sentence } from "./words.js";

const GAP = "\u202f";

test("amounts are grouped exactly, however large", () => {
  assert.equal(amount("340282366920938463463374607431768211455"), "340 282 366 920 938 463 463 374 607 431 768 211 455".replaceAll(" ", GAP));
  assert.equal(amount(999), "999");
});

test("within a sentence amounts are grouped; numbers of eras, hashes and addresses are not", () => {
  assert.equal(readable("a fee of 10000000 is above 2500000"), `a fee of 10${GAP}000${GAP}000 is above 2${GAP}500${GAP}000`);
  for (const text of ["era 1428778", "eras 1428778 and 1428779", "0x1234567890", "5FHneW46xGX1234567", "block-1234567"]) {
    assert.equal(readable(text), text);
  }
});

test("a text of the server becomes a sentence, and names stay as they are", () => {
  assert.equal(sentence("the gateway is silent"), "The gateway is silent.");
  assert.equal(sentence("staking_payout_devnet is paused."), "staking_payout_devnet is paused.");
});

test("one era is one era", () => {
  assert.deepEqual([0, 1, 2].map(eras), ["0 eras", "1 era", "2 eras"]);
});

test("eras in a row are a range, and a long list ends", () => {
  assert.equal(ranges([5, 7, 8, 9]), "5, 7-9");
  assert.equal(ranges([1, 3, 5, 7, 9]), "1, 3, 5, 7 and more");
  assert.equal(ranges([]), "");
});

test("lengths and countdowns have two units at most", () => {
  assert.deepEqual([0.04, 9.96, 59, 61, 3660, 90000].map(length), ["0 s", "10 s", "59 s", "1 min 01 s", "1 h 01 min", "1 d 01 h"]);
  assert.deepEqual([-1, 0.2, 61, 3661, 90061].map(countdown), ["00:00", "00:01", "01:01", "1:01:01", "1 d 01:01:01"]);
});

test("moments are in UTC, wherever the browser is", () => {
  assert.equal(moment("2026-11-20T23:30:05+02:00"), "2026-11-20 21:30:05 UTC");
  assert.equal(moment("2026-11-20T23:30:05Z", { seconds: false }), "2026-11-20 23:30 UTC");
});
