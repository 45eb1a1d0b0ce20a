//! The slots for agents that look for their editor: each agent at its terminal, beside a real editor, with its own edit tool
//! and no hook. A person decides on five hunks in the editor, and the agent writes what that leaves.

pub(crate) mod terminal;

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::terminal::Terminal;
use crate::at_editor::{self, neovim, vs_code};
use crate::model::{Model, Move, PATIENCE};
use crate::place::{Place, ten_lines};
use crate::programs;

/// An agent that looks for its editor.
struct SlotAgent {
    /// Its program.
    name: &'static str,
    /// The setting.
    slot: &'static str,
    /// What its model does, for the path of a file with its text before and after.
    moves: fn(&str, &str, &str) -> Vec<Move>,
    /// Writes its settings, and gives its command.
    command: fn(&Path, &Place, &Model) -> Command,
    /// The folder of its announcements, below the home.
    announced: &'static str,
    /// What the screen shows once it takes a prompt.
    ready: &'static [&'static str],
    /// The words by which its model hears that the text is another.
    told: &'static str,
}

const CLAUDE: SlotAgent = SlotAgent {
    name: "claude",
    slot: "claude-code",
    moves: |path, before, after| {
        vec![
            Move::Call("Read", json!({ "file_path": path })),
            Move::Call("Edit", json!({ "file_path": path, "old_string": before, "new_string": after })),
            // Its record of the file holds: the next edit needs no other read.
            Move::Call("Bash", json!({ "command": "cat list.txt", "description": "Look" })),
        ]
    },
    command: |program, place, model| {
        let work = place.work().display().to_string();
        let settings = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "hasIdeOnboardingBeenShown": { "vscode": true },
            "customApiKeyResponses": { "approved": ["fake"], "rejected": [] },
            "projects": { work: { "hasTrustDialogAccepted": true, "allowedTools": [] } },
        });
        std::fs::write(place.beside("home").join(".claude.json"), settings.to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["--ide", "--model", "claude-sonnet-4-5"]);
        let quiet = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"];
        command.envs(quiet.map(|name| (name, "1"))).env("ANTHROPIC_API_KEY", "fake");
        command.env("ANTHROPIC_BASE_URL", &model.url);
        command
    },
    announced: ".claude/ide",
    ready: &["for shortcuts", "Try \"", "❯"],
    told: "modified your proposed changes",
};

const GEMINI: SlotAgent = SlotAgent {
    name: "gemini",
    slot: "gemini-cli",
    moves: |path, before, after| {
        let why = "Write the odd words in capitals";
        let arguments =
            json!({ "file_path": path, "instruction": why, "old_string": before, "new_string": after });
        vec![Move::Call("replace", arguments)]
    },
    command: |program, place, model| {
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false },
            "ide": { "enabled": true, "hasSeenNudge": true }, "ui": { "hideTips": true, "hideBanner": true },
        });
        let folder = place.beside("home/.gemini");
        std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
        let trusted = json!({ place.work().display().to_string(): "TRUST_FOLDER" });
        std::fs::write(folder.join("trustedFolders.json"), trusted.to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-m", "gemini-2.5-flash"]).env("GEMINI_API_KEY", "fake");
        // In a container it looks for the editor at another host, unless there is a connection of SSH.
        command.env("GOOGLE_GEMINI_BASE_URL", &model.url).env("SSH_CONNECTION", "x");
        command
    },
    announced: "gemini/ide",
    ready: &["Type your message"],
    told: "list.txt",
};

/// The one announcement in a folder, once it is there: its path and its content.
fn announcement(place: &Place, agent: &SlotAgent) -> (String, Value) {
    let folder = place.beside("home").join(agent.announced);
    let start = Instant::now();
    loop {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| !entry.path().to_string_lossy().ends_with(".new")) {
            if let Ok(content) = serde_json::from_slice(&std::fs::read(entry.path()).unwrap_or_default()) {
                return (entry.path().display().to_string(), content);
            }
        }
        assert!(start.elapsed() < PATIENCE, "nothing is announced in {}", folder.display());
        thread::sleep(Duration::from_millis(50));
    }
}

/// The port that is announced.
fn port(file: &str, content: &Value) -> u16 {
    let name = file.rsplit('/').next().unwrap().trim_end_matches(".lock");
    content["port"]
        .as_u64()
        .and_then(|port| u16::try_from(port).ok())
        .unwrap_or_else(|| name.parse().unwrap())
}

/// The variables that the editor's terminals have: the port, and what the agent wants beside it.
fn variables(port: u16, content: &Value) -> Vec<(&'static str, String)> {
    match content["workspacePath"].as_str() {
        None => {
            vec![("CLAUDE_CODE_SSE_PORT", port.to_string()), ("ENABLE_IDE_INTEGRATION", "true".to_owned())]
        }
        Some(folder) => vec![
            ("GEMINI_CLI_IDE_SERVER_PORT", port.to_string()),
            ("GEMINI_CLI_IDE_WORKSPACE_PATH", folder.to_owned()),
            ("GEMINI_CLI_IDE_PID", content["pid"].to_string()),
        ],
    }
}

