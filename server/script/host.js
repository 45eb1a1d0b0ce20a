// What an engine gives to code: a console, values as JSON, errors as data. `emit` takes a line of the report and a text.
(emit) => {
  "use strict";

  const MOST_MESSAGES = 1000;
  const MOST_TEXT = 65536;
  const LONGEST_MESSAGE = 8192;
  const MOST_SHOWN = 2000;
  const DEEPEST_SHOWN = 4;
  const LONGEST_LIST = 100;
  const LARGEST = 1 << 20;
  const DEEPEST = 100;

  const { stringify } = JSON;
  const { isArray } = Array;
  const { keys, getPrototypeOf, create } = Object;
  const { isView } = ArrayBuffer;
  const toWellFormed = String.prototype.toWellFormed;
  const well = (text) => (toWellFormed ? toWellFormed.call(text) : text);

  let messages = 0;
  let room = MOST_TEXT;
  let leftOut = 0;
  let cut = false;
  let source = { code: "", before: 0, inBytes: false };

  /** The character at which a column of the engine stands. Some count bytes, and all count what stands before the code. */
  const characters = (line, column) => {
    const own = column - (line === 1 ? source.before : 0);
    if (!source.inBytes) return own;
    let left = own - 1;
    let count = Math.min(own, 1);
    for (const character of source.code.split("\n")[line - 1] ?? "") {
      if (left <= 0) break;
      const point = character.codePointAt(0);
      left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      count += 1;
    }
    return count;
  };

  /** The first place in the code that a stack trace names, as [line, column]. */
  const place = (stack) => {
    for (const frame of String(stack ?? "").split("\n")) {
      const found = /^\s*at .*?code\.js:(\d+):(\d+)/.exec(frame);
      if (found) {
        const line = Number(found[1]);
        const column = characters(line, Number(found[2]));
        return column > 0 ? [line, column] : [];
      }
    }
    return [];
  };

  const isError = (value) => value instanceof Error || (typeof DOMException === "function" && value instanceof DOMException);

  const describe = (error) => {
    if (!isError(error)) {
      return { name: "Uncaught", message: shown(error) };
    }
    const [line, column] = place(error.stack);
    return { name: well(String(error.name)), message: well(String(error.message)), line, column };
  };

  const inspect = (value, budget, above) => {
    budget.left -= 1;
    switch (typeof value) {
      case "string":
        return above.length ? stringify(value) : value;
      case "bigint":
        return `${value}n`;
      case "function":
        return `[function ${value.name || "without a name"}]`;
      case "object":
        break;
      default:
        return String(value);
    }
    if (value === null) return "null";
    if (isError(value)) {
      const [line, column] = place(value.stack);
      return `${value.name}: ${value.message}${line ? ` (line ${line}, column ${column})` : ""}`;
    }
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return "[promise]";
    if (above.includes(value)) return "[circular]";
    if (above.length >= DEEPEST_SHOWN || budget.left <= 0) return isArray(value) ? "[…]" : "{…}";
    return parts(value, budget, (item) => inspect(item, budget, [...above, value]));
  };

  const parts = (value, budget, inner) => {
    const list = (items, of) => {
      const told = [];
      let count = 0;
      for (const item of items) {
        if (count === LONGEST_LIST || budget.left <= 0) {
          told.push("…");
          break;
        }
        told.push(of(item));
        count += 1;
      }
      return told.join(", ");
    };
    if (value instanceof Map) return `Map {${list(value, ([key, item]) => `${inner(key)} => ${inner(item)}`)}}`;
    if (value instanceof Set) return `Set {${list(value, inner)}}`;
    if (isArray(value)) return `[${list(value, inner)}]`;
    const name = getPrototypeOf(value)?.constructor?.name ?? "Object";
    if (isView(value) && !(value instanceof DataView)) return `${name} [${list(value, inner)}]`;
    const told = `{${list(keys(value), (key) => `${key}: ${inner(value[key])}`)}}`;
    return name === "Object" ? told : `${name} ${told}`;
  };

  /** A value as a person reads it. */
  const shown = (value) => {
    try {
      return well(inspect(value, { left: MOST_SHOWN }, []));
    } catch {
      return "[unreadable]";
    }
  };

  const log = (level, values) => {
    if (messages >= MOST_MESSAGES || room <= 0) {
      leftOut += 1;
      return;
    }
    let text = values.map(shown).join(" ");
    const longest = Math.min(LONGEST_MESSAGE, room);
    if (text.length > longest) {
      text = well(`${text.slice(0, longest)}… (${text.length - longest} characters are left out)`);
      cut = true;
    }
    messages += 1;
    room -= text.length;
    emit(stringify({ log: { level, text } }), text);
  };

  const refuse = (at, why) => {
    const error = new TypeError(`${at} ${why}`);
    error.name = "ResultError";
    throw error;
  };

  /** The text of a value in JSON. What JSON cannot say is an error that names the place of it. */
  const plain = (result) => {
    let left = LARGEST;
    const spend = (amount) => {
      left -= amount;
      if (left < 0) refuse("the result", `is larger than ${LARGEST} bytes of JSON; return less of it`);
    };
    const string = (text) => {
      spend(text.length + 2);
      return well(text);
    };
    const members = (value, entries, at, above) => {
      const out = create(null);
      for (const [key, item] of entries) {
        if (item !== undefined) out[string(key)] = of(item, `${at}.${key}`, [...above, value]);
      }
      return out;
    };
    const items = (value, list, at, above) => {
      const inside = [...above, value];
      return Array.from(list, (item, index) => of(item, `${at}[${index}]`, inside));
    };
    const of = (value, at, above) => {
      spend(1);
      switch (typeof value) {
        case "string":
          return string(value);
        case "undefined":
          return null;
        case "bigint":
          return refuse(at, "is a BigInt, which JSON does not have; convert it with Number() or String()");
        case "function":
          return refuse(at, "is a function, which JSON does not have; call it, or leave it out");
        case "symbol":
          return refuse(at, "is a symbol, which JSON does not have");
        case "object":
          break;
        default:
          return value;
      }
      if (value === null) return null;
      if (above.includes(value)) refuse(at, "refers back to an object that holds it; JSON has no cycles");
      if (above.length >= DEEPEST) refuse("the result", `is nested deeper than ${DEEPEST} levels`);
      if (typeof value.toJSON === "function") return of(value.toJSON(""), at, [...above, value]);
      if (value instanceof Promise) refuse(at, "is a promise; await it");
      if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
      if (isError(value)) return members(value, [["name", value.name], ["message", value.message], ...Object.entries(value)], at, above);
      if (value instanceof Map) {
        const named = [...value.keys()].every((key) => typeof key === "string");
        return named ? members(value, value, at, above) : items(value, value, at, above);
      }
      if (isArray(value) || value instanceof Set || (isView(value) && !(value instanceof DataView))) {
        spend(value.length ?? value.size);
        return items(value, value, at, above);
      }
      return members(value, Object.entries(value), at, above);
    };
    const text = stringify(of(result, "result", []));
    if (text.length > LARGEST) spend(LARGEST);
    return text;
  };

  const levels = { debug: "debug", trace: "debug", log: "log", dir: "log", table: "log", info: "info", warn: "warn", error: "error" };
  const console = {};
  for (const [name, level] of Object.entries(levels)) {
    console[name] = (...values) => log(level, values);
  }
  console.assert = (holds, ...values) => {
    if (!holds) log("error", ["assertion failed", ...values]);
  };

  return {
    console,
    /** Takes the code as the caller wrote it, how many characters stand before it, and whether the engine counts bytes. */
    read: (code, before, inBytes) => {
      source = { code, before, inBytes };
    },
    /** Says how the code ended: with a value, or with an error. */
    end: ({ value, error, failed, line, column }) => {
      let said;
      try {
        said = failed ? { error: { ...describe(error), ...(line && { line, column }) } } : { result: plain(value) };
      } catch (refusal) {
        said = { error: describe(refusal) };
      }
      if (leftOut) {
        cut = true;
        emit(stringify({ log: { level: "warn", text: `${leftOut} more messages are left out` } }), null);
      }
      const memory = said.error?.name === "InternalError" && said.error.message === "out of memory";
      const { result = "null", error: problem } = said;
      const rest = stringify({ error: problem, limit: memory ? "memory" : undefined, cut });
      emit(`{"end":{"result":${result},${rest.slice(1)}}`, null);
    },
  };
}
