//! A workspace in a temporary folder and a scripted editor.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use wherefore::base::ProposalId;
use wherefore::base::position::{self, PositionEncoding, TextPosition};
use wherefore::hub::{DocumentEvent, EditorId, Hub, HubOptions, ServedFolder, TextChange, TextEdits};
use wherefore::ports::{DocumentEdit, Editor, FileRename, NoEditor};
use wherefore::protocol::{
    Act, AskParams, DecideParams, DiagnosticsAnswer, DiagnosticsParams, DocumentDiagnostics, Door,
    EditorNotice, Envelope, Fault, Origin, Policy, Proposal, ProposalsParams, RawCall, Unanswered,
};
use wherefore::registry::AnyActivity;
use wherefore::requests::decide::DecideAnswer;
use wherefore::requests::{Asker, Call, Decide, Request};
use wherefore::sandbox::{SandboxLauncher, SandboxLevel};

use crate::event_schema::check_logs;

/// How the editor answers to an edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Makes it and reports success.
    #[default]
    Obeys,
    /// Reports success without making it.
    Claims,
    /// Makes only the first replacement, and reports success.
    Halves,
    /// Declines it.
    Refuses,
}

/// A scripted editor.
#[derive(Debug)]
pub(crate) struct Script {
    hub: OnceLock<Hub>,
    attached: bool,
    /// True while it shows no commands.
    pub looks_away: AtomicBool,
    manner: Mutex<Manner>,
    answer: Mutex<Option<String>>,
    open: Mutex<Vec<(String, PathBuf, i32, String)>>,
    /// The diagnostics of its language servers; it tells none where it has none.
    diagnostics: Mutex<Vec<DocumentDiagnostics>>,
    pub told: Mutex<Vec<EditorNotice>>,
}

impl Editor for Script {
    fn attached(&self) -> bool {
        self.attached
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async move {
            let manner = *self.manner.lock().unwrap();
            if manner == Manner::Refuses {
                return Ok(false);
            }
            if manner != Manner::Claims {
                let edits = if manner == Manner::Halves { &edit.edits[..1] } else { &edit.edits[..] };
                let (path, text) = self.change(&edit.uri, |text| {
                    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                    for edit in edits.iter().rev() {
                        let start = edit.start as usize;
                        lines.splice(start..start + edit.count as usize, [edit.text.as_str()]);
                    }
                    lines.concat()
                });
                if edit.save {
                    std::fs::write(path, text).unwrap();
                    self.tell_hub(DocumentEvent::Saved { uri: edit.uri });
                }
            }
            Ok(true)
        })
    }

    fn renames(&self) -> bool {
        self.attached
    }

    fn rename(&self, rename: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async move {
            let manner = *self.manner.lock().unwrap();
            if manner == Manner::Obeys {
                let path = |uri: &str| PathBuf::from(uri.strip_prefix("file://").unwrap());
                let (from, to) = (path(&rename.from), path(&rename.to));
                std::fs::rename(&from, &to).unwrap();
                let text = std::fs::read_to_string(&to).unwrap();
                let mut open = self.open.lock().unwrap();
                let document = open.iter_mut().find(|document| document.0 == rename.from).unwrap();
                *document = (rename.to.clone(), to.clone(), 1, text.clone());
                drop(open);
                self.tell_hub(DocumentEvent::Closed { uri: rename.from });
                let uri = rename.to;
                let language = "plaintext".into();
                self.tell_hub(DocumentEvent::Opened { uri, version: 1, text, language });
            }
            Ok(manner != Manner::Refuses)
        })
    }

    fn ask(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        let unanswered = if self.attached { Unanswered::Closed } else { Unanswered::Nobody };
        Box::pin(async move { self.answer.lock().unwrap().clone().ok_or(unanswered) })
    }

    fn diagnostics(&self, _: DiagnosticsParams) -> BoxFuture<'_, Result<DiagnosticsAnswer, Fault>> {
        let documents = self.diagnostics.lock().unwrap().clone();
        Box::pin(async move {
            match documents.is_empty() {
                true => NoEditor.diagnostics(DiagnosticsParams::default()).await,
                false => Ok(DiagnosticsAnswer { documents }),
            }
        })
    }

    fn shows_commands(&self) -> bool {
        self.attached && !self.looks_away.load(Ordering::SeqCst)
    }

    fn tell(&self, notice: EditorNotice) {
        self.told.lock().unwrap().push(notice);
    }
}

impl Script {
    fn change(&self, uri: &str, change: impl FnOnce(&str) -> String) -> (PathBuf, String) {
        let (path, version, text) = {
            let mut open = self.open.lock().unwrap();
            let document = open.iter_mut().find(|document| document.0 == uri).unwrap();
            document.2 += 1;
            document.3 = change(&document.3);
            (document.1.clone(), document.2, document.3.clone())
        };
        let edits = TextEdits::from_text(text.as_str());
        self.tell_hub(DocumentEvent::Changed { uri: uri.to_owned(), version, edits });
        (path, text)
    }

    fn tell_hub(&self, event: DocumentEvent) {
        self.hub.get().unwrap().apply_document_event(EditorId::default(), event);
    }
}

