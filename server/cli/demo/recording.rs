//! The steps of the demo's agent: recorded ones, or steps made for a project of the person's own.

use serde::Deserialize;
use serde_json::{Value, json};

use super::project::DemoProject;
use crate::patch;
use crate::protocol::Code;

/// The steps for the project that ships with the program.
const RECORDED: &str = include_str!("../../../tests/cases/demo/agent.yaml");

/// Bytes of the largest file that made-up steps change.
const LARGEST: usize = 64 << 10;

/// An agent's work.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DemoRecording {
    /// The agent's name and version.
    pub agent: String,
    /// The task that it was given.
    pub task: String,
    /// Its calls, in order.
    pub steps: Vec<DemoStep>,
}

/// A recorded call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DemoStep {
    /// The tool.
    pub tool: String,
    /// Its arguments, the reason among them, except in the call that shows how a missing one is refused.
    pub arguments: Value,
    /// The fault that it must end in; none when absent.
    #[serde(default)]
    pub expect: Option<Code>,
}

impl DemoRecording {
    /// The paths of the files that it changes.
    pub(super) fn changed_paths(&self) -> impl Iterator<Item = &str> {
        let changes = self.steps.iter().filter(|step| step.tool == "fs.patch");
        changes.filter_map(|step| step.arguments["path"].as_str())
    }
}

impl DemoStep {
    /// A step that must go well.
    fn new(tool: &str, arguments: Value) -> Self {
        Self { tool: tool.to_owned(), arguments, expect: None }
    }
}

/// The steps for the project: recorded ones for the shipped project, generated ones for any other.
///
/// # Errors
/// A sentence where the project holds nothing to show the work on.
pub(super) fn load_recording(project: &DemoProject) -> Result<DemoRecording, String> {
    match project.source.is_none() {
        true => serde_saphyr::from_str(RECORDED).map_err(|error| format!("the recorded agent: {error}")),
        false => generate_steps(project),
    }
}

/// Steps on the first text file of the project that is long enough to be changed in three places.
fn generate_steps(project: &DemoProject) -> Result<DemoRecording, String> {
    let usable = |(path, text): (String, String)| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        (lines.len() >= 9 && text.len() <= LARGEST && text.ends_with('\n')).then_some((path, text))
    };
    let (path, text) = project.text_files().find_map(usable).ok_or_else(|| {
        format!(
            "{} has no text file of 9 to some hundred lines: name a folder with source code",
            project.source_name()
        )
    })?;
    let word = longest_word(&text);
    let diff = patch::unified_diff(&path, Some(&text), Some(&mark_three_places(&text)));
    let steps = vec![
        DemoStep::new(
            "fs.ls",
            json!({"path": ".", "why": "Learn how the project is laid out before changing anything in it"}),
        ),
        DemoStep::new(
            "fs.read",
            json!({"path": path, "why": "Find three places far enough apart to mark one by one"}),
        ),
        DemoStep::new(
            "search.lexical",
            json!({"query": word, "why": "See who else uses the longest word of that file"}),
        ),
        DemoStep { expect: Some(Code::MissingWhy), ..DemoStep::new("fs.read", json!({"path": path})) },
        DemoStep::new(
            "fs.patch",
            json!({"path": path, "diff": diff, "why": "Mark the beginning, the middle and the end of the file, a hunk each"}),
        ),
        DemoStep::new(
            "fs.read",
            json!({"path": path, "why": "Check what the person kept of the change before reporting on it"}),
        ),
        DemoStep::new(
            "task_complete",
            json!({
                "summary": "The three marks are decided; an undo takes back those that were kept.",
                "why": "Tell the person that the review is done",
            }),
        ),
    ];
    Ok(DemoRecording {
        agent: "made-up-agent/1.0".to_owned(),
        task: format!("Mark {path} in three places"),
        steps,
    })
}

/// The text with a marked line after its first, its middle and its last but one.
fn mark_three_places(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let places = [1, lines.len() / 2, lines.len() - 1];
    let mut out = String::with_capacity(text.len() + 64);
    for (at, line) in lines.iter().enumerate() {
        if let Some(mark) = places.iter().position(|place| *place == at) {
            let end = if lines[at - 1].ends_with("\r\n") { "\r\n" } else { "\n" };
            out.push_str(&format!("wherefore demo, mark {}{end}", mark + 1));
        }
        out.push_str(line);
    }
    out
}

/// The longest run of letters, to search for.
fn longest_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphabetic()).max_by_key(|word| word.len()).unwrap_or_default()
}
