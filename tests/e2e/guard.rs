//! `wherefore init --guard` and the checks of `wherefore doctor` on it, with fake agents.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, until, wherefore};

/// Runs wherefore in that folder, with the programs of `FOLDER/bin` in addition to those of the system.
fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command: Command = wherefore(folder, args);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.join("bin").display()));
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "QWEN_HOME"] {
        command.env_remove(name);
    }
    std::fs::create_dir_all(folder.join("tmp")).unwrap();
    command.env("TMPDIR", folder.join("tmp")).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A program of that name, which is a script.
fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join("bin").join(name);
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Returns whether a server still runs in the folder of a dry run.
fn dry_run_is_served(folder: &Path) -> bool {
    let mark = format!("{}/wherefore-doctor-", folder.join("tmp").display());
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(&mark))
}

/// The check of an agent by `wherefore doctor`, and whether the doctor succeeded.
fn doctor(folder: &Path, agent: &str) -> (Value, bool) {
    let output = run(folder, &["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == agent).cloned().unwrap_or_default();
    (check, output.status.success())
}

#[test]
fn hooks_are_shown_written_tried_and_taken_back() {
    let folder = place();
    let folder = folder.path();
    program(folder, "claude", "echo '2.1.330 (Claude Code)'");
    let settings = folder.join("home/.claude/settings.json");
    let theirs = "{\n  \"model\": \"m\" // mine\n}\n";
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, theirs).unwrap();
    let text = || std::fs::read_to_string(&settings).unwrap();

    let (check, _) = doctor(folder, "Claude Code");
    assert_eq!(check["health"], "lacking", "{check}");
    assert!(check["found"].as_str().unwrap().starts_with("2.1.330: "), "{check}");
    let shown = out(&run(folder, &["init", "--guard", "--user", "--diff"]));
    assert!(shown.contains("+++ b/~/.claude/settings.json\n") && shown.contains("hook claude"), "{shown}");
    assert_eq!(text(), theirs, "nobody agreed");
    assert!(run(folder, &["init", "--guard", "--user", "--yes"]).status.success());
    // The program is not on the PATH, so the command has its path.
    let command = format!("{} hook claude", env!("CARGO_BIN_EXE_wherefore"));
    assert!(
        text().starts_with("{\n  \"model\": \"m\", // mine\n") && text().contains(&command),
        "{}",
        text()
    );
    let (check, _) = doctor(folder, "Claude Code");
    assert_eq!(check["health"], "well", "{check}");
    until("the server of the dry run ends", || !dry_run_is_served(folder));
    let found = check["found"].as_str().unwrap();
    assert!(found.contains("edits, commands and reads come through (~/.claude/settings.json)"), "{check}");
    assert!(check["gap"].as_str().unwrap().contains("--bare"), "{check}");

    // A second hook would ask twice; one whose program is gone guards nothing.
    let twice = out(&run(folder, &["init", "--guard", "--yes"]));
    assert!(twice.contains("guarded already by ~/.claude/settings.json"), "{twice}");
    assert!(!folder.join("work/.claude").exists());
    std::fs::write(&settings, text().replace(&command, "/gone/wherefore hook claude")).unwrap();
    let (check, went_well) = doctor(folder, "Claude Code");
    assert_eq!((&check["health"], went_well), (&json!("broken"), false), "{check}");
    assert!(check["found"].as_str().unwrap().contains("not there: /gone/wherefore"), "{check}");
    assert!(run(folder, &["init", "--guard", "--user", "--yes"]).status.success());
    assert!(text().contains(&command) && !text().contains("/gone/"));

    let removed = out(&run(folder, &["init", "--guard", "--user", "--remove", "--yes"]));
    assert!(removed.contains("Taken out of ~/.claude/settings.json"), "{removed}");
    assert_eq!(text(), theirs);
}

#[test]
fn removing_takes_the_hooks_out_too_and_leaves_the_log_alone() {
    let folder = place();
    let folder = folder.path();
    for guard in [&["init"][..], &["init", "--guard"]] {
        let set_up = run(folder, &[guard, &["--agents", "all", "--yes"]].concat());
        assert!(set_up.status.success(), "{set_up:?}");
    }
    let work = folder.join("work");
    assert!(work.join(".codex/hooks.json").exists() && work.join(".codex/config.toml").exists());
    let removed = out(&run(folder, &["init", "--remove", "--yes"]));
    assert!(removed.contains(".codex/hooks.json") && removed.contains(".codex/config.toml"), "{removed}");
    let left =
        |name: &str| std::fs::read_to_string(work.join(name)).is_ok_and(|text| text.contains("wherefore"));
    for name in [
        ".claude/settings.json",
        ".gemini/settings.json",
        ".codex/hooks.json",
        ".opencode/plugin/wherefore.js",
        ".mcp.json",
    ] {
        assert!(!left(name), "{name}: {removed}");
    }
    assert!(work.join(".wherefore/config.toml").exists());
}

#[test]
fn what_a_missing_program_means_is_written_into_the_hooks() {
    for (when_away, expected) in [("ask", ""), ("deny", "\"onFailure\": \"block\"")] {
        let folder = place();
        let folder = folder.path();
        std::fs::create_dir(folder.join("work/.wherefore")).unwrap();
        let config = format!("[native]\nwhen_away = \"{when_away}\"\n");
        std::fs::write(folder.join("work/.wherefore/config.toml"), config).unwrap();
        let guard = run(folder, &["init", "--guard", "--agents", "all", "--yes"]);
        assert!(guard.status.success(), "{guard:?}");
        let text = |name: &str| std::fs::read_to_string(folder.join("work").join(name)).unwrap();
        let claude = text(".claude/settings.json");
        assert_eq!(claude.contains("onFailure"), !expected.is_empty(), "{claude}");
        assert!(claude.contains(expected), "{claude}");
        let (gemini, codex) = (text(".gemini/settings.json"), text(".codex/hooks.json"));
        let code = if expected.is_empty() { "exit 1" } else { "exit 2" };
        assert!(gemini.contains(code), "{gemini}");
        assert_eq!(codex.contains("exit 2"), !expected.is_empty(), "{codex}");
        assert!(
            text(".opencode/plugin/wherefore.js").contains(&format!("REFUSE = {}", !expected.is_empty()))
        );
    }
}

/// A pretended Codex: `app-server` lists one hook of the file, trusted where the settings hold its hash.
fn codex(folder: &Path) -> PathBuf {
    let home = folder.join("home/.codex");
    std::fs::create_dir_all(&home).unwrap();
    let hook = json!({
        "key": format!("{}/hooks.json:pre_tool_use:0:0", home.display()),
        "command": format!("{} hook codex", env!("CARGO_BIN_EXE_wherefore")),
        "sourcePath": home.join("hooks.json"),
        "currentHash": "sha256:abc",
        "trustStatus": "STATUS",
    });
    let answer = json!({ "id": 2, "result": { "data": [{ "hooks": [hook] }] } }).to_string();
    let script = format!(
        "[ \"$1\" = --version ] && echo 'codex-cli 0.169.0' && exit\nstatus=untrusted\ngrep -q sha256:abc '{}' 2>/dev/null && status=trusted\nread -r a; echo '{{\"id\":1,\"result\":{{}}}}'; read -r b; read -r c\necho '{answer}' | sed \"s/STATUS/$status/\"\nread -r d",
        home.join("config.toml").display(),
    );
    program(folder, "codex", &script);
    home
}

#[test]
fn codex_is_told_to_trust_the_hook_only_on_a_yes() {
    let folder = place();
    let folder = folder.path();
    let home = codex(folder);
    std::fs::write(home.join("config.toml"), "model = \"m\" # mine\n").unwrap();
    let text = |name: &str| std::fs::read_to_string(home.join(name)).unwrap_or_default();
    let guard = out(&run(folder, &["init", "--guard", "--user"]));
    assert!(guard.contains("Nothing is written"), "{guard}");
    assert_eq!((text("config.toml").as_str(), text("hooks.json").as_str()), ("model = \"m\" # mine\n", ""));
    let guard = out(&run(folder, &["init", "--guard", "--user", "--yes"]));
    assert!(
        guard.contains("Codex runs a hook only once you trust it") && guard.contains("+trusted_hash"),
        "{guard}"
    );
    let key = format!("[hooks.state.\"{}/hooks.json:pre_tool_use:0:0\"]", home.display());
    assert_eq!(
        text("config.toml"),
        format!("model = \"m\" # mine\n\n{key}\ntrusted_hash = \"sha256:abc\"\n")
    );
    assert_eq!(doctor(folder, "Codex").0["health"], "well");
    let again = out(&run(folder, &["init", "--guard", "--user", "--yes"]));
    assert!(again.contains("already") && !again.contains("trusted_hash"), "{again}");
    std::fs::write(home.join("config.toml"), "").unwrap();
    let (check, _) = doctor(folder, "Codex");
    assert!(check["found"].as_str().unwrap().contains("does not trust the hook"), "{check}");
    run(folder, &["init", "--guard", "--user", "--yes"]);
    assert!(text("config.toml").contains("sha256:abc"));
    run(folder, &["init", "--guard", "--user", "--remove", "--yes"]);
    assert!(!home.join("config.toml").exists() && !home.join("hooks.json").exists());
}

/// Runs the hook of an agent on a message, with the runtime folder `run`.
fn hook(folder: &Path, words: &[&str], message: &Value, runtime: &str) -> Output {
    let mut command = wherefore(folder, &[&["hook"], words].concat());
    command.env("XDG_RUNTIME_DIR", folder.join(runtime)).env("TMPDIR", folder.join(runtime));
    command.env_remove("COPILOT_HOME");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// A change that waits without an editor is notified on the desktop if the person's settings say so, and only there.
#[test]
fn a_desktop_tells_that_a_change_waits_where_the_person_wants_it() {
    for (settings, is_told) in [("", false), ("[notify]\ndesktop = true\n", true)] {
        let folder = place();
        let folder = folder.path();
        let shown = folder.join("shown.txt");
        program(folder, "notify-send", &format!("printf '%s\\n' \"$@\" > '{}'", shown.display()));
        let person = folder.join("home/.config/wherefore");
        std::fs::create_dir_all(&person).unwrap();
        std::fs::write(person.join("config.toml"), settings).unwrap();
        // The project's setting is ignored.
        std::fs::create_dir_all(folder.join("work/.wherefore")).unwrap();
        std::fs::write(folder.join("work/.wherefore/config.toml"), "[notify]\ndesktop = true\n").unwrap();
        std::fs::write(folder.join("work/a.txt"), "one\n").unwrap();
        let message = json!({
            "hook_event_name": "PreToolUse", "transcript_path": "/none", "cwd": folder.join("work"), "tool_name": "Edit",
            "tool_input": { "file_path": folder.join("work/a.txt"), "old_string": "one", "new_string": "<b>MARK" },
        });
        let mut hook = wherefore(folder, &["hook", "claude", "--wait", "1"]);
        hook.env("PATH", format!("{}:/usr/bin:/bin", folder.join("bin").display()));
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
        let told = out(&child.wait_with_output().unwrap());
        assert!(told.contains("waits for the person's decision"), "{told}");
        if !is_told {
            assert!(!shown.exists());
            continue;
        }
        until("the desktop is told", || shown.exists());
        until("all of it", || {
            std::fs::read_to_string(&shown).is_ok_and(|text| text.contains("wherefore review"))
        });
        let text = std::fs::read_to_string(&shown).unwrap();
        assert!(text.contains("1 hunk in 1 file waits for you") && text.contains("claude-code"), "{text}");
        assert!(!text.contains("MARK"), "it shows nothing of the change: {text}");
    }
}

#[test]
fn copilot_is_answered_once_where_a_project_has_a_hook_for_claude_code() {
    let folder = place();
    let folder = folder.path();
    let message = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-01-01T00:00:00Z",
        "cwd": folder.join("work"), "tool_name": "Bash", "tool_input": { "command": "true" },
    });
    let alone = hook(folder, &["claude"], &message, "run");
    assert!(out(&alone).contains("sandbox") && out(&alone).contains("copilot-cli"), "{alone:?}");
    std::fs::create_dir_all(folder.join("home/.copilot/hooks")).unwrap();
    let hooks = folder.join("home/.copilot/hooks/wherefore.json");
    // A file of that name without a hook of wherefore has no effect.
    std::fs::write(&hooks, "{}").unwrap();
    assert!(out(&hook(folder, &["claude"], &message, "run")).contains("sandbox"));
    let own =
        json!({ "hooks": { "preToolUse": [{ "bash": "sh -c 'exec wherefore hook copilot preToolUse'" }] } });
    std::fs::write(&hooks, own.to_string()).unwrap();
    let beside = hook(folder, &["claude"], &message, "run");
    assert_eq!((beside.status.code(), out(&beside).as_str()), (Some(0), ""), "{beside:?}");
    let own = json!({ "cwd": folder.join("work"), "toolName": "bash", "toolArgs": { "command": "true" } });
    assert!(out(&hook(folder, &["copilot", "preToolUse"], &own, "run")).contains("sandbox"));
}

