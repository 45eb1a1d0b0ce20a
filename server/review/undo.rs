//! An applied change is taken back, with later edits kept; or refused where they overlap.

use super::apply::{Put, put};
use super::desk::Desk;
use super::item::Item;
use crate::base::ids::unique;
use crate::base::text::{self, Encoding};
use crate::base::{CallId, WorkspacePath};
use crate::patch;
use crate::ports::LineEdit;
use crate::protocol::{ChangeKind, Code, DecidedBy, Event, Fault, HunkState, UndoAnswer};
use crate::rules::Opener;
use crate::session::Snapshot;
use crate::workspace::{Checkpoint, Checkpoints, Expect, Step};

/// What an undo is about.
enum Chosen<'a> {
    /// A change that was applied.
    Applied(Checkpoint, tokio::sync::MutexGuard<'a, ()>),
    /// Nothing was applied: what waited is rejected, and that is the answer.
    Withdrawn(UndoAnswer),
}

impl Desk {
    /// Takes back what a call changed: the last one that changed anything when none is named. What still waits of it is
    /// rejected. The undo has an id of its own and can be undone.
    ///
    /// # Errors
    /// NOT_FOUND where nothing of that call is kept or nothing of it is left to take back, STALE where later edits
    /// overlap; then nothing changed, unless the fault says `applied`.
    pub async fn undo(&self, call: Option<&str>) -> Result<UndoAnswer, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let (found, _one_at_a_time) = match self.chosen(call).await? {
            Chosen::Applied(found, one_at_a_time) => (found, one_at_a_time),
            Chosen::Withdrawn(answer) => return Ok(answer),
        };
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let name = format!("{}/{}", found.session, found.call);
        let _turn = self.turns.call(&name).await;
        let paths = found.steps.iter().map(|step| step.path.clone());
        let _files = self.turns.files(paths.collect()).await;
        // As it is by now: a decision on another hunk of the call may have come first.
        let checkpoint = checkpoints.find(&name)?;
        if checkpoint.undone {
            return Err(Fault::new(Code::NotFound, format!("call {} was undone already", checkpoint.call))
                .suggest("undo the undo by its own id to bring the change back"));
        }
        let proposal = self.items().of_call(&name).map(|item| item.proposal.id.clone());
        let withdraw = || proposal.as_ref().map_or(Ok(0), |id| self.withdraw(id));
        match self.take_all_back(&checkpoint).await {
            // Nothing of it stands any more. What still waits of it goes where the call was named, and only then.
            Err(fault) if fault.code == Code::NotFound && fault.applied.is_none() && call.is_some() => {
                match withdraw()? {
                    0 => Err(fault),
                    withdrawn => {
                        let call = checkpoint.call;
                        Ok(UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn })
                    }
                }
            }
            Err(fault) => Err(fault),
            Ok((undo_id, paths)) => {
                let done = withdraw().map_err(|fault| Fault { applied: Some(true), ..fault });
                if let Some(item) = proposal.as_ref().and_then(|id| self.get(id)) {
                    self.deliver_undone(&item.proposal);
                    self.told(&item.proposal.id)?;
                }
                done.map(|withdrawn| UndoAnswer { call: checkpoint.call, undo_id, paths, withdrawn })
            }
        }
    }

    /// The change that is to be taken back, once the person said yes where they are asked; no other undo goes on until what
    /// it comes with is dropped.
    async fn chosen(&self, call: Option<&str>) -> Result<Chosen<'_>, Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let find = || call.map_or_else(|| checkpoints.last(None), |call| checkpoints.find(call));
        loop {
            let found = match (find(), call.and_then(|call| self.undecided(call))) {
                (Ok(found), _) => found,
                (Err(_), Some(item)) => {
                    // Nothing of it was applied: what waits is all there is.
                    let _turn = self.turns.call(&item.call()).await;
                    let withdrawn = self.withdraw(&item.proposal.id)?;
                    let call = item.proposal.call_id.clone();
                    let answer =
                        UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn };
                    return Ok(Chosen::Withdrawn(answer));
                }
                (Err(fault), None) => return Err(fault),
            };
            // A person may take minutes to answer: no other undo waits for that.
            self.may_undo(&found).await?;
            let one_at_a_time = self.undoing.lock().await;
            // Another undo may have come first; then a different call is the last one, with files of its own.
            if call.is_some()
                || find().is_ok_and(|now| (&now.session, &now.call) == (&found.session, &found.call))
            {
                return Ok(Chosen::Applied(found, one_at_a_time));
            }
        }
    }

    /// The proposal of a call, named as `c-0007` or `SESSION/c-0007`, with hunks that wait.
    fn undecided(&self, call: &str) -> Option<std::sync::Arc<Item>> {
        let items = self.items();
        let named = |item: &&std::sync::Arc<Item>| item.proposal.call_id == call || item.call() == call;
        items.waiting().filter(named).last().cloned()
    }

    /// Rejects what still waits of a proposal whose call is taken back, and says how many hunks that were.
    fn withdraw(&self, id: &str) -> Result<u32, Fault> {
        let drop = |item: &mut Item| {
            let mut dropped = Vec::new();
            let hunks = item.proposal.files.iter_mut().flat_map(|file| &mut file.hunks);
            for hunk in hunks.filter(|hunk| hunk.state == HunkState::Pending) {
                (hunk.state, hunk.reviewed) = (HunkState::Rejected, true);
                hunk.reason = Some("the call was taken back".to_owned());
                dropped.push(hunk.id.clone());
            }
            dropped
        };
        let dropped = self.items().change(id, drop).unwrap_or_default();
        if let Some(item) = self.get(id).filter(|_| !dropped.is_empty()) {
            let recorded = self.record(&item.proposal, DecidedBy::Person, &dropped);
            recorded.and(self.update(id))?;
        }
        Ok(u32::try_from(dropped.len()).unwrap_or(u32::MAX))
    }

    /// Takes back every file of a checkpoint, and logs that. Gives the undo's id and the files.
    async fn take_all_back(&self, checkpoint: &Checkpoint) -> Result<(CallId, Vec<WorkspacePath>), Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let session = self.session.log().journal()?.session().to_owned();
        let undo_id = CallId::from(format!("u-{}", unique()));
        let backs = self.plan(checkpoint)?;
        let (mut paths, mut left) = (Vec::new(), Vec::new());
        let (mut doubt, mut stopped) = (None, None);
        for back in backs.iter().rev() {
            let taken = match self.take_back(checkpoint, &undo_id, &session, back).await {
                Ok(taken) => taken,
                // It took effect: the undo goes on, and says at its end what is not certain.
                Err(fault) if fault.applied == Some(true) => {
                    doubt = Some(fault);
                    Taken::Back
                }
                Err(fault) => {
                    stopped = Some(fault);
                    break;
                }
            };
            match taken {
                Taken::Back if !paths.contains(&back.step.path) => paths.push(back.step.path.clone()),
                Taken::Back => {}
                Taken::Not(why) => left.push(format!("{} {why}", back.step.path)),
            }
        }
        match (paths.is_empty(), stopped) {
            (true, Some(fault)) => return Err(fault),
            (true, None) => {
                return Err(nothing_left(checkpoint, &left, checkpoints.last(Some(checkpoint.time)).ok()));
            }
            // Some files are as before the call and others not: what is done is told, and the rest can be tried again.
            (false, Some(fault)) => doubt = Some(Fault { applied: Some(true), ..fault }),
            (false, None) => {
                checkpoints.save(&Checkpoint { undone: true, ..checkpoint.clone() })?;
                if let Some(undone) = &checkpoint.undoes
                    && let Ok(mut first) = checkpoints.find(undone)
                {
                    first.undone = false;
                    checkpoints.save(&first)?;
                }
            }
        }
        let applied = |fault| Fault { applied: Some(true), ..fault };
        let event =
            Event::Undo { call_id: checkpoint.call.clone(), undo_id: undo_id.clone(), paths: paths.clone() };
        let done = self.session.log().write(event).map_err(applied)?;
        self.session.log().journal()?.durable(done).await.map_err(Fault::from).map_err(applied)?;
        doubt.map_or(Ok((undo_id, paths)), Err)
    }

    /// What each file is to become. Steps of one file that follow on each other are taken back as one.
    fn plan(&self, checkpoint: &Checkpoint) -> Result<Vec<Back>, Fault> {
        let mut backs: Vec<Back> = Vec::new();
        for step in &checkpoint.steps {
            let last = backs.iter_mut().rev().find(|back| back.step.path == step.path);
            match last {
                Some(back) if step.before.is_some() && back.step.after == step.before => {
                    back.step.after = step.after.clone();
                    back.step.kind = merged(back.step.kind, step.kind);
                }
                _ => backs.push(Back { step: step.clone(), text: None }),
            }
        }
        // Steps of one file that do not follow on each other are taken back one on the text of the other.
        let mut shown: Vec<(WorkspacePath, Option<String>)> = Vec::new();
        for back in backs.iter_mut().rev() {
            let earlier =
                shown.iter().find(|(path, _)| *path == back.step.path).map(|(_, text)| text.clone());
            self.plan_one(back, earlier)?;
            if let Some(text) = &back.text {
                shown.retain(|(path, _)| *path != back.step.path);
                shown.push((back.step.path.clone(), text.clone()));
            }
        }
        Ok(backs)
    }

    fn plan_one(&self, back: &mut Back, shown: Option<Option<String>>) -> Result<(), Fault> {
        let Some(encoding) = back.step.encoding else { return self.check_bytes(&back.step) };
        let path = &back.step.path;
        let now = match shown {
            Some(text) => text,
            None => self.session.files().text(&path)?.map(|now| now.text),
        };
        let (before, after) =
            (self.blob_text(&back.step.before, encoding)?, self.blob_text(&back.step.after, encoding)?);
        back.text = Some(match (&before, &after, &now) {
            // As the call left it, or as it was before: the call died before its write, or was taken back by hand.
            _ if now == after || now == before => before,
            (Some(before), Some(after), Some(now)) => Some(merge_back(path, before, after, now)?),
            _ => return Err(overlap(path, "it was removed, made anew or changed since")),
        });
        Ok(())
    }

    /// Bytes with no text and folders are taken back only where they are as the call left them.
    fn check_bytes(&self, step: &Step) -> Result<(), Fault> {
        let Some(after) = &step.after else { return Ok(()) };
        let (bytes, _) = self
            .session
            .files()
            .opened_by(Opener::Person)
            .read(&step.path, self.session.workspace().settings().limits.edit_bytes)?;
        match self.session.workspace().state().get(after)?.as_deref() == Some(&bytes[..]) {
            true => Ok(()),
            false => Err(overlap(&step.path, "it was changed since")),
        }
    }

    async fn take_back(
        &self,
        checkpoint: &Checkpoint,
        undo: &str,
        session: &str,
        back: &Back,
    ) -> Result<Taken, Fault> {
        let path = &back.step.path;
        let Some(text) = &back.text else {
            return self.take_back_bytes(checkpoint, undo, session, &back.step);
        };
        let encoding = back.step.encoding.unwrap_or(Encoding::Utf8);
        // A file that the call removed is brought back on the disk, whatever an editor shows still.
        let before = match back.step.after.is_none() && self.is_gone(path)? {
            true => None,
            false => self.session.files().text(&path)?,
        };
        if before.as_ref().map(|before| &before.text) == text.as_ref() {
            // Most often the person took it back in the editor, which knows how to bring it back.
            return Ok(Taken::Not(match before.is_some_and(|before| before.unsaved) {
                true => "is as it was before, in the editor, where it is not saved yet",
                false => "is as it was before",
            }));
        }
        let busy = self.placing(path);
        let done = put(
            &self.session,
            Put {
                call: undo,
                session,
                undoes: Some(&checkpoint.call),
                label: format!("wherefore: undo {}", checkpoint.call),
                path,
                before: before.as_ref(),
                after: text.as_deref(),
                encoding,
                edits: edits(before.as_ref(), text.as_deref()),
                hunks: &[],
                back: false,
            },
        )
        .await;
        drop(busy);
        let now = done?;
        self.replace(path, now.as_ref().map(|now| now.text.as_str()));
        match now.as_ref().map(|now| &now.text) == text.as_ref() {
            true => Ok(Taken::Back),
            false => Err(Fault::new(Code::Rejected, format!("the editor did not bring {path} back"))),
        }
    }

    fn take_back_bytes(
        &self,
        checkpoint: &Checkpoint,
        undo: &str,
        session: &str,
        step: &Step,
    ) -> Result<Taken, Fault> {
        let path = &step.path;
        let (files, state) =
            (self.session.files().opened_by(Opener::Person), self.session.workspace().state());
        let checkpoints = Checkpoints::new(state);
        let record = |step: Step| checkpoints.record(undo, session, Some(&checkpoint.call), step);
        match (step.kind, &step.before, &step.after) {
            // A folder that something was put into since is left: the undo takes back what the call did, no more.
            (ChangeKind::Mkdir, None, None) => {
                return match files.rmdir(path) {
                    Ok(()) => record(Step { kind: ChangeKind::Delete, ..step.clone() }).map(|()| Taken::Back),
                    Err(error) if error.code() == Code::NotFound => Ok(Taken::Not("is not there any more")),
                    Err(error) if error.code() == Code::InvalidArgs => {
                        Ok(Taken::Not("holds something by now and stays"))
                    }
                    Err(error) => Err(error.into()),
                };
            }
            (ChangeKind::Delete, None, None) => {
                record(Step { kind: ChangeKind::Mkdir, ..step.clone() })?;
                return Ok(files.mkdir(path).map(|_| Taken::Back)?);
            }
            _ => {}
        }
        let reversed = Step { before: step.after.clone(), after: step.before.clone(), ..step.clone() };
        record(reversed)?;
        let expect = step.after.as_ref().map_or(Ok(Expect::Absent), |blob| {
            let bytes = state.get(blob)?.unwrap_or_default();
            Ok::<_, Fault>(Expect::Hash(crate::base::hash::short(&bytes)))
        })?;
        match &step.before {
            Some(blob) => files.write(path, &self.blob(blob)?, &expect).map(drop)?,
            None => files.remove(path, &expect)?,
        }
        Ok(Taken::Back)
    }

    fn blob(&self, blob: &str) -> Result<Vec<u8>, Fault> {
        self.session.workspace().state().get(blob)?.ok_or_else(|| {
            Fault::new(Code::NotFound, format!("the bytes {blob} that the undo needs are not kept any more"))
                .fatal()
        })
    }

    fn blob_text(&self, blob: &Option<String>, encoding: Encoding) -> Result<Option<String>, Fault> {
        let Some(blob) = blob else { return Ok(None) };
        let decoded = text::decode(&self.blob(blob)?);
        decoded
            .filter(|decoded| decoded.encoding == encoding || decoded.text.is_ascii())
            .map(|decoded| Some(decoded.text))
            .ok_or_else(|| Fault::internal(format!("the kept bytes {blob} are not {}", encoding.name())))
    }
}

