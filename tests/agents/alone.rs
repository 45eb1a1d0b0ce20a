//! A single agent and no editor: the server starts with it, holds its change for `wherefore review`, and ends after it.

use std::path::Path;
use std::sync::mpsc::channel;

use serde_json::json;

use crate::agent::{Agent, Server};
use crate::model::{Model, Move, PATIENCE};
use crate::place::Place;
use crate::{programs, task};

/// The function that starts an agent.
type Start = fn(&Path, &Place, &Server, &Model) -> Agent;

/// Reads, proposes, waits with `review_wait` while a person decides at the command line. Whether the call without a why
/// reaches the server is for the agent to say.
fn works_alone(name: &str, start: Start, checks_arguments_itself: bool) {
    let Some(program) = programs::find(name) else { return };
    let place = Place::new(&[("list.txt", &task::before("item"))]);
    let (held, is_held) = channel();
    let mut step = 0;
    let model = Model::start(move |turn| {
        step += 1;
        match step {
            1 => task::read("list.txt", false),
            2 => task::read("list.txt", true),
            3 => task::patch("list.txt", "item"),
            4 => {
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
    assert_eq!(place.servers().len(), 1);
    for choice in [&["--accept", "h1"][..], &["--reject", "h2,h3", "--reason", "one is enough"]] {
        let output = place.run(&[&["review", &proposal], choice].concat());
        assert!(output.status.success(), "{output:?}");
    }
    agent.finishes();

    let turns = model.turns();
    if checks_arguments_itself {
        assert!(turns[1].last().contains("why"), "{:#?}", turns[1]);
    } else {
        task::is_missing_why(&turns[1]);
    }
    assert!(turns[2].last().contains("item 30"), "{:#?}", turns[2]);
    assert_eq!(turns[3].value("status"), "pending", "{:#?}", turns[3]);
    task::is_partly_applied(&turns[4].answer(), "one is enough");
    assert_eq!(place.text("list.txt"), task::after("item", &[3]));
    place.is_left_empty();
}

#[test]
fn opencode() {
    works_alone("opencode", Agent::opencode, false);
}

/// It holds arguments to the schema itself, so a call without a why does not leave it.
#[test]
fn gemini() {
    works_alone("gemini", Agent::gemini, true);
}
