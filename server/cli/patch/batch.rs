//! `wherefore patch --batch`: a JSON request a line in, an answer a line out, nothing on disk.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{encode_text, file, not_text};
use crate::base::text::{TextEncoding, decode_text};
use crate::patch::apply_diff;
use crate::protocol::{Code, Fault};

#[derive(Deserialize)]
struct BatchRequest {
    #[serde(default)]
    id: Value,
    path: String,
    #[serde(default)]
    before: Option<String>,
    #[serde(default)]
    before_b64: Option<String>,
    diff: String,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct BatchAnswer {
    id: Value,
    ok: bool,
    /// Left out of a refusal; null where the diff deletes the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_b64: Option<String>,
    /// Files that the diff is for too: their parts were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    /// Microseconds in the engine.
    us: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The lines that a refusal points to, counted from 1.
    hints: Vec<usize>,
}

pub(super) fn run_batch() -> Result<(), Fault> {
    let end = file::system_error("answer", Path::new("standard input"));
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).map_err(&end)? > 0 {
        if !line.trim_ascii().is_empty() {
            let mut answer = serde_json::to_vec(&answer_request(&line)).unwrap_or_default();
            answer.push(b'\n');
            output.write_all(&answer).and_then(|()| output.flush()).map_err(&end)?;
        }
        line.clear();
    }
    Ok(())
}

fn answer_request(line: &[u8]) -> BatchAnswer {
    let request: BatchRequest = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            return BatchAnswer { error: Some(format!("not a request: {error}")), ..BatchAnswer::default() };
        }
    };
    let id = request.id.clone();
    let answer = apply_request(&request);
    let refused = |fault: Fault| BatchAnswer { error: Some(fault.message), ..BatchAnswer::default() };
    BatchAnswer { id, ..answer.unwrap_or_else(refused) }
}

fn apply_request(request: &BatchRequest) -> Result<BatchAnswer, Fault> {
    let path = Path::new(&request.path);
    let bytes = request.before_b64.as_ref().map(|text| STANDARD.decode(text)).transpose();
    let bytes = bytes.map_err(|error| Fault::new(Code::InvalidArgs, format!("before_b64: {error}")))?;
    let decoded = bytes.map(|bytes| decode_text(&bytes).ok_or_else(|| not_text(path))).transpose()?;
    let before = decoded.as_ref().map(|decoded| decoded.text.as_str()).or(request.before.as_deref());
    let start = Instant::now();
    let done = apply_diff(&request.path, before, &request.diff);
    let us = start.elapsed().as_micros() as u64;
    let applied = match done {
        Ok(applied) => applied,
        Err(refusal) => {
            let hints = refusal.lines();
            let error = Some(format!("{refusal}. {}", refusal.suggestion));
            return Ok(BatchAnswer { us, error, hints, ..BatchAnswer::default() });
        }
    };
    let encoding =
        decoded.as_ref().map(|decoded| decoded.encoding).filter(|encoding| *encoding != TextEncoding::Utf8);
    let answer = BatchAnswer { ok: true, us, others: applied.others, ..BatchAnswer::default() };
    Ok(match (encoding, applied.after) {
        (Some(encoding), Some(after)) => {
            BatchAnswer { after_b64: Some(STANDARD.encode(encode_text(path, encoding, &after)?)), ..answer }
        }
        (_, after) => BatchAnswer { after: Some(after.map_or(Value::Null, Value::String)), ..answer },
    })
}