struct Back {
    step: Step,
    /// The text to put there; the inner none removes the file. The outer none: bytes or a folder.
    text: Option<Option<String>>,
}

/// What became of one file that an undo was to bring back.
enum Taken {
    /// It is as it was before the call.
    Back,
    /// Nothing was done, and why.
    Not(&'static str),
}

/// The answer where a call's change does not stand any more: no undo that could itself be undone.
fn nothing_left(checkpoint: &Checkpoint, left: &[String], earlier: Option<Checkpoint>) -> Fault {
    let call = &checkpoint.call;
    let fault =
        Fault::new(Code::NotFound, format!("nothing of {call} is left to take back: {}", left.join("; ")));
    match earlier {
        Some(earlier) => {
            fault.suggest(format!("`wherefore undo {}` takes the change before it back", earlier.call))
        }
        None => fault.suggest("it is the earliest change that stands; `wherefore log` shows what was done"),
    }
}

fn merged(first: ChangeKind, then: ChangeKind) -> ChangeKind {
    match (first, then) {
        (ChangeKind::Create, _) => ChangeKind::Create,
        (_, then) => then,
    }
}

/// The text now, with the change from `before` to `after` taken out of it.
fn merge_back(path: &WorkspacePath, before: &str, after: &str, now: &str) -> Result<String, Fault> {
    let mut places = Vec::new();
    for cut in patch::cut(after, before) {
        let line = patch::relocate(after, now, &cut)
            .ok_or_else(|| overlap(path, &format!("a later edit overlaps at line {}", cut.old_start + 1)))?;
        places.push((line, cut));
    }
    places.sort_by_key(|(line, _)| *line);
    places.iter().rev().try_fold(now.to_owned(), |text, (line, cut)| {
        patch::splice(&text, *line, &cut.old, &cut.new).ok_or_else(|| overlap(path, "later edits overlap"))
    })
}

fn overlap(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::Stale, format!("{path} cannot be brought back: {why}; nothing was changed"))
        .suggest("take the later change back first, or edit the file by hand")
}

fn edits(before: Option<&Snapshot>, after: Option<&str>) -> Vec<LineEdit> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let edit = |cut: patch::Cut| LineEdit {
        start: u32::try_from(cut.old_start).unwrap_or(u32::MAX),
        count: u32::try_from(cut.old.len()).unwrap_or(u32::MAX),
        text: cut.new.concat(),
    };
    patch::cut(&before.text, after).into_iter().map(edit).collect()
}
