#!/usr/bin/env node
import { CalcError } from "./errors.js";
import { evaluate } from "./evaluate.js";

const source = process.argv.slice(2).join(" ");
try {
  console.log(evaluate(source));
} catch (error) {
  if (!(error instanceof CalcError)) throw error;
  console.error(error.pointInto(source));
  process.exitCode = 1;
}
