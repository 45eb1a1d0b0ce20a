//! The files of a run's client: their text as the client's editor has it, unsaved or not, while a call of the run works on
//! them; and the way in which that editor is asked to write one.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::agent_runs::AgentRun;
use super::{DocumentEvent, Hub, ServedFolder};
use crate::base::WorkspacePath;
use crate::base::text::TextEncoding;
use crate::base::uri::uri_from_path;
use crate::ports::{DocumentEdit, Editor};
use crate::protocol::{AgentFileAnswer, AgentHappening, AskParams, EditorNotice, LineEdit, Unanswered};
use crate::workspace::EditorDocuments;

/// Bytes of the largest file whose text is asked for.
const LARGEST: u64 = 4 << 20;
/// The interval at which a text is looked at again while a call waits.
const AGAIN: Duration = Duration::from_secs(2);

/// The files of the client of one run. To the review it is an editor with documents, and one that shows nothing.
pub struct ClientFiles {
    hub: Hub,
    folder: Arc<ServedFolder>,
    run: Arc<AgentRun>,
    documents: EditorDocuments,
    /// True where it writes files too.
    writes: bool,
    /// The number of calls that work on each file.
    in_use: Mutex<HashMap<WorkspacePath, usize>>,
    /// Serialises the looks at texts.
    look: tokio::sync::Mutex<()>,
}

/// Files that a call works on; dropped, they are no documents any more.
struct FilesInUse<'a> {
    files: &'a ClientFiles,
    paths: Vec<WorkspacePath>,
}

impl Hub {
    /// Takes in the files of a run's client, until [`Hub::client_left`].
    pub fn client_files(
        &self,
        folder: Arc<ServedFolder>,
        run: Arc<AgentRun>,
        writes: bool,
    ) -> Arc<ClientFiles> {
        let files = Arc::new(ClientFiles {
            hub: self.clone(),
            folder,
            run,
            documents: self.editor_documents(),
            writes,
            in_use: Mutex::default(),
            look: tokio::sync::Mutex::default(),
        });
        self.0.editors.add_editor(files.clone());
        files
    }

    /// The client of a run is there no longer.
    pub fn client_left(&self, files: &Arc<ClientFiles>) {
        let files: Arc<dyn Editor> = files.clone();
        self.0.editors.remove_editor(&files);
    }
}

