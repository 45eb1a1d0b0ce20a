//! A session of an agent whose model makes many moves one after the other, and what the model was told of each.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::PATIENCE;
use super::agents::ERRAND;
use crate::at_editor::REASON;
use crate::model::{Model, Move};
use crate::place::Place;

/// The tool by which a model judges a call of itself.
const JUDGEMENT: &str = "respond_in_schema";

/// What a model was told.
#[derive(Debug, Default)]
pub(super) struct SessionNotes {
    /// Of each of its moves.
    pub results: Vec<String>,
    /// Of each move of its subagent.
    pub of_errand: Vec<String>,
    has_errand: bool,
    /// Names of the tools that it may call.
    pub tools: Vec<String>,
    /// Whether it made all of its moves.
    pub is_over: bool,
}

/// A session's model.
pub(super) struct Session {
    pub model: Model,
    notes: Arc<Mutex<SessionNotes>>,
}

impl Session {
    /// Plays the moves. Those of the errand are a subagent's, which the last of the moves starts.
    pub(super) fn play(moves: Vec<Move>, errand: Vec<Move>) -> Self {
        let has_errand = !errand.is_empty();
        let notes = Arc::<Mutex<SessionNotes>>::default();
        let shared = notes.clone();
        let (mut moves, mut errand, mut made) = (moves.into_iter().peekable(), errand.into_iter(), 0);
        notes.lock().unwrap().has_errand = has_errand;
        let model = Model::start(move |turn| {
            // Qwen Code has its model judge whether a call is safe.
            if turn.tools == [JUDGEMENT] {
                return Move::Call(JUDGEMENT, json!({ "shouldBlock": false }));
            }
            // Others are asked beside the conversation, as for a title, with tools of their own.
            let is_offered = |next: &Move| match next {
                Move::Call(tool, _) => turn.tools.iter().any(|name| name == tool),
                Move::Say(_) => true,
            };
            if moves.peek().is_some_and(|next| !is_offered(next)) {
                return Move::Say("a title");
            }
            let mut notes = shared.lock().unwrap();
            let is_errand = turn.results.len() < made && turn.request.contains(ERRAND);
            if is_errand {
                notes.of_errand.extend(turn.results.last().cloned());
                return errand.next().unwrap_or(Move::Say("counted"));
            }
            notes.tools.clone_from(&turn.tools);
            notes.results.extend((made > 0).then(|| turn.last().to_owned()));
            let next = moves.next();
            made += 1;
            notes.is_over |= next.is_none();
            next.unwrap_or(Move::Say("done"))
        });
        Self { model, notes }
    }

    /// Whether the agent asked the model anything.
    pub(super) fn has_begun(&self) -> bool {
        !self.notes.lock().unwrap().tools.is_empty()
    }

    /// Whether the model made all of its moves.
    pub(super) fn is_over(&self) -> bool {
        self.notes.lock().unwrap().is_over
    }

    /// Whether a subagent heard of all of its moves, where one was started.
    pub(super) fn has_errand_run(&self) -> bool {
        let notes = self.notes.lock().unwrap();
        !notes.has_errand || !notes.of_errand.is_empty()
    }

    /// How many moves have a result.
    pub(super) fn made(&self) -> usize {
        self.notes.lock().unwrap().results.len()
    }

    /// What the model was told so far.
    pub(super) fn notes(&self) -> SessionNotes {
        std::mem::take(&mut self.notes.lock().unwrap())
    }

    /// Waits for a change in a workspace, before the model made `moves` or the agent ended. Gives its id.
    pub(super) fn waits(
        &self,
        place: &Place,
        folder: &Path,
        moves: usize,
        mut has_ended: impl FnMut() -> bool,
    ) -> Option<String> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE && self.made() < moves && !has_ended() {
            let mut command = place.wherefore();
            let output = command.current_dir(folder).args(["review", "--list", "--json"]).output().unwrap();
            let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let id = listed.as_array().into_iter().flatten().find_map(|item| item["id"].as_str());
            if let Some(id) = id {
                return Some(id.to_owned());
            }
            thread::sleep(Duration::from_millis(100));
        }
        None
    }

    /// Accepts the hunks 1, 3 and 5 of the change that waits in a workspace and rejects the others, once there is one.
    pub(super) fn decides(
        &self,
        place: &Place,
        folder: &Path,
        moves: usize,
        has_ended: impl FnMut() -> bool,
    ) {
        let Some(id) = self.waits(place, folder, moves, has_ended) else { return };
        for choice in [&["--accept", "h1,h3,h5"][..], &["--reject", "h2,h4", "--reason", REASON]] {
            let mut command = place.wherefore();
            let output = command.current_dir(folder).args(["review", &id]).args(choice).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
    }
}
