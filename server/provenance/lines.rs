//! The files of a workspace, with what is known of each line.

use std::collections::{HashMap, HashSet, VecDeque};

use wherefore_base::{CallId, HunkId, WorkspacePath};
use wherefore_protocol::ChangeKind;

use crate::WrittenBy;
use crate::author::{AgentChange, Author};
use crate::carry::MarkedText;
use crate::lined_file::LinedFile;
use crate::mark::{LineMark, LineOrigin};
use crate::record::{
    DecisionRecord, EditedRecord, LineRecord, MarkedRun, SnapshotRecord, StepRecord, TypedRecord,
};
use crate::restore::History;
use crate::similar_lines::read;
use crate::text::split;

/// What the records name and do not hold.
pub trait Ground {
    /// The text of the bytes that are kept under a hash; none where they are not kept any more, or are no text.
    fn text(&self, hash: &str) -> Option<String>;
    /// Whether a file stands at a path.
    fn stands(&self, path: &WorkspacePath) -> bool;
}

/// What is recorded and not carried out yet.
#[derive(Debug)]
enum Waiting {
    Step(StepRecord),
    Typed(TypedRecord),
    Snapshot(SnapshotRecord),
}

/// What was answered last of a file.
#[derive(Debug)]
struct Answer {
    text: String,
    typed: Option<TypedRecord>,
    marks: Vec<LineMark>,
}

/// What is known of each line of the files of a workspace. Records are applied in their order.
#[derive(Debug, Default)]
pub struct Lines {
    files: HashMap<WorkspacePath, LinedFile>,
    waiting: VecDeque<Waiting>,
    edited: HashMap<(String, CallId, HunkId), EditedRecord>,
    decisions: HashMap<(String, CallId), Vec<DecisionRecord>>,
    origins: Vec<LineOrigin>,
    known: HashMap<LineOrigin, u32>,
    answered: HashMap<WorkspacePath, Answer>,
}

impl Lines {
    /// Takes a record in. A line that is none is passed over.
    pub fn apply_line(&mut self, line: &str) {
        if let Some(record) = read(line) {
            self.apply(record);
        }
    }

    /// Takes a record in.
    pub fn apply(&mut self, record: LineRecord) {
        match record {
            LineRecord::Step(step) => self.waiting.push_back(Waiting::Step(step)),
            LineRecord::Typed(typed) => self.waiting.push_back(Waiting::Typed(typed)),
            LineRecord::Snapshot(snapshot) => self.waiting.push_back(Waiting::Snapshot(snapshot)),
            LineRecord::Dropped(dropped) => {
                let is_it = |waiting: &Waiting| match waiting {
                    Waiting::Step(step) => step.session == dropped.session && step.call == dropped.call,
                    _ => false,
                };
                if let Some(at) = self.waiting.iter().rposition(is_it) {
                    self.waiting.remove(at);
                }
            }
            LineRecord::Edited(edited) => {
                let key = (edited.session.clone(), edited.call.clone(), edited.hunk.clone());
                self.edited.insert(key, edited);
            }
            LineRecord::Decision(decision) => {
                let key = (decision.session.clone(), decision.call.clone());
                self.decisions.entry(key).or_default().push(decision);
            }
        }
    }

    /// The call and hunk of a mark.
    pub fn origin(&self, at: u32) -> Option<&LineOrigin> {
        self.origins.get(at as usize)
    }

    /// What was decided last on a hunk, with its call. Where the hunk is not known, the last decision on its call.
    pub fn decision(&self, origin: &LineOrigin) -> Option<&DecisionRecord> {
        let all = self.decisions.get(&(origin.session.clone(), origin.call.clone()))?;
        let of = |decision: &&DecisionRecord| match &origin.hunk {
            Some(hunk) => decision.hunks.iter().any(|decided| decided.id == *hunk),
            None => true,
        };
        all.iter().rev().find(of).or(all.last())
    }

