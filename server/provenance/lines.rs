//! The files of a workspace, with what is known of each line.

use std::collections::{HashMap, VecDeque};

use wherefore_base::{CallId, WorkspacePath};
use wherefore_protocol::ChangeKind;

use crate::WrittenBy;
use crate::author::{AgentChange, ChangeAuthor};
use crate::calls::KnownCalls;
use crate::carry::MarkedText;
use crate::forget::ForgetBounds;
use crate::lined_file::LinedFile;
use crate::mark::{LineMark, LineOrigin};
use crate::record::{DecisionRecord, LineRecord, MarkedRun, SnapshotRecord, StepRecord, TypedRecord};
use crate::similar_lines::parse_record;
use crate::text::split_lines;

/// The texts and files that the records name and do not hold.
pub trait WorkspaceTexts {
    /// The text of the bytes that are kept under a hash; `None` if they are not kept any more, or are no text.
    fn text_of(&self, hash: &str) -> Option<String>;
    /// Returns whether there is a file at a path.
    fn file_exists(&self, path: &WorkspacePath) -> bool;
}

/// A record that is not carried out yet.
#[derive(Debug)]
enum WaitingRecord {
    Step(StepRecord),
    Typed(TypedRecord),
    Snapshot(SnapshotRecord),
}

/// The last answer about a file.
#[derive(Debug)]
struct MarkAnswer {
    text: String,
    typed: Option<TypedRecord>,
    marks: Vec<LineMark>,
}

/// Answers that are kept until something is recorded: for who asks about the files on the screen again.
const ANSWERED: usize = 64;

/// The marks of the lines of a workspace's files. Records are applied in their order.
#[derive(Debug, Default)]
pub struct LineProvenance {
    pub(crate) files: HashMap<WorkspacePath, LinedFile>,
    waiting: VecDeque<WaitingRecord>,
    pub(crate) calls: KnownCalls,
    pub(crate) origins: Vec<LineOrigin>,
    pub(crate) known: HashMap<LineOrigin, u32>,
    answered: HashMap<WorkspacePath, MarkAnswer>,
    pub(crate) bounds: ForgetBounds,
}

impl LineProvenance {
    /// Takes a record in. A line that is none is passed over.
    pub fn apply_line(&mut self, line: &str) {
        if let Some(record) = parse_record(line) {
            self.apply_record(record);
        }
    }

    /// Takes a record in.
    pub fn apply_record(&mut self, record: LineRecord) {
        match record {
            LineRecord::Step(step) => self.waiting.push_back(WaitingRecord::Step(step)),
            LineRecord::Typed(typed) => self.waiting.push_back(WaitingRecord::Typed(typed)),
            LineRecord::Snapshot(snapshot) => self.waiting.push_back(WaitingRecord::Snapshot(snapshot)),
            LineRecord::Dropped(dropped) => {
                let is_it = |waiting: &WaitingRecord| match waiting {
                    WaitingRecord::Step(step) => step.session == dropped.session && step.call == dropped.call,
                    _ => false,
                };
                if let Some(at) = self.waiting.iter().rposition(is_it) {
                    self.waiting.remove(at);
                }
            }
            LineRecord::Edited(edited) => self.calls.add_edit(edited),
            LineRecord::Decision(decision) => self.calls.add_decision(decision),
        }
    }

    /// The call and hunk of a mark.
    pub fn origin(&self, at: u32) -> Option<&LineOrigin> {
        self.origins.get(at as usize)
    }

    /// Returns the last decision on a hunk, with its call. If the hunk is not known, the last decision on its call.
    pub fn decision(&self, origin: &LineOrigin) -> Option<&DecisionRecord> {
        let all = &self.calls.get(&origin.session, &origin.call)?.decisions;
        let of = |decision: &&DecisionRecord| match &origin.hunk {
            Some(hunk) => decision.hunks.iter().any(|decided| decided.id == *hunk),
            None => true,
        };
        all.iter().rev().find(of).or(all.last())
    }

