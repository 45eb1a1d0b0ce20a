//! A person who takes their time, and an agent that gives a tool call a minute.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::{Agent, Server};
use crate::model::{Model, Move};
use crate::person::{REASON, decide};
use crate::place::Place;
use crate::shared::{Editor, Options};
use crate::{programs, task};

/// Codex's time limit for a tool call.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn an_agent_with_a_limit_of_a_minute_waits_for_the_person_longer() {
    let Some(codex) = programs::find("codex") else { return };
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let place = Place::of_editor(editor.folder.path());
    std::fs::write(place.work().join("alpha.txt"), task::before("alpha")).unwrap();
    editor.initialize(&options);
    let mut step = 0;
    let model = Model::start(move |turn| {
        step += 1;
        match step {
            1 => task::patch("alpha.txt", "alpha"),
            2 => {
                let why = "Learn which of the marks the person wants before the list is sent";
                Move::Call("review_wait", json!({ "proposal": turn.value("proposal"), "why": why }))
            }
            _ => Move::Say("done"),
        }
    });
    let began = Instant::now();
    let agent = Agent::codex(&codex, &place, &Server::of(&place, &[]), &model);
    let pending = model.expect("pending");
    assert!(began.elapsed() > Duration::from_secs(40), "the person has time: {:?}", began.elapsed());
    // More than a minute after the change was proposed, while the agent asks on.
    std::thread::sleep((began + LIMIT + Duration::from_secs(5)).saturating_duration_since(Instant::now()));
    let proposal = decide(&mut editor, "alpha.txt");
    agent.finishes();
    assert_eq!((pending.value("status"), pending.value("proposal")), (json!("pending"), json!(proposal)));
    task::is_partly_applied(&model.turns()[2].answer(), REASON);
    assert_eq!(place.text("alpha.txt"), task::after("alpha", &[3]));
    editor.drain(Duration::from_millis(100));
}
