//! Agents of the Agent Client Protocol behind our proxy, in the editor of the protocol's own SDK: a part of what they
//! write is accepted at the command line.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model::{Model, Move, PATIENCE};
use crate::place::Place;
use crate::{programs, task};

/// A reason for the agent.
const REASON: &str = "the fifteenth stays as it is";

/// The editor, which starts the proxy, which starts the agent.
struct Editor(Child);

impl Editor {
    /// With an agent of that name, its arguments and variables. `more` is for the editor.
    fn start(
        place: &Place,
        name: &str,
        args: &[&str],
        env: &[(&str, String)],
        more: &[(&str, &str)],
    ) -> Option<Self> {
        let (node, sdk, agent) = (programs::find("node")?, programs::find("acp-sdk")?, programs::find(name)?);
        let module = sdk
            .ancestors()
            .nth(2)?
            .join("acp-sdk/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js");
        let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/client.mjs");
        let log = std::fs::File::create(place.beside("logs").join("editor.log")).unwrap();
        let mut command = Command::new(node);
        command.arg(client).args([env!("CARGO_BIN_EXE_wherefore"), "acp", "--agent"]);
        command.arg(format!("{} {}", agent.display(), args.join(" ")));
        command.current_dir(place.work()).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("TERM", "dumb").env("ACP_SDK", module).env("WORK", place.work()).envs(place.env());
        command.envs(env.iter().cloned()).envs(more.iter().copied());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Some(Self(command.spawn().unwrap()))
    }

    /// Waits until the agent's turn is over and all have left; what the editor saw.
    fn ends(mut self, place: &Place) -> Vec<Value> {
        let start = Instant::now();
        while self.0.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "{}", log(place));
            thread::sleep(Duration::from_millis(50));
        }
        log(place).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn log(place: &Place) -> String {
    std::fs::read_to_string(place.beside("logs").join("editor.log")).unwrap_or_default()
}

fn gemini(place: &Place, model: &Model) -> Vec<(&'static str, String)> {
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
    });
    std::fs::write(place.beside("home/.gemini").join("settings.json"), settings.to_string()).unwrap();
    vec![
        ("GEMINI_API_KEY", "fake".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", model.url.clone()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
    ]
}

fn opencode(place: &Place, model: &Model) -> Vec<(&'static str, String)> {
    let config = json!({
        "autoupdate": false, "share": "disabled", "model": "scripted/scripted", "permission": { "edit": "ask" },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible", "name": "scripted",
            "options": { "baseURL": format!("{}/v1", model.url), "apiKey": "fake" },
            "models": { "scripted": { "name": "scripted", "tool_call": true } },
        } },
    });
    let path = place.beside("home").join("opencode.json");
    std::fs::write(&path, config.to_string()).unwrap();
    vec![
        ("OPENCODE_CONFIG", path.display().to_string()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
    ]
}

fn claude(_: &Place, model: &Model) -> Vec<(&'static str, String)> {
    let program = programs::find("claude").unwrap().display().to_string();
    vec![
        ("CLAUDE_CODE_EXECUTABLE", program),
        ("ANTHROPIC_BASE_URL", model.url.clone()),
        ("ANTHROPIC_API_KEY", "fake".to_owned()),
        ("ANTHROPIC_MODEL", "claude-sonnet-4-5".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ]
}

fn codex(place: &Place, model: &Model) -> Vec<(&'static str, String)> {
    let config = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n",
        model.url
    );
    let home = place.beside("home/.codex");
    std::fs::write(home.join("config.toml"), config).unwrap();
    let program = programs::find("codex").unwrap().display().to_string();
    vec![
        ("CODEX_PATH", program),
        ("INITIAL_AGENT_MODE", "read-only".to_owned()),
        ("CODEX_HOME", home.display().to_string()),
        ("OPENAI_API_KEY", "fake".to_owned()),
    ]
}

/// The person accepts the first and the last of three parts, as soon as they are proposed.
fn decide(place: &Place) -> Value {
    let start = Instant::now();
    let proposal = loop {
        let waiting = place.run(&["review", "--json"]);
        let waiting: Value = serde_json::from_slice(&waiting.stdout).unwrap_or_default();
        match waiting.pointer("/0").or(waiting.pointer("/proposals/0")) {
            Some(proposal) => break proposal.clone(),
            None => assert!(start.elapsed() < PATIENCE, "nothing was proposed: {}", log(place)),
        }
        thread::sleep(Duration::from_millis(100));
    };
    let id = proposal["id"].as_str().unwrap();
    for choice in [&["--accept", "h1,h3"][..], &["--reject", "h2", "--reason", REASON]] {
        let output = place.run(&[&["review", id], choice].concat());
        assert!(output.status.success(), "{output:?}");
    }
    proposal
}