/// A workspace with its hub and editor.
pub(crate) struct Bench {
    pub folder: tempfile::TempDir,
    /// The person's state folder.
    pub state: tempfile::TempDir,
    pub hub: Hub,
    pub editor: Arc<Script>,
    owns_hub: bool,
}

fn start_hub(folder: &Path, state: &Path, attached: bool, launcher: SandboxLauncher) -> (Hub, Arc<Script>) {
    let editor = Arc::new(Script {
        hub: OnceLock::new(),
        attached,
        looks_away: AtomicBool::new(false),
        manner: Mutex::default(),
        answer: Mutex::default(),
        open: Mutex::default(),
        diagnostics: Mutex::default(),
        told: Mutex::default(),
    });
    let state = Some(state.to_owned());
    let hub = Hub::new(HubOptions {
        editor: editor.clone(),
        shared_log: false,
        state,
        launcher,
        environment: None,
    });
    editor.hub.set(hub.clone()).unwrap();
    hub.add_root(folder.canonicalize().unwrap().to_str().unwrap()).unwrap();
    (hub, editor)
}

impl Drop for Bench {
    /// The editor holds the hub and the hub the editor, so that the folders' watches would stay until the last test: the
    /// system allows few of them at once.
    fn drop(&mut self) {
        if self.owns_hub {
            self.hub.roots().iter().for_each(|root| self.hub.remove_root(root));
        }
        if !std::thread::panicking() {
            check_logs(self.folder.path());
        }
    }
}

