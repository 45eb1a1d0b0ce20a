//! The agents as their people start them: no setting but the model's, a folder that they trust and what `wherefore init --guard` wrote.

use std::path::Path;

use serde_json::{Value, json};

use super::matrix::{DayLine, Finding};
use crate::model::Move;
use crate::place::Place;
use crate::recipes::{self, OwnTools};

/// The words that begin the task of a subagent.
pub(super) const ERRAND: &str = "ERRAND: count the lines of the list";

/// An agent with its defaults.
pub(super) struct DayAgent {
    pub tools: OwnTools,
    /// Its name in the page.
    pub title: &'static str,
    /// Words for its screen in a terminal.
    pub screen: &'static [&'static str],
    /// Writes what it keeps once its person trusts these folders and the hooks in them.
    pub trusts: fn(&Place, &[&Path]),
    /// A read of a file; none where its shell reads the closed one.
    pub read: Option<fn(&str) -> Move>,
    /// Has a subagent do the errand.
    pub errand: Option<fn() -> Move>,
    /// Whether its model hears the exit code of a command without the guard.
    pub tells_code: bool,
    /// Whether its day is at its terminal: with nobody there it offers its model less by default.
    pub is_at_screen: bool,
    /// What it asks at its first start in a folder, and the keys of a person who trusts the folder.
    pub questions: &'static [(&'static str, &'static [&'static str])],
    /// What its screen shows where it takes a task.
    pub ready: &'static str,
    /// What its screen shows where it asks about a command.
    pub asks: &'static [&'static str],
    /// Lines of the table that do not hold, and why.
    pub limits: &'static [(DayLine, &'static str)],
}

impl DayAgent {
    /// What a run showed of a line. One that does not hold has its reason here, and no other has.
    pub(super) fn finding(&self, line: DayLine, held: bool) -> Finding {
        let reason = self.limits.iter().find(|(of, _)| *of == line).map(|(_, reason)| *reason);
        match (held, reason) {
            (true, None) => Finding::Holds,
            (false, Some(reason)) => Finding::Fails(reason),
            (true, Some(_)) => Finding::Unexpected("it holds, so that its reason goes"),
            (false, None) => Finding::Unexpected("it does not hold"),
        }
    }
}

pub(super) const CLAUDE: DayAgent = DayAgent {
    tools: recipes::CLAUDE,
    title: "Claude Code",
    screen: &["--model", "claude-sonnet-4-5"],
    trusts: |place, folders| {
        let projects: serde_json::Map<_, _> = folders
            .iter()
            .map(|folder| (folder.display().to_string(), json!({ "hasTrustDialogAccepted": true })))
            .collect();
        let known = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "projects": projects,
            "customApiKeyResponses": { "approved": ["fake"], "rejected": [] },
        });
        std::fs::write(place.beside("home").join(".claude.json"), known.to_string()).unwrap();
    },
    read: Some(|path| Move::Call("Read", json!({ "file_path": path }))),
    errand: Some(|| {
        let arguments = json!({
            "description": "Count the lines", "prompt": ERRAND, "subagent_type": "general-purpose", "run_in_background": false,
        });
        Move::Call("Agent", arguments)
    }),
    tells_code: true,
    is_at_screen: false,
    questions: &[("Accessing workspace", &["Down", "Enter"])],
    ready: "for shortcuts",
    asks: &["Do you want to proceed"],
    limits: &[],
};

pub(super) const CODEX: DayAgent = DayAgent {
    tools: recipes::CODEX,
    title: "Codex",
    screen: &[],
    trusts: |place, folders| {
        let path = place.beside("home/.codex").join("config.toml");
        let mut text = std::fs::read_to_string(&path).unwrap();
        for folder in folders {
            let name = folder.display().to_string();
            text.push_str(&format!("[projects.{name:?}]\ntrust_level = \"trusted\"\n"));
        }
        std::fs::write(path, text).unwrap();
    },
    read: None,
    errand: None,
    tells_code: true,
    is_at_screen: true,
    questions: &[
        ("Folder access", &["Enter"]),
        ("Hooks need review", &["Down", "Enter"]),
        ("Use existing model", &["Down", "Enter"]),
    ],
    ready: "for shortcuts",
    asks: &["Would you like to run"],
    limits: &[(DayLine::Subagent, "its model is offered none by default")],
};