    /// Returns whether anything was recorded of a path.
    pub fn is_recorded(&mut self, path: &WorkspacePath, ground: &dyn WorkspaceTexts) -> bool {
        self.settle_records(ground);
        self.files.contains_key(path)
    }

    /// The paths of which anything was recorded.
    pub fn recorded_paths(&mut self, ground: &dyn WorkspaceTexts) -> Vec<WorkspacePath> {
        self.settle_records(ground);
        self.files.keys().cloned().collect()
    }

    /// The hash of the text of a path that was recorded last.
    pub fn last_hash(&mut self, path: &WorkspacePath, ground: &dyn WorkspaceTexts) -> Option<&str> {
        self.settle_records(ground);
        self.files.get(path)?.hash.as_deref()
    }

    /// Returns who wrote each line of `text`, which is at `path` now; `typed` is the typing that led to it, if that
    /// is known.
    pub fn marks_for(
        &mut self,
        path: &WorkspacePath,
        text: &str,
        typed: Option<&TypedRecord>,
        ground: &dyn WorkspaceTexts,
    ) -> Vec<LineMark> {
        self.settle_records(ground);
        let is_it = |answer: &&MarkAnswer| answer.text == text && answer.typed.as_ref() == typed;
        if let Some(answer) = self.answered.get(path).filter(is_it) {
            return answer.marks.clone();
        }
        let hash = wherefore_base::hash::short_hash(text.as_bytes());
        // The typing since leads to the text that the file came with.
        let before = typed.and_then(|typed| Some((typed.before.as_str(), ground.text_of(&typed.before)?)));
        let from = match &before {
            Some((hash, before)) => self.known_path(path, (Some(hash), Some(before)), ground),
            None => self.known_path(path, (Some(&hash), Some(text)), ground),
        };
        from.iter().for_each(|from| self.recall_text(from, ground));
        let marks = match from.as_ref().and_then(|from| self.files.get(from)) {
            Some(file) => { typed.and_then(|typed| file.type_in(typed, Some(text.to_owned()), ground)) }
                .map(|typed| typed.marks)
                .unwrap_or_else(|| file.read_text(text.to_owned(), &hash).marks),
            None => vec![LineMark::EARLIER; split_lines(text).len()],
        };
        let answer = MarkAnswer { text: text.to_owned(), typed: typed.cloned(), marks: marks.clone() };
        if self.answered.len() >= ANSWERED {
            self.answered.clear();
        }
        self.answered.insert(path.clone(), answer);
        marks
    }

    /// Carries out what waits. The sooner, the better is it known which files stand where.
    pub fn settle_records(&mut self, ground: &dyn WorkspaceTexts) {
        self.settle_but(0, ground);
    }

    /// Returns the number of records that wait to be carried out.
    pub(crate) fn waits_for(&self) -> usize {
        self.waiting.len()
    }

