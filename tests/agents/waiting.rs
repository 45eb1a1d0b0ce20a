//! Claude Code at its terminal, while a change waits in the editor: its screen names the change, and Escape asks the person.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::Model;
use crate::place::Place;
use crate::shared::{Editor, Options};
use crate::terminal::Terminal;
use crate::{programs, task};

#[test]
fn claude_code_says_for_what_it_waits_and_escape_has_the_person_asked() {
    let Some(program) = programs::find("claude") else { return };
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let place = Place::of_editor(editor.folder.path());
    std::fs::write(place.work().join("alpha.txt"), task::before("alpha")).unwrap();
    editor.initialize(&options);
    let model = Model::start(|_| task::patch("alpha.txt", "alpha"));
    let home = place.beside("home");
    let known = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": { "approved": ["fake"], "rejected": [] },
        "projects": { place.work().display().to_string(): { "hasTrustDialogAccepted": true } },
    });
    std::fs::write(home.join(".claude.json"), known.to_string()).unwrap();
    let env: Value = place.env().into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let args = ["mcp", "--root", &place.work().display().to_string()].map(str::to_owned);
    let server = json!({ "command": env!("CARGO_BIN_EXE_wherefore"), "args": args, "env": env });
    let servers = home.join("mcp.json");
    std::fs::write(&servers, json!({ "mcpServers": { "wherefore": server } }).to_string()).unwrap();

    let mut command = Command::new(program);
    command.args(["--model", "claude-sonnet-4-5", "--strict-mcp-config"]);
    command.args(["--allowedTools", "mcp__wherefore", "--mcp-config"]).arg(servers);
    for name in ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] {
        command.env(name, "1");
    }
    command.env("ANTHROPIC_BASE_URL", &model.url).env("ANTHROPIC_API_KEY", "fake");
    place.beside("logs");
    let mut terminal = Terminal::open(command, &place);
    terminal.prompts(&["for shortcuts"], "Do the task.");
    terminal.shows("waiting for you in scripted editor: 3 hunks in alpha.txt");
    terminal.types("\u{1b}");
    let asked = editor.expect("window/showMessageRequest");
    let text = asked["params"]["message"].as_str().unwrap();
    assert!(text.contains("claude-code was interrupted while 3 hunks in alpha.txt wait for you"), "{text}");
    editor.reply(&asked, json!({ "title": "Withdraw them" }));
    while editor.request("wherefore/proposals", json!({})).unwrap()["proposals"] != json!([]) {}
    assert_eq!(place.text("alpha.txt"), task::before("alpha"));
    terminal.leaves();
    editor.drain(Duration::from_millis(200));
}
