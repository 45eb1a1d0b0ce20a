//! Hooks come in and go out again, agent by agent: those of others, and every other byte, stay.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::command::HookCommand;
use super::{plan, run_guard_setup};
use crate::agents::{HookAgent, hook_agent};
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::plan::PlannedAct;
use crate::cli::init::tests::choice;
use crate::cli::init::tests::files::files_below;
use crate::cli::init::{InitArgs, TerminalPage};

/// A person's home and a project in it.
struct Desk {
    folder: tempfile::TempDir,
    machine: PersonMachine,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let below = |name: &str| Some(folder.path().join(name));
        fs::create_dir(folder.path().join("project")).unwrap();
        let machine = PersonMachine { home: below(""), config: below(".config"), ..PersonMachine::default() };
        Self { folder, machine }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn args(&self, id: &str, user: bool) -> InitArgs {
        InitArgs {
            dir: self.project(),
            root: None,
            yes: true,
            agents: Some(vec![choice(id)]),
            remove: false,
            absolute: false,
            diff: false,
            guard: true,
            user,
            neovim: false,
            git: false,
            plugins: None,
        }
    }

    /// Runs the set-up; returns whether it succeeded.
    fn runs(&self, args: &InitArgs) -> bool {
        run_guard_setup(TerminalPage::stdout(), args, &self.machine).unwrap() == ExitCode::SUCCESS
    }

    /// The file that holds an agent's hooks.
    fn file(&self, id: &str, user: bool) -> PathBuf {
        let agent = hook_agent(id);
        match user {
            true => agent.of_person(&self.machine).unwrap().path,
            false => agent.of_project(&self.project())[0].path.clone(),
        }
    }

    /// Every file of the project and the home, with its text.
    fn files(&self) -> Vec<(PathBuf, String)> {
        files_below(self.folder.path())
    }
}

fn command(program: &str, refuse: bool) -> HookCommand {
    HookCommand { program: program.to_owned(), refuse, is_of_plugin: false }
}

#[test]
fn hooks_come_in_once_and_go_without_a_trace() {
    for agent in HookAgent::all() {
        for user in [false, true] {
            let desk = Desk::new();
            let args = desk.args(agent.id(), user);
            assert!(desk.runs(&args));
            let written = desk.files();
            let is_policy =
                |(path, _): &&(PathBuf, String)| path.ends_with(".gemini/policies/wherefore.toml");
            let policies = written.iter().filter(is_policy).count();
            assert_eq!(policies, usize::from(agent.id() == "gemini"), "{written:?}");
            let hooks: Vec<_> = written.iter().filter(|file| !is_policy(file)).collect();
            let [(path, text)] = hooks.as_slice() else { panic!("{written:?}") };
            assert_eq!(*path, desk.file(agent.id(), user));
            assert!(text.contains("hook") && text.contains("wherefore"), "{text}");
            assert!(desk.runs(&args));
            assert_eq!(desk.files(), written, "a second run changes nothing");
            let taken = InitArgs { remove: true, ..desk.args(agent.id(), user) };
            for _ in 0..2 {
                assert!(desk.runs(&taken));
                assert_eq!(desk.files(), []);
            }
        }
    }
}

#[test]
fn hooks_of_others_stay_byte_for_byte() {
    let other = "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"mine hook claude\" }] } // first\n    ],\n    \"Stop\": []\n  },\n  \"model\": \"m\", // end\n}\n";
    for id in ["claude", "qwen", "codex", "gemini"] {
        let desk = Desk::new();
        let path = desk.file(id, false);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, other).unwrap();
        assert!(desk.runs(&desk.args(id, false)));
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("mine hook claude") && text.contains("// first") && text.contains("--wait 3500"),
            "{text}"
        );
        assert!(desk.runs(&InitArgs { remove: true, ..desk.args(id, false) }));
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
}

#[test]
fn a_hook_that_says_something_else_is_replaced() {
    let desk = Desk::new();
    let agent = hook_agent("claude");
    let file = &agent.of_project(&desk.project())[0];
    for (program, refuse) in [("/old/wherefore", false), ("wherefore", true), ("wherefore", false)] {
        let plan = plan::put_hooks(agent, file, &command(program, refuse)).unwrap();
        assert_eq!(plan.act, PlannedAct::Add);
        plan.carry_out(&desk.project()).unwrap();
        let whole: Value = serde_json::from_str(&fs::read_to_string(&file.path).unwrap()).unwrap();
        let before = &whole["hooks"]["PreToolUse"];
        assert_eq!(before.as_array().unwrap().len(), 1);
        let handler = &before[0]["hooks"][0];
        assert_eq!(handler["command"], json!(format!("{program} hook claude --wait 3500")));
        assert_eq!(handler.get("onFailure").is_some(), refuse);
        assert_eq!(plan::put_hooks(agent, file, &command(program, refuse)).unwrap().act, PlannedAct::Nothing);
        assert_eq!(plan::hook_commands(agent, file).unwrap(), [format!("{program} hook claude --wait 3500")]);
    }
}

#[test]
fn a_file_that_we_cannot_change_is_left_as_it_is() {
    let mixed = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
        { "type": "command", "command": "wherefore hook claude" },
        { "type": "command", "command": "mine" },
    ] }] } });
    for (id, text) in [
        ("claude", "{ \"hooks\": {"),
        ("claude", "[]"),
        ("claude", "{ \"hooks\": [] }"),
        ("claude", "{ \"hooks\": { \"PreToolUse\": {} } }"),
        ("claude", mixed.to_string().as_str()),
        ("codex", "{ hooks: {} }"),
        ("gemini", "{} {}"),
        ("copilot", "nonsense"),
        ("opencode", "export const Mine = async () => ({});\n"),
    ] {
        let desk = Desk::new();
        let path = desk.file(id, true);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        assert!(!desk.runs(&desk.args(id, true)), "{text}");
        assert_eq!(desk.files(), [(path, text.to_owned())]);
    }
}

#[test]
fn no_agent_is_guarded_twice() {
    for agent in HookAgent::all() {
        let desk = Desk::new();
        assert!(desk.runs(&desk.args(agent.id(), true)));
        let written = desk.files();
        assert!(desk.runs(&desk.args(agent.id(), false)));
        assert_eq!(desk.files(), written);
    }
}

#[test]
fn nothing_is_written_unasked() {
    let desk = Desk::new();
    assert!(desk.runs(&InitArgs { yes: false, ..desk.args("all", false) }));
    assert_eq!(desk.files(), []);
}

#[test]
fn each_agent_has_a_hook_before_and_after_its_tools() {
    for agent in HookAgent::all() {
        for refuse in [false, true] {
            let items = agent.hook_items(&command("wherefore", refuse));
            assert!(agent.id() == "opencode" || items.len() >= 2, "{items:?}");
            for (event, item) in items {
                let (ours, others) = agent.split_commands(&item);
                assert_eq!((ours.len(), others), (1, 0), "{event}: {item}");
            }
        }
    }
    let text =
        super::forms::plugin_text(hook_agent("opencode").plugin().unwrap(), &command("/a b/wherefore", true));
    assert!(
        text.contains("const PROGRAM = \"/a b/wherefore\";\n") && text.contains("const REFUSE = true;\n")
    );
    assert!(!text.contains("{program}") && !text.contains("{refuse}"));
}
