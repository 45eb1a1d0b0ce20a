// What QuickJS lacks, and what its driver asks for. `now` gives milliseconds that only grow.
(host, now) => {
  "use strict";

  const timers = new Map();
  const rejections = new Map();
  let last = 0;
  let outcome;

  const start = (callback, delay, repeats, values) => {
    if (typeof callback !== "function") throw new TypeError("a timer wants a function");
    const pause = Math.min(Math.max(Number(delay) || 0, 1), 2 ** 31 - 1);
    last += 1;
    timers.set(last, { due: now() + pause, pause: repeats ? pause : undefined, callback, values });
    return last;
  };

  const earliest = () => {
    let found;
    for (const [id, timer] of timers) {
      if (found === undefined || timer.due < found[1].due) found = [id, timer];
    }
    return found;
  };

  const stop = (id) => {
    timers.delete(id);
  };

  /** A copy of a value with its cycles, maps, sets, dates and buffers. */
  const copy = (value, copies = new Map()) => {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new DOMException(`${String(value)} could not be cloned`, "DataCloneError");
    }
    if (typeof value !== "object" || value === null) return value;
    if (copies.has(value)) return copies.get(value);
    const keep = (made) => {
      copies.set(value, made);
      return made;
    };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer || (ArrayBuffer.isView(value) && !(value instanceof DataView))) return keep(value.slice());
    if (value instanceof Map) {
      const made = keep(new Map());
      for (const [key, item] of value) made.set(copy(key, copies), copy(item, copies));
      return made;
    }
    if (value instanceof Set) {
      const made = keep(new Set());
      for (const item of value) made.add(copy(item, copies));
      return made;
    }
    const made = keep(Array.isArray(value) ? [] : value instanceof Error ? Object.create(Object.getPrototypeOf(value)) : {});
    if (value instanceof Error) {
      for (const key of ["name", "message", "stack"]) Object.defineProperty(made, key, { value: value[key], writable: true, configurable: true });
    }
    for (const key of Object.keys(value)) made[key] = copy(value[key], copies);
    return made;
  };

  const globals = {
    console: host.console,
    setTimeout: (callback, delay, ...values) => start(callback, delay, false, values),
    setInterval: (callback, delay, ...values) => start(callback, delay, true, values),
    clearTimeout: stop,
    clearInterval: stop,
    structuredClone: (value) => copy(value),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }

  return {
    read: (code, before) => host.read(code, before, true),
    is_syntax: (error) => error instanceof SyntaxError,
    follow: (promise) => {
      promise
        .then((ended) => ended.value)
        .then(
          (value) => {
            outcome ??= { value };
          },
          (error) => {
            outcome ??= { failed: true, error };
          },
        );
    },
    fail: (error) => {
      outcome = { failed: true, error };
    },
    rejected: (promise, reason, isHandled) => {
      if (isHandled) rejections.delete(promise);
      else rejections.set(promise, reason);
    },
    has_failed: () => {
      for (const error of rejections.values()) outcome ??= { failed: true, error };
      if (rejections.size > 0 && !outcome.failed) outcome = { failed: true, error: rejections.values().next().value };
      return outcome?.failed === true;
    },
    /** Milliseconds until the next timer. */
    next: () => {
      const found = earliest();
      return found && Math.max(found[1].due - now(), 0);
    },
    /** Runs the next timer, where it is due. */
    fire: () => {
      const found = earliest();
      if (found === undefined || found[1].due > now()) return;
      const [id, timer] = found;
      timers.delete(id);
      if (timer.pause !== undefined) timers.set(id, { ...timer, due: now() + timer.pause });
      timer.callback(...timer.values);
    },
    /** Says how the code ended. `false`: it still waits. */
    end: () => {
      if (outcome === undefined) return false;
      host.end(outcome);
      return true;
    },
  };
}
