// What a name stands for, and how many arguments a function takes: [least, most].
export const constants = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
]);

export const functions = new Map([
  ["abs", { arity: [1, 1], apply: Math.abs }],
  ["sqrt", { arity: [1, 1], apply: Math.sqrt }],
  ["floor", { arity: [1, 1], apply: Math.floor }],
  ["ceil", { arity: [1, 1], apply: Math.ceil }],
  ["round", { arity: [1, 2], apply: round }],
  ["min", { arity: [1, Infinity], apply: Math.min }],
  ["max", { arity: [1, Infinity], apply: Math.max }],
  ["log", { arity: [1, 2], apply: (x, base = Math.E) => Math.log(x) / Math.log(base) }],
]);

function round(x, digits = 0) {
  const scale = 10 ** digits;
  return Math.round(x * scale) / scale;
}