impl ClientFiles {
    /// Runs a call that works on files, with their texts as the client has them now and while it waits.
    pub async fn run_with_files<T>(&self, paths: &[String], call: impl Future<Output = T>) -> T {
        let paths = self.in_folder(paths);
        if paths.is_empty() {
            return call.await;
        }
        for path in &paths {
            *self.in_use.lock().entry(path.clone()).or_default() += 1;
        }
        let held = FilesInUse { files: self, paths };
        let mut call = std::pin::pin!(call);
        loop {
            for path in &held.paths {
                self.refresh_document(path).await;
            }
            tokio::select! {
                result = &mut call => return result,
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    /// Returns those of the paths that name a file of the folder.
    fn in_folder(&self, asked: &[String]) -> Vec<WorkspacePath> {
        let root = self.folder.root();
        let mut paths: Vec<_> = asked
            .iter()
            .filter_map(|path| WorkspacePath::parse(root, path).ok())
            .filter(|path| {
                let file = std::fs::metadata(self.absolute_path(path));
                file.is_ok_and(|file| file.is_file() && file.len() <= LARGEST)
            })
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }

    fn absolute_path(&self, path: &WorkspacePath) -> String {
        format!("{}/{path}", self.folder.root())
    }

    /// Updates the text of a file from the client. A text that equals the disk's is a document only where the client
    /// writes files.
    async fn refresh_document(&self, path: &WorkspacePath) {
        let _one = self.look.lock().await;
        let file = self.absolute_path(path);
        let uri = uri_from_path(&file);
        let Ok(shown) = self.read_text(&file).await else { return self.close_document(&uri) };
        let open = self.documents.get(&uri);
        let is_unsaved = self.folder.session().files().is_unsaved(path, &shown);
        if open.is_some_and(|open| open.dirty == is_unsaved && is_same_text(&open.text, &shown)) {
            return;
        }
        match is_unsaved || self.writes {
            true => self.open_document(&uri, path, shown),
            false => self.close_document(&uri),
        }
    }

    /// Makes a text the one of a document. Where it is the disk's, it is so with the ends of its lines.
    fn open_document(&self, uri: &str, path: &WorkspacePath, shown: String) {
        let session = self.folder.session();
        let is_unsaved = session.files().is_unsaved(path, &shown);
        let (mut text, mut version) = (shown, 1);
        if let Some(open) = self.documents.get(uri) {
            version = open.version + 1;
            if is_same_text(&open.text, &text) {
                text = open.text.to_string();
            }
        } else if !is_unsaved && let Ok(Some(on_disk)) = session.files().read_text(path) {
            // A file that is not UTF-8 on the disk cannot be written through a client, which only knows texts.
            if on_disk.encoding != TextEncoding::Utf8 {
                return;
            }
            text = on_disk.text;
        }
        let event = DocumentEvent::Opened { uri: uri.to_owned(), version, text, language: String::new() };
        self.hub.apply_document_event(self.documents.editor_id(), event);
    }

    fn close_document(&self, uri: &str) {
        if self.documents.get(uri).is_some() {
            self.hub.apply_document_event(
                self.documents.editor_id(),
                DocumentEvent::Closed { uri: uri.to_owned() },
            );
        }
    }

    /// The text of a file in the client's editor.
    async fn read_text(&self, file: &str) -> Result<String, String> {
        let path = file.to_owned();
        let answer = self.run.ask_client(|id| AgentHappening::ReadFile { id, path }).await;
        match answer {
            Some(AgentFileAnswer { text: Some(text), .. }) => Ok(text),
            Some(AgentFileAnswer { error: Some(error), .. }) => Err(error),
            _ => Err("the client did not answer".to_owned()),
        }
    }

    async fn write_edit(&self, edit: DocumentEdit) -> Result<bool, String> {
        let _one = self.look.lock().await;
        let document = self.documents.get(&edit.uri).ok_or("the file is not open")?;
        let path = document.path.clone().ok_or("the file lies in no folder")?;
        if !self.writes {
            return Err(
                "it has unsaved changes in the client's editor, which writes no files for agents; ask the \
                        person to save it first"
                    .to_owned(),
            );
        }
        let file = self.absolute_path(&path);
        let now = self.read_text(&file).await?;
        if !is_same_text(&document.text, &now) {
            self.open_document(&edit.uri, &path, now);
            return Ok(false);
        }
        let text = apply_line_edits(&document.text, &edit.edits);
        let written = {
            let (path, text) = (file.clone(), text.clone());
            self.run.ask_client(|id| AgentHappening::WriteFile { id, path, text }).await
        };
        match written {
            Some(AgentFileAnswer { error: None, .. }) => {}
            Some(AgentFileAnswer { error: Some(error), .. }) => return Err(error),
            None => return Err("the client did not answer".to_owned()),
        }
        // The text that the client claims to have written is read back.
        let back = self.read_text(&file).await?;
        let back = if is_same_text(&back, &text) { text } else { back };
        let (uri, version) = (edit.uri.clone(), document.version + 1);
        let event = DocumentEvent::Opened { uri, version, text: back, language: String::new() };
        self.hub.apply_document_event(self.documents.editor_id(), event);
        Ok(true)
    }
}

impl Drop for FilesInUse<'_> {
    fn drop(&mut self) {
        let mut in_use = self.files.in_use.lock();
        let mut over = Vec::new();
        for path in &self.paths {
            let Some(count) = in_use.get_mut(path) else { continue };
            *count -= 1;
            if *count == 0 {
                in_use.remove(path);
                over.push(uri_from_path(&self.files.absolute_path(path)));
            }
        }
        drop(in_use);
        over.iter().for_each(|uri| self.files.close_document(uri));
    }
}

impl Editor for ClientFiles {
    fn attached(&self) -> bool {
        false
    }

    fn holds(&self, uri: &str, version: i32) -> bool {
        self.documents.get(uri).is_some_and(|document| document.version == version)
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(self.write_edit(edit))
    }

    fn ask(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async { Err(Unanswered::Nobody) })
    }

    fn tell(&self, _: EditorNotice) {}
}

impl fmt::Debug for ClientFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFiles").field("run", &self.run.id()).finish_non_exhaustive()
    }
}

/// Returns whether two texts are the same but for the ends of their lines, and a mark of byte order.
fn is_same_text(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    one == other || plain(one) == plain(other)
}

/// A text with whole lines of it replaced.
fn apply_line_edits(text: &str, edits: &[LineEdit]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let start = (edit.start as usize).min(lines.len());
        out.extend(lines.get(at..start).unwrap_or_default().iter().copied());
        out.push_str(&edit.text);
        at = (start + edit.count as usize).min(lines.len());
    }
    out.extend(lines.get(at..).unwrap_or_default().iter().copied());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_replaced_where_they_stand() {
        let edit = |start, count, text: &str| LineEdit { start, count, text: text.to_owned() };
        for (text, edits, expected) in [
            ("a\nb\nc\n", vec![edit(1, 1, "B\n")], "a\nB\nc\n"),
            ("a\nb\nc", vec![edit(0, 1, ""), edit(2, 1, "C\n")], "b\nC\n"),
            ("a\r\nb\r\n", vec![edit(2, 0, "c\r\n")], "a\r\nb\r\nc\r\n"),
            ("", vec![edit(0, 0, "x\n")], "x\n"),
        ] {
            assert_eq!(apply_line_edits(text, &edits), expected, "{text:?}");
        }
        assert!(is_same_text("\u{feff}a\r\nb", "a\nb") && !is_same_text("a", "a\n"));
    }
}
