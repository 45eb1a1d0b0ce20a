// Speaks the protocol of `wherefore patch --batch` and has `wherefore call --batch` do the work: fs.patch on real
// files, in a folder of its own. So a set of diffs that is scored by the one can be scored by the other:
//     node tests/bench/patch-by-call.mjs PATH/OF/wherefore
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const root = mkdtempSync(join(tmpdir(), "patch-by-call-"));
const server = spawn(process.argv[2] ?? "wherefore", ["call", "--batch", "--root", root], {
  stdio: ["pipe", "pipe", "inherit"],
  env: { ...process.env, XDG_CONFIG_HOME: join(root, ".none"), XDG_RUNTIME_DIR: root },
});
const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, path, before, before_b64, diff } = JSON.parse(line);
  const file = join(root, path);
  const bytes = before_b64 === undefined ? before : Buffer.from(before_b64, "base64");
  mkdirSync(dirname(file), { recursive: true });
  if (typeof bytes === "string" || Buffer.isBuffer(bytes)) writeFileSync(file, bytes);
  const started = process.hrtime.bigint();
  const call = { tool: "fs.patch", arguments: { path, diff, why: "Score the tool as an agent meets it" } };
  server.stdin.write(`${JSON.stringify(call)}\n`);
  const { value } = await answers.next();
  if (value === undefined) throw new Error("the server ended");
  const { error } = JSON.parse(value);
  const us = Number((process.hrtime.bigint() - started) / 1000n);
  const details = error?.details ?? {};
  const near = details.nearest;
  const hints = [
    ...(details.candidates ?? []),
    ...(details.difference ? [details.difference.line] : []),
    ...(near ? [near.start, near.start + near.lines.length - 1] : []),
  ];
  const after = existsSync(file) ? readFileSync(file).toString("base64") : undefined;
  // No case sees another's files.
  rmSync(file, { force: true });
  const left = after === undefined ? { after: null } : { after_b64: after };
  console.log(JSON.stringify({ id, ok: error === undefined || error === null, us, error: error?.message, hints, ...left }));
}
server.stdin.end();
