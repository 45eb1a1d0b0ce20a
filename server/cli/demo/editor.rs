//! The demo's editor: it opens, edits and saves documents as the server asks, and shows proposals.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::project::DemoProject;
use super::wire::ServerWire;
use crate::base::uri::uri_from_path;
use crate::protocol::{Envelope, Proposal, RawCall};
use crate::requests::{Call, Signature};

/// An open document.
#[derive(Clone, Debug, PartialEq)]
struct DemoDocument {
    path: PathBuf,
    version: i64,
    text: String,
}

/// An editor with one server.
#[derive(Debug)]
pub(super) struct DemoEditor {
    wire: ServerWire,
    documents: BTreeMap<String, DemoDocument>,
    /// True if positions count bytes; false if they count UTF-16 units.
    bytes: bool,
    answers: HashMap<i64, Value>,
    proposals: VecDeque<Proposal>,
}

impl DemoEditor {
    /// Starts the server on the project and introduces itself.
    ///
    /// # Errors
    /// The error of the system or the server.
    pub(super) fn start(project: &DemoProject) -> io::Result<Self> {
        let wire = ServerWire::start(&project.root, &project.folder.join("config"))?;
        let (documents, answers, proposals) = (BTreeMap::new(), HashMap::new(), VecDeque::new());
        let mut editor = Self { wire, documents, bytes: false, answers, proposals };
        let root = uri_from_path(&project.root.to_string_lossy());
        let ours = json!({"hunks": true, "save": true});
        let answer = editor.send_request("initialize", &json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "wherefore demo", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "demo"}],
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}, "workspaceFolders": true},
                "experimental": {"wherefore": ours},
            },
        }))?;
        editor.bytes = answer["capabilities"]["positionEncoding"] == "utf-8";
        editor.wire.send_notification("initialized", &json!({}))?;
        Ok(editor)
    }

    /// Calls a tool as an agent does. Each proposal that arrives meanwhile is passed to `review`, with this editor.
    ///
    /// # Errors
    /// The error of the pipe or of `review`, or an answer that is no envelope.
    pub(super) fn call_tool(
        &mut self,
        call: &RawCall,
        mut review: impl FnMut(&mut Self, Proposal) -> io::Result<()>,
    ) -> io::Result<Envelope> {
        let id = self.wire.send_request(Call::METHOD, &serde_json::to_value(call)?)?;
        loop {
            while let Some(proposal) = self.proposals.pop_front() {
                review(self, proposal)?;
            }
            match self.answers.remove(&id) {
                Some(answer) => return Ok(serde_json::from_value(answer_result(Call::METHOD, answer)?)?),
                None => self.take_message()?,
            }
        }
    }

    /// Makes a `wherefore/*` request and waits for its answer.
    ///
    /// # Errors
    /// The error of the pipe or of the server.
    pub(super) fn ask<R: Signature>(&mut self, params: &R::Params) -> io::Result<R::Answer> {
        Ok(serde_json::from_value(self.send_request(R::METHOD, &serde_json::to_value(params)?)?)?)
    }

    /// Asks the server for something and waits for its answer.
    fn send_request(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        let id = self.wire.send_request(method, params)?;
        loop {
            match self.answers.remove(&id) {
                Some(answer) => return answer_result(method, answer),
                None => self.take_message()?,
            }
        }
    }

    /// Opens a file of the project, as a person does who wants to see its proposed changes.
    ///
    /// # Errors
    /// The error of the file system or the pipe.
    pub(super) fn open_file(&mut self, uri: &str, path: &Path) -> io::Result<()> {
        if self.documents.contains_key(uri) || !path.is_file() {
            return Ok(());
        }
        let text = std::fs::read_to_string(path)?;
        let item = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
        self.documents.insert(uri.to_owned(), DemoDocument { path: path.to_path_buf(), version: 1, text });
        self.wire.send_notification("textDocument/didOpen", &json!({"textDocument": item}))
    }

    /// The text of a document as the person sees it, where it is open.
    pub(super) fn document_text(&self, uri: &str) -> Option<&str> {
        self.documents.get(uri).map(|document| document.text.as_str())
    }

    /// Ends the server; returns whether it ended successfully.
    ///
    /// # Errors
    /// The error of the pipe.
    pub(super) fn end_server(mut self) -> io::Result<bool> {
        self.send_request("shutdown", &Value::Null)?;
        self.wire.end_server()
    }

    /// Takes one message in.
    fn take_message(&mut self) -> io::Result<()> {
        let mut message = self.wire.next_message()?;
        let method = message["method"].as_str().map(str::to_owned);
        let params = message["params"].take();
        match (method.as_deref(), message.get("id").cloned()) {
            (Some(method), Some(id)) => self.serve_request(&id, method, &params),
            (Some("wherefore/proposal"), None) => {
                self.proposals.push_back(serde_json::from_value(params)?);
                Ok(())
            }
            (Some(_), None) => Ok(()),
            (None, id) => {
                self.answers.extend(id.as_ref().and_then(Value::as_i64).map(|id| (id, message)));
                Ok(())
            }
        }
    }

    /// Answers a request of the server's.
    fn serve_request(&mut self, id: &Value, method: &str, params: &Value) -> io::Result<()> {
        let outcome = match method {
            "workspace/applyEdit" => Ok(self.apply_edits(params)?),
            "wherefore/save" => Ok(self.save_documents(params)?),
            "workspace/configuration" => {
                let items = params["items"].as_array().map_or(0, Vec::len);
                Ok(Value::Array(vec![Value::Null; items]))
            }
            "window/showDocument" => Ok(json!({"success": false})),
            "client/registerCapability" | "client/unregisterCapability" => Ok(Value::Null),
            "window/showMessageRequest" | "window/workDoneProgress/create" => Ok(Value::Null),
            _ => Err("this editor does not know that request"),
        };
        self.wire.send_answer(id, outcome)
    }

    /// Applies the edits, all or none, and sends the new texts of the documents to the server.
    fn apply_edits(&mut self, params: &Value) -> io::Result<Value> {
        let no = |reason: &str| Ok(json!({"applied": false, "failureReason": reason}));
        let changes = params["edit"]["documentChanges"].as_array().cloned().unwrap_or_default();
        let mut edited = Vec::new();
        for change in &changes {
            let uri = change["textDocument"]["uri"].as_str().unwrap_or_default();
            let Some(document) = self.documents.get(uri) else { return no("the document is not open") };
            let version = &change["textDocument"]["version"];
            if !version.is_null() && version.as_i64() != Some(document.version) {
                return no("the document has another version by now");
            }
            let edits = change["edits"].as_array().cloned().unwrap_or_default();
            let Some(text) = apply_text_edits(&document.text, &edits, self.bytes) else {
                return no("a range is not in the document");
            };
            edited.push((
                uri.to_owned(),
                DemoDocument { path: document.path.clone(), version: document.version + 1, text },
            ));
        }
        for (uri, document) in edited {
            let id = json!({"uri": uri, "version": document.version});
            let params = json!({"textDocument": id, "contentChanges": [{"text": document.text}]});
            self.wire.send_notification("textDocument/didChange", &params)?;
            self.documents.insert(uri, document);
        }
        Ok(json!({"applied": true}))
    }

    /// Writes the documents named to the disk.
    fn save_documents(&mut self, params: &Value) -> io::Result<Value> {
        let mut saved = Vec::new();
        for uri in params["uris"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let Some(document) = self.documents.get(uri) else { continue };
            std::fs::write(&document.path, &document.text)?;
            self.wire.send_notification("textDocument/didSave", &json!({"textDocument": {"uri": uri}}))?;
            saved.push(uri);
        }
        Ok(json!({"saved": saved}))
    }
}