impl Bench {
    /// With an editor attached.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, true)
    }

    /// With an editor, on a machine that is taken to confine commands at one level.
    pub(crate) fn in_tier(files: &[(&str, &str)], level: SandboxLevel) -> Self {
        Self::of(files, true, launcher().assume_level(level))
    }

    /// With or without an editor.
    pub(crate) fn with(files: &[(&str, &str)], attached: bool) -> Self {
        Self::of(files, attached, launcher())
    }

    fn of(files: &[(&str, &str)], attached: bool, launcher: SandboxLauncher) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let state = tempfile::tempdir().unwrap();
        let (hub, editor) = start_hub(folder.path(), state.path(), attached, launcher);
        Self { folder, state, hub, editor, owns_hub: true }
    }

    /// Another server of the folder with an editor of its own, as of a second window. Its root is to be removed at the end.
    pub(crate) fn second_window(&self) -> (Hub, Arc<Script>) {
        start_hub(self.folder.path(), self.state.path(), true, launcher())
    }

    pub(crate) fn disk(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap_or_else(|_| "(none)".to_owned())
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.folder.path().join(path), text).unwrap();
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.folder.path().canonicalize().unwrap().display())
    }

    /// Opens a file in the editor.
    pub(crate) fn open(&self, path: &str) {
        self.open_with(path, self.disk(path));
    }

    /// Opens an empty document where there is no file.
    pub(crate) fn open_new(&self, path: &str, empty: &str) {
        self.open_with(path, empty.to_owned());
    }

    /// Opens a document that shows `text`, whatever the disk holds.
    pub(crate) fn open_with(&self, path: &str, text: String) {
        let (uri, whole) = (self.uri(path), self.folder.path().canonicalize().unwrap().join(path));
        self.editor.open.lock().unwrap().push((uri.clone(), whole, 1, text.clone()));
        let language = "plaintext".to_owned();
        self.editor.tell_hub(DocumentEvent::Opened { uri, version: 1, text, language });
    }

    /// Types in the editor: the buffer becomes `text`, unsaved.
    pub(crate) fn type_in(&self, path: &str, text: &str) {
        self.editor.change(&self.uri(path), |_| text.to_owned());
    }

    /// Types in the editor, with positions: the characters between two places, as lines and columns of a text without
    /// multi-byte characters, become `text`.
    pub(crate) fn type_at(&self, path: &str, from: (usize, usize), to: (usize, usize), text: &str) {
        let uri = self.uri(path);
        let place = |(line, column): (usize, usize)| TextPosition {
            line: u32::try_from(line).unwrap(),
            character: u32::try_from(column).unwrap(),
        };
        let range = (place(from), place(to));
        let changes = vec![TextChange { range: Some(range), text: text.to_owned() }];
        let edits = TextEdits { changes, encoding: PositionEncoding::Utf16 };
        let version = {
            let mut open = self.editor.open.lock().unwrap();
            let document = open.iter_mut().find(|document| document.0 == uri).unwrap();
            document.2 += 1;
            position::replace_range(&mut document.3, range.0, range.1, PositionEncoding::Utf16, text);
            document.2
        };
        self.editor.tell_hub(DocumentEvent::Changed { uri, version, edits });
    }

    /// Saves in the editor: the disk holds what the buffer does.
    pub(crate) fn save(&self, path: &str) {
        self.write(path, &self.buffer(path));
        self.editor.tell_hub(DocumentEvent::Saved { uri: self.uri(path) });
    }

    /// The editor's language servers report these of a file from now on.
    pub(crate) fn reports(&self, path: &str, diagnostics: Vec<Value>) {
        self.reports_at((self.uri(path), diagnostics));
    }

    /// The same for a document that may stand anywhere.
    pub(crate) fn reports_at(&self, (uri, diagnostics): (String, Vec<Value>)) {
        self.editor.diagnostics.lock().unwrap().push(DocumentDiagnostics { uri, diagnostics });
    }

    /// The editor's buffer.
    pub(crate) fn buffer(&self, path: &str) -> String {
        let uri = self.uri(path);
        let open = self.editor.open.lock().unwrap();
        open.iter().find(|document| document.0 == uri).map(|document| document.3.clone()).unwrap()
    }

    pub(crate) fn manner(&self, manner: Manner) {
        *self.editor.manner.lock().unwrap() = manner;
    }

    pub(crate) fn will_answer(&self, answer: Option<&str>) {
        *self.editor.answer.lock().unwrap() = answer.map(str::to_owned);
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value, policy: Option<Policy>) -> Envelope {
        self.call_as("tester/1", tool, arguments, policy).await
    }

    /// Calls as an agent, by the language server's door.
    pub(crate) async fn call_as(
        &self,
        agent: &str,
        tool: &str,
        mut arguments: Value,
        policy: Option<Policy>,
    ) -> Envelope {
        if arguments.get("why").is_none() {
            arguments["why"] = json!("Keep the fixture's promise for the reader of this test");
        }
        let origin = Origin { agent: Some(agent.to_owned()), ..Origin::from_door(Door::Lsp) };
        let raw = RawCall { tool: tool.to_owned(), arguments, origin, policy, ..RawCall::default() };
        let limit = Duration::from_secs(180);
        tokio::time::timeout(limit, self.ask::<Call>(raw)).await.expect("the call took too long").unwrap()
    }

    /// Starts a call that waits for a person, and waits until its proposal is there.
    pub(crate) async fn propose(
        &self,
        tool: &str,
        arguments: Value,
    ) -> (tokio::task::JoinHandle<Envelope>, Proposal) {
        let known: Vec<ProposalId> = self.proposals().into_iter().map(|proposal| proposal.id).collect();
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
            state: tempfile::tempdir().unwrap(),
            hub: self.hub.clone(),
            editor: self.editor.clone(),
            owns_hub: false,
        };
        let tool = tool.to_owned();
        let call = tokio::spawn(async move { bench.call(&tool, arguments, None).await });
        for _ in 0..1000 {
            if let Some(proposal) =
                self.proposals().into_iter().find(|proposal| !known.contains(&proposal.id))
            {
                return (call, proposal);
            }
            if call.is_finished() {
                panic!("the call ended with no proposal: {:?}", call.await);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("no proposal came");
    }

    /// Makes a request as the editor's person does.
    pub(crate) async fn ask<R: Request>(&self, params: R::Params) -> Result<R::Answer, Fault> {
        R::answer_request(&self.hub, params, Asker::from_door(Door::Lsp)).await
    }

    /// The folder that is served.
    pub(crate) fn served(&self) -> Arc<ServedFolder> {
        self.hub.folder_at(None).unwrap()
    }

    pub(crate) fn proposals(&self) -> Vec<Proposal> {
        self.served().queue().store().list_proposals(&ProposalsParams::default())
    }

    pub(crate) async fn decide(
        &self,
        proposal: &str,
        hunks: &[&str],
        act: Act,
        reason: Option<&str>,
    ) -> Result<DecideAnswer, Fault> {
        let hunks = hunks.iter().map(|hunk| (*hunk).into()).collect();
        let reason = reason.map(str::to_owned);
        let proposal = Some(proposal.into());
        self.ask::<Decide>(DecideParams { proposal, hunks, reason, ..DecideParams::all(act) }).await
    }

    /// The session log's text.
    pub(crate) fn log(&self) -> String {
        self.served().session_log(None).unwrap().text
    }
}

/// Has another activity run a tool.
pub(crate) fn replace(served: &ServedFolder, tool: &str, code: Arc<dyn AnyActivity>) {
    served.toolbox().registry().activities().register(tool, code);
}

/// The built program builds the sandboxes of commands: this test cannot start itself as one.
pub(crate) fn launcher() -> SandboxLauncher {
    SandboxLauncher::with_program(env!("CARGO_BIN_EXE_wherefore"))
}

/// Lines `1` to `n`, some of them replaced.
pub(crate) fn numbers(n: usize, replaced: &[(usize, &str)]) -> String {
    let line = |at: usize| {
        replaced.iter().find(|(line, _)| *line == at).map_or(at.to_string(), |(_, text)| (*text).to_owned())
    };
    (1..=n).map(|at| format!("{}\n", line(at))).collect()
}

/// The outcome of each hunk of an answer, as `h1 accepted`.
pub(crate) fn states(value: &Value) -> Vec<String> {
    let hunks = value["hunks"].as_array().cloned().unwrap_or_default();
    hunks
        .iter()
        .map(|hunk| format!("{} {}", hunk["id"].as_str().unwrap(), hunk["state"].as_str().unwrap()))
        .collect()
}

/// Says why a test passes without having run, past what the test runner keeps of it: a strict run fails at that.
pub(crate) fn report_skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
