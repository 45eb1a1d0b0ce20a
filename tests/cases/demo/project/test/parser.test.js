import assert from "node:assert/strict";
import { test } from "node:test";

import { evaluate } from "../src/evaluate.js";
import { parse } from "../src/parser.js";

test("a number is a number", () => {
  assert.deepEqual(parse("42"), { kind: "number", value: 42 });
});

test("powers group to the right", () => {
  assert.equal(evaluate("2 ^ 3 ^ 2"), 512);
});

test("a minus sign binds looser than a power", () => {
  assert.equal(evaluate("-2 ^ 2"), -4);
});

test("what is left over is an error", () => {
  assert.throws(() => parse("1 + 2 3"), { name: "CalcError", position: 6 });
});

test("a missing parenthesis is shown where it should stand", () => {
  assert.throws(() => parse("max(1, 2"), { name: "CalcError", position: 8 });
});
