import assert from "node:assert/strict";
import { test } from "node:test";

import { evaluate } from "../src/evaluate.js";

const cases = [
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["10 - 4 - 3", 3],
  ["7 % 4", 3],
  ["-3 + 5", 2],
  ["max(1, 2 + 3, 4)", 5],
  ["round(2.345, 1)", 2.3],
  ["2 * pi / tau", 1],
];

for (const [source, expected] of cases) {
  test(`${source} is ${expected}`, () => assert.equal(evaluate(source), expected));
}

test("an unknown function is an error at its name", () => {
  assert.throws(() => evaluate("1 + nope(2)"), { name: "CalcError", position: 4 });
});