    /// Whether anything was recorded of a path.
    pub fn knows(&mut self, path: &WorkspacePath, ground: &dyn Ground) -> bool {
        self.settle(ground);
        self.files.contains_key(path)
    }

    /// The hash of the text of a path that was recorded last.
    pub fn last_hash(&mut self, path: &WorkspacePath, ground: &dyn Ground) -> Option<&str> {
        self.settle(ground);
        self.files.get(path)?.hash.as_deref()
    }

    /// Who wrote each line of `text`, which stands at `path` now; `typed` is what led to it, where that is known.
    pub fn marks(
        &mut self,
        path: &WorkspacePath,
        text: &str,
        typed: Option<&TypedRecord>,
        ground: &dyn Ground,
    ) -> Vec<LineMark> {
        self.settle(ground);
        let is_it = |answer: &&Answer| answer.text == text && answer.typed.as_ref() == typed;
        if let Some(answer) = self.answered.get(path).filter(is_it) {
            return answer.marks.clone();
        }
        let hash = wherefore_base::hash::short(text.as_bytes());
        // What was typed since leads to the text that the file came with.
        let before = typed.and_then(|typed| Some((typed.before.as_str(), ground.text(&typed.before)?)));
        let from = match &before {
            Some((hash, before)) => self.followed(path, (Some(hash), Some(before)), ground),
            None => self.followed(path, (Some(&hash), Some(text)), ground),
        };
        let marks = match from.as_ref().and_then(|from| self.files.get(from)) {
            Some(file) => { typed.and_then(|typed| file.type_in(typed, Some(text.to_owned()), ground)) }
                .map(|typed| typed.marks)
                .unwrap_or_else(|| file.read(text.to_owned(), &hash).marks),
            None => vec![LineMark::EARLIER; split(text).len()],
        };
        let answer = Answer { text: text.to_owned(), typed: typed.cloned(), marks: marks.clone() };
        self.answered.insert(path.clone(), answer);
        marks
    }

    /// Carries out what waits. The sooner, the better is it known which files stand where.
    pub fn settle(&mut self, ground: &dyn Ground) {
        self.settle_but(0, ground);
    }

