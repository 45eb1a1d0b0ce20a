//! The files of a workspace, with what is known of each line.

use std::collections::{HashMap, HashSet, VecDeque};

use wherefore_base::{CallId, HunkId, WorkspacePath};
use wherefore_protocol::ChangeKind;

use crate::author::{AgentChange, Author};
use crate::carry::MarkedText;
use crate::mark::{LineMark, LineOrigin};
use crate::record::{DecisionRecord, EditedRecord, LineRecord, StepRecord};
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

/// One file.
#[derive(Clone, Debug, Default)]
struct LinedFile {
    /// The text that was recorded last; none where no file was left.
    now: Option<MarkedText>,
    /// Its hash.
    hash: Option<String>,
    /// The step before: the hash of what it found, and what is known of that.
    before: Option<(String, Vec<LineMark>)>,
    /// Whether a text between is not kept.
    is_torn: bool,
    history: History,
}

/// What is known of each line of the files of a workspace. Records are applied in their order.
#[derive(Debug, Default)]
pub struct Lines {
    files: HashMap<WorkspacePath, LinedFile>,
    waiting: VecDeque<StepRecord>,
    edited: HashMap<(String, CallId, HunkId), EditedRecord>,
    decisions: HashMap<(String, CallId), Vec<DecisionRecord>>,
    origins: Vec<LineOrigin>,
    known: HashMap<LineOrigin, u32>,
    answered: HashMap<WorkspacePath, (String, Vec<LineMark>)>,
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
            LineRecord::Step(step) => self.waiting.push_back(step),
            LineRecord::Dropped(dropped) => {
                let is_it = |step: &StepRecord| step.session == dropped.session && step.call == dropped.call;
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

    /// Who wrote each line of `text`, which stands at `path` now.
    pub fn marks(&mut self, path: &WorkspacePath, text: &str, ground: &dyn Ground) -> Vec<LineMark> {
        self.settle(ground);
        if let Some((_, marks)) = self.answered.get(path).filter(|(answered, _)| answered == text) {
            return marks.clone();
        }
        let from = self.followed(path, Some(text), ground);
        let marks = match from.as_ref().and_then(|from| self.files.get(from)) {
            Some(file) => file.read(text.to_owned(), &wherefore_base::hash::short(text.as_bytes())).marks,
            None => vec![LineMark::EARLIER; split(text).len()],
        };
        self.answered.insert(path.clone(), (text.to_owned(), marks.clone()));
        marks
    }

    /// Carries out the steps that wait.
    fn settle(&mut self, ground: &dyn Ground) {
        while let Some(step) = self.waiting.pop_front() {
            self.answered.clear();
            self.step(&step, ground);
        }
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
        let before = step.before.as_ref().map(|before| ground.text(before));
        let text = before.clone().flatten();
        if let Some(from) = self.followed(&step.path, text.as_deref(), ground)
            && from != step.path
            && let Some(file) = self.files.remove(&from)
        {
            self.files.insert(step.path.clone(), file);
        }
        let author = self.author(step);
        let file = self.files.entry(step.path.clone()).or_default();
        file.find(before, step.before.as_ref());
        let was = file.now.clone().unwrap_or_default();
        file.before = step.before.clone().map(|before| (before, was.marks.clone()));
        let Some(after) = &step.after else {
            let gone = was.hashes.into_iter().zip(was.marks).collect();
            file.history.keep(&step.session, &step.call, step.back, gone);
            (file.now, file.hash) = (None, None);
            return;
        };
        match ground.text(after) {
            Some(text) => {
                let author = if file.is_torn { Author::Nobody } else { author };
                let carried = was.carry(text, author, &step.spans);
                file.history.keep(&step.session, &step.call, step.back, carried.removed);
                (file.now, file.hash, file.is_torn) = (Some(carried.now), Some(after.clone()), false);
            }
            None => file.is_torn = true,
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
        let mut change =
            AgentChange { origins: Vec::new(), edited: Vec::new(), has_others: step.hunks.is_empty() };
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
        text: Option<&str>,
        ground: &dyn Ground,
    ) -> Option<WorkspacePath> {
        if self.files.get(path).is_some_and(|file| file.now.is_some()) {
            return Some(path.clone());
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

impl LinedFile {
    /// Meets the text that a step found: what differs from the one that is known, a person changed.
    fn find(&mut self, before: Option<Option<String>>, hash: Option<&String>) {
        match before {
            None => self.now = None,
            Some(None) => self.is_torn = true,
            Some(Some(text)) => {
                let is_new = self.now.is_none() && self.hash.is_none() && self.before.is_none();
                self.now = Some(match (is_new, hash) {
                    (true, _) => MarkedText::whole(text, LineMark::EARLIER),
                    (false, Some(hash)) => self.read(text, hash),
                    (false, None) => MarkedText::whole(text, LineMark::UNKNOWN),
                });
                self.is_torn = false;
            }
        }
        self.hash = hash.cloned();
    }

    /// What is known of each line of a text that stands there now.
    fn read(&self, text: String, hash: &str) -> MarkedText {
        let Some(now) = &self.now else { return MarkedText::whole(text, LineMark::HUMAN) };
        if now.text == text {
            return now.clone();
        }
        // Somebody took the last step back by hand.
        if let Some((before, marks)) = &self.before
            && before == hash
            && marks.len() == split(&text).len()
        {
            return MarkedText { marks: marks.clone(), ..MarkedText::whole(text, LineMark::HUMAN) };
        }
        now.carry(text, if self.is_torn { Author::Nobody } else { Author::Person }, &[]).now
    }
}
