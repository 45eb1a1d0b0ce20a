//! What the person accepted is handed over to an agent that writes it itself: the file is as the agent read it for that
//! moment, and holds what was accepted afterwards, whoever wrote it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::handing::Handing;
use super::queue::ProposalQueue;
use crate::base::text::decode;
use crate::base::{WorkspacePath, blocking, hash};
use crate::protocol::{Access, Code, Fault};
use crate::rules::Opener;
use crate::workspace::{Expect, FileStamp, Files, Permissions};

/// How long an agent may take to write what it was told. Then we do.
const WRITTEN: Duration = Duration::from_secs(10);
/// How long an editor may take to read the file once it is told of the last decision. It would read what is put back.
const SEEN: Duration = Duration::from_millis(300);
/// How long an editor may take to tell that it read the file meanwhile.
const READ: Duration = Duration::from_secs(1);
/// How often it is looked whether the agent has written.
const LOOK: Duration = Duration::from_millis(20);

/// A file as an agent read it.
#[derive(Clone, Debug)]
pub(crate) struct FileAsRead {
    path: WorkspacePath,
    /// Its bytes; none where there was no file.
    bytes: Option<Vec<u8>>,
    stamp: Option<FileStamp>,
}

impl FileAsRead {
    /// Its bytes; none where there was no file.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }
}

impl ProposalQueue {
    /// A file as it is on the disk now.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule, and what reading it says.
    pub(crate) fn as_read(&self, path: &WorkspacePath) -> Result<FileAsRead, Fault> {
        let files = self.session.files().unasked();
        let stamp = files.stamp(path)?;
        Ok(FileAsRead { path: path.clone(), bytes: self.on_disk(&files, path)?, stamp })
    }

