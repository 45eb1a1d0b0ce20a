//! A test editor: it talks to the real server, checks all its messages, and leaves none unread.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::model::Model;
use super::ours;
use super::wire::{Wire, frame};

/// The options of an editor's connection.
pub(crate) struct Options {
    /// Its `initialize.capabilities`.
    pub capabilities: Value,
    /// Its settings: sent along with `initialize`, and answered to `workspace/configuration`.
    pub settings: Value,
}

impl Default for Options {
    fn default() -> Self {
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-16"] },
            "workspace": {
                "applyEdit": true,
                "workspaceEdit": { "documentChanges": true },
                "configuration": true,
                "codeLens": { "refreshSupport": true },
            },
            "window": { "workDoneProgress": true, "showDocument": { "support": true } },
        });
        Self { capabilities, settings: json!({ "notify": { "show": "none" } }) }
    }
}

/// The editor. What it does not read must not be there when it is dropped.
pub(crate) struct Editor {
    pub wire: Wire,
    /// The workspace, and a home of its own next to it: nothing of the machine's is used.
    pub folder: Rc<TempDir>,
    settings: Value,
    asked: HashMap<String, String>,
    next: u64,
    unread: VecDeque<Value>,
}

impl Editor {
    /// A server that nothing was said to yet.
    pub(crate) fn unconnected(options: &Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "home", "run"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self::within(folder.into(), options)
    }

    /// Another editor of the same person in the same workspace.
    pub(crate) fn beside(&self, options: &Options) -> Self {
        let mut editor = Self::within(self.folder.clone(), options);
        editor.initialize(options);
        editor
    }

    fn within(folder: Rc<TempDir>, options: &Options) -> Self {
        let wire = Wire::start(|command| {
            command.env("HOME", folder.path().join("home")).env_remove("XDG_CONFIG_HOME");
            command.env_remove("XDG_STATE_HOME").env_remove("XDG_CACHE_HOME");
            command.env("XDG_RUNTIME_DIR", folder.path().join("run"));
        });
        Self {
            wire,
            folder,
            settings: options.settings.clone(),
            asked: HashMap::new(),
            next: 0,
            unread: VecDeque::new(),
        }
    }

    /// Connects, with `options`, to a server of its own in an empty workspace.
    pub(crate) fn connect(options: &Options) -> Self {
        let mut editor = Self::unconnected(options);
        editor.initialize(options);
        editor
    }

    /// Sends the handshake.
    pub(crate) fn initialize(&mut self, options: &Options) -> Value {
        let uri = self.uri("");
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "scripted editor" },
            "rootUri": null,
            "capabilities": options.capabilities,
            "initializationOptions": options.settings,
            "workspaceFolders": [{ "uri": uri, "name": "work" }],
        });
        let answer = self.request("initialize", params);
        self.notify("initialized", json!({}));
        answer.expect("initialize is answered")
    }

    /// The URI of a file of the workspace.
    pub(crate) fn uri(&self, path: &str) -> String {
        let path = self.folder.path().join("work").join(path);
        format!("file://{}", path.display()).trim_end_matches('/').to_owned()
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.wire.send(&frame(&json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }

    /// Sends a request and waits for its answer: the result, or the error.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        self.finish(&id)
    }

    /// Sends a request; its id.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = json!(self.next);
        self.asked.insert(id.to_string(), method.to_owned());
        self.wire.send(&frame(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })));
        id
    }

    /// Waits for the answer to a request that was begun.
    pub(crate) fn finish(&mut self, id: &Value) -> Result<Value, Value> {
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == *id;
        let answer = self.find(is_answer);
        answer.get("result").cloned().ok_or_else(|| answer["error"].clone())
    }

    /// Waits for a notification, or for a request that is not answered of itself.
    pub(crate) fn expect(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method)
    }

    /// Answers a request of the server's.
    pub(crate) fn reply(&mut self, request: &Value, result: Value) {
        self.wire.send(&frame(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })));
    }

    /// Forgets what was not read, `wait` long.
    pub(crate) fn drain(&mut self, wait: Duration) -> Vec<Value> {
        while let Some(message) = self.wire.try_receive(wait) {
            self.take(message);
        }
        self.unread.drain(..).collect()
    }

    fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.unread.iter().position(&wanted) {
                return self.unread.remove(at).unwrap();
            }
            let message = self.wire.receive().expect("the server closed its output");
            self.take(message);
        }
    }

    /// Checks a message; answers it where that needs no test.
    fn take(&mut self, message: Value) {
        let wrong = self.check(&message);
        assert!(wrong.is_empty(), "{wrong:#?} in {message:#}");
        match message["method"].as_str().filter(|_| message.get("id").is_some()) {
            Some(method) => match self.answer_to(method, &message["params"]) {
                Some(result) => {
                    self.wire
                        .send(&frame(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })));
                }
                None => self.unread.push_back(message),
            },
            None => self.unread.push_back(message),
        }
    }

    fn answer_to(&self, method: &str, params: &Value) -> Option<Value> {
        match method {
            "workspace/configuration" => {
                Some(params["items"].as_array()?.iter().map(|_| self.settings.clone()).collect())
            }
            "client/registerCapability" | "window/workDoneProgress/create" | "workspace/codeLens/refresh" => {
                Some(Value::Null)
            }
            _ => None,
        }
    }

    /// The problems of a message of the server.
    fn check(&mut self, message: &Value) -> Vec<String> {
        if message["jsonrpc"] != "2.0" {
            return vec!["no JSON-RPC 2.0".to_owned()];
        }
        let Some(method) = message["method"].as_str() else { return self.check_answer(message) };
        let params = &message["params"];
        if method.starts_with("wherefore/") {
            return ours::check(method, "params", params);
        }
        Model::get()
            .map(|model| model.check_sent(method, params, message.get("id").is_some()))
            .unwrap_or_default()
    }

    fn check_answer(&mut self, message: &Value) -> Vec<String> {
        let keys: Vec<_> = message.as_object().unwrap().keys().map(String::as_str).collect();
        match (message.get("result"), message.get("error")) {
            (Some(result), None) if keys.len() == 3 => match self.asked.remove(&message["id"].to_string()) {
                Some(method) if method.starts_with("wherefore/") => ours::check(&method, "result", result),
                Some(method) => {
                    Model::get().map(|model| model.check_result(&method, result)).unwrap_or_default()
                }
                None => Vec::new(),
            },
            (None, Some(error)) if keys.len() == 3 => {
                self.asked.remove(&message["id"].to_string());
                let whole = error["code"].is_i64() && error["message"].is_string();
                if whole { Vec::new() } else { vec![format!("{error} is no error")] }
            }
            _ => vec![format!("an answer of {keys:?}")],
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let mut unread: Vec<_> = self.unread.drain(..).collect();
        while let Some(message) = self.wire.try_receive(Duration::from_millis(20)) {
            self.take(message);
        }
        unread.extend(self.unread.drain(..));
        // These come some time after what they tell of, whatever the test is about; or where something takes long.
        let late = ["wherefore/workingSetChanged", "wherefore/heldElsewhereChanged", "$/progress"];
        unread.retain(|message| !late.iter().any(|method| message["method"] == *method));
        assert!(unread.is_empty(), "unread: {unread:#?}");
    }
}
