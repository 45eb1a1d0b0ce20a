//! The content of a note in the forms that other programs read: the Git AI Standard 3.0.0 and Agent Trace records.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::protocol::{LineBy, LineCall, LineNote, NotedLine};

/// The version of the Git AI Standard.
const STANDARD: &str = "authorship/3.0.0";
/// The version of Agent Trace, as its schema wants it.
const TRACE: &str = "0.1";
/// The name of this program, for forms that have a member for it.
pub(super) const PROGRAM: &str = "wherefore";
/// The name for a model that is not known.
const UNKNOWN: &str = "unknown";

/// The commit that a record describes.
#[derive(Clone, Debug)]
pub(super) struct CommitIdentity<'c> {
    /// The hash.
    pub(super) commit: &'c str,
    /// The committer, as `Name <mail>`.
    pub(super) committer: &'c str,
    /// The commit time, RFC 3339 in UTC.
    pub(super) time: &'c str,
}

/// Lines of a file that follow on each other.
type LineRanges = Vec<(u32, u32)>;

/// The authorship log of a commit: no prompts, no texts. Lines that both an agent and a person wrote have no author in
/// it; none if no line has an author.
pub(super) fn git_ai_log(note: &LineNote, of: &CommitIdentity<'_>) -> Option<String> {
    let (mut text, mut sessions, mut humans) =
        (String::new(), serde_json::Map::new(), serde_json::Map::new());
    for path in note.files.keys().filter(|path| !path.contains(['"', '\n', '\r'])) {
        let mut entries: BTreeMap<String, LineRanges> = BTreeMap::new();
        for line in note.lines_of(path) {
            let key = match (line.by, line.call) {
                (LineBy::Agent, Some(call)) => {
                    let tool = tool_name(call);
                    let session = format!("s_{}", short_digest(&format!("{tool}:{}", call.session)));
                    let agent = json!({ "tool": tool, "id": call.session, "model": UNKNOWN });
                    sessions.entry(session.clone()).or_insert_with(|| json!({ "agent_id": agent }));
                    format!("{session}::t_{}", short_digest(&format!("{}/{}", call.session, call.call)))
                }
                (LineBy::Human, _) => {
                    let human = format!("h_{}", short_digest(of.committer));
                    humans.entry(human.clone()).or_insert_with(|| json!({ "author": of.committer }));
                    human
                }
                _ => continue,
            };
            extend_ranges(entries.entry(key).or_default(), line.line);
        }
        if entries.is_empty() {
            continue;
        }
        let is_quoted = path.contains(char::is_whitespace);
        text.push_str(&if is_quoted { format!("\"{path}\"\n") } else { format!("{path}\n") });
        for (key, ranges) in entries {
            let ranges: Vec<String> = ranges.iter().map(format_range).collect();
            text.push_str(&format!("  {key} {}\n", ranges.join(",")));
        }
    }
    if text.is_empty() {
        return None;
    }
    let metadata = json!({
        "schema_version": STANDARD,
        "git_ai_version": format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION")),
        "base_commit_sha": of.commit,
        "prompts": {},
        "humans": humans,
        "sessions": sessions,
    });
    Some(format!("{text}---\n{}\n", serde_json::to_string_pretty(&metadata).ok()?))
}

/// The Agent Trace record of a commit.
pub(super) fn agent_trace_record(note: &LineNote, of: &CommitIdentity<'_>) -> Value {
    let files: Vec<Value> = note.files.keys().map(|path| traced_file(path, &note.lines_of(path))).collect();
    json!({
        "version": TRACE,
        "id": record_id(of.commit),
        "timestamp": of.time,
        "vcs": { "type": "git", "revision": of.commit },
        "tool": { "name": PROGRAM, "version": env!("CARGO_PKG_VERSION") },
        "files": files,
    })
}