    /// The same, but for the last records: a step may still be dropped.
    pub fn settle_but(&mut self, young: usize, ground: &dyn WorkspaceTexts) {
        while self.waiting.len() > young
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.forget_unneeded(ground);
            self.answered.clear();
            match waiting {
                WaitingRecord::Step(step) => self.apply_step(&step, ground),
                WaitingRecord::Typed(typed) => self.apply_typed(&typed, ground),
                WaitingRecord::Snapshot(snapshot) => self.restore_snapshot(snapshot),
            }
        }
    }

    /// Applies a person's typing. If it does not fit the known text, the next text is compared instead.
    fn apply_typed(&mut self, typed: &TypedRecord, ground: &dyn WorkspaceTexts) {
        if !self.files.get(&typed.path).is_some_and(|file| file.is_at(Some(&typed.before))) {
            let text = ground.text_of(&typed.before);
            self.follow_file(&typed.path, (Some(&typed.before), text.as_deref()), ground);
        }
        self.recall_text(&typed.path, ground);
        let Some(file) = self.files.get_mut(&typed.path) else { return };
        file.recorded.push(typed.after.clone());
        let Some(now) = file.type_in(typed, ground.text_of(&typed.after), ground) else { return };
        let before = file.marks_of(&typed.before, ground);
        file.before = before.map(|marks| (typed.before.clone(), marks));
        (file.now, file.hash, file.is_torn) = (Some(now), Some(typed.after.clone()), false);
    }

    /// Returns a snapshot of each file that changed since its last one was kept.
    pub fn take_snapshots(&mut self, ground: &dyn WorkspaceTexts) -> Vec<SnapshotRecord> {
        self.settle_records(ground);
        let mut all: Vec<SnapshotRecord> = { self.files.iter() }
            .filter_map(|(path, file)| {
                let (now, hash) = (file.now.as_ref()?, file.hash.as_ref()?);
                let is_new = !file.is_torn && file.kept.as_ref() != Some(hash);
                is_new.then(|| self.snapshot_of(path, now, hash))
            })
            .collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    fn snapshot_of(&self, path: &WorkspacePath, now: &MarkedText, hash: &str) -> SnapshotRecord {
        let (mut calls, mut places) = (Vec::new(), HashMap::new());
        let mut marks: Vec<MarkedRun> = Vec::new();
        for mark in &now.marks {
            let origin = mark.origin.and_then(|at| Some((at, self.origin(at)?)));
            let place = origin.map(|(at, origin)| {
                *places.entry(at).or_insert_with(|| {
                    calls.push(origin.clone());
                    u32::try_from(calls.len() - 1).unwrap_or(u32::MAX)
                })
            });
            let run = MarkedRun { count: 1, by: mark.by, call: place, is_unsure: mark.is_unsure };
            match marks.last_mut() {
                Some(last) if *last == (MarkedRun { count: last.count, ..run.clone() }) => last.count += 1,
                _ => marks.push(run),
            }
        }
        SnapshotRecord { path: path.clone(), hash: hash.to_owned(), lines: now.hashes.clone(), marks, calls }
    }

    /// Takes a snapshot as the known state, unless more is known than it holds.
    fn restore_snapshot(&mut self, snapshot: SnapshotRecord) {
        let SnapshotRecord { path, hash, lines, marks: kept, calls } = snapshot;
        let origins: Vec<u32> = calls.into_iter().map(|call| self.intern_origin(call)).collect();
        let mut marks = Vec::with_capacity(lines.len());
        for MarkedRun { count, by, call, is_unsure } in kept {
            let origin = call.and_then(|call| origins.get(call as usize)).copied();
            let count = (count as usize).min(lines.len().saturating_sub(marks.len()));
            marks.extend(std::iter::repeat_n(LineMark { by, origin, is_unsure }, count));
        }
        let file = self.files.entry(path).or_default();
        if !file.is_outdone_by(&hash) {
            return;
        }
        file.kept = Some(hash.clone());
        let is_known = !file.is_torn && file.now.is_some() && file.hash.as_ref() == Some(&hash);
        let is_whole = |now: &MarkedText| now.marks.iter().all(|mark| mark.by != WrittenBy::Unknown);
        if marks.len() != lines.len() || is_known && file.now.as_ref().is_some_and(is_whole) {
            return;
        }
        file.now = Some(MarkedText { text: None, hashes: lines, marks });
        file.recorded = vec![hash.clone()];
        (file.hash, file.before, file.is_torn) = (Some(hash), None, false);
    }

    fn apply_step(&mut self, step: &StepRecord, ground: &dyn WorkspaceTexts) {
        match step.kind {
            ChangeKind::Rename => {
                let Some(from) = &step.from else { return };
                if let Some(file) = self.files.remove(from) {
                    self.files.insert(step.path.clone(), file);
                }
            }
            ChangeKind::Copy if step.after.is_some() && !step.back => self.copy_lines(step, ground),
            kind if kind.has_text() || kind == ChangeKind::Copy => self.change_text(step, ground),
            _ => {}
        }
    }

    /// A copy has the lines of its source, with their authors.
    fn copy_lines(&mut self, step: &StepRecord, ground: &dyn WorkspaceTexts) {
        step.from.iter().for_each(|from| self.recall_text(from, ground));
        let source = step.from.as_ref().and_then(|from| self.files.get(from));
        let text = step.after.as_ref().and_then(|after| ground.text_of(after));
        let now = match (source, text, &step.after) {
            (Some(source), Some(text), Some(hash)) => source.read_text(text, hash),
            (None, Some(text), _) => MarkedText::with_one_mark(text, LineMark::EARLIER),
            _ => return,
        };
        let file = self.files.entry(step.path.clone()).or_default();
        (file.now, file.hash, file.before) = (Some(now), step.after.clone(), None);
        file.recorded = step.after.iter().cloned().collect();
    }

    /// A change of a text.
    fn change_text(&mut self, step: &StepRecord, ground: &dyn WorkspaceTexts) {
        if !self.files.get(&step.path).is_some_and(|file| file.is_at(step.before.as_deref())) {
            self.meet_text(step, ground);
        }
        let author = self.author_of(step);
        let file = self.files.entry(step.path.clone()).or_default();
        let mut was = file.now.take().unwrap_or_default();
        if was.text.is_none() {
            was.text = step.before.as_ref().and_then(|before| ground.text_of(before));
        }
        file.before = step.before.clone().map(|before| (before, was.marks.clone()));
        file.recorded = step.after.iter().cloned().collect();
        let Some(after) = &step.after else {
            let gone = was.hashes.into_iter().zip(was.marks).collect();
            file.history.keep_step(&step.session, &step.call, step.back, gone);
            file.hash = None;
            return;
        };
        match ground.text_of(after) {
            Some(text) => {
                let author = if file.is_torn { ChangeAuthor::Nobody } else { author };
                let carried = was.carry_to(text, author, &step.spans);
                file.history.keep_step(&step.session, &step.call, step.back, carried.removed);
                (file.now, file.hash, file.is_torn) = (Some(carried.now), Some(after.clone()), false);
            }
            None => (file.now, file.is_torn) = (Some(was), true),
        }
    }

    /// Meets the text that a step found, which is not the one that is known.
    fn meet_text(&mut self, step: &StepRecord, ground: &dyn WorkspaceTexts) {
        let before = step.before.as_ref().map(|before| ground.text_of(before));
        let text = before.clone().flatten();
        self.follow_file(&step.path, (step.before.as_deref(), text.as_deref()), ground);
        self.recall_text(&step.path, ground);
        self.files.entry(step.path.clone()).or_default().meet_text(before, step.before.as_ref());
    }

    /// Returns the author of a step.
    fn author_of(&mut self, step: &StepRecord) -> ChangeAuthor {
        let file = self.files.get(&step.path);
        let returning = |call: &CallId, back: bool| {
            file.map(|file| file.history.lines_of_undo(&step.session, call, back)).unwrap_or_default()
        };
        match &step.undoes {
            Some(undone) => ChangeAuthor::Undo(returning(undone, false)),
            None if step.outside => ChangeAuthor::Person,
            None if step.back => ChangeAuthor::Undo(returning(&step.call, true)),
            None => ChangeAuthor::Agent(self.agent_change(step)),
        }
    }

    fn agent_change(&mut self, step: &StepRecord) -> AgentChange {
        let mut change = AgentChange {
            origins: Vec::new(),
            edited: Vec::new(),
            has_others: step.hunks.is_empty(),
            is_said: false,
        };
        for hunk in step.hunks.iter().map(Some).chain(step.hunks.is_empty().then_some(None)) {
            let (session, call) = (step.session.clone(), step.call.clone());
            let edited = hunk.and_then(|hunk| self.calls.get(&session, &call)?.edited.get(hunk));
            let edited = edited.map(|edited| edited.lines.clone());
            let at = self.intern_origin(LineOrigin { session, call, hunk: hunk.cloned() });
            change.origins.push(at);
            match edited {
                Some(lines) => change.edited.extend(lines.into_iter().map(|(line, by)| (line, by, at))),
                None => change.has_others = true,
            }
        }
        change
    }

    fn intern_origin(&mut self, origin: LineOrigin) -> u32 {
        let next = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
        let origins = &mut self.origins;
        *self.known.entry(origin).or_insert_with_key(|origin| {
            origins.push(origin.clone());
            next
        })
    }
}
