//! The packages of `wherefore init --plugins`, installed by the real agents: each has the server's tools, its own edit waits
//! for the person, and the agent's own command takes the plugin out again.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::agent::Agent;
use crate::at_editor::REASON;
use crate::guarded::decide;
use crate::model::{Model, Move};
use crate::place::{Place, ten_lines};
use crate::programs;
use crate::recipes::{self, OwnTools};

/// An agent that takes a plugin.
struct PluginHost {
    tools: OwnTools,
    /// The commands that install the package in `{folder}`, with answers to what they ask.
    install: &'static [&'static [&'static str]],
    /// The commands that remove it.
    remove: &'static [&'static [&'static str]],
    /// True if its plugin brings the server's tools, and the scripted model can name them.
    has_tools: bool,
    /// Further words for a task with nobody at the terminal.
    more: &'static [&'static str],
}

const MARKET: &[&str] = &["plugin", "marketplace", "add", "{folder}"];
const NO_MARKET: &[&str] = &["plugin", "marketplace", "remove", "wherefore"];
const EXTENSION: &[&str] = &["extensions", "install", "{folder}", "--consent"];
const NO_EXTENSION: &[&str] = &["extensions", "uninstall", "wherefore"];

const CLAUDE: PluginHost = PluginHost {
    tools: recipes::CLAUDE,
    install: &[MARKET, &["plugin", "install", "wherefore@wherefore"]],
    remove: &[&["plugin", "uninstall", "wherefore@wherefore"], NO_MARKET],
    has_tools: true,
    more: &[],
};

/// A path with wherefore first, as after its installation.
fn path() -> String {
    let ours = Path::new(env!("CARGO_BIN_EXE_wherefore")).parent().unwrap();
    format!("{}:/usr/local/bin:/usr/bin:/bin", ours.display())
}

impl PluginHost {
    /// Runs a command of the agent's about its plugins to its end.
    fn run(&self, program: &Path, place: &Place, model: &Model, words: &[&str]) -> Output {
        let folder = place.beside("plugins").join(self.tools.name).display().to_string();
        let words = words.iter().map(|word| word.replace("{folder}", &folder));
        let mut command = Command::new(program);
        command.args(words).current_dir(place.work()).env_clear().env("TERM", "dumb");
        command.envs((self.tools.variables)(model)).envs(place.env()).env("PATH", path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        output
    }

    fn install(&self, program: &Path, place: &Place, model: &Model) {
        let made = place.run(&["init", "--plugins", &place.beside("plugins").display().to_string()]);
        assert!(made.status.success(), "{made:?}");
        for words in self.install {
            self.run(program, place, model, words);
        }
    }

    fn start(&self, program: &Path, place: &Place, model: &Model) -> Agent {
        let mut command = Command::new(program);
        command.args(self.tools.args).args(self.tools.unasked).args(self.more);
        let env = (self.tools.variables)(model).into_iter().chain(place.env()).chain([("PATH", path())]);
        Agent::start(self.tools.name, command, place, place.beside("home"), env)
    }

    /// The words of `init --guard` about the agent.
    fn guarded(&self, place: &Place) -> String {
        let output = place.run(&["init", "--guard", "--user", "--agents", self.tools.name]);
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A folder with a file, and a model that edits it by the agent's own tool and then reads it by wherefore's.
fn desk(tools: &OwnTools) -> (Place, Model) {
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let path = place.work().join("list.txt").display().to_string();
    let mut own = (tools.moves)(&path, &ten_lines(&[]), &ten_lines(&[2, 4, 6, 8, 10])).into_iter();
    let why = "Learn which of the lines were accepted";
    let mut read = Some(json!({ "path": "list.txt", "why": why }));
    let model = Model::start(move |turn| {
        // Each agent has names of its own for a server's tools, and some list none of them.
        let name = turn.tools.iter().find(|name| name.ends_with("fs_read")).cloned();
        let name = name.map_or("fs_read", |name| &*name.leak());
        let asked = || read.take().map_or(Move::Say("done"), |arguments| Move::Call(name, arguments));
        own.next().unwrap_or_else(asked)
    });
    (tools.configure)(&place, &model);
    (place, model)
}

/// The plugin is installed; a call of the server's tool and an edit of the agent's own come through, each once; the plugin is
/// noticed, and gone after its removal.
fn comes_through(host: &PluginHost) {
    let Some(program) = programs::find(host.tools.name) else { return };
    let (place, model) = desk(&host.tools);
    host.install(&program, &place, &model);
    assert!(host.guarded(&place).contains("guarded already by its plugin"), "{}", host.guarded(&place));
    let agent = host.start(&program, &place, &model);
    decide(&place, &agent, &model);
    agent.finishes();
    assert_eq!(place.text("list.txt"), ten_lines(&[2, 6, 10]), "{:#?}", model.turns().last());
    model.expect(REASON);
    let log = place.log();
    let calls = |door: &str, tool: &str| {
        let is_call =
            |event: &&serde_json::Value| event["type"] == "tool_call" && event["origin"]["door"] == door;
        log.iter().filter(is_call).filter(|event| event["tool"] == tool).count()
    };
    let last = model.turns().pop().unwrap_or_default();
    // Some agents list a server's tools for the model, others let it search for them.
    let reads = usize::from(host.has_tools);
    assert_eq!(calls("mcp", "fs.read"), reads, "{:?} {:?}", last.tools, last.results.last());
    for words in host.remove {
        host.run(&program, &place, &model, words);
    }
    let is_left = host.guarded(&place).contains("by its plugin");
    assert_eq!(is_left, host.remove.is_empty(), "{}", host.guarded(&place));
}

#[test]
fn claude_takes_its_plugin() {
    comes_through(&CLAUDE);
}

#[test]
fn codex_takes_its_plugin() {
    comes_through(&PluginHost {
        tools: recipes::CODEX,
        install: &[MARKET, &["plugin", "add", "wherefore@wherefore"]],
        remove: &[&["plugin", "remove", "wherefore@wherefore"], NO_MARKET],
        has_tools: false,
        // A person trusts the hooks on a screen of Codex's.
        more: &["--dangerously-bypass-hook-trust"],
    });
}

#[test]
fn copilot_takes_the_agent_plugin() {
    comes_through(&PluginHost {
        tools: recipes::COPILOT,
        install: &[MARKET, &["plugin", "install", "wherefore@wherefore"]],
        remove: &[&["plugin", "uninstall", "wherefore@wherefore"], NO_MARKET],
        has_tools: false,
        more: &[],
    });
}

#[test]
fn gemini_takes_its_extension() {
    comes_through(&PluginHost {
        tools: recipes::GEMINI,
        install: &[EXTENSION],
        remove: &[NO_EXTENSION],
        has_tools: true,
        more: &[],
    });
}

#[test]
fn qwen_takes_its_extension() {
    comes_through(&PluginHost {
        tools: recipes::QWEN,
        install: &[EXTENSION],
        remove: &[NO_EXTENSION],
        has_tools: true,
        more: &[],
    });
}

/// With hooks in the project as well, one of the two answers: the person is asked once.
#[test]
fn claude_with_its_plugin_and_a_projects_hooks_asks_once() {
    let Some(program) = programs::find("claude") else { return };
    let (place, model) = desk(&CLAUDE.tools);
    let guard = place
        .wherefore()
        .args(["init", "--guard", "--yes", "--agents", "claude"])
        .env("PATH", path())
        .output();
    assert!(guard.as_ref().is_ok_and(|output| output.status.success()), "{guard:?}");
    CLAUDE.install(&program, &place, &model);
    let agent = CLAUDE.start(&program, &place, &model);
    decide(&place, &agent, &model);
    agent.finishes();
    assert_eq!(place.text("list.txt"), ten_lines(&[2, 6, 10]), "{:#?}", model.turns().last());
    let log = place.log();
    let is_edit =
        |event: &&serde_json::Value| event["type"] == "tool_call" && event["origin"]["tool"] == "Edit";
    assert_eq!(log.iter().filter(is_edit).count(), 1, "{log:#?}");
}