fn traced_file(path: &str, lines: &[NotedLine<'_>]) -> Value {
    let mut conversations: Vec<(LineBy, Option<&LineCall>, LineRanges)> = Vec::new();
    for line in lines {
        let known = conversations.iter_mut().find(|(by, call, _)| (*by, *call) == (line.by, line.call));
        match known {
            Some((.., ranges)) => extend_ranges(ranges, line.line),
            None => conversations.push((line.by, line.call, vec![(line.line, line.line)])),
        }
    }
    let told = conversations.iter().map(|(by, _, ranges)| {
        let contributor = match by {
            LineBy::Agent => "ai",
            LineBy::Human => "human",
            LineBy::Mixed => "mixed",
            LineBy::Git | LineBy::Unknown => UNKNOWN,
        };
        let range = |(first, last): &(u32, u32)| json!({ "start_line": first, "end_line": last });
        json!({ "contributor": { "type": contributor }, "ranges": ranges.iter().map(range).collect::<Vec<_>>() })
    });
    json!({ "path": path, "conversations": told.collect::<Vec<_>>() })
}

fn extend_ranges(ranges: &mut LineRanges, line: u32) {
    match ranges.last_mut() {
        Some((_, last)) if last.checked_add(1) == Some(line) => *last = line,
        _ => ranges.push((line, line)),
    }
}

fn format_range((first, last): &(u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// The agent's name without its version.
fn tool_name(call: &LineCall) -> &str {
    call.agent.as_deref().and_then(|agent| agent.split('/').next()).unwrap_or(UNKNOWN)
}

/// Fourteen hexadecimal digits of the hash of a text.
fn short_digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(7).map(|byte| format!("{byte:02x}")).collect()
}

/// The id of a commit's record: the same each time, so that a record written again is no second one.
fn record_id(commit: &str) -> String {
    let mut bytes = [0u8; 16];
    bytes.iter_mut().zip(Sha256::digest(commit.as_bytes())).for_each(|(byte, from)| *byte = from);
    // RFC 9562: version 8, whose digits are the program's own.
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let all: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> LineNote {
        let call = |id: &str| LineCall {
            session: "s1".to_owned(),
            call: id.to_owned().into(),
            agent: Some("claude-code/2.1".to_owned()),
            why: Some("Count".to_owned()),
            ..LineCall::default()
        };
        let (one, two) = (call("c1"), call("c2"));
        let mut note = LineNote::new();
        let line = |line, by, call| NotedLine { line, hash: line, by, call };
        for at in [1, 2, 4] {
            note.add_line("src/a b.rs", line(at, LineBy::Agent, Some(&one)));
        }
        note.add_line("src/a b.rs", line(5, LineBy::Mixed, Some(&two)));
        note.add_line("src/a b.rs", line(9, LineBy::Human, None));
        note.add_line("z.rs", line(7, LineBy::Agent, Some(&two)));
        note.add_line("odd\"name", line(7, LineBy::Human, None));
        note.add_line("mixed.rs", line(7, LineBy::Mixed, Some(&one)));
        note
    }

    const OF: CommitIdentity<'_> = CommitIdentity {
        commit: "7734793b756b3921c88db5375a8c156e9532447b",
        committer: "A <a@example.org>",
        time: "2026-01-23T14:30:00Z",
    };

    #[test]
    fn an_authorship_log_has_the_standards_form() {
        let text = git_ai_log(&note(), &OF).unwrap();
        let (lines, metadata) = text.split_once("\n---\n").unwrap();
        let metadata: Value = serde_json::from_str(metadata).unwrap();
        assert_eq!((&metadata["schema_version"], &metadata["prompts"]), (&json!(STANDARD), &json!({})));
        assert_eq!(metadata["base_commit_sha"], OF.commit);
        let is_key = |key: &str, prefix: &str| {
            let digits = key.strip_prefix(prefix).unwrap_or_default();
            digits.len() == 14 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let mut seen = Vec::new();
        for line in lines.lines() {
            let Some(entry) = line.strip_prefix("  ") else {
                seen.push(line.to_owned());
                continue;
            };
            let (key, ranges) = entry.split_once(' ').unwrap();
            match key.split_once("::") {
                Some((session, trace)) => {
                    assert!(is_key(session, "s_") && is_key(trace, "t_"), "{key}");
                    assert_eq!(metadata["sessions"][session]["agent_id"]["tool"], "claude-code");
                }
                None => {
                    assert!(is_key(key, "h_"), "{key}");
                    assert_eq!(metadata["humans"][key]["author"], OF.committer);
                }
            }
            seen.push(format!("  {ranges}"));
        }
        seen.sort();
        assert_eq!(seen, ["  1-2,4", "  7", "  9", "\"src/a b.rs\"", "z.rs"]);
        // By `printf 'A <a@example.org>' | sha256sum`.
        assert!(text.contains("  h_c484ec8cd0ff8d 9\n"), "{text}");
        assert!(!text.contains("Count"), "{text}");
        assert_eq!(git_ai_log(&LineNote::new(), &OF), None);
    }

    #[test]
    fn an_agent_trace_record_is_valid_by_its_schema() {
        let schema: Value = serde_json::from_str(include_str!("forms/trace-record.json")).unwrap();
        let record = agent_trace_record(&note(), &OF);
        let check = jsonschema::validator_for(&schema).unwrap();
        assert!(check.is_valid(&record), "{record:#}");
        assert!(!check.is_valid(&json!({ "version": "0.1" })));
        let ranges = &record["files"][2]["conversations"];
        assert_eq!(record["files"][2]["path"], "src/a b.rs");
        assert_eq!(
            ranges[0]["ranges"],
            json!([{ "start_line": 1, "end_line": 2 }, { "start_line": 4, "end_line": 4 }])
        );
        let kinds: Vec<&str> = (0..3).map(|at| ranges[at]["contributor"]["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["ai", "mixed", "human"]);
    }
}