    /// The same, but for the last records: a step may still be dropped.
    pub fn settle_but(&mut self, young: usize, ground: &dyn Ground) {
        while self.waiting.len() > young
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.answered.clear();
            match waiting {
                Waiting::Step(step) => self.step(&step, ground),
                Waiting::Typed(typed) => self.typed(&typed, ground),
                Waiting::Snapshot(snapshot) => self.restore(snapshot),
            }
        }
    }

    /// What a person typed. Where it does not follow from what is known, the next text is compared instead.
    fn typed(&mut self, typed: &TypedRecord, ground: &dyn Ground) {
        if !self.files.get(&typed.path).is_some_and(|file| file.is_at(Some(&typed.before))) {
            let text = ground.text(&typed.before);
            self.follow(&typed.path, (Some(&typed.before), text.as_deref()), ground);
        }
        let Some(file) = self.files.get_mut(&typed.path) else { return };
        let Some(now) = file.type_in(typed, ground.text(&typed.after), ground) else { return };
        let before = file.marks_of(&typed.before, ground);
        file.before = before.map(|marks| (typed.before.clone(), marks));
        (file.now, file.hash, file.is_torn) = (Some(now), Some(typed.after.clone()), false);
    }

    /// What is known of each file of which that was not kept since it changed.
    pub fn snapshots(&mut self, ground: &dyn Ground) -> Vec<SnapshotRecord> {
        self.settle(ground);
        let mut all: Vec<SnapshotRecord> = { self.files.iter() }
            .filter_map(|(path, file)| {
                let (now, hash) = (file.now.as_ref()?, file.hash.as_ref()?);
                let is_new = !file.is_torn && file.kept.as_ref() != Some(hash);
                is_new.then(|| self.snapshot(path, now, hash))
            })
            .collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    fn snapshot(&self, path: &WorkspacePath, now: &MarkedText, hash: &str) -> SnapshotRecord {
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

    /// Takes a snapshot for what is known, unless more is known than it tells.
    fn restore(&mut self, snapshot: SnapshotRecord) {
        let SnapshotRecord { path, hash, lines, marks: kept, calls } = snapshot;
        let origins: Vec<u32> = calls.into_iter().map(|call| self.intern(call)).collect();
        let mut marks = Vec::with_capacity(lines.len());
        for MarkedRun { count, by, call, is_unsure } in kept {
            let origin = call.and_then(|call| origins.get(call as usize)).copied();
            let count = (count as usize).min(lines.len().saturating_sub(marks.len()));
            marks.extend(std::iter::repeat_n(LineMark { by, origin, is_unsure }, count));
        }
        let file = self.files.entry(path).or_default();
        file.kept = Some(hash.clone());
        let is_known = !file.is_torn && file.now.is_some() && file.hash.as_ref() == Some(&hash);
        let is_whole = |now: &MarkedText| now.marks.iter().all(|mark| mark.by != WrittenBy::Unknown);
        if marks.len() != lines.len() || is_known && file.now.as_ref().is_some_and(is_whole) {
            return;
        }
        file.now = Some(MarkedText { text: None, hashes: lines, marks });
        (file.hash, file.before, file.is_torn) = (Some(hash), None, false);
    }

    fn step(&mut self, step: &StepRecord, ground: &dyn Ground) {
        match step.kind {
            ChangeKind::Rename => {
                let Some(from) = &step.from else { return };
                if let Some(file) = self.files.remove(from) {
                    self.files.insert(step.path.clone(), file);
                }
            }
            ChangeKind::Copy if step.after.is_some() && !step.back => self.copy(step, ground),
            kind if kind.has_text() || kind == ChangeKind::Copy => self.change(step, ground),
            _ => {}
        }
    }

    /// A copy has the lines of its source, whoever wrote those.
    fn copy(&mut self, step: &StepRecord, ground: &dyn Ground) {
        let source = step.from.as_ref().and_then(|from| self.files.get(from));
        let text = step.after.as_ref().and_then(|after| ground.text(after));
        let now = match (source, text, &step.after) {
            (Some(source), Some(text), Some(hash)) => source.read(text, hash),
            (None, Some(text), _) => MarkedText::whole(text, LineMark::EARLIER),
            _ => return,
        };
        let file = self.files.entry(step.path.clone()).or_default();
        (file.now, file.hash, file.before) = (Some(now), step.after.clone(), None);
    }

    /// A change of a text.
    fn change(&mut self, step: &StepRecord, ground: &dyn Ground) {
        if !self.files.get(&step.path).is_some_and(|file| file.is_at(step.before.as_deref())) {
            self.meet(step, ground);
        }
        let author = self.author(step);
        let file = self.files.entry(step.path.clone()).or_default();
        let mut was = file.now.take().unwrap_or_default();
        if was.text.is_none() {
            was.text = step.before.as_ref().and_then(|before| ground.text(before));
        }
        file.before = step.before.clone().map(|before| (before, was.marks.clone()));
        let Some(after) = &step.after else {
            let gone = was.hashes.into_iter().zip(was.marks).collect();
            file.history.keep(&step.session, &step.call, step.back, gone);
            file.hash = None;
            return;
        };
        match ground.text(after) {
            Some(text) => {
                let author = if file.is_torn { Author::Nobody } else { author };
                let carried = was.carry(text, author, &step.spans);
                file.history.keep(&step.session, &step.call, step.back, carried.removed);
                (file.now, file.hash, file.is_torn) = (Some(carried.now), Some(after.clone()), false);
            }
            None => (file.now, file.is_torn) = (Some(was), true),
        }
    }

    /// Meets the text that a step found, which is not the one that is known.
    fn meet(&mut self, step: &StepRecord, ground: &dyn Ground) {
        let before = step.before.as_ref().map(|before| ground.text(before));
        let text = before.clone().flatten();
        self.follow(&step.path, (step.before.as_deref(), text.as_deref()), ground);
        self.files.entry(step.path.clone()).or_default().find(before, step.before.as_ref());
    }

    /// Takes what is known of a file along to the path that it stands at now.
    fn follow(&mut self, path: &WorkspacePath, text: (Option<&str>, Option<&str>), ground: &dyn Ground) {
        if let Some(from) = self.followed(path, text, ground)
            && from != *path
            && let Some(file) = self.files.remove(&from)
        {
            self.files.insert(path.clone(), file);
        }
        // The same text as another file's: a copy, or a file that came back to its name since.
        let is_known = self.files.get(path).is_some_and(|file| file.now.is_some());
        if let (false, Some(source)) = (is_known, self.files.values().find(|file| file.is_at(text.0))) {
            let copy = LinedFile { history: History::default(), ..source.clone() };
            self.files.insert(path.clone(), copy);
        }
    }

    /// Who made a step.
    fn author(&mut self, step: &StepRecord) -> Author {
        let file = self.files.get(&step.path);
        let returning = |call: &CallId, back: bool| {
            file.map(|file| file.history.returning(&step.session, call, back)).unwrap_or_default()
        };
        match &step.undoes {
            Some(undone) => Author::Undo(returning(undone, false)),
            None if step.outside => Author::Person,
            None if step.back => Author::Undo(returning(&step.call, true)),
            None => Author::Agent(self.agent_change(step)),
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
            let edited =
                hunk.and_then(|hunk| self.edited.get(&(session.clone(), call.clone(), hunk.clone())));
            let edited = edited.map(|edited| edited.lines.clone());
            let at = self.intern(LineOrigin { session, call, hunk: hunk.cloned() });
            change.origins.push(at);
            match edited {
                Some(lines) => change.edited.extend(lines.into_iter().map(|(line, by)| (line, by, at))),
                None => change.has_others = true,
            }
        }
        change
    }

    fn intern(&mut self, origin: LineOrigin) -> u32 {
        let next = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
        let origins = &mut self.origins;
        *self.known.entry(origin).or_insert_with_key(|origin| {
            origins.push(origin.clone());
            next
        })
    }

    /// The path under which what stands at `path` is known: that, or one that it was renamed from by somebody else.
    fn followed(
        &self,
        path: &WorkspacePath,
        (hash, text): (Option<&str>, Option<&str>),
        ground: &dyn Ground,
    ) -> Option<WorkspacePath> {
        let own = self.files.get(path).filter(|file| file.now.is_some());
        if let Some(own) = own {
            // It may have been there before, and have come back under this name.
            let is_back = |(other, file): &(&WorkspacePath, &LinedFile)| {
                *other != path && file.is_at(hash) && !ground.stands(other)
            };
            let back = self.files.iter().filter(|_| !own.is_at(hash)).find(is_back);
            return Some(back.map_or(path, |(other, _)| other).clone());
        }
        let lines: HashSet<u64> = split(text?).into_iter().map(crate::text::hash).collect();
        let mut best: Option<(usize, &WorkspacePath)> = None;
        for (other, file) in &self.files {
            let Some(now) = file.now.as_ref().filter(|_| other != path) else { continue };
            let common = now.hashes.iter().filter(|line| lines.contains(line)).count();
            let alike = common * 2 > now.hashes.len().max(lines.len());
            if alike && best.is_none_or(|best| (common, other) > best) && !ground.stands(other) {
                best = Some((common, other));
            }
        }
        let known = self.files.contains_key(path).then_some(path);
        best.map(|(_, other)| other).or(known).cloned()
    }
}
