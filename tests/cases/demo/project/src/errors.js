// A mistake in what the person typed, with the place where it was seen.
export class CalcError extends Error {
  constructor(message, position) {
    super(message);
    this.name = "CalcError";
    this.position = position;
  }

  // The message under a caret that points into the source.
  pointInto(source) {
    const caret = " ".repeat(Math.min(this.position, source.length)) + "^";
    return `${source}\n${caret}\n${this.message}`;
  }
}
