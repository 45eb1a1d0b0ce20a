import { CalcError } from "./errors.js";

const SYMBOLS = "+-*/%^(),";
const NUMBER = /\d+(\.\d+)?(e[+-]?\d+)?/iy;
const NAME = /[a-z_][a-z0-9_]*/iy;

// Cuts a source text into tokens: { type, value, position }. The last one has the type "end".
export function tokenize(source) {
  const tokens = [];
  let position = 0;
  while (position < source.length) {
    const char = source[position];
    if (/\s/.test(char)) {
      position += 1;
      continue;
    }
    const token = readToken(source, position);
    tokens.push({ ...token, position });
    position += token.length;
  }
  tokens.push({ type: "end", value: "", position });
  return tokens;
}

function readToken(source, position) {
  if (SYMBOLS.includes(source[position])) {
    return { type: "symbol", value: source[position], length: 1 };
  }
  for (const [type, pattern] of [["number", NUMBER], ["name", NAME]]) {
    pattern.lastIndex = position;
    const match = pattern.exec(source);
    if (match) return { type, value: match[0], length: match[0].length };
  }
  throw new CalcError(`unexpected character '${source[position]}'`, position);
}