/// Waits until somebody is connected to a port: an agent asked before that would not show its edit.
fn is_reached(port: u16) {
    let (start, there) = (Instant::now(), format!("0100007F:{port:04X} 01 "));
    let is_there = || {
        let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
        sockets.lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words.get(2..4).is_some_and(|words| format!("{} {} ", words[0], words[1]) == there)
        })
    };
    while !is_there() {
        assert!(start.elapsed() < PATIENCE, "the agent does not come to port {port}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn is_reviewed(agent: &SlotAgent, editor: Option<Command>) {
    let (Some(program), Some(mut editor)) = (programs::find(agent.name), editor) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    place.settings(&format!("[native]\nide = \"{}\"\n", agent.slot));
    let path = place.work().join("list.txt").display().to_string();
    let (before, after) = (ten_lines(&[]), ten_lines(&[2, 4, 6, 8, 10]));
    let moves = agent.moves;
    let model = Model::start(move |turn| {
        // An agent asks its model other things meanwhile, with none of its tools.
        if turn.tools.is_empty() {
            return Move::Say("none");
        }
        let mut moves = moves(&path, &before, &after).into_iter().skip(turn.results.len());
        moves.next().unwrap_or(Move::Say("done"))
    });
    editor.env("TMPDIR", place.beside("home"));
    let mut person = at_editor::Person::at(editor, &place, "list.txt:aRaRa");
    person.has("open");
    let (file, content) = announcement(&place, agent);
    let port = port(&file, &content);
    let mut command = (agent.command)(&program, &place, &model);
    command.envs(variables(port, &content)).env("TMPDIR", place.beside("home"));
    let mut terminal = Terminal::open(command, &place);
    is_reached(port);
    terminal.prompts(agent.ready, "do it");

    person.has("asked");
    person.has("decided");
    terminal.shows("done");
    assert_eq!(
        place.text("list.txt"),
        ten_lines(&[2, 6, 10]),
        "{}\n{:#?}",
        terminal.screen(),
        model.turns().last()
    );
    model.expect(agent.told);
    let log = place.log();
    let edit = log.iter().find(|event| event["type"] == "native_edit").unwrap_or_else(|| panic!("{log:#?}"));
    assert_eq!(
        (&edit["tool"], &edit["outcome"]),
        (&json!("openDiff"), &json!("partly_applied")),
        "{edit:#?}"
    );
    assert!(log.iter().any(|event| event["origin"]["door"] == "ide"), "{log:#?}");
    let outside = log.iter().filter(|event| event["origin"]["door"] == "outside").count();
    assert_eq!(outside, 0, "what the agent wrote is no other program's: {log:#?}");
    let undone = place.run(&["undo"]);
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(place.text("list.txt"), ten_lines(&[]), "{undone:?}\n{:#?}", place.log().last());
    terminal.leaves();
    person.leaves();
    let start = Instant::now();
    while Path::new(&file).exists() {
        assert!(start.elapsed() < PATIENCE, "the announcement goes with the editor");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn claude_code_writes_what_the_decisions_leave() {
    is_reviewed(&CLAUDE, neovim());
}

#[test]
fn gemini_cli_writes_what_the_decisions_leave() {
    is_reviewed(&GEMINI, neovim());
}

#[test]
fn claude_code_writes_what_the_decisions_leave_in_vs_code() {
    is_reviewed(&CLAUDE, vs_code());
}

#[test]
fn gemini_cli_writes_what_the_decisions_leave_in_vs_code() {
    is_reviewed(&GEMINI, vs_code());
}

/// The person answers in the terminal instead, and the waiting change is settled by that.
#[test]
fn an_answer_in_the_terminal_settles_what_waits() {
    for (key, expected, outcome) in
        [("\r", ten_lines(&[2, 4]), "accepted"), ("\u{1b}", ten_lines(&[]), "rejected")]
    {
        let (Some(program), Some(mut editor)) = (programs::find(CLAUDE.name), neovim()) else { return };
        let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
        place.settings("[native]\nide = \"claude-code\"\n");
        let path = place.work().join("list.txt").display().to_string();
        let mut moves = (CLAUDE.moves)(&path, &ten_lines(&[]), &ten_lines(&[2, 4])).into_iter().take(2);
        let model = Model::start(move |_| moves.next().unwrap_or(Move::Say("done")));
        editor.env("TMPDIR", place.beside("home"));
        let mut person = at_editor::Person::at(editor, &place, "list.txt:aaaaaaa");
        person.has("open");
        let (file, content) = announcement(&place, &CLAUDE);
        let mut command = (CLAUDE.command)(&program, &place, &model);
        command.envs(variables(port(&file, &content), &content));
        let mut terminal = Terminal::open(command, &place);
        terminal.prompts(CLAUDE.ready, "do it");
        let waits = || place.json(&["review", "--list", "--json"]);
        let start = Instant::now();
        while waits().as_array().is_none_or(Vec::is_empty) {
            assert!(start.elapsed() < PATIENCE, "nothing waits: {}", terminal.screen());
            thread::sleep(Duration::from_millis(100));
        }
        thread::sleep(Duration::from_secs(1));
        terminal.types(key);
        let start = Instant::now();
        while !waits().as_array().is_some_and(Vec::is_empty) {
            assert!(start.elapsed() < PATIENCE, "it waits on: {}", terminal.screen());
            thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(place.text("list.txt"), expected, "{}", terminal.screen());
        let log = place.log();
        let told = |event: &&Value| event.to_string().contains(&format!("\"state\":\"{outcome}\""));
        assert!(log.iter().any(|event| told(&event)), "{log:#?}");
        assert!(log.iter().all(|event| event["origin"]["door"] != "outside"), "{log:#?}");
        terminal.leaves();
    }
}
