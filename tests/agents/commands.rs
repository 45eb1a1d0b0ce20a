//! Agents run commands through the server: a build, a test that fails, and a formatter whose hunks a person accepts in part.

use std::path::Path;
use std::sync::mpsc::channel;

use serde_json::json;

use crate::agent::{Agent, Server};
use crate::model::{Model, Move, PATIENCE, Turn};
use crate::place::Place;
use crate::{programs, task};

/// The function that starts an agent.
type Start = fn(&Path, &Place, &Server, &Model) -> Agent;

fn run(command: &[&str], why: &str) -> Move {
    Move::Call("terminal_run", json!({ "cmd": command, "why": why }))
}

fn is_confined(turn: &Turn) {
    assert!(turn.value("sandbox").as_str().is_some_and(|tier| tier.starts_with("tier A")), "{turn:#?}");
}

fn runs_commands(name: &str, start: Start) {
    let Some(program) = programs::find(name) else { return };
    let place = Place::new(&[
        ("list.txt", &task::before("item")),
        (".gitignore", "build/\n"),
        ("build.sh", "mkdir -p build && echo built > build/out && echo done\n"),
        ("check.sh", "echo 'expected 3, found 2' >&2; exit 1\n"),
        ("format.sh", "sed -i -e '3s/$/ changed/' -e '15s/$/ changed/' -e '27s/$/ changed/' list.txt\n"),
        (".env", "TOKEN=MARKSECRET\n"),
        ("leak.sh", "cat .env; (exec 3<>/dev/tcp/127.0.0.1/9) 2>&1; ls -A ~\n"),
    ]);
    place.make_repository();
    let (held, is_held) = channel();
    let mut step = 0;
    let model = Model::start(move |turn| {
        step += 1;
        match step {
            1 => run(&["sh", "build.sh"], "Build the list before its lines are changed"),
            2 => run(&["sh", "check.sh"], "Learn which of the list's checks fails"),
            3 => run(&["bash", "leak.sh"], "Learn what the project's script prints"),
            4 => run(&["sh", "format.sh"], "Mark the three lines that the list is to be read by"),
            5 => {
                let proposal = turn.value("proposal");
                held.send(proposal.as_str().unwrap_or_default().to_owned()).unwrap();
                let why = "Learn which of the three marks the person wants";
                Move::Call("review_wait", json!({ "proposal": proposal, "timeout_s": 30, "why": why }))
            }
            _ => Move::Say("done"),
        }
    });
    let agent = start(&program, &place, &Server::of(&place, &["--policy", "hold"]), &model);
    let proposal =
        is_held.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{}{:#?}", agent.output(), model.turns()));
    assert_eq!(place.text("list.txt"), task::before("item"), "nothing is written before it is accepted");
    for choice in [&["--accept", "h1"][..], &["--reject", "h2,h3", "--reason", "one is enough"]] {
        let output = place.run(&[&["review", &proposal], choice].concat());
        assert!(output.status.success(), "{output:?}");
    }
    agent.finishes();

    let turns = model.turns();
    assert_eq!(
        (turns[1].value("stdout"), turns[1].value("exit_code")),
        (json!("done\n"), json!(0)),
        "{turns:#?}"
    );
    assert_eq!(place.text("build/out"), "built\n", "what git ignores is written at once");
    assert_eq!(turns[2].value("exit_code"), json!(1), "{:#?}", turns[2]);
    assert!(
        turns[2].value("stderr").as_str().is_some_and(|text| text.contains("expected 3")),
        "{:#?}",
        turns[2]
    );
    assert!(!turns[3].last().contains("MARKSECRET"), "{:#?}", turns[3]);
    assert_eq!(turns[4].value("status"), "pending", "{:#?}", turns[4]);
    turns[1..5].iter().for_each(is_confined);
    task::is_partly_applied(&turns[5].answer(), "one is enough");
    assert_eq!(place.text("list.txt"), task::after("item", &[3]));
    let log = json!(place.log());
    assert!(log.to_string().contains("Learn which of the list's checks fails"), "{log:#}");
    place.is_left_empty();
}

#[test]
fn claude_runs_commands() {
    runs_commands("claude", Agent::claude);
}

#[test]
fn codex_runs_commands() {
    runs_commands("codex", Agent::codex);
}