pub(super) const GEMINI: DayAgent = DayAgent {
    tools: recipes::GEMINI,
    title: "Gemini CLI",
    screen: &["-m", "gemini-2.5-flash"],
    trusts: |place, folders| {
        let trusted: Value =
            folders.iter().map(|folder| (folder.display().to_string(), json!("TRUST_FOLDER"))).collect();
        std::fs::write(place.beside("home/.gemini").join("trustedFolders.json"), trusted.to_string())
            .unwrap();
    },
    read: Some(|path| Move::Call("read_file", json!({ "file_path": path }))),
    errand: Some(|| Move::Call("invoke_agent", json!({ "agent_name": "generalist", "prompt": ERRAND }))),
    tells_code: true,
    is_at_screen: true,
    questions: &[("Do you trust the files", &["Enter"])],
    ready: "Type your message",
    asks: &["Allow execution of"],
    limits: &[(
        DayLine::HeadlessEdit,
        "with `-p` its model is offered no tool that edits, unless `--approval-mode` says otherwise",
    )],
};

pub(super) const QWEN: DayAgent = DayAgent {
    tools: recipes::QWEN,
    title: "Qwen Code",
    screen: &[],
    trusts: |_, _| {},
    read: Some(|path| Move::Call("read_file", json!({ "file_path": path }))),
    errand: Some(|| {
        let arguments = json!({
            "description": "Count the lines", "prompt": ERRAND, "subagent_type": "general-purpose", "run_in_background": false,
        });
        Move::Call("agent", arguments)
    }),
    tells_code: true,
    is_at_screen: true,
    questions: &[],
    ready: "Type your message",
    asks: &["Allow execution of"],
    limits: &[
        (
            DayLine::HeadlessEdit,
            "with `-p` its model is offered neither edits nor commands, unless `--approval-mode` says otherwise",
        ),
        (DayLine::Words, "it shows nothing of a hook that runs"),
    ],
};

pub(super) const COPILOT: DayAgent = DayAgent {
    tools: recipes::COPILOT,
    title: "Copilot CLI",
    screen: &["--no-auto-update"],
    trusts: |place, folders| {
        let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let settings = json!({ "trustedFolders": folders, "trusted_folders": folders });
        std::fs::write(place.beside("home/.copilot").join("config.json"), settings.to_string()).unwrap();
    },
    read: Some(|path| Move::Call("view", json!({ "path": path }))),
    errand: Some(|| {
        let arguments = json!({
            "description": "Count the lines", "prompt": ERRAND, "agent_type": "general-purpose", "name": "counter",
        });
        Move::Call("task", arguments)
    }),
    tells_code: true,
    is_at_screen: false,
    questions: &[("Confirm folder trust", &["Enter"])],
    ready: "? help",
    asks: &["Do you want to run"],
    limits: &[(DayLine::Words, "it shows nothing of a hook that runs")],
};

pub(super) const OPENCODE: DayAgent = DayAgent {
    tools: recipes::OPENCODE,
    title: "OpenCode",
    screen: &[],
    trusts: |_, _| {},
    // It asks about a file of that name by itself.
    read: None,
    errand: Some(|| {
        let arguments =
            json!({ "description": "Count the lines", "prompt": ERRAND, "subagent_type": "general" });
        Move::Call("task", arguments)
    }),
    tells_code: false,
    is_at_screen: false,
    questions: &[],
    ready: "Ask anything",
    asks: &["Permission required"],
    limits: &[(DayLine::Words, "it shows nothing of a hook that runs")],
};
