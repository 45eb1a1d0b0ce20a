// Expression parser: one function a level of precedence.
export function parseExpression(input: string): number {
  const parts = input.split("+");
  return parts.map(parseAtom).reduce((a, b) => a + b, 0);
}

export function parseAtom(text: string): number {
  const value = Number(text.trim());
  if (Number.isNaN(value)) {
    throw new Error("not a number: " + text);
  }
  return value;
}
