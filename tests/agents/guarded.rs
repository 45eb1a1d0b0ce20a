//! The own edit tool of each agent, behind the hook of `wherefore init --guard`: a person decides on five hunks, at the
//! command line and at real editors.

mod own;

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::own::OwnTools;
use crate::agent::Agent;
use crate::at_editor::{self, REASON};
use crate::model::{Model, Move, PATIENCE};
use crate::place::{Place, ten_lines};
use crate::programs;

/// Where the person decides.
enum Person {
    CommandLine,
    At(Command),
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
fn comes_through(tools: &OwnTools, person: Person) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let path = place.work().join("list.txt").display().to_string();
    let (before, after) = (ten_lines(&[]), ten_lines(&[2, 4, 6, 8, 10]));
    let mut moves = (tools.moves)(&path, &before, &after).into_iter();
    let model = Model::start(move |_| moves.next().unwrap_or(Move::Say("done")));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    let hooks = || std::fs::read_to_string(place.beside("home").join(tools.file)).unwrap_or_default();
    assert!(hooks().contains("wherefore"), "{}", hooks());
    let editor = match person {
        Person::CommandLine => None,
        Person::At(command) => Some(at_editor::Person::at(command, &place, "list.txt:aRaRa")),
    };
    let editor = editor.map(|mut editor| {
        editor.has("open");
        editor
    });
    let agent = (tools.start)(&program, &place, &model);
    let editor = match editor {
        None => {
            decide(&place, &agent, &model);
            None
        }
        Some(mut editor) => {
            editor.has("asked");
            assert_eq!(place.text("list.txt"), before, "nothing is written before it is accepted");
            editor.has("decided");
            Some(editor)
        }
    };
    agent.finishes();

    assert_eq!(place.text("list.txt"), ten_lines(&[2, 6, 10]), "{:#?}", model.turns().last());
    model.expect(REASON);
    let log = place.log();
    let of_hook =
        |event: &&Value| event["origin"]["door"] == "hook" && event["origin"]["agent"] == tools.logged;
    assert!(log.iter().any(|event| of_hook(&event)), "{log:#?}");
    assert!(place.run(&["undo"]).status.success());
    assert_eq!(place.text("list.txt"), before);
    editor.into_iter().for_each(at_editor::Person::leaves);
    guard(&place, &program, tools.name, &["--remove"]);
    assert!(!hooks().contains("wherefore"), "{}", hooks());
}

/// A command of the agent's own shell is confined: it writes nothing outside of the folder, and what it changed in it waits
/// hunk by hunk. An agent whose hook cannot rewrite a command runs the one that it is told.
fn is_confined(tools: &OwnTools, person: Person) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let marks = "sed -i -e '2s/$/ changed/' -e '6s/$/ changed/' -e '10s/$/ changed/' list.txt";
    let script = format!("echo out > ../outside.txt; {marks}; echo all is marked");
    let (shell, mut step) = (tools.shell, 0);
    let model = Model::start(move |turn| {
        step += 1;
        match (step, turn.last().split_once("Run this instead: ")) {
            (1, _) => shell(&script),
            (2, Some((_, command))) => shell(command.trim()),
            _ => Move::Say("done"),
        }
    });
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    match person {
        Person::CommandLine => {
            (tools.start)(&program, &place, &model).finishes();
            assert_eq!(place.text("list.txt"), ten_lines(&[]), "nothing is written before it is accepted");
            let proposal = waiting(&place).pop().unwrap_or_else(|| panic!("{:#?}", model.turns().last()));
            for choice in [&["--accept", "h1,h3"][..], &["--reject", "h2", "--reason", REASON]] {
                assert!(place.run(&[&["review", &proposal], choice].concat()).status.success());
            }
        }
        Person::At(editor) => {
            let mut editor = at_editor::Person::at(editor, &place, "list.txt:aRa");
            editor.has("open");
            let agent = (tools.start)(&program, &place, &model);
            editor.has("asked");
            assert_eq!(place.text("list.txt"), ten_lines(&[]), "nothing is written before it is accepted");
            editor.has("decided");
            agent.finishes();
            model.expect(REASON);
            editor.leaves();
        }
    }
    model.expect("all is marked");
    assert!(!place.work().join("../outside.txt").exists());
    assert_eq!(place.text("list.txt"), ten_lines(&[2, 10]));
}

/// An agent whose shell stays where a command went goes on there with the next one.
fn shell_stays(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", "above\n")]);
    ["sub", ".git"].iter().for_each(|folder| std::fs::create_dir(place.work().join(folder)).unwrap());
    std::fs::write(place.work().join("sub/list.txt"), "beneath\n").unwrap();
    let mut scripts = ["cd sub && cat list.txt", "echo $(cat list.txt) again"].into_iter();
    let shell = tools.shell;
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), shell));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    (tools.start)(&program, &place, &model).finishes();
    model.expect("beneath again");
    let ran = place.log().iter().filter(|event| event["type"] == "tool_call").count();
    assert_eq!(ran, 2, "both came through");
}

/// Each agent as a test, at each place where a person decides.
macro_rules! agents {
    ($($name:ident: $tools:expr;)*) => {
        $(
            #[test]
            fn $name() {
                comes_through(&$tools, Person::CommandLine);
            }
        )*

        mod own_shell {
            use super::{Person, is_confined, own};

            $(
                #[test]
                fn $name() {
                    is_confined(&$tools, Person::CommandLine);
                }
            )*
        }

        mod in_neovim {
            use super::{Person, comes_through, own};
            use crate::at_editor::neovim;

            $(
                #[test]
                fn $name() {
                    neovim().into_iter().for_each(|editor| comes_through(&$tools, Person::At(editor)));
                }
            )*
        }

        mod in_vs_code {
            use super::{Person, comes_through, own};
            use crate::at_editor::vs_code;

            $(
                #[test]
                fn $name() {
                    vs_code().into_iter().for_each(|editor| comes_through(&$tools, Person::At(editor)));
                }
            )*
        }
    };
}

/// What a formatter of the agent's own shell changed is decided at real editors.
mod own_shell_at_an_editor {
    use super::{Person, is_confined, own};
    use crate::at_editor::{neovim, vs_code};

    #[test]
    fn claude_in_neovim() {
        neovim().into_iter().for_each(|editor| is_confined(&own::CLAUDE, Person::At(editor)));
    }

    #[test]
    fn gemini_in_neovim() {
        neovim().into_iter().for_each(|editor| is_confined(&own::GEMINI, Person::At(editor)));
    }

    #[test]
    fn claude_in_vs_code() {
        vs_code().into_iter().for_each(|editor| is_confined(&own::CLAUDE, Person::At(editor)));
    }

    #[test]
    fn gemini_in_vs_code() {
        vs_code().into_iter().for_each(|editor| is_confined(&own::GEMINI, Person::At(editor)));
    }
}

#[test]
fn claudes_shell_stays_where_a_command_went() {
    shell_stays(&own::CLAUDE);
}

agents! {
    claude: own::CLAUDE;
    codex: own::CODEX;
    gemini: own::GEMINI;
    qwen: own::QWEN;
    copilot: own::COPILOT;
    opencode: own::OPENCODE;
}
