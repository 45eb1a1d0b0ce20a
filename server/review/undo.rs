//! An applied change is taken back, with later edits kept; or refused where they overlap.

use super::apply::{Put, put};
use super::desk::Desk;
use crate::base::WorkspacePath;
use crate::base::ids::unique;
use crate::base::text::{self, Encoding};
use crate::patch;
use crate::ports::LineEdit;
use crate::protocol::{ChangeKind, Code, Event, Fault, UndoAnswer};
use crate::session::{Snapshot, text_of};
use crate::workspace::{Checkpoint, Checkpoints, Expect, Step};

impl Desk {
    /// Takes back what a call changed: the last one that changed anything when none is named. The undo has an id of
    /// its own and can be undone.
    ///
    /// # Errors
    /// NOT_FOUND where nothing of that call is kept or nothing of it is left to take back, STALE where later edits
    /// overlap; then nothing changed.
    pub async fn undo(&self, call: Option<&str>) -> Result<UndoAnswer, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let _one_at_a_time = self.deciding.lock().await;
        let checkpoints = Checkpoints::new(self.session.store());
        let mut checkpoint = match call {
            Some(call) => checkpoints.find(call)?,
            None => checkpoints.last(None)?,
        };
        if checkpoint.undone {
            return Err(Fault::new(Code::NotFound, format!("call {} was undone already", checkpoint.call))
                .suggest("undo the undo by its own id to bring the change back"));
        }
        let session = self.session.journal()?.session().to_owned();
        let undo_id = format!("u-{}", unique());
        let backs = self.plan(&checkpoint)?;
        let mut paths = Vec::new();
        let mut doubt = None;
        let mut left = Vec::new();
        for back in backs.iter().rev() {
            let taken = match self.take_back(&checkpoint, &undo_id, &session, back).await {
                // It took effect: the undo goes on, and says at its end what is not certain.
                Err(fault) if fault.applied == Some(true) => {
                    doubt = Some(fault);
                    Taken::Back
                }
                done => done?,
            };
            match taken {
                Taken::Back if !paths.contains(&back.step.path) => paths.push(back.step.path.clone()),
                Taken::Back => {}
                Taken::Not(why) => left.push(format!("{} {why}", back.step.path)),
            }
        }
        if paths.is_empty() {
            return Err(nothing_left(&checkpoint, &left, checkpoints.last(Some(checkpoint.time)).ok()));
        }
        checkpoint.undone = true;
        checkpoints.save(&checkpoint)?;
        if let Some(undone) = &checkpoint.undoes
            && let Ok(mut first) = checkpoints.find(undone)
        {
            first.undone = false;
            checkpoints.save(&first)?;
        }
        let done = self.session.write(Event::Undo {
            call_id: checkpoint.call.clone(),
            undo_id: undo_id.clone(),
            paths: paths.clone(),
        })?;
        self.session.journal()?.durable(done).await?;
        self.deliver_undone(&checkpoint.call, &checkpoint.session);
        doubt.map_or(Ok(UndoAnswer { call: checkpoint.call, undo_id, paths }), Err)
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
        let mut shown: Vec<(String, Option<String>)> = Vec::new();
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
        let path = back.path();
        let now = match shown {
            Some(text) => text,
            None => text_of(&self.session, &path)?.map(|now| now.text),
        };
        let (before, after) =
            (self.blob_text(&back.step.before, encoding)?, self.blob_text(&back.step.after, encoding)?);
        back.text = Some(match (&before, &after, &now) {
            // As the call left it, or as it was before: the call died before its write, or was taken back by hand.
            _ if now == after || now == before => before,
            (Some(before), Some(after), Some(now)) => Some(merge_back(&path, before, after, now)?),
            _ => return Err(overlap(&path, "it was removed, made anew or changed since")),
        });
        Ok(())
    }

    /// Bytes with no text and folders are taken back only where they are as the call left them.
    fn check_bytes(&self, step: &Step) -> Result<(), Fault> {
        let path = WorkspacePath::clean(&step.path).unwrap_or_else(WorkspacePath::root);
        let Some(after) = &step.after else { return Ok(()) };
        let (bytes, _) = self.session.files().read(&path, self.session.settings().limits.edit_bytes)?;
        match self.session.store().get(after)?.as_deref() == Some(&bytes[..]) {
            true => Ok(()),
            false => Err(overlap(&path, "it was changed since")),
        }
    }

    async fn take_back(
        &self,
        checkpoint: &Checkpoint,
        undo: &str,
        session: &str,
        back: &Back,
    ) -> Result<Taken, Fault> {
        let path = back.path();
        let Some(text) = &back.text else {
            return self.take_back_bytes(checkpoint, undo, session, &back.step);
        };
        let encoding = back.step.encoding.unwrap_or(Encoding::Utf8);
        let before = text_of(&self.session, &path)?;
        if before.as_ref().map(|before| &before.text) == text.as_ref() {
            // Most often the person took it back in the editor, which knows how to bring it back.
            return Ok(Taken::Not(match before.is_some_and(|before| before.unsaved) {
                true => "is as it was before, in the editor, where it is not saved yet",
                false => "is as it was before",
            }));
        }
        let busy = self.placing(&path);
        let done = put(
            &self.session,
            Put {
                call: undo,
                session,
                undoes: Some(&checkpoint.call),
                label: format!("wherefore: undo {}", checkpoint.call),
                path: &path,
                before: before.as_ref(),
                after: text.as_deref(),
                encoding,
                edits: edits(before.as_ref(), text.as_deref()),
            },
        )
        .await;
        drop(busy);
        let now = done?;
        self.replace(&path, now.as_ref().map(|now| now.text.as_str()));
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
        let path = WorkspacePath::clean(&step.path).unwrap_or_else(WorkspacePath::root);
        let (files, store) = (self.session.files(), self.session.store());
        let checkpoints = Checkpoints::new(store);
        let record = |step: Step| checkpoints.record(undo, session, Some(&checkpoint.call), step);
        match (step.kind, &step.before, &step.after) {
            // A folder that something was put into since is left: the undo takes back what the call did, no more.
            (ChangeKind::Mkdir, None, None) => {
                return match files.rmdir(&path) {
                    Ok(()) => record(Step { kind: ChangeKind::Delete, ..step.clone() }).map(|()| Taken::Back),
                    Err(fault) if fault.code == Code::NotFound => Ok(Taken::Not("is not there any more")),
                    Err(fault) if fault.code == Code::InvalidArgs => {
                        Ok(Taken::Not("holds something by now and stays"))
                    }
                    Err(fault) => Err(fault),
                };
            }
            (ChangeKind::Delete, None, None) => {
                record(Step { kind: ChangeKind::Mkdir, ..step.clone() })?;
                return files.mkdir(&path).map(|_| Taken::Back);
            }
            _ => {}
        }
        let reversed = Step { before: step.after.clone(), after: step.before.clone(), ..step.clone() };
        record(reversed)?;
        let expect = step.after.as_ref().map_or(Ok(Expect::Absent), |blob| {
            let bytes = store.get(blob)?.unwrap_or_default();
            Ok::<_, Fault>(Expect::Hash(crate::base::hash::short(&bytes)))
        })?;
        match &step.before {
            Some(blob) => files.write(&path, &self.blob(blob)?, &expect).map(drop),
            None => files.remove(&path, &expect),
        }
        .map(|()| Taken::Back)
    }

    fn blob(&self, blob: &str) -> Result<Vec<u8>, Fault> {
        self.session.store().get(blob)?.ok_or_else(|| {
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

impl Back {
    fn path(&self) -> WorkspacePath {
        WorkspacePath::clean(&self.step.path).unwrap_or_else(WorkspacePath::root)
    }
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
