// Runs one request in Node.js, which has `connect` of host.js before this text.
const { readFileSync, writeSync } = require("node:fs");
const { Session } = require("node:inspector");
const { createRequire } = require("node:module");

const host = connect((line, shown) => {
  writeSync(1, `${line}\n`);
  if (shown !== null) writeSync(2, `${shown}\n`);
});
const exit = process.exit.bind(process);

let outcome;
const end = () => {
  host.end(outcome ?? { failed: true, error: unsettled() });
  exit(0);
};
const unsettled = () => {
  const error = new Error("the code waits for a promise that nothing settles: no timer and no job is left");
  error.name = "UnsettledPromise";
  return error;
};
const fail = (error, place) => {
  outcome = { failed: true, error, ...place };
  end();
};

/** Whether the code did not parse, and so ran in no part. Only then the inspector names the script. */
const isUnread = (details) => details?.exception?.className === "SyntaxError" && details.scriptId !== undefined;

/** An error of the parser has no place in its stack trace. */
const placeOf = (details) => (isUnread(details) ? { line: details.lineNumber + 1, column: details.columnNumber + 1 } : {});

const run = (code) => {
  const session = new Session();
  session.connect();
  const post = (method, options, then) => session.post(method, options, (_, answer) => then(answer));
  /** Hands a remote value over as the value that it is. */
  const value = (object, then) => {
    if (object.objectId === undefined) {
      return then(object.unserializableValue === undefined ? object.value : (0, eval)(object.unserializableValue));
    }
    globalThis[key] = then;
    const functionDeclaration = `function () { const then = globalThis[${JSON.stringify(key)}]; delete globalThis[${JSON.stringify(key)}]; then(this); }`;
    post("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration }, () => {});
  };
  const evaluate = (text, before, then) => {
    host.read(code, before, false);
    const expression = `${text}\n//# sourceURL=code.js`;
    post("Runtime.evaluate", { expression, replMode: true }, then);
  };
  const settled = ({ result, exceptionDetails: details }) => {
    if (details === undefined) {
      return value(result, (found) => Promise.resolve(found).then((value) => (outcome = { value }), fail));
    }
    value(details.exception, (error) => fail(error, placeOf(details)));
  };
  const evaluatePlain = () =>
    evaluate(code, 0, (answer) => {
      const isReturn = answer.exceptionDetails?.exception?.description?.startsWith("SyntaxError: Illegal return");
      if (isUnread(answer.exceptionDetails) && isReturn) evaluate(`(async () => {${code}\n})()`, 14, settled);
      else settled(answer);
    });
  if (/^\s*\{[^]*\}\s*$/.test(code)) {
    evaluate(`(${code}\n)`, 1, (answer) => (isUnread(answer.exceptionDetails) ? evaluatePlain() : settled(answer)));
  } else {
    evaluatePlain();
  }
};

const key = `wherefore ${Math.random()}`;
const request = JSON.parse(readFileSync(0, "utf8"));
globalThis.input = globalThis.input_json = request.input;
globalThis.console = host.console;
globalThis.require = createRequire("/");
process.on("uncaughtException", (error) => fail(error));
process.on("unhandledRejection", (error) => fail(error));
process.on("beforeExit", end);
run(request.code);