#[test]
fn where_no_server_can_be_had_each_agent_goes_on_in_its_own_way() {
    let folder = place();
    let folder = folder.path();
    std::fs::write(folder.join("file"), "").unwrap();
    let claude = json!({
        "hook_event_name": "PreToolUse", "transcript_path": "/none", "cwd": folder.join("work"),
        "tool_name": "Read", "tool_input": { "file_path": folder.join("work/a.txt") },
    });
    let copilot = json!({ "cwd": folder.join("work"), "toolName": "view", "toolArgs": { "path": folder.join("work/a.txt") } });
    // Copilot refuses a call where its hook ends with any code but 0.
    for (words, message, code) in [(&["claude"][..], &claude, 1), (&["copilot", "preToolUse"], &copilot, 0)] {
        let away = hook(folder, words, message, "file/run");
        assert_eq!((away.status.code(), out(&away).as_str()), (Some(code), ""), "{away:?}");
    }
    // In a mode that asks nobody, its own rules would let everything through.
    let mut unasked = claude.clone();
    unasked["permission_mode"] = json!("bypassPermissions");
    let refused = out(&hook(folder, &["claude"], &unasked, "file/run"));
    assert!(refused.contains("\"deny\"") && refused.contains("ask nobody"), "{refused}");
    let settings = folder.join("work/.wherefore/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "[native]\nwhen_away = \"deny\"\n").unwrap();
    let denied = out(&hook(folder, &["claude"], &claude, "file/run"));
    assert!(denied.contains("\"deny\"") && denied.contains("when_away"), "{denied}");
}

