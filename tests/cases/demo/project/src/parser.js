import { CalcError } from "./errors.js";
import { tokenize } from "./tokens.js";

// Parses a source text into a tree of nodes:
//   { kind: "number", value }
//   { kind: "name", name, position }
//   { kind: "negate", operand }
//   { kind: "binary", operator, left, right }
//   { kind: "call", name, position, args }
export function parse(source) {
  const parser = new Parser(tokenize(source));
  return parser.expression();
}

class Parser {
  constructor(tokens) {
    this.tokens = tokens;
    this.at = 0;
  }

  get token() {
    return this.tokens[this.at];
  }

  // Takes the next token where it is one of these symbols.
  take(...symbols) {
    const token = this.token;
    if (token.type !== "symbol" || !symbols.includes(token.value)) return null;
    this.at += 1;
    return token;
  }

  // Takes a symbol that must come now.
  expect(symbol) {
    if (this.take(symbol)) return;
    throw new CalcError(`expected '${symbol}'`);
  }

  expression() {
    return this.leftToRight(["+", "-"], () => this.term());
  }

  term() {
    return this.leftToRight(["*", "/", "%"], () => this.factor());
  }

  leftToRight(operators, operand) {
    let left = operand();
    for (let taken = this.take(...operators); taken; taken = this.take(...operators)) {
      left = { kind: "binary", operator: taken.value, left, right: operand() };
    }
    return left;
  }

  factor() {
    if (this.take("-")) return { kind: "negate", operand: this.factor() };
    return this.power();
  }

  power() {
    return this.leftToRight(["^"], () => this.atom());
  }

  atom() {
    const token = this.token;
    if (this.take("(")) {
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    if (token.type === "number") {
      this.at += 1;
      return { kind: "number", value: Number(token.value) };
    }
    if (token.type === "name") {
      this.at += 1;
      return this.named(token);
    }
    throw new CalcError("expected a number, a name or '('", token.position);
  }

  // A name alone is a constant; one before a parenthesis is a call.
  named({ value: name, position }) {
    if (!this.take("(")) return { kind: "name", name, position };
    const args = [];
    if (!this.take(")")) {
      do args.push(this.expression());
      while (this.take(","));
      this.expect(")");
    }
    return { kind: "call", name, position, args };
  }
}