/// The result in an answer, or its error as an [`io::Error`].
fn answer_result(method: &str, mut answer: Value) -> io::Result<Value> {
    match answer.get("error") {
        Some(error) => Err(io::Error::other(format!("{method} was answered by {error}"))),
        None => Ok(answer["result"].take()),
    }
}

/// The text with the edits applied; none if a range is not in it. Edits come in order and do not overlap.
fn apply_text_edits(text: &str, edits: &[Value], bytes: bool) -> Option<String> {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let start = position_offset(&text, &edit["range"]["start"], bytes)?;
        let end = position_offset(&text, &edit["range"]["end"], bytes)?;
        if start > end {
            return None;
        }
        text.replace_range(start..end, edit["newText"].as_str()?);
    }
    Some(text)
}

/// The byte at a position. A column past the line's end means its end, the line after the last the text's end.
fn position_offset(text: &str, position: &Value, bytes: bool) -> Option<usize> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?;
    let column = usize::try_from(position["character"].as_u64()?).ok()?;
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines.by_ref().take(line).map(str::len).sum();
    let whole = lines.next().unwrap_or_default();
    let content = whole.trim_end_matches('\n').trim_end_matches('\r');
    let mut units = 0;
    let unit = |c: char| if bytes { c.len_utf8() } else { c.len_utf16() };
    let before = content.chars().take_while(|c| {
        units += unit(*c);
        units <= column
    });
    Some(start + before.map(char::len_utf8).sum::<usize>())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::apply_text_edits;

    #[test]
    fn edits_go_where_their_ranges_say() {
        let range = |from: (u32, u32), to: (u32, u32), text: &str| {
            json!({"range": {
                "start": {"line": from.0, "character": from.1},
                "end": {"line": to.0, "character": to.1},
            }, "newText": text})
        };
        let cases: [(&str, Vec<Value>, bool, &str); 5] = [
            ("a\nb\nc\n", vec![range((1, 0), (2, 0), "B\n")], true, "a\nB\nc\n"),
            (
                "a\nb\n",
                vec![range((0, 0), (0, 0), "x\n"), range((2, 0), (2, 0), "y\n")],
                true,
                "x\na\nb\ny\n",
            ),
            ("ü𝄞x\n", vec![range((0, 3), (0, 4), "z")], false, "ü𝄞z\n"),
            ("ü𝄞x\n", vec![range((0, 6), (0, 7), "z")], true, "ü𝄞z\n"),
            ("a\r\nb", vec![range((0, 9), (0, 9), "!")], true, "a!\r\nb"),
        ];
        for (text, edits, bytes, expected) in cases {
            assert_eq!(
                apply_text_edits(text, &edits, bytes).as_deref(),
                Some(expected),
                "{text:?} {edits:?}"
            );
        }
    }
}
