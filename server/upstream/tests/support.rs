//! A workspace with the test server in its settings, a pipeline over it, and a caller that answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::base::clock::SystemClock;
use crate::catalogue;
use crate::execution::CommandExecutor;
use crate::pipeline::CallPipeline;
use crate::ports::{Ask, Caller, DocumentEdit, Editor};
use crate::proposals::ProposalQueue;
use crate::protocol::{AskParams, Door, EditorNotice, Envelope, Fault, Origin, RawCall, Unanswered};
use crate::registry::ToolRegistry;
use crate::sandbox::SandboxLauncher;
use crate::session::{SessionOptions, WorkspaceSession};
use crate::tools;
use crate::upstream::Upstreams;
use crate::upstream::consents::Consents;

/// The time that anything may take on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(40);

/// A workspace with servers.
pub(super) struct Bench {
    pub folder: tempfile::TempDir,
    pub session: Arc<WorkspaceSession>,
    pub upstreams: Arc<Upstreams>,
    pub registry: Arc<ToolRegistry>,
    pub editor: Arc<Person>,
    pipeline: Arc<CallPipeline>,
}

/// A person at an editor.
#[derive(Debug, Default)]
pub(super) struct Person {
    pub attached: bool,
    pub answer: Mutex<Option<String>>,
    pub questions: Mutex<Vec<String>>,
}

impl Editor for Person {
    fn attached(&self) -> bool {
        self.attached
    }

    fn apply(&self, _: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Err("it takes none".to_owned()) })
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        self.questions.lock().push(question.text);
        Box::pin(async { self.answer.lock().clone().ok_or(Unanswered::Closed) })
    }

    fn tell(&self, _: EditorNotice) {}
}

/// A caller that answers questions, and remembers its notices.
#[derive(Debug, Default)]
pub(super) struct Agent(pub Mutex<Vec<String>>);

impl Caller for Agent {
    fn progress(&self, message: &str, percentage: Option<u32>) {
        self.0.lock().push(format!("{message} {percentage:?}"));
    }

    fn log(&self, level: &str, data: Value) {
        self.0.lock().push(format!("{level} {data}"));
    }

    fn ask(&self, asks: Vec<(String, Ask)>) -> BoxFuture<'_, Result<Map<String, Value>, Fault>> {
        let answer = |ask: Ask| match ask {
            Ask::Form { message, schema } => {
                assert_eq!((message.as_str(), &schema["type"]), ("srv: Which colour?", &json!("object")));
                json!({ "action": "accept", "content": { "colour": "blue" } })
            }
            Ask::Sample(params) => json!({
                "role": "assistant", "model": "m", "content": { "type": "text", "text": params["maxTokens"].to_string() },
            }),
            Ask::Roots => json!({}),
        };
        let answers = asks.into_iter().map(|(key, ask)| (key, answer(ask))).collect();
        Box::pin(async move { Ok(answers) })
    }
}

pub(super) fn script() -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/upstream/server.mjs").display().to_string()
}

