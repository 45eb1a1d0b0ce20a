//! Moves of a model through a day, and what its results and the disk show of each line of the table.

use std::path::Path;

use serde_json::Value;

use super::agents::DayAgent;
use super::commands::{self, Outcome};
use super::matrix::{DayLine, Finding, Findings};
use super::project::{self, SECRET};
use super::session::SessionNotes;
use crate::at_editor::REASON;
use crate::model::Move;
use crate::place::{Place, ten_lines};
use crate::programs;

/// The moves that are no everyday command, in their order.
const KEEP: &str = "echo a kept word > /tmp/kept-by-a-command.txt";
// OpenCode asks about a `cat` of a file outside of the folder.
const KEPT: &str = "python3 -c 'print(open(\"/tmp/kept-by-a-command.txt\").read())'";
const OUTSIDE: &str = "echo out > ../outside.txt";
const COMMIT: &str = "git add list.txt && git commit -q -m 'Mark the list'";
/// The command of the subagent.
const OF_ERRAND: &str = "wc -l < list.txt; echo out > ../of-errand.txt; echo the errand ran";

/// The edit of five lines of the list.
pub(super) fn edit(agent: &DayAgent, folder: &Path) -> Vec<Move> {
    let path = folder.join("list.txt").display().to_string();
    (agent.tools.moves)(&path, &ten_lines(&[]), &ten_lines(&[2, 4, 6, 8, 10]))
}

/// Whether the edit came through: what was accepted stands on the disk, and the model heard why the rest does not.
pub(super) fn is_decided(folder: &Path, notes: &SessionNotes) -> bool {
    let text = std::fs::read_to_string(folder.join("list.txt")).unwrap();
    text == ten_lines(&[2, 6, 10]) && notes.results.iter().any(|result| result.contains(REASON))
}

/// The moves of a day behind the edit.
pub(super) struct Batch {
    alone: Vec<Outcome>,
}

impl Batch {
    /// The day in a project, whose commands are run in a copy of it first.
    pub(super) fn of(place: &Place) -> Self {
        let twin = project::twin(place);
        let home = place.beside("unguarded").display().to_string();
        let alone = commands::ALL.iter().map(|row| Outcome::without_guard(row.script, &twin, &home));
        Self { alone: alone.collect() }
    }

    /// The moves, the subagent's last.
    pub(super) fn moves(&self, agent: &DayAgent, place: &Place) -> Vec<Move> {
        let shell = agent.tools.shell;
        let mut moves: Vec<Move> = commands::ALL.iter().map(|row| shell(row.script)).collect();
        moves.extend([KEEP, KEPT, OUTSIDE, COMMIT].map(shell));
        let closed = place.work().join(".env").display().to_string();
        moves.push(agent.read.map_or_else(|| shell("cat .env"), |read| read(&closed)));
        moves.extend(agent.errand.map(|errand| errand()));
        moves
    }

    /// The moves of the subagent.
    pub(super) fn errand(agent: &DayAgent) -> Vec<Move> {
        agent.errand.map(|_| (agent.tools.shell)(OF_ERRAND)).into_iter().collect()
    }

    /// What the results of the moves show, of which `edits` were those of the edit.
    pub(super) fn findings(
        &self,
        agent: &DayAgent,
        place: &Place,
        edits: usize,
        notes: &SessionNotes,
    ) -> Findings {
        let results: Vec<&str> = notes.results.iter().skip(edits).map(String::as_str).collect();
        let result = |at: usize| results.get(at).copied().unwrap_or("(no result)");
        let mut same = 0;
        for (at, (row, alone)) in commands::ALL.iter().zip(&self.alone).enumerate() {
            match alone.missing_in(result(at), agent.tells_code) {
                None => same += 1,
                Some(missing) => programs::say(&format!(
                    "{}: {}: its model does not see {missing:?}, but {:?}",
                    agent.title,
                    row.name,
                    result(at)
                )),
            }
        }
        let first = commands::ALL.len();
        let exists = |path: &str| place.work().join(path).exists();
        let (closed, is_committed) = (result(first + 4), is_committed(place));
        let of_errand = notes.of_errand.concat();
        let mut held = vec![
            (DayLine::Changes, waits(place, "src/edited.py") && holds(place, "src/edited.py", "total")),
            (DayLine::Temporary, result(first + 1).contains("a kept word")),
            (DayLine::Outside, results.len() > first + 2 && !exists("../outside.txt")),
            (DayLine::Commit, !is_committed && result(first + 3).contains("commit")),
            (DayLine::Read, results.len() > first + 4 && !closed.contains(SECRET)),
            (DayLine::Subagent, of_errand.contains("the errand ran") && !exists("../of-errand.txt")),
        ];
        programs::say(&format!("{}: of a commit its model hears {:?}", agent.title, result(first + 3)));
        let mut findings: Findings =
            held.drain(..).map(|(line, held)| (line, agent.finding(line, held))).collect();
        let all = commands::ALL.len();
        assert!(all >= 40);
        let of = Finding::HoldsAs(format!("{same} of {all}"));
        findings.insert(DayLine::Commands, of);
        findings
    }
}

/// Whether a change of a file waits for a decision.
fn waits(place: &Place, path: &str) -> bool {
    let listed = place.json(&["review", "--list", "--json"]);
    let mut files =
        listed.as_array().into_iter().flatten().flat_map(|item| item["files"].as_array()).flatten();
    files.any(|file: &Value| file["path"] == path)
}

fn holds(place: &Place, path: &str, word: &str) -> bool {
    place.text(path).contains(word)
}

fn is_committed(place: &Place) -> bool {
    let log =
        std::process::Command::new("git").arg("-C").arg(place.work()).args(["log", "--format=%s"]).output();
    String::from_utf8_lossy(&log.unwrap().stdout).contains("Mark the list")
}
