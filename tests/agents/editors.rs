//! A formatter's changes, run by an agent, decided by a person at a real editor: by keys, hunk by hunk, in part.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::{Agent, Server};
use crate::at_editor::{Person, REASON, neovim, vs_code};
use crate::model::{Model, Move, PATIENCE};
use crate::place::Place;
use crate::{programs, task};

/// The function that starts an agent.
type Start = fn(&Path, &Place, &Server, &Model) -> Agent;

/// The process of the one server that has the workspace: waits until it is there.
fn server(place: &Place) -> Value {
    let start = Instant::now();
    loop {
        let servers = place.servers();
        match servers.as_slice() {
            [one] if one["roots"] == json!([place.work()]) => return one["pid"].clone(),
            _ => assert!(start.elapsed() < PATIENCE, "{servers:#?}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The state of each hunk of a decided proposal and the reason, in the order of the hunks.
fn states(told: &Value) -> Vec<(&str, Option<&str>)> {
    let hunks = told["hunks"].as_array().into_iter().flatten();
    hunks.map(|hunk| (hunk["state"].as_str().unwrap_or_default(), hunk["reason"].as_str())).collect()
}

fn is_decided_in(editor: Command, name: &str, start: Start) {
    let Some(program) = programs::find(name) else { return };
    let mark = "sed -i -e '3s/$/ changed/' -e '15s/$/ changed/' -e '27s/$/ changed/' list.txt notes.txt\n";
    let place = Place::new(&[
        ("list.txt", &task::before("item")),
        ("notes.txt", &task::before("note")),
        ("format.sh", mark),
    ]);
    let mut person = Person::at(editor, &place, "list.txt:aRa,notes.txt:raR");
    person.has("open");
    let served = server(&place);
    let model = Model::start(|turn| match turn.results.len() {
        0 => {
            let why = "Mark the three lines that each list is to be read by";
            Move::Call("terminal_run", json!({ "cmd": ["sh", "format.sh"], "why": why }))
        }
        // A person may take longer than a call waits.
        1..20 if turn.value("status") == "pending" => {
            let why = "Learn which of the marks the person wants";
            Move::Call("review_wait", json!({ "proposal": turn.value("proposal"), "why": why }))
        }
        _ => Move::Say("done"),
    });
    let agent = start(&program, &place, &Server::of(&place, &[]), &model);
    person.has("asked");
    assert_eq!(place.text("list.txt"), task::before("item"), "nothing is written before it is accepted");
    assert_eq!(server(&place), served, "the agent reached the editor's server");
    person.has("decided");
    agent.finishes();

    let turns = model.turns();
    assert!(turns[1].value("sandbox").as_str().is_some_and(|tier| tier.starts_with("tier A")), "{turns:#?}");
    let told = turns.last().unwrap().answer();
    assert_eq!(told["status"], "partly_applied", "{told:#}");
    let (accepted, why) = (("accepted", None), Some(REASON));
    assert_eq!(
        states(&told),
        [accepted, ("rejected", why), accepted, ("rejected", None), accepted, ("rejected", why)],
        "{told:#}"
    );
    assert_eq!(place.text("list.txt"), task::after("item", &[3, 27]));
    assert_eq!(place.text("notes.txt"), task::after("note", &[15]));
    person.leaves();
    place.is_quiet();
}

#[test]
fn what_claudes_formatter_changed_is_accepted_in_part_in_neovim() {
    let Some(editor) = neovim() else { return };
    is_decided_in(editor, "claude", Agent::claude);
}

#[test]
fn what_codexs_formatter_changed_is_accepted_in_part_in_neovim() {
    let Some(editor) = neovim() else { return };
    is_decided_in(editor, "codex", Agent::codex);
}

#[test]
fn what_claudes_formatter_changed_is_accepted_in_part_in_vs_code() {
    let Some(editor) = vs_code() else { return };
    is_decided_in(editor, "claude", Agent::claude);
}

#[test]
fn what_codexs_formatter_changed_is_accepted_in_part_in_vs_code() {
    let Some(editor) = vs_code() else { return };
    is_decided_in(editor, "codex", Agent::codex);
}
