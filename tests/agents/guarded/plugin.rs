//! OpenCode's plugin in the form of its second version, in a host that calls it as that version does.

use std::process::Command;

use serde_json::{Value, json};

use super::{guard, waiting};
use crate::place::{Place, ten_lines};
use crate::programs;

/// Loads the plugin, and makes the calls of `calls.json` one after the other: the hook before each, the tool's own work where
/// that is a command, and the hook behind it.
const HOST: &str = r#"
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
const [plugin, calls, directory] = process.argv.slice(2);
const { default: found } = await import(plugin);
if (found.id !== "wherefore" || typeof found.setup !== "function") throw new Error("no plugin of this version");
const hooks = {};
await found.setup({
  location: { directory: "/nowhere" },
  session: { get: async () => ({ location: { directory } }) },
  tool: { hook: async (name, run) => (hooks[name] = run) },
});
for (const [tool, input] of JSON.parse(readFileSync(calls, "utf8"))) {
  const call = { tool, input, id: "call", sessionID: "ses_1", agent: "build" };
  try {
    await hooks["execute.before"](call);
    const output = tool === "shell" ? execFileSync("bash", ["-c", call.input.command], { cwd: directory, encoding: "utf8" }) : "";
    const after = { ...call, status: "completed", result: { content: output } };
    await hooks["execute.after"](after);
    console.log(JSON.stringify({ ran: after.result.content }));
  } catch (error) {
    console.log(JSON.stringify({ refused: error.message }));
  }
}
"#;

#[test]
fn the_form_of_opencode_2_confines_commands_reviews_edits_and_refuses_closed_reads() {
    let (Some(program), Some(node)) = (programs::find("opencode"), programs::find("node")) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[])), (".env", "TOKEN=MARK\n")]);
    place.settings("[review]\npolicy = \"hold\"\n");
    place.make_repository();
    guard(&place, &program, "opencode", &[]);
    let plugin = std::fs::read(place.beside("home/.config/opencode/plugin").join("wherefore.js")).unwrap();
    let host = place.beside("host");
    std::fs::write(host.join("wherefore.mjs"), plugin).unwrap();
    std::fs::write(host.join("host.mjs"), HOST).unwrap();
    let calls = json!([
        ["shell", { "command": "echo it ran; echo x > ../outside.txt; echo one changed > list.txt" }],
        ["read", { "path": ".env" }],
        ["grep", { "pattern": "TOKEN=", "literal": true, "path": ".env" }],
        ["read", { "path": "list.txt" }],
    ]);
    std::fs::write(host.join("calls.json"), calls.to_string()).unwrap();
    let mut command = Command::new(node);
    command
        .arg(host.join("host.mjs"))
        .arg(host.join("wherefore.mjs"))
        .arg(host.join("calls.json"))
        .arg(place.work());
    let output = command.env_clear().env("PATH", "/usr/bin:/bin").envs(place.env()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [ran, closed, searched, open] = answers.as_slice() else { panic!("{output:?}") };
    assert!(ran.to_string().contains("it ran"), "{ran}");
    assert!(closed["refused"].is_string() && searched["refused"].is_string(), "{closed} {searched}");
    assert!(open.get("refused").is_none(), "{open}");
    assert!(!place.work().join("../outside.txt").exists());
    assert_eq!(place.text("list.txt"), ten_lines(&[]), "nothing is written before it is accepted");
    assert_eq!(waiting(&place).len(), 1, "{text}");
}
