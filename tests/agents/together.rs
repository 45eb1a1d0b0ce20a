//! Claude Code and Codex at the same time on one server, with a person at an editor who accepts part of their work.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::{Agent, Server};
use crate::model::{Model, Move, PATIENCE};
use crate::person::{REASON, decide};
use crate::place::Place;
use crate::shared::{Editor, Options};
use crate::{programs, task};

/// The calls of an agent, as the log has them: tool, the agent's own id.
fn calls(log: &[Value], agent: &str) -> Vec<(String, String)> {
    let of_agent = |event: &&Value| {
        event["type"] == "tool_call"
            && event["origin"]["agent"].as_str().is_some_and(|name| name.starts_with(agent))
    };
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    log.iter().filter(of_agent).map(|event| (word(&event["tool"]), word(&event["origin"]["call"]))).collect()
}

#[test]
fn claude_code_and_codex_share_a_server_and_learn_what_the_person_decided() {
    let (Some(claude), Some(codex)) = (programs::find("claude"), programs::find("codex")) else { return };
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let place = Place::of_editor(editor.folder.path());
    std::fs::write(place.work().join("alpha.txt"), task::before("alpha")).unwrap();
    std::fs::write(place.work().join("beta.txt"), task::before("beta")).unwrap();
    place.settings("[review]\nwait_s = 8\n");
    editor.initialize(&options);

    // Claude's change is decided while its call waits.
    let mut step = 0;
    let claude_model = Model::start(move |_| {
        step += 1;
        match step {
            1 => task::read("alpha.txt", false),
            2 => task::read("alpha.txt", true),
            3 => task::patch("alpha.txt", "alpha"),
            _ => Move::Say("done"),
        }
    });
    // Codex' is decided after its call was answered: it learns of it with its next result.
    let (decided, was_decided) = channel();
    let mut step = 0;
    let codex_model = Model::start(move |_| {
        step += 1;
        match step {
            1 => task::read("beta.txt", false),
            2 => task::read("beta.txt", true),
            3 => task::patch("beta.txt", "beta"),
            4 => {
                was_decided.recv_timeout(PATIENCE).expect("the person decides");
                task::read("beta.txt", true)
            }
            _ => Move::Say("done"),
        }
    });
    let server = Server::of(&place, &[]);
    let first = Agent::claude(&claude, &place, &server, &claude_model);
    let second = Agent::codex(&codex, &place, &server, &codex_model);

    decide(&mut editor, "alpha.txt");
    let pending = codex_model.expect("pending");
    let servers = place.servers();
    assert_eq!(servers.len(), 1, "{servers:#?}");
    assert_eq!(servers[0]["pid"], json!(editor.wire.child.id()), "{servers:#?}");
    let status = place.json(&["status", "--json"]);
    let id = decide(&mut editor, "beta.txt");
    decided.send(()).unwrap();
    first.finishes();
    second.finishes();

    // The requests to the models.
    let turns = claude_model.turns();
    task::is_missing_why(&turns[1]);
    assert!(turns[2].last().contains("alpha 30"), "{:#?}", turns[2]);
    task::is_partly_applied(&turns[3].answer(), REASON);
    let turns = codex_model.turns();
    task::is_missing_why(&turns[1]);
    assert!(turns[2].last().contains("beta 30"), "{:#?}", turns[2]);
    assert_eq!((pending.value("status"), pending.value("proposal")), (json!("pending"), json!(id)));
    let told = turns[4].value("decisions");
    assert_eq!(told[0]["proposal"], json!(id), "{:#?}", turns[4]);
    task::is_partly_applied(&told[0], REASON);
    assert!(turns[4].last().contains("beta 3 changed"), "{:#?}", turns[4]);

    // The files on the disk, and the log.
    assert_eq!(place.text("alpha.txt"), task::after("alpha", &[3]));
    assert_eq!(place.text("beta.txt"), task::after("beta", &[3]));
    let agents = status["workspaces"][0]["agents"].to_string();
    assert!(
        agents.contains("claude-code/2.") && agents.contains("codex") && agents.contains("/0."),
        "{status:#}"
    );
    let log = place.log();
    let ids = |calls: &[(String, String)]| calls.iter().map(|(_, id)| id.clone()).collect::<Vec<_>>();
    let of_claude = calls(&log, "claude-code/2.");
    assert_eq!(ids(&of_claude), ["toolu_1", "toolu_2", "toolu_3"], "{of_claude:#?}");
    let of_codex = calls(&log, "codex");
    assert_eq!(ids(&of_codex), ["call_1", "call_2", "call_3", "call_4"], "{of_codex:#?}");
    let tools: Vec<_> = of_codex.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(tools, ["fs.read", "fs.read", "fs.patch", "fs.read"]);

    editor.drain(Duration::from_millis(100));
    drop(editor);
    // `place` ended with the editor's folder: nothing is left to look at but the processes.
    let start = Instant::now();
    while !place.processes().is_empty() {
        assert!(start.elapsed() < PATIENCE, "left behind: {:?}", place.processes());
        thread::sleep(Duration::from_millis(50));
    }
}