    fn on_disk(&self, files: &Files, path: &WorkspacePath) -> Result<Option<Vec<u8>>, Fault> {
        match files.read(path, self.session.workspace().settings().limits.edit_bytes) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes in what an agent wrote with the person's word while its change was shown here: where the file holds that text,
    /// the change stands. Line ends do not count.
    pub(crate) fn take_written(&self, path: &WorkspacePath, text: &str) {
        let Some(_turn) = self.turns.file_now(path) else { return };
        let files = self.session.files().opened_by(Opener::Person);
        let now = blocking(|| self.on_disk(&files, path)).ok().flatten().and_then(decode);
        // An editor that shows the file reads it only later.
        if let Some(now) = now.filter(|now| now.text.lines().eq(text.lines())) {
            self.replace(path, Some(&now.text));
        }
    }

    /// Puts a file back as its agent read it, and gives the bytes that were accepted: the agent is to be told those, and
    /// writes them. Where it does not, they are written here. Nobody else changes the file meanwhile.
    ///
    /// # Errors
    /// What keeps the file from being put back: then it holds what was accepted.
    pub(crate) async fn hand_over(self: &Arc<Self>, read: FileAsRead) -> Result<Vec<u8>, Fault> {
        let (ready, accepted) = oneshot::channel();
        // It goes on where whoever waits for it is gone.
        tokio::spawn(self.clone().handed(read, ready));
        accepted.await.unwrap_or_else(|_| Err(Fault::internal("the accepted text was not handed over")))
    }

    async fn handed(self: Arc<Self>, read: FileAsRead, ready: oneshot::Sender<Result<Vec<u8>, Fault>>) {
        let path = read.path.clone();
        sleep(SEEN).await;
        let turn = self.turns.file(&path).await;
        let busy = self.placing(&path);
        let known = self.session.files().known();
        known.expect(&path, WRITTEN * 2);
        let stamp = blocking(|| self.session.files().unasked().stamp(&path).ok().flatten());
        let put_back = blocking(|| self.put_back(&read));
        if let Ok((accepted, Some(_handing))) = &put_back {
            let _ = ready.send(Ok(accepted.clone()));
            self.is_written(&read, accepted).await;
            if let Some(stamp) = stamp {
                // An editor that shows the file goes by the time: it saved these bytes itself.
                blocking(|| self.stands_since(&path, accepted, stamp));
            }
        } else {
            let _ = ready.send(put_back.map(|(accepted, _)| accepted));
        }
        self.session.files().note_known(&path);
        known.expect_no_more(&path);
        drop((busy, turn));
        self.look_again(&path);
        self.is_read_again(&read).await;
    }

    /// Puts the file back where it holds something else, and gives the bytes that it held; with them the note of that, to
    /// be kept until they stand there again.
    fn put_back(&self, read: &FileAsRead) -> Result<(Vec<u8>, Option<Handing<'_>>), Fault> {
        let FileAsRead { path, bytes, stamp } = read;
        let files = self.session.files().opened_by(Opener::Person);
        files.admit(Access::Write, path)?;
        let gone = || Fault::new(Code::NotFound, format!("{path} is gone"));
        let accepted = self.on_disk(&files, path)?.ok_or_else(gone)?;
        if bytes.as_ref() == Some(&accepted) {
            return Ok((accepted, None));
        }
        let handing = Handing::note(&self.session, path, bytes.as_deref(), &accepted)?;
        let expect = Expect::Hash(hash::short(&accepted));
        match bytes {
            Some(bytes) => files.write_as(path, bytes, &expect, Permissions::PLAIN).map(drop)?,
            None => files.remove(path, &expect)?,
        }
        if let Some(stamp) = stamp {
            // An agent that goes by the time reads the file again: nothing is lost.
            let _ = files.restamp(path, *stamp);
        }
        Ok((accepted, Some(handing)))
    }

    /// Has a file that holds what was accepted count as changed when it was accepted.
    fn stands_since(&self, path: &WorkspacePath, accepted: &[u8], stamp: FileStamp) {
        let files = self.session.files().opened_by(Opener::Person);
        if let Ok(Some(now)) = self.on_disk(&files, path)
            && now == accepted
        {
            // An editor that goes by the time reads the file again.
            let _ = files.restamp(path, stamp);
        }
    }

    /// Has editors that read what was put back read the file again: one that goes by the time and the size would not, since
    /// both are those of the text that it saved before.
    async fn is_read_again(&self, read: &FileAsRead) {
        let FileAsRead { path, bytes, .. } = read;
        let Some(before) = bytes.clone().and_then(decode) else { return };
        let until = Instant::now() + READ;
        while Instant::now() < until {
            let shown = self.session.files().document(path);
            // It may have read the file while the agent wrote.
            let is_old = |text: &str| text.is_empty() || text.lines().eq(before.text.lines());
            if shown.is_some_and(|shown| is_old(&shown.text)) {
                // What stands in the file stays as it is where its time cannot be changed.
                let _ = blocking(|| {
                    self.session.files().opened_by(Opener::Person).restamp(path, FileStamp::now())
                });
                return;
            }
            sleep(LOOK).await;
        }
    }

    /// Waits until the agent has written. Where it has not by then, what was accepted is written here; what it wrote
    /// otherwise is left.
    async fn is_written(&self, read: &FileAsRead, accepted: &[u8]) {
        let files = self.session.files().opened_by(Opener::Person);
        let until = Instant::now() + WRITTEN;
        while Instant::now() < until {
            sleep(LOOK).await;
            match blocking(|| self.on_disk(&files, &read.path)) {
                Ok(Some(now)) if now == accepted => return,
                _ => {}
            }
        }
        let expect = match &read.bytes {
            Some(bytes) => Expect::Hash(hash::short(bytes)),
            None => Expect::Absent,
        };
        if let Err(error) = blocking(|| files.write_as(&read.path, accepted, &expect, Permissions::PLAIN)) {
            tracing::warn!("what was accepted of {} is left as its agent wrote it: {error}", read.path);
        }
    }
}
