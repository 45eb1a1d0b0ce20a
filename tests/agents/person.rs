//! The person at the editor, who accepts a part of what is proposed.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model::PATIENCE;
use crate::shared::Editor;

/// A reason for the agent.
pub(crate) const REASON: &str = "one mark is enough";

/// Accepts the first hunk of what is proposed for `path` and rejects the others; the proposal's id.
pub(crate) fn decide(editor: &mut Editor, path: &str) -> String {
    let start = Instant::now();
    let id = loop {
        let waiting = editor.request("wherefore/proposals", json!({})).unwrap();
        let of_path = |proposal: &&Value| proposal["files"][0]["path"] == path;
        if let Some(found) = waiting["proposals"].as_array().unwrap().iter().find(of_path) {
            break found["id"].as_str().unwrap().to_owned();
        }
        assert!(start.elapsed() < PATIENCE, "nothing was proposed for {path}");
        thread::sleep(Duration::from_millis(20));
    };
    for (hunks, act, reason) in
        [(json!(["h1"]), "accept", None), (json!(["h2", "h3"]), "reject", Some(REASON))]
    {
        let mut params = json!({ "proposal": id, "hunks": hunks, "act": act });
        if let Some(reason) = reason {
            params["reason"] = json!(reason);
        }
        let answer = editor.request("wherefore/decide", params).unwrap();
        assert_eq!(answer.get("problems"), None, "{answer:#}");
    }
    id
}
