//! The files of the editor, as an agent reads and writes them: `fs/read_text_file` and `fs/write_text_file`.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::message::{AskedRequest, cancelled, fault, no_file, refusal};
use super::passing::Worked;
use super::place::locate;
use super::proposed::NativeCall;
use super::proxy::Proxy;
use crate::base::blocking;
use crate::native::told;
use crate::protocol::{Code, Envelope, Fault};

/// Bytes of the largest text that is put together for an agent.
const LARGEST: usize = 64 << 20;

/// A file that an agent means.
struct MeantFile {
    call: NativeCall,
    path: String,
}

/// The file that a request is about.
///
/// # Errors
/// The answer: it names none, or one outside of the session's workspaces.
fn meant(proxy: &Proxy, asked: &AskedRequest) -> Result<MeantFile, Value> {
    let (Some(session), Some(path)) = (asked.text("sessionId"), asked.text("path")) else {
        return Err(refusal(&format!("wherefore: {} needs a sessionId and a path", asked.method)));
    };
    let Some((root, _)) = locate(path, &proxy.sessions.roots(session)) else {
        return Err(refusal(&format!("wherefore: {path} lies outside of the workspace; nothing was done")));
    };
    let call = NativeCall { session: session.to_owned(), root, native: asked.method.clone(), id: None };
    Ok(MeantFile { call, path: path.to_owned() })
}

/// Proposes what the agent writes, and answers when it is decided.
pub(super) async fn write(proxy: &Arc<Proxy>, asked: &AskedRequest, cancel: &CancellationToken) -> Worked {
    Worked::Answered(match written(proxy, asked, cancel).await {
        Ok(()) => Ok(json!({})),
        Err(error) => Err(error),
    })
}

async fn written(proxy: &Arc<Proxy>, asked: &AskedRequest, cancel: &CancellationToken) -> Result<(), Value> {
    let MeantFile { call, path } = meant(proxy, asked)?;
    let Some(content) = asked.text("content") else {
        return Err(refusal(&format!("wherefore: {} needs a content", asked.method)));
    };
    let in_place = |session: &mut super::session::AcpSession| session.granted.written(&path, content);
    if proxy.sessions.with(&call.session, in_place) {
        return Ok(());
    }
    if call.lacks_why(proxy) {
        return Err(unwritten(proxy, &call, refusal(&told::no_why())));
    }
    let is_unsaved = tokio::select! {
        is_unsaved = is_unsaved(proxy, &call, &path) => is_unsaved,
        () = cancel.cancelled() => return Err(cancelled("wherefore: the turn was cancelled; nothing was written")),
    };
    if is_unsaved {
        return Err(refusal(&format!(
            "wherefore: {path} has unsaved changes in the person's editor, so nothing was written; ask the person to \
             save it, then read it again"
        )));
    }
    let mut args = json!({ "path": path, "content": content });
    if let Some(hash) = proxy.sessions.with(&call.session, |session| session.told_hashes.remove(&path)) {
        args["expected_hash"] = json!(hash);
    }
    let standing = call.propose(proxy, "fs.write", args, cancel).await;
    let error = match standing {
        Ok(standing) if standing.is_whole() => return Ok(()),
        Ok(standing) => refusal(&standing.words()),
        Err(stale) => {
            let hash = stale.details.as_ref().and_then(|details| details.get("hash")).and_then(Value::as_str);
            if let Some(hash) = hash.filter(|_| stale.code == Code::Stale) {
                proxy
                    .sessions
                    .with(&call.session, |session| session.told_hashes.insert(path, hash.to_owned()));
            }
            fault(&stale)
        }
    };
    Err(unwritten(proxy, &call, error))
}

/// The error that a write is answered, whose words the model is told at the end of its turn where its agent hides them.
fn unwritten(proxy: &Proxy, call: &NativeCall, error: Value) -> Value {
    if !proxy.manners().shows_errors
        && let Some(words) = error["message"].as_str()
    {
        proxy.sessions.with(&call.session, |session| session.notes.push(words.to_owned()));
    }
    error
}

/// Whether the agent's editor holds another text of the file than the disk, which no editor that is attached to the
/// folder's server knows of.
async fn is_unsaved(proxy: &Proxy, call: &NativeCall, path: &str) -> bool {
    if !proxy.abilities().reads {
        return false;
    }
    let params = json!({ "sessionId": call.session, "path": path });
    let answer = proxy.editor.ask("fs/read_text_file", params).await.answer().await;
    let Some(Ok(answer)) = answer else { return false };
    let Some(text) = answer.get("content").and_then(Value::as_str) else { return false };
    let on_disk = blocking(|| match std::fs::metadata(path) {
        Ok(file) if file.is_file() => std::fs::read(path).ok(),
        _ => None,
    });
    match on_disk {
        // Editors may show an empty text where there is no file.
        None => !text.is_empty(),
        Some(bytes) if normal(&String::from_utf8_lossy(&bytes)) == normal(text) => false,
        Some(_) => !matches!(look(proxy, call, json!({ "path": path })).await, Ok(part) if part.unsaved),
    }
}

