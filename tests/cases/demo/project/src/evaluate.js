import { CalcError } from "./errors.js";
import { constants, functions } from "./functions.js";
import { parse } from "./parser.js";

const operators = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ** b,
};

// The value of a source text.
export function evaluate(source) {
  return value(parse(source));
}

function value(node) {
  switch (node.kind) {
    case "number":
      return node.value;
    case "negate":
      return -value(node.operand);
    case "binary":
      return operators[node.operator](value(node.left), value(node.right));
    case "name":
      return constant(node);
    case "call":
      return call(node);
  }
}

function constant({ name, position }) {
  if (!constants.has(name)) throw new CalcError(`unknown name '${name}'`, position);
  return constants.get(name);
}

function call({ name, position, args }) {
  const found = functions.get(name);
  if (!found) throw new CalcError(`unknown function '${name}'`, position);
  const [least, most] = found.arity;
  if (args.length < least || args.length > most) {
    throw new CalcError(`'${name}' takes ${least} to ${most} arguments, not ${args.length}`, position);
  }
  return found.apply(...args.map(value));
}
