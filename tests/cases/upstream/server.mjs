// A server of the Model Context Protocol that does as it is told, well or badly: over standard streams, or over HTTP
// with `--http`. Its tools are those below, or those in the file that TOOLS names, read anew at each listing.
import { readFileSync, appendFileSync, existsSync } from "node:fs";
import { createServer } from "node:http";

const mode = process.env.MODE ?? "";
const object = (properties = {}, more = {}) => ({ type: "object", properties, ...more });
const tools = [
  { name: "echo", description: "Says what it was given.", inputSchema: object({ text: { type: "string" } }), annotations: { readOnlyHint: true } },
  { name: "why_too", description: "Wants the why.", inputSchema: object({ why: { type: "string", description: "The reason" } }) },
  { name: "add", description: "Adds.", inputSchema: object({ a: { type: "number" }, b: { type: "number" } }, { required: ["a", "b"], additionalProperties: false }), outputSchema: object({ sum: { type: "integer" } }, { required: ["sum"] }) },
  ...["environment", "fail", "crash", "hang", "flood", "endless", "rubbish", "steps", "ask", "sample", "roots", "image", "large", "bare", "refuse", "mute"]
    .map((name) => ({ name, description: `Does ${name}.`, inputSchema: object() })),
];

const note = (text) => process.env.NOTES && appendFileSync(process.env.NOTES, `${text}\n`);
const listed = () => (process.env.TOOLS && existsSync(process.env.TOOLS) ? JSON.parse(readFileSync(process.env.TOOLS, "utf8")) : tools);
const text = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });
const waiting = new Map();
let asked = 1000, subscription;

// Asks the client something; the answer, or its error.
const ask = (peer, method, params) =>
  new Promise((resolve) => {
    waiting.set(++asked, resolve);
    peer.send({ jsonrpc: "2.0", id: asked, method, params });
  });

async function call(peer, name, args, meta) {
  const tell = (method, params) => peer.send({ jsonrpc: "2.0", method, params });
  switch (name) {
    case "echo": case "why_too": return text(args);
    case "add": return { content: [], structuredContent: { sum: args.a + args.b } };
    case "environment": return text({ cwd: process.cwd(), names: Object.keys(process.env).sort() });
    case "fail": return { ...text("the disk is full"), isError: true };
    case "crash": console.error("out of cheese"); process.exit(3); break;
    case "hang": await new Promise(() => {}); break;
    case "mute": for (;;); break;
    case "flood":
      for (let at = 0; at < 3000; at++) tell("notifications/message", { level: "info", data: `n${at}` });
      return text("after the flood");
    case "endless":
      for (let at = 0; at < 40; at++) await new Promise((done) => process.stdout.write("x".repeat(1 << 20), done));
      return text("never read");
    case "rubbish": process.stdout.write("starting up…\n[1,2]\n"); return text("after the rubbish");
    case "steps":
      for (const at of [1, 2, 4]) tell("notifications/progress", { progressToken: meta.progressToken, progress: at, total: 4, message: `step ${at}` });
      return text("done");
    case "ask": return text(await ask(peer, "elicitation/create", { message: "Which colour?", requestedSchema: object({ colour: { type: "string" } }) }));
    case "sample": return text(await ask(peer, "sampling/createMessage", { messages: [], maxTokens: 5 }));
    case "roots": return text(await ask(peer, "roots/list", {}));
    case "image": return { content: [{ type: "text", text: "a dot" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] };
    case "large": return text("ü".repeat(400 << 10));
    case "bare": return { structured: true };
    case "refuse": throw { code: -32602, message: "no such colour" };
    default: throw { code: -32602, message: `unknown tool ${name}` };
  }
}

async function answer(peer, { id, method, params = {} }) {
  switch (method) {
    case "initialize":
      if (mode === "modern") throw { code: -32601, message: "initialize is gone" };
      return { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "test", version: "1" } };
    case "server/discover":
      return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" }, ttlMs: 0, cacheScope: "private" };
    case "subscriptions/listen":
      subscription = { "io.modelcontextprotocol/subscriptionId": id };
      peer.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta: subscription, notifications: { toolsListChanged: true } } });
      return new Promise(() => {});
    case "ping": return {};
    case "tools/list": {
      note("list");
      if (mode === "odd-list") return { tools: "none" };
      const all = listed();
      // Two pages.
      const from = params.cursor ? Number(params.cursor) : 0, to = Math.ceil(all.length / 2);
      const more = mode === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
      return from === 0 && all.length > 1 ? { tools: all.slice(0, to), nextCursor: String(to), ...more } : { tools: all.slice(from), ...more };
    }
    case "tools/call": {
      note(`call ${params.name} ${JSON.stringify(params.arguments)}`);
      if (mode === "modern" && params.name === "ask" && !params.inputResponses) {
        return { resultType: "input_required", requestState: "s1", inputRequests: { c: { method: "elicitation/create", params: { mode: "form", message: "Which colour?", requestedSchema: object({ colour: { type: "string" } }) } } } };
      }
      if (params.inputResponses) return { resultType: "complete", ...text({ state: params.requestState, answers: params.inputResponses }) };
      const result = await call(peer, params.name, params.arguments ?? {}, params._meta ?? {});
      return mode === "modern" ? { resultType: "complete", ...result } : result;
    }
    default: throw { code: -32601, message: `no ${method}` };
  }
}

async function take(peer, message) {
  if (message.method === "notifications/cancelled") note(`cancelled ${message.params.requestId}`);
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? { error: message.error });
  if (message.id === undefined) return;
  try {
    peer.send({ jsonrpc: "2.0", id: message.id, result: await answer(peer, message) });
  } catch (error) {
    peer.send({ jsonrpc: "2.0", id: message.id, error: { code: error.code ?? -32603, message: String(error.message) } });
  }
}

function stdio() {
  if (mode === "crash-start") { console.error("no licence"); process.exit(7); }
  if (mode === "hang-start") { setInterval(() => {}, 1000); return; }
  if (mode === "rubbish-start") { console.log("Welcome!"); setInterval(() => {}, 1000); return; }
  const peer = { send: (message) => process.stdout.write(`${JSON.stringify(message)}\n`) };
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines.filter((line) => line.trim())) take(peer, JSON.parse(line));
  });
  process.stdin.on("end", () => mode !== "stubborn" && process.exit(0));
  if (mode === "stubborn") setInterval(() => {}, 1000);
  if (process.env.TOOLS) {
    let before = JSON.stringify(listed());
    setInterval(() => {
      let now = before;
      try { now = JSON.stringify(listed()); } catch { /* half written */ }
      if (now !== before) peer.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed", ...(subscription && { params: { _meta: subscription } }) });
      before = now;
    }, 50);
  }
  note(`started ${process.pid}`);
}

function http() {
  const server = createServer(async (request, response) => {
    const status = (code, headers = {}) => response.writeHead(code, headers).end();
    if (request.headers["x-key"] !== "open sesame") return status(401, { "www-authenticate": "Bearer" });
    if (request.method !== "POST") return status(405);
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body);
    if (mode === "redirect") return status(307, { location: "http://127.0.0.1:9/" });
    if (message.id === undefined || message.method === undefined) { take({ send() {} }, message); return status(202); }
    // Answered as a stream of events, so that what is asked meanwhile can be sent too.
    response.writeHead(200, { "content-type": "text/event-stream" });
    const peer = { send: (sent) => response.write(`data: ${JSON.stringify(sent)}\n\n`) };
    await take(peer, message);
    response.end();
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}

process.argv.includes("--http") ? http() : stdio();