#[test]
fn doctor_says_whether_an_agent_starts_us_and_what_turns_that_off() {
    let folder = place();
    let folder = folder.path();
    program(folder, "claude", "echo '2.1.330 (Claude Code)'");
    program(folder, "nvim", "echo 'NVIM v0.12.0'");
    let check = |name: &str| doctor(folder, name).0;
    let connection = check("Claude Code, MCP");
    assert!(connection["found"].as_str().unwrap().contains("do not start wherefore"), "{connection}");
    assert_eq!(check("Neovim plugin")["health"], "lacking");

    assert!(run(folder, &["init", "--yes", "--agents", "claude", "--neovim"]).status.success());
    let connection = check("Claude Code, MCP");
    assert!(connection["found"].as_str().unwrap().contains("which is not there"), "{connection}");
    program(folder, "wherefore", "exit 0");
    assert_eq!(check("Claude Code, MCP")["found"], "starts wherefore (.mcp.json)");
    let plugin = check("Neovim plugin");
    assert!(
        plugin["found"].as_str().unwrap().contains("~/.config/nvim/plugin/wherefore_init.lua"),
        "{plugin}"
    );

    let settings = folder.join("work/.claude/settings.json");
    let levers =
        json!({ "disabledMcpjsonServers": ["wherefore"], "permissions": { "defaultMode": "acceptEdits" } });
    std::fs::write(settings, levers.to_string()).unwrap();
    let connection = check("Claude Code, MCP");
    let off = "`disabledMcpjsonServers` in .claude/settings.json turns wherefore off";
    assert!(connection["found"].as_str().unwrap().contains(off), "{connection}");
    assert!(connection["gap"].as_str().unwrap().contains("its own edits without a question"), "{connection}");
}

