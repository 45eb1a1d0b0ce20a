//! The proxy between a scripted editor and a scripted agent, over the real pipeline.

mod changes;
mod editor;
mod ends;
mod settings;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{AcpError, FolderServers, ProxyOptions, ProxyStreams, run_proxy};
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{Door, Fault, NativeSettings, Policy};
use crate::requests::{self, Asker};
use crate::sandbox::SandboxLauncher;

const PATIENCE: Duration = Duration::from_secs(20);
const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";
const CHANGED: &str = "ONE\ntwo\nTHREE\nfour\nFIVE\n";

/// The folder's server, in this process.
struct Here {
    hub: Hub,
    settings: NativeSettings,
    is_away: bool,
}

impl FolderServers for Here {
    fn workspace_root(&self, folder: &Path) -> Result<String, Fault> {
        let root = folder.canonicalize().unwrap().display().to_string();
        self.hub.add_root(&root).unwrap();
        Ok(root)
    }

    fn native_settings(&self, _: &str) -> NativeSettings {
        self.settings.clone()
    }

    fn change_policy(&self, _: &str) -> Policy {
        Policy::Ask
    }

    fn ensure_server(&self, _: &str) -> BoxFuture<'static, Result<(), Fault>> {
        let reached = if self.is_away { Err(Fault::internal("no server can be had")) } else { Ok(()) };
        Box::pin(async move { reached })
    }

    fn send_request(
        &self,
        _: &str,
        method: &'static str,
        params: Value,
        _: bool,
    ) -> BoxFuture<'static, Result<Value, Fault>> {
        let hub = self.hub.clone();
        Box::pin(
            async move { requests::answer_method(&hub, method, params, Asker::from_door(Door::Acp)).await },
        )
    }
}

/// An editor or an agent that a test plays.
struct Peer {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    out: Option<WriteHalf<DuplexStream>>,
}

impl Peer {
    fn new(stream: DuplexStream) -> Self {
        let (input, out) = split(stream);
        Self { lines: BufReader::new(input).lines(), out: Some(out) }
    }

    async fn line(&mut self, line: &str) {
        let out = self.out.as_mut().unwrap();
        out.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.line(&message.to_string()).await;
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    async fn answer(&mut self, asked: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result })).await;
    }

    async fn choose(&mut self, asked: &Value, option: &str) {
        self.answer(asked, json!({ "outcome": { "outcome": "selected", "optionId": option } })).await;
    }

    async fn hear_line(&mut self) -> String {
        timeout(PATIENCE, self.lines.next_line()).await.expect("nothing came").unwrap().expect("the end")
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.hear_line().await).unwrap()
    }

    /// Reads messages up to one of that method.
    async fn hear_of(&mut self, method: &str) -> Value {
        let message = self.hear().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }
}

struct Scene {
    editor: Peer,
    agent: Peer,
    hub: Hub,
    running: JoinHandle<Result<(), AcpError>>,
    folder: TempDir,
}

impl Scene {
    /// A session with an agent of that name, in an editor that reads files or not.
    async fn with(name: &str, reads: bool) -> Self {
        Self::under(NativeSettings::default(), false, name, reads).await
    }

    /// Starts a scene with these settings for agents' own tools, with or without a server.
    async fn under(settings: NativeSettings, is_away: bool, name: &str, reads: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ws")).unwrap();
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: false,
            state: Some(folder.path().join("state")),
            launcher: SandboxLauncher::own(),
            environment: None,
        });
        let ((editor, to_editor), (agent, to_agent)) =
            (tokio::io::duplex(1 << 20), tokio::io::duplex(1 << 20));
        let ((from_editor, to_editor), (from_agent, to_agent)) = (split(to_editor), split(to_agent));
        let ends = ProxyStreams {
            from_editor: Box::new(from_editor),
            to_editor: Box::new(to_editor),
            from_agent: Box::new(from_agent),
            to_agent: Box::new(to_agent),
        };
        let options = ProxyOptions { program: "/bin/wherefore".to_owned(), agent: "someone".to_owned() };
        let here = Here { hub: hub.clone(), settings, is_away };
        let running = tokio::spawn(run_proxy(ends, Arc::new(here), options));
        let mut scene = Self { editor: Peer::new(editor), agent: Peer::new(agent), hub, running, folder };
        scene.begin(name, reads).await;
        scene
    }

    async fn begin(&mut self, name: &str, reads: bool) {
        let files = json!({ "fs": { "readTextFile": reads } });
        self.editor.ask(0, "initialize", json!({ "protocolVersion": 1, "clientCapabilities": files })).await;
        let asked = self.agent.hear_of("initialize").await;
        assert_eq!(
            asked["params"]["clientCapabilities"]["fs"],
            json!({ "readTextFile": true, "writeTextFile": true })
        );
        let info = json!({ "protocolVersion": 1, "agentInfo": { "name": name, "version": "1" }, "new": [1] });
        self.agent.answer(&asked, info.clone()).await;
        assert_eq!(self.editor.hear().await["result"], info);
        let cwd = self.path("");
        self.editor.ask(1, "session/new", json!({ "cwd": cwd, "mcpServers": [], "new": 1 })).await;
        let asked = self.agent.hear_of("session/new").await;
        let server = &asked["params"]["mcpServers"][0];
        assert_eq!((&server["name"], &server["command"]), (&json!("wherefore"), &json!("/bin/wherefore")));
        assert_eq!((&server["args"][0], &asked["params"]["new"]), (&json!("mcp"), &json!(1)));
        self.agent.answer(&asked, json!({ "sessionId": "s" })).await;
        self.editor.hear().await;
        self.editor.ask(2, "session/prompt", json!({ "sessionId": "s", "prompt": [] })).await;
        self.agent.hear_of("session/prompt").await;
    }

    fn path(&self, name: &str) -> String {
        let root = self.folder.path().canonicalize().unwrap().join("ws");
        if name.is_empty() { root.display().to_string() } else { root.join(name).display().to_string() }
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    async fn write(&mut self, id: u32, name: &str, content: &str) {
        let path = self.path(name);
        let params = json!({ "sessionId": "s", "path": path, "content": content });
        self.agent.ask(id, "fs/write_text_file", params).await;
    }

    /// The agent asks permission for a change of `a.txt`.
    async fn permission(&mut self, id: u32, old: &str, new: &str) {
        let diff = json!({ "type": "diff", "path": self.path("a.txt"), "oldText": old, "newText": new });
        let options = json!([
            { "optionId": "yes", "name": "Allow", "kind": "allow_once" },
            { "optionId": "no", "name": "Reject", "kind": "reject_once" },
        ]);
        let call = json!({ "toolCallId": "t1", "kind": "edit", "content": [diff] });
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        self.agent.ask(id, "session/request_permission", params).await;
    }

    /// The editor is asked for a review, and decides part by part.
    async fn decide(&mut self, parts: &[&str]) {
        let all = self.editor.hear_of("session/request_permission").await;
        assert_eq!(all["params"]["toolCall"]["content"].as_array().unwrap().len(), parts.len(), "{all}");
        self.editor.choose(&all, "wherefore-each").await;
        for part in parts {
            let one = self.editor.hear_of("session/request_permission").await;
            assert_eq!(one["params"]["toolCall"]["content"].as_array().unwrap().len(), 1, "{one}");
            self.editor.choose(&one, &format!("wherefore-{part}")).await;
        }
    }
}