/// A text as editors hand it out: with simple line ends, and no mark of byte order.
fn normal(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

/// Reads a file for the agent, as far as the rules allow: the text that an editor of the folder's server has unsaved, or
/// else that of the agent's own editor, or else that of the disk.
pub(super) async fn read(proxy: &Proxy, asked: &AskedRequest) -> Worked {
    let reads = proxy.abilities().reads;
    let MeantFile { call, path } = match meant(proxy, asked) {
        Ok(meant) => meant,
        // What is no file of the workspace is for the editor to give or not.
        Err(_) if reads => return Worked::Passed,
        Err(error) => return Worked::Answered(Err(error)),
    };
    if let Some(text) = proxy.sessions.with(&call.session, |session| session.granted.read(&path)) {
        return Worked::Answered(Ok(json!({ "content": lines(&text, asked) })));
    }
    let begin = json!({ "path": path, "range": { "start": 1, "end": 1 } });
    let failed = match look(proxy, &call, begin).await {
        Ok(part) if reads && !part.unsaved => return Worked::Passed,
        Ok(_) => match whole(proxy, &call, &path, wanted(asked)).await {
            Ok(content) => return Worked::Answered(Ok(json!({ "content": content }))),
            Err(fault) => fault,
        },
        Err(fault) => fault,
    };
    Worked::Answered(match failed.code {
        Code::NotFound if reads => return Worked::Passed,
        Code::NotFound if proxy.manners().reads_missing_as_empty => Ok(json!({ "content": "" })),
        Code::NotFound => Err(no_file(&path)),
        _ => Err(fault(&failed)),
    })
}

/// The lines that a request wants of a text.
fn lines(text: &str, asked: &AskedRequest) -> String {
    let (first, most) = wanted(asked);
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    text.split_inclusive('\n').skip(skipped).take(most).collect()
}

/// The first line that a request wants, counted from 1, and how many.
fn wanted(asked: &AskedRequest) -> (u64, Option<u64>) {
    let number = |name: &str| asked.params.get(name).and_then(Value::as_u64);
    (number("line").unwrap_or(1).max(1), number("limit"))
}

/// A part of a file.
struct Part {
    content: String,
    /// The line to go on with.
    next: Option<u64>,
    unsaved: bool,
}

async fn look(proxy: &Proxy, call: &NativeCall, args: Value) -> Result<Part, Fault> {
    let Envelope { result, error, rest, .. } = call.look(proxy, "fs.read", args).await?;
    let result = match (error, result) {
        (Some(fault), _) => return Err(fault),
        (None, result) => result.unwrap_or_default(),
    };
    let next = result.pointer("/next_range/start").and_then(Value::as_u64);
    if next.is_some() && rest.is_some_and(|rest| rest.contains("is cut")) {
        let message = "a line of the file is longer than what an answer holds (limits.output_bytes)";
        return Err(Fault::new(Code::Unsupported, message));
    }
    Ok(Part {
        content: result.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        next,
        unsaved: result.get("unsaved") == Some(&json!(true)),
    })
}

/// The whole text of a file.
///
/// # Errors
/// NOT_FOUND where there is none; what the rules and the limits say.
pub(super) async fn text(proxy: &Proxy, call: &NativeCall, path: &str) -> Result<String, Fault> {
    whole(proxy, call, path, (1, None)).await
}

/// The lines that are wanted, put together from as many answers as it takes.
async fn whole(
    proxy: &Proxy,
    call: &NativeCall,
    path: &str,
    wanted: (u64, Option<u64>),
) -> Result<String, Fault> {
    let (first, most) = wanted;
    let last = most.map(|most| first.saturating_add(most).saturating_sub(1));
    if most == Some(0) {
        return Ok(String::new());
    }
    let (mut text, mut start) = (String::new(), first);
    loop {
        let mut args = json!({ "path": path });
        match last {
            Some(last) => args["range"] = json!({ "start": start, "end": last }),
            None if start > 1 => args["range"] = json!({ "start": start }),
            None => {}
        }
        let part = look(proxy, call, args).await?;
        text.push_str(&part.content);
        match part.next {
            Some(_) if text.len() > LARGEST => {
                return Err(Fault::new(
                    Code::QuotaExceeded,
                    format!("the text is longer than {LARGEST} bytes"),
                ));
            }
            Some(next) => start = next,
            None => return Ok(text),
        }
    }
}