#[test]
fn a_decision_made_later_comes_with_the_persons_next_words() {
    let folder = place();
    let folder = folder.path();
    let prompt = || {
        let message = json!({
            "hook_event_name": "UserPromptSubmit", "session_id": "7", "transcript_path": "/none",
            "cwd": folder.join("work"), "prompt": "Go on",
        });
        let mut hook = wherefore(folder, &["hook", "claude"]);
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        out(&output)
    };
    assert_eq!(prompt(), "", "no server is started for it");
    assert_eq!(servers(folder).len(), 0);
    let mut agent = Agent::named(folder, "claude-code", LEGACY, &[], json!({}));
    let arguments = json!({ "path": "a.txt", "find": "one\n", "replace": "1\n", "why": "Digits read better in this list" });
    let answer = agent.call("fs_edit", arguments);
    assert_eq!(answer["status"], "pending", "{answer}");
    assert_eq!(prompt(), "", "nothing is decided yet");
    let proposal = answer["proposal"].as_str().unwrap();
    assert!(run(folder, &["review", proposal, "--reject", "h1", "--reason", "not now"]).status.success());
    let told = prompt();
    assert!(told.contains("\"UserPromptSubmit\"") && told.contains("not now"), "{told}");
    assert_eq!(prompt(), "", "it is told once");
}