type Prepare = fn(&Place, &Model) -> Vec<(&'static str, String)>;

/// The agent changes three lines by its own tool; two of them are accepted. The next request of its model reports that.
fn is_reviewed(
    name: &str,
    args: &[&str],
    prepare: Prepare,
    moves: fn(&str) -> Vec<Move>,
    more: &[(&str, &str)],
) {
    let of_its_own = name.strip_suffix("-acp").unwrap_or(name);
    if ["node", "acp-sdk", name, of_its_own].iter().any(|program| programs::find(program).is_none()) {
        return;
    }
    let place = Place::new(&[("list.txt", &task::before("item"))]);
    let path = place.work().join("list.txt").display().to_string();
    let moves = moves(&path);
    let edits = moves.len();
    let mut step = 0;
    let model = Model::start(move |_| {
        step += 1;
        moves.get(step - 1).cloned().unwrap_or(Move::Say("done"))
    });
    let env = prepare(&place, &model);
    let editor = Editor::start(&place, name, args, &env, more).unwrap();
    let proposal = decide(&place);
    let seen = editor.ends(&place);

    assert_eq!(place.text("list.txt"), task::after("item", &[3, 27]), "{}", log(&place));
    assert_eq!(proposal["origin"]["door"], "acp", "{proposal:#}");
    assert!(
        proposal["origin"]["tool"].is_string() && proposal["origin"]["session"].is_string(),
        "{proposal:#}"
    );
    let next = model.turns().into_iter().nth(edits).expect("a request after the edit");
    assert!(next.request.contains(REASON), "{}", next.request);
    assert!(seen.iter().any(|one| one["what"] == "stopped"), "{}", log(&place));
    assert!(!seen.iter().any(|one| one["what"] == "write"), "{}", log(&place));
    let undone = place.run(&["undo"]);
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(place.text("list.txt"), task::before("item"));
}

fn gemini_moves(path: &str) -> Vec<Move> {
    let (old, new) = (task::before("item"), task::after("item", &task::CHANGED));
    let edit =
        json!({ "file_path": path, "instruction": "Mark three", "old_string": old, "new_string": new });
    vec![Move::Call("replace", edit)]
}

fn opencode_moves(path: &str) -> Vec<Move> {
    let (old, new) = (task::before("item"), task::after("item", &task::CHANGED));
    let edit = json!({ "filePath": path, "oldString": old, "newString": new });
    vec![Move::Call("read", json!({ "filePath": path })), Move::Call("edit", edit)]
}

#[test]
fn gemini_writes_what_was_accepted_behind_the_proxy() {
    is_reviewed("gemini", &["--acp", "-m", "gemini-2.5-flash"], gemini, gemini_moves, &[]);
}

#[test]
fn gemini_is_served_its_files_where_its_editor_has_none() {
    is_reviewed("gemini", &["--acp", "-m", "gemini-2.5-flash"], gemini, gemini_moves, &[("FILES", "none")]);
}

#[test]
fn opencode_writes_what_was_accepted_behind_the_proxy() {
    is_reviewed("opencode", &["acp"], opencode, opencode_moves, &[]);
}

fn claude_moves(path: &str) -> Vec<Move> {
    let (old, new) = (task::before("item"), task::after("item", &task::CHANGED));
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    vec![Move::Call("Read", json!({ "file_path": path })), Move::Call("Edit", edit)]
}

/// It asks permission with no diff, and shows the diff with its call before.
fn codex_moves(_: &str) -> Vec<Move> {
    let (old, new) = (task::before("item"), task::after("item", &task::CHANGED));
    let lines = old.lines().zip(new.lines()).map(|(old, new)| match old == new {
        true => format!(" {old}\n"),
        false => format!("-{old}\n+{new}\n"),
    });
    let hunk: String = lines.collect();
    let patch = format!("*** Begin Patch\n*** Update File: list.txt\n@@\n{hunk}*** End Patch");
    vec![Move::Call("apply_patch", json!({ "input": patch }))]
}

#[test]
fn claude_code_writes_what_was_accepted_behind_the_proxy() {
    is_reviewed("claude-acp", &[], claude, claude_moves, &[]);
}

#[test]
fn codex_writes_what_was_accepted_behind_the_proxy() {
    is_reviewed("codex-acp", &[], codex, codex_moves, &[]);
}

/// The whole change is accepted in the agent's own editor, and the agent goes on as if it had written it.
#[test]
fn what_is_accepted_as_a_whole_is_a_success_for_the_agent() {
    if ["node", "acp-sdk", "gemini"].iter().any(|program| programs::find(program).is_none()) {
        return;
    }
    let place = Place::new(&[("list.txt", &task::before("item"))]);
    let moves = gemini_moves(&place.work().join("list.txt").display().to_string());
    let mut step = 0;
    let model = Model::start(move |_| {
        step += 1;
        moves.get(step - 1).cloned().unwrap_or(Move::Say("done"))
    });
    let env = gemini(&place, &model);
    let args = ["--acp", "-m", "gemini-2.5-flash"];
    let editor = Editor::start(&place, "gemini", &args, &env, &[("REVIEW", "accept")]).unwrap();
    editor.ends(&place);
    assert_eq!(place.text("list.txt"), task::after("item", &task::CHANGED), "{}", log(&place));
    assert!(model.turns()[1].last().contains("Successfully modified"), "{:#?}", model.turns()[1].results);
}
