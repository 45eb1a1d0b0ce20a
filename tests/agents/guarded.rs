//! The own edit tool of each agent, behind the hook of `wherefore init --guard`: a person decides on five hunks, at the
//! command line and at real editors.

mod attempts;
mod odd;
mod plugin;
mod versions;
mod worktrees;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agent::Agent;
use crate::at_editor::{self, REASON};
use crate::model::{Model, Move, PATIENCE};
use crate::place::{Place, ten_lines};
use crate::programs;
use crate::recipes::{self, OwnTools};

/// The place where the person decides.
enum Person {
    CommandLine,
    At(Command),
}

/// The ids of the pending proposals.
fn waiting(place: &Place) -> Vec<String> {
    let listed = place.json(&["review", "--list", "--json"]);
    let ids = listed.as_array().into_iter().flatten().filter_map(|item| item["id"].as_str());
    ids.map(str::to_owned).collect()
}

/// Accepts the hunks 1, 3 and 5 of the first change that waits, and rejects the others.
pub(crate) fn decide(place: &Place, agent: &Agent, model: &Model) {
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

/// Makes the person's settings guard an agent, or removes the guard.
pub(crate) fn guard(place: &Place, program: &Path, agent: &str, more: &[&str]) {
    let mut command = place.wherefore();
    command.args(["init", "--guard", "--user", "--yes", "--agents", agent]).args(more);
    let folder = program.parent().unwrap().display();
    let output = command.env("PATH", format!("{folder}:/usr/bin:/bin")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The agent's edit comes through: only the accepted hunks are on the disk; the model gets the reason; the log has it;
/// an undo takes it back; and the hook is removed again.
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
    let agent = tools.start(&program, &place, &model);
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
/// hunk by hunk.
fn is_confined(tools: &OwnTools, person: Person) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let marks = "sed -i -e '2s/$/ changed/' -e '6s/$/ changed/' -e '10s/$/ changed/' list.txt";
    let script = format!("echo out > ../outside.txt; {marks}; echo all is marked");
    let (shell, mut scripts) = (tools.shell, [script].into_iter());
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), |script| shell(&script)));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    match person {
        Person::CommandLine => {
            tools.start(&program, &place, &model).finishes();
            assert_eq!(place.text("list.txt"), ten_lines(&[]), "nothing is written before it is accepted");
            let proposal = waiting(&place).pop().unwrap_or_else(|| panic!("{:#?}", model.turns().last()));
            for choice in [&["--accept", "h1,h3"][..], &["--reject", "h2", "--reason", REASON]] {
                assert!(place.run(&[&["review", &proposal], choice].concat()).status.success());
            }
        }
        Person::At(editor) => {
            let mut editor = at_editor::Person::at(editor, &place, "list.txt:aRa");
            editor.has("open");
            let agent = tools.start(&program, &place, &model);
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

/// A command of an agent in a read-only mode runs, its result begins with its exit code, and it writes nothing either.
fn writes_nothing(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[])), (".gitignore", "built\n")]);
    place.make_repository();
    let mut scripts = ["echo it ran; echo x > built; echo x > list.txt; exit 3"].into_iter();
    let shell = tools.shell;
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), shell));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    tools.start(&program, &place, &model).finishes();
    for told in ["exit code 3. wherefore ran this command", "it ran", "Your mode is read-only"] {
        model.expect(told);
    }
    assert_eq!(place.text("list.txt"), ten_lines(&[]));
    assert!(!place.work().join("built").exists(), "what git ignores is not written either");
    assert_eq!(waiting(&place), <[String; 0]>::default());
}

/// Our own command is no door: where a model types it, it does not run, and nothing is written anywhere.
fn is_no_door(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let (other, wherefore) = (place.beside("other").display().to_string(), env!("CARGO_BIN_EXE_wherefore"));
    let typed = format!("bash -c 'echo x > out; echo x > ~/.zshenv; echo x > {other}/out; echo it ran'");
    let mut scripts = [
        format!("{wherefore} sandbox '--root={other}' -- {typed}"),
        format!("{wherefore} sandbox --agent=x --token={} -- {typed}", "0".repeat(64)),
        format!("env W=x {wherefore} undo"),
    ]
    .into_iter();
    let shell = tools.shell;
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), |script| shell(&script)));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    tools.start(&program, &place, &model).finishes();
    model.expect("in the person's place");
    for written in ["work/out", "other/out", "home/.zshenv"] {
        let path = place.work().join("..").join(written);
        assert!(!path.exists(), "{written}: {:#?}", model.turns().last());
    }
}