#[test]
fn what_was_there_before_is_put_back_to_the_last_byte() {
    let folder = place();
    let folder = folder.path();
    let files = [
        ("work/.mcp.json", Some("{\"mcpServers\": { }}\n")),
        ("work/.claude/settings.json", Some("{}\n")),
        ("work/.claude/settings.local.json", Some("{\n  \"permissions\": {\"allow\": []}\n}")),
        ("work/.gemini/settings.json", None),
        ("work/.codex/config.toml", Some("")),
        ("work/.codex/hooks.json", Some("{ \"hooks\": {} }")),
        ("work/.qwen/settings.json", Some("\n")),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(text) = text {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    // An empty folder of the person's.
    std::fs::create_dir(folder.join("work/.github")).unwrap();
    let agents = ["--agents", "claude,gemini,codex,qwen,copilot", "--yes"];
    let is_done = |args: &[&str]| {
        let output = run(folder, &[args, &agents[..]].concat());
        assert!(output.status.success(), "{output:?}");
        out(&output)
    };
    let init = is_done(&["init"]);
    assert!(init.contains("`wherefore init --guard` sends"), "{init}");
    let guard = is_done(&["init", "--guard"]);
    assert!(
        guard.starts_with("This sends the agents' own edits, commands and reads through wherefore"),
        "{guard}"
    );
    is_done(&["init", "--remove"]);
    for (name, text) in files {
        let now = std::fs::read_to_string(folder.join(name)).ok();
        assert_eq!(now.as_deref(), text, "{name}");
    }
    assert!(folder.join("work/.github").is_dir() && !folder.join("work/.gemini").exists());

    // Changes that somebody made in between stay, and so do empty members.
    is_done(&["init"]);
    let path = folder.join("work/.mcp.json");
    let changed = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{}, \"theirs\": 1}}\n", changed.trim_end().strip_suffix('}').unwrap()))
        .unwrap();
    is_done(&["init", "--remove"]);
    let left: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(left, json!({ "mcpServers": {}, "theirs": 1 }));
}

#[test]
fn doctor_says_which_folder_an_agent_does_not_trust() {
    let folder = place();
    let folder = folder.path();
    program(folder, "copilot", "echo '1.0.102'");
    std::fs::create_dir_all(folder.join("home/.copilot")).unwrap();
    assert!(run(folder, &["init", "--guard", "--agents", "copilot", "--yes"]).status.success());
    let (check, _) = doctor(folder, "Copilot CLI");
    let found = check["found"].as_str().unwrap();
    assert_eq!(check["health"], "lacking", "{check}");
    assert!(found.contains("does not trust the folder") && found.contains("runs no hook"), "{found}");
    let config = folder.join("home/.copilot/config.json");
    let trust =
        |folders: Value| std::fs::write(&config, json!({ "trustedFolders": folders }).to_string()).unwrap();
    trust(json!([folder.join("elsewhere")]));
    assert_eq!(doctor(folder, "Copilot CLI").0["health"], "lacking");
    trust(json!([folder.join("work")]));
    assert_eq!(doctor(folder, "Copilot CLI").0["health"], "well");
}
