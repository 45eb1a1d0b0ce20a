//! The own edit tool of each agent, behind the hook of `wherefore init --guard`: a person decides on five hunks.

mod own;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::own::OwnTools;
use crate::agent::Agent;
use crate::model::{Model, Move, PATIENCE};
use crate::place::Place;
use crate::programs;

/// Why the person does not want two of the hunks.
const REASON: &str = "this name belongs to the other team";

/// The file, with these of its odd lines in capitals.
fn text(capitals: &[usize]) -> String {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let line = |(at, word): (usize, &&str)| match capitals.contains(&(at + 1)) {
        true => format!("{}\n", word.to_uppercase()),
        false => format!("{word}\n"),
    };
    words.iter().enumerate().map(line).collect()
}

/// What waits for a decision, by its id.
fn waiting(place: &Place) -> Vec<String> {
    let listed = place.json(&["review", "--list", "--json"]);
    let ids = listed.as_array().into_iter().flatten().filter_map(|item| item["id"].as_str());
    ids.map(str::to_owned).collect()
}

/// Accepts the hunks 1, 3 and 5 of the first change that waits, and rejects the others.
fn decide(place: &Place, agent: &Agent, model: &Model) {
    let start = Instant::now();
    let proposal = loop {
        if let Some(proposal) = waiting(place).pop() {
            break proposal;
        }
        let said = || format!("{}{:#?}", agent.output(), model.turns().last());
        assert!(start.elapsed() < PATIENCE, "no change waits: {}", said());
        thread::sleep(Duration::from_millis(100));
    };
    for choice in [&["--accept", "h1,h3,h5"][..], &["--reject", "h2,h4", "--reason", REASON]] {
        let output = place.run(&[&["review", &proposal], choice].concat());
        assert!(output.status.success(), "{output:?}");
    }
}

/// Has the person's settings guard an agent, or guard it no longer.
fn guard(place: &Place, program: &Path, agent: &str, more: &[&str]) {
    let mut command = place.wherefore();
    command.args(["init", "--guard", "--user", "--yes", "--agents", agent]).args(more);
    let folder = program.parent().unwrap().display();
    let output = command.env("PATH", format!("{folder}:/usr/bin:/bin")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The agent's edit comes through: what was accepted is on the disk, and nothing else; the model hears why; the log has
/// it; an undo takes it back; and the hook goes again.
fn comes_through(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &text(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let path = place.work().join("list.txt").display().to_string();
    let (before, after) = (text(&[]), text(&[1, 3, 5, 7, 9]));
    let mut moves = (tools.moves)(&path, &before, &after).into_iter();
    let model = Model::start(move |_| moves.next().unwrap_or(Move::Say("done")));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    let hooks = || std::fs::read_to_string(place.beside("home").join(tools.file)).unwrap_or_default();
    assert!(hooks().contains("wherefore"), "{}", hooks());
    let agent = (tools.start)(&program, &place, &model);
    decide(&place, &agent, &model);
    agent.finishes();

    assert_eq!(place.text("list.txt"), text(&[1, 5, 9]), "{:#?}", model.turns().last());
    model.expect(REASON);
    let log = place.log();
    let of_hook =
        |event: &&Value| event["origin"]["door"] == "hook" && event["origin"]["agent"] == tools.logged;
    assert!(log.iter().any(|event| of_hook(&event)), "{log:#?}");
    assert!(place.run(&["undo"]).status.success());
    assert_eq!(place.text("list.txt"), before);
    guard(&place, &program, tools.name, &["--remove"]);
    assert!(!hooks().contains("wherefore"), "{}", hooks());
}

#[test]
fn claude() {
    comes_through(&own::CLAUDE);
}

#[test]
fn codex() {
    comes_through(&own::CODEX);
}

#[test]
fn gemini() {
    comes_through(&own::GEMINI);
}

#[test]
fn qwen() {
    comes_through(&own::QWEN);
}

#[test]
fn copilot() {
    comes_through(&own::COPILOT);
}

#[test]
fn opencode() {
    comes_through(&own::OPENCODE);
}