/// The settings of a test server.
pub(super) fn server(more: Value) -> Value {
    let mut settings = json!({ "command": "node", "args": [script()], "import": true, "timeout_ms": 20_000 });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

impl Bench {
    /// With one server of the person's, named `srv`.
    pub(super) fn new(more: Value) -> Self {
        Self::with(json!({ "srv": server(more) }), &[], Person::default())
    }

    pub(super) fn with(servers: Value, files: &[(&str, &str)], editor: Person) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self::at(folder, servers, editor)
    }

    /// In a folder that was there before: as after a restart.
    pub(super) fn at(folder: tempfile::TempDir, servers: Value, editor: Person) -> Self {
        let root = folder.path().join("work");
        std::fs::create_dir_all(&root).unwrap();
        let editor = Arc::new(editor);
        let options = SessionOptions {
            documents: Arc::default(),
            editor: editor.clone(),
            clock: Arc::new(SystemClock),
            shared_log: false,
            state: Some(folder.path().join("state")),
        };
        let session = Arc::new(WorkspaceSession::open(root.to_str().unwrap(), options).unwrap());
        session.configure(Some(&json!({ "mcp_servers": servers })));
        assert_eq!(session.problems(), [""; 0]);
        let consents = Arc::new(Consents::in_file(Some(folder.path().join("state/consents.json"))));
        let executor = Arc::new(CommandExecutor::new(SandboxLauncher::own()));
        let upstreams =
            Arc::new(Upstreams::new(session.clone(), consents, executor.clone(), Arc::new(|| ())));
        let queue = Arc::new(ProposalQueue::open(session.clone()));
        let registry = Arc::new(ToolRegistry::new(Vec::new(), tools::activities(&queue, &executor)));
        let pipeline = Arc::new(CallPipeline::new(session.clone(), registry.clone(), queue));
        let bench = Self { folder, session, upstreams, registry, editor, pipeline };
        bench.read(&[]);
        bench
    }

    /// Takes definitions and listings in, as a folder of the hub does.
    pub(super) fn read(&self, definitions: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            definitions.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let mut loaded = catalogue::load_catalogue(tools::DEFINITIONS, &files, &|name| {
            self.registry.activities().has_activity(name)
        });
        assert_eq!(loaded.problems, []);
        let (imported, problems) = self.upstreams.imported_tools();
        loaded.import_definitions(imported);
        self.upstreams.take_definitions(&loaded.tools);
        let run = |def: &catalogue::ToolDef| Some((def.name.clone(), self.upstreams.remote_activity(def)?));
        self.registry.activities().set_custom(loaded.tools.iter().filter_map(run).collect());
        self.registry.replace_tools(loaded.tools);
        problems
    }

    /// Lists the servers' tools, and takes them in.
    pub(super) async fn settle(&self) -> Vec<String> {
        tokio::time::timeout(PATIENCE, self.upstreams.list_new_servers()).await.unwrap();
        self.read(&[])
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Envelope {
        self.call_as(tool, arguments, None).await
    }

    pub(super) async fn call_as(
        &self,
        tool: &str,
        mut arguments: Value,
        caller: Option<Arc<dyn Caller>>,
    ) -> Envelope {
        arguments["why"] = json!("Keep the promise that this test makes to its reader");
        let raw = RawCall {
            tool: tool.to_owned(),
            arguments,
            origin: Origin::from_door(Door::Lsp),
            ..RawCall::default()
        };
        tokio::time::timeout(PATIENCE, self.pipeline.call_tool(raw, caller))
            .await
            .expect("the call took too long")
    }

    /// The result of a call that goes well.
    pub(super) async fn result(&self, tool: &str, arguments: Value) -> Value {
        let envelope = self.call(tool, arguments).await;
        assert_eq!(envelope.error, None);
        (*envelope.result.unwrap()).clone()
    }

    /// Returns the answer of a call as text, read as JSON.
    pub(super) async fn text(&self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments).await;
        serde_json::from_str(result["text"].as_str().unwrap()).unwrap()
    }

    /// The fault of a call.
    pub(super) async fn fault(&self, tool: &str, arguments: Value) -> Fault {
        self.call(tool, arguments).await.error.unwrap()
    }

    /// Waits until a tool that repeats its text answers again: its server is started again a second after it ended.
    pub(super) async fn comes_back(&self, tool: &str) {
        let began = Instant::now();
        while self.call(tool, json!({ "text": "x" })).await.error.is_some() {
            assert!(began.elapsed() < PATIENCE, "{tool} does not come back");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The lines that the server noted.
    pub(super) fn notes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("notes")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until something is so.
    pub(super) async fn until(&self, what: &str, so: impl Fn() -> bool) {
        for _ in 0..PATIENCE.as_millis() / 10 {
            if so() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not in time: {what}");
    }
}