/// A command that a rule asks about does not run without a sandbox and without a person to ask.
fn is_asked_without_the_sandbox(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    place.settings("[native]\nconfine = false\n");
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let mut scripts = ["git push -f; touch ran.txt", "echo a plain one"].into_iter();
    let shell = tools.shell;
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), shell));
    (tools.configure)(&place, &model);
    guard(&place, &program, tools.name, &[]);
    tools.start(&program, &place, &model).finishes();
    assert!(!place.work().join("ran.txt").exists(), "{:#?}", model.turns().last());
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
    tools.start(&program, &place, &model).finishes();
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
            use super::{Person, is_confined};

            $(
                #[test]
                fn $name() {
                    is_confined(&$tools, Person::CommandLine);
                }
            )*
        }

        mod our_command {
            use super::{is_no_door};

            $(
                #[test]
                fn $name() {
                    is_no_door(&$tools);
                }
            )*
        }

        mod without_the_sandbox {
            use super::{is_asked_without_the_sandbox};

            $(
                #[test]
                fn $name() {
                    is_asked_without_the_sandbox(&$tools);
                }
            )*
        }

        mod in_neovim {
            use super::{Person, comes_through};
            use crate::at_editor::neovim;

            $(
                #[test]
                fn $name() {
                    neovim().into_iter().for_each(|editor| comes_through(&$tools, Person::At(editor)));
                }
            )*
        }

        mod in_vs_code {
            use super::{Person, comes_through};
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

/// The changes of a formatter in the agent's own shell, decided at real editors.
mod own_shell_at_an_editor {
    use super::{Person, is_confined};
    use crate::at_editor::{neovim, vs_code};
    use crate::recipes;

    #[test]
    fn claude_in_neovim() {
        neovim().into_iter().for_each(|editor| is_confined(&recipes::CLAUDE, Person::At(editor)));
    }

    #[test]
    fn gemini_in_neovim() {
        neovim().into_iter().for_each(|editor| is_confined(&recipes::GEMINI, Person::At(editor)));
    }

    #[test]
    fn claude_in_vs_code() {
        vs_code().into_iter().for_each(|editor| is_confined(&recipes::CLAUDE, Person::At(editor)));
    }

    #[test]
    fn gemini_in_vs_code() {
        vs_code().into_iter().for_each(|editor| is_confined(&recipes::GEMINI, Person::At(editor)));
    }
}

#[test]
fn claude_that_asks_nothing_runs_neither_our_command_nor_what_a_rule_asks_about() {
    is_no_door(&recipes::CLAUDE_UNASKED);
    is_asked_without_the_sandbox(&recipes::CLAUDE_UNASKED);
}

#[test]
fn codex_in_its_default_sandbox_waits_for_a_yes_to_each_edit_and_its_commands_write_nothing() {
    comes_through(&recipes::CODEX_READ_ONLY, Person::CommandLine);
    writes_nothing(&recipes::CODEX_READ_ONLY);
    is_no_door(&recipes::CODEX_READ_ONLY);
}

#[test]
fn codex_whose_sandbox_cannot_be_told_writes_nothing() {
    writes_nothing(&recipes::CODEX_EPHEMERAL);
}

#[test]
fn codex_without_a_sandbox_runs_the_command_itself() {
    is_confined(&recipes::CODEX_UNCONFINED, Person::CommandLine);
    is_no_door(&recipes::CODEX_UNCONFINED);
}

/// A command that the server runs ends with the agent that it runs for, also where that is killed.
#[test]
fn a_command_at_the_server_ends_with_its_agent() {
    let Some(program) = programs::find("codex") else { return };
    let place = Place::new(&[]);
    place.make_repository();
    let mut scripts = ["sleep 3000"].into_iter();
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), recipes::CODEX.shell));
    (recipes::CODEX.configure)(&place, &model);
    guard(&place, &program, "codex", &[]);
    let agent = recipes::CODEX.start(&program, &place, &model);
    let logged = |kind: &str| place.log().iter().filter(|event| event["type"] == kind).count();
    let becomes = |what: &str, is: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is() {
            assert!(start.elapsed() < PATIENCE, "{what}: {}{:#?}", agent.output(), place.log());
            thread::sleep(Duration::from_millis(100));
        }
    };
    becomes("the command runs", &|| logged("tool_call") == 1);
    agent.kill();
    becomes("the call is cancelled", &|| json_text(&place.log()).contains("CANCELLED"));
}

fn json_text(events: &[Value]) -> String {
    serde_json::to_string(events).unwrap()
}

/// In Claude Code's own sandbox no command reaches the server, so that the server runs it.
#[test]
fn claude_with_a_sandbox_of_its_own_gets_the_result_of_its_command() {
    let tools = OwnTools {
        configure: |place, _| {
            let settings = r#"{"sandbox":{"enabled":true,"autoAllowBashIfSandboxed":true}}"#;
            std::fs::write(place.beside("home/.claude").join("settings.json"), settings).unwrap();
        },
        ..recipes::CLAUDE
    };
    is_confined(&tools, Person::CommandLine);
    let Some(program) = programs::find("claude") else { return };
    let place = Place::new(&[]);
    place.make_repository();
    let mut scripts = ["echo it ran; exit 3"].into_iter();
    let model = Model::start(move |_| scripts.next().map_or(Move::Say("done"), recipes::CLAUDE.shell));
    (tools.configure)(&place, &model);
    guard(&place, &program, "claude", &[]);
    tools.start(&program, &place, &model).finishes();
    model.expect("exit code 3. wherefore ran this command");
}

/// A background command has no result that a hook could answer with, so the model gets a command line to run.
#[test]
fn qwen_is_told_which_command_to_run_in_the_background() {
    let Some(program) = programs::find("qwen") else { return };
    let place = Arc::new(Place::new(&[("list.txt", "above\n")]));
    place.make_repository();
    let mut step = 0;
    let background = |script: &str| {
        Move::Call("run_shell_command", serde_json::json!({ "command": script, "is_background": true }))
    };
    let ran_at = Arc::clone(&place);
    let model = Model::start(move |turn| {
        step += 1;
        match (step, turn.last().split_once("Run this instead: ")) {
            (1, _) => background("cat list.txt"),
            (2, Some((_, command))) => background(command.trim()),
            // Qwen Code ends what still runs in the background when it ends itself.
            _ => {
                ran_at.has_logged_a_call();
                Move::Say("done")
            }
        }
    });
    (recipes::QWEN.configure)(&place, &model);
    guard(&place, &program, "qwen", &[]);
    recipes::QWEN.start(&program, &place, &model).finishes();
    model.expect("Run this instead: ");
    assert_eq!(place.logged_calls(), 1, "{:#?}", model.turns().last());
}

#[test]
fn claudes_shell_stays_where_a_command_went() {
    shell_stays(&recipes::CLAUDE);
}

recipes::for_each_agent!(agents);
