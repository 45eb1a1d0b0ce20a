// Written by `wherefore init --guard`. `wherefore init --guard --remove` takes it away.
// It sends OpenCode's own edits, commands and reads to `wherefore hook opencode`, and does as that answers.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";

const PROGRAM = {program};
// Whether a tool is refused where the program is missing. Otherwise OpenCode's own permissions decide.
const REFUSE = {refuse};
const TOOLS = new Set(["edit", "write", "multiedit", "patch", "apply_patch", "bash", "shell", "read", "grep", "glob", "list"]);
// How much of what the model said before a call is kept as the call's reason, in characters.
const KEPT = 2000;

// The exit codes by which the hook says that OpenCode goes on as if there were no hook, and that the call is refused.
const GOES_ON = 1;
const REFUSED = 2;

const refusal = (error) =>
  new Error(`wherefore was asked, and did not answer (${error}). Nothing was done. \`wherefore doctor\` says more.`);

const ask = (message) =>
  new Promise((done, fail) => {
    const child = spawn(PROGRAM, ["hook", "opencode"{plugin}], { cwd: message.cwd, stdio: "pipe" });
    let answer = "";
    let told = "";
    child.stdout.on("data", (data) => (answer += data));
    child.stderr.on("data", (data) => (told += data));
    child.stdin.on("error", () => {});
    child.on("error", (error) => (error.code === "ENOENT" && !REFUSE ? done({}) : fail(refusal(error.message))));
    child.on("close", (code) => {
      if (code === GOES_ON) return done({});
      if (code === REFUSED) return done({ verdict: "deny", told: told.trim() });
      if (code !== 0) return fail(refusal(`exit code ${code}`));
      try {
        done(answer.trim() ? JSON.parse(answer) : {});
      } catch (error) {
        fail(refusal(error.message));
      }
    });
    child.stdin.end(JSON.stringify(message));
  });

// The shell that OpenCode starts for a command: the one that is set, else that of the environment, else bash. It takes no
// fish and no nu. Undefined where that cannot be told.
const shellOf = (set) => {
  const shell = set || process.env.SHELL;
  const isThere = shell && isAbsolute(shell) && existsSync(shell);
  if (isThere && !["fish", "nu"].includes(basename(shell).toLowerCase())) return shell;
  if (shell && !isAbsolute(shell)) return undefined;
  const folders = (process.env.PATH ?? "").split(":").filter(isAbsolute);
  return folders.map((folder) => join(folder, "bash")).find(existsSync);
};

// OpenCode 1, from 1.18.29 on.
const server = async ({ directory }) => {
  // What the model said last, by session. A stored part is empty until it is complete, so the deltas are joined.
  const said = new Map();
  // The variables of the shell that runs a call's command, by the call.
  const variables = new Map();
  let shell;
  let permission;
  const message = (event, input, args) => ({
    hook_event_name: event,
    said_before: said.get(input.sessionID)?.text,
    tool_name: input.tool,
    tool_use_id: input.callID,
    session_id: input.sessionID,
    cwd: directory,
    tool_input: args,
    shell,
    permission,
  });
  return {
    config: async (config) => {
      shell = shellOf(config?.shell);
      permission = config?.permission;
    },
    event: async ({ event }) => {
      const part = event.properties;
      if (event.type === "session.deleted") said.delete(part?.info?.id);
      if (event.type !== "message.part.delta" || part?.field !== "text") return;
      const last = said.get(part.sessionID);
      const text = (last?.id === part.partID ? last.text : "") + part.delta;
      said.set(part.sessionID, { id: part.partID, text: text.slice(-KEPT) });
    },
    "tool.execute.before": async (input, output) => {
      if (!TOOLS.has(input.tool)) return;
      const answer = await ask(message("PreToolUse", input, output.args));
      if (answer.verdict === "deny") throw new Error(answer.told);
      if (answer.verdict === "shell") variables.set(input.callID, answer.env);
      if (answer.verdict !== "rewrite") return;
      // OpenCode looks at this very object: another one in its place would not count.
      for (const name of Object.keys(output.args)) if (!(name in answer.args)) delete output.args[name];
      Object.assign(output.args, answer.args);
    },
    "shell.env": async (input, output) => {
      const own = variables.get(input.callID);
      if (own) Object.assign(output.env, own);
    },
    "tool.execute.after": async (input, output) => {
      if (!TOOLS.has(input.tool)) return;
      variables.delete(input.callID);
      const answer = await ask(message("PostToolUse", input, input.args)).catch(() => ({}));
      if (answer.told) output.output += `\n\n${answer.told}`;
    },
  };
};

// OpenCode 2. Its hooks get one object for a call, which they may change.
const setup = async (context) => {
  // One plugin serves sessions of several folders.
  const folder = async (sessionID) => {
    const session = await context.session?.get?.({ sessionID }).catch(() => undefined);
    return session?.location?.directory ?? context.location?.directory;
  };
  const message = async (event, call) => ({
    hook_event_name: event,
    tool_name: call.tool,
    tool_use_id: call.id ?? call.callID,
    session_id: call.sessionID,
    cwd: await folder(call.sessionID),
    tool_input: call.input,
  });
  await context.tool.hook("execute.before", async (call) => {
    if (!TOOLS.has(call.tool)) return;
    const answer = await ask(await message("PreToolUse", call));
    if (answer.verdict === "deny") throw new Error(answer.told);
    if (answer.verdict === "rewrite") call.input = answer.args;
  });
  await context.tool.hook("execute.after", async (call) => {
    if (!TOOLS.has(call.tool) || call.status === "error") return;
    const answer = await ask(await message("PostToolUse", call)).catch(() => ({}));
    if (!answer.told || !call.result) return;
    const { content } = call.result;
    const parts = Array.isArray(content) ? content : [{ type: "text", text: String(content ?? "") }];
    call.result = { ...call.result, content: [...parts, { type: "text", text: answer.told }] };
  });
};

// Each version takes its own of the two.
export default { id: "wherefore", server, setup };
