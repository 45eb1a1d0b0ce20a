//! The recipes by which each agent is run, a file each: its version, its settings, and calls of its own tools. wherefore's server is not in its
//! settings.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::agent::Agent;
use crate::model::{Model, Move};
use crate::place::Place;

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

pub(crate) use claude::{CLAUDE, CLAUDE_UNASKED};
pub(crate) use codex::{CODEX, CODEX_EPHEMERAL, CODEX_READ_ONLY, CODEX_UNCONFINED};
pub(crate) use copilot::COPILOT;
pub(crate) use gemini::GEMINI;
pub(crate) use opencode::OPENCODE;
pub(crate) use qwen::QWEN;

/// Calls a macro with every agent: the name of its tests, and its recipe.
macro_rules! for_each_agent {
    ($each:ident) => {
        $each! {
            claude: crate::recipes::CLAUDE;
            codex: crate::recipes::CODEX;
            gemini: crate::recipes::GEMINI;
            qwen: crate::recipes::QWEN;
            copilot: crate::recipes::COPILOT;
            opencode: crate::recipes::OPENCODE;
        }
    };
}
pub(crate) use for_each_agent;

macro_rules! list {
    ($($name:ident: $tools:expr;)*) => {
        /// Every agent.
        pub(crate) const ALL: &[OwnTools] = &[$($tools),*];
    };
}
for_each_agent!(list);

/// The models' reason for the command that they run.
const SHELL_WHY: &str = "Mark the lines that the list is read by";

/// An agent at work with its own tools.
pub(crate) struct OwnTools {
    /// Its name in `--agents`.
    pub name: &'static str,
    /// Its name in `wherefore doctor`.
    pub title: &'static str,
    /// The file below its home that holds its hooks.
    pub file: &'static str,
    /// The door's agent, as the log names it.
    pub logged: &'static str,
    /// The moves of its model, for the path of a file with its text before and after.
    pub moves: fn(&str, &str, &str) -> Vec<Move>,
    /// A call of its shell.
    pub shell: fn(&str) -> Move,
    /// Writes its settings.
    pub configure: fn(&Place, &Model),
    /// Its variables, which name the model.
    pub variables: fn(&Model) -> Vec<(&'static str, String)>,
    /// Its words for a task with nobody at its terminal.
    pub args: &'static [&'static str],
    /// Words that have it ask about less than it does by default.
    pub unasked: &'static [&'static str],
    /// Attempts by its other tools: decoys next to an argument, odd values, closed files.
    pub attempts: fn() -> Vec<OwnCall>,
}

/// Makes a call, for the workspace and the person's file in it.
type MakeCall = Box<dyn Fn(&str, &str) -> Move>;

/// A call that tries something.
pub(crate) struct OwnCall {
    /// What it tries.
    pub name: &'static str,
    /// The call.
    pub call: MakeCall,
}

fn attempt_call(
    name: &'static str,
    tool: &'static str,
    arguments: impl Fn(&str, &str) -> Value + 'static,
) -> OwnCall {
    OwnCall { name, call: Box::new(move |work, target| Move::Call(tool, arguments(work, target))) }
}

impl OwnTools {
    /// Starts it in the workspace.
    pub(crate) fn start(&self, program: &Path, place: &Place, model: &Model) -> Agent {
        self.start_with(program, place, model, &[])
    }

    /// Starts it with more words.
    pub(crate) fn start_with(&self, program: &Path, place: &Place, model: &Model, more: &[&str]) -> Agent {
        self.start_in(&place.work(), program, place, model, &[self.unasked, more].concat())
    }

    /// Starts it in a folder with these words beside those that it needs. Its home is the person's, so that its hooks find the
    /// person's settings and servers.
    pub(crate) fn start_in(
        &self,
        folder: &Path,
        program: &Path,
        place: &Place,
        model: &Model,
        more: &[&str],
    ) -> Agent {
        let mut command = Command::new(program);
        command.args(self.args).args(more).current_dir(folder);
        let env = (self.variables)(model).into_iter().chain(place.env());
        Agent::start(self.name, command, place, place.beside("home"), env)
    }
}

fn settings_file(place: &Place, folder: &str, settings: &Value) {
    let folder = place.beside(&format!("home/{folder}"));
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}
