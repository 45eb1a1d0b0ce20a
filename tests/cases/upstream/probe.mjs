// A server of the Model Context Protocol whose one tool, `probe`, tells what its process can reach.
import { createConnection } from "node:net";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const attempt = (act) => {
  try {
    return act();
  } catch (error) {
    return error.code ?? String(error);
  }
};
const connected = (port) =>
  new Promise((done) => {
    const socket = createConnection({ host: "127.0.0.1", port }, () => done("connected"));
    socket.on("error", (error) => done(error.code));
  });

// The status of a tunnel that the proxy is asked for.
const proxied = (port) =>
  new Promise((done) => {
    if (!process.env.https_proxy) return done("none");
    const { hostname: host, port: at } = new URL(process.env.https_proxy);
    const socket = createConnection({ host, port: Number(at) }, () => socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`));
    socket.on("data", (data) => (done(String(data).slice(0, 12)), socket.destroy()));
    socket.on("error", (error) => done(error.code));
  });

async function probe({ port, outside }) {
  return {
    read: attempt(() => readFileSync("a.txt", "utf8")),
    closed: attempt(() => readFileSync(".env", "utf8")),
    outside: attempt(() => readFileSync(outside, "utf8")),
    write: attempt(() => (writeFileSync("written.txt", "by the server\n"), "written")),
    network: await connected(port),
    proxied: await proxied(port),
    given: process.env.GIVEN,
  };
}

const schema = { type: "object", properties: { port: { type: "integer" }, outside: { type: "string" } } };
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "probe", version: "1" } }),
    "tools/list": () => ({ tools: [{ name: "probe", description: "Tells what it reaches.", inputSchema: schema }] }),
    "tools/call": async () => ({ content: [{ type: "text", text: JSON.stringify(await probe(params.arguments)) }] }),
  };
  if (id === undefined) return;
  const result = await (results[method] ?? (() => ({})))();
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
