//! What a command or a fetch came to, for a person: how it ended, and the beginning and the end of its output.

use serde_json::Value;

use crate::base::hidden::short;

/// Lines of a stream that are shown from its beginning, and from its end.
const HEAD: usize = 5;
const TAIL: usize = 5;
/// Characters of a line that are shown.
const WIDTH: usize = 160;

/// How a command or a fetch ended, in words.
pub(super) fn ending(result: &Value) -> Option<String> {
    let number = |key: &str| result.get(key).and_then(Value::as_i64);
    let word = |key: &str| result.get(key).and_then(Value::as_str).filter(|_| is_command(result));
    if let Some(limit) = word("limit") {
        return Some(format!("ended by its limit of {}", short(limit, 20)));
    }
    if let Some(signal) = word("signal") {
        return Some(format!("ended by {}", short(signal, 20)));
    }
    let exit = number("exit_code").filter(|_| is_command(result)).map(|code| format!("exit code {code}"));
    exit.or_else(|| number("status").map(|status| format!("status {status}")))
}

/// Whether it went wrong.
pub(super) fn failed(result: &Value) -> bool {
    let is_other =
        |key: &str, good: i64| result.get(key).and_then(Value::as_i64).is_some_and(|code| code != good);
    let bad_status = result.get("status").and_then(Value::as_i64).is_some_and(|status| status >= 400);
    is_other("exit_code", 0) || bad_status || (is_command(result) && result.get("limit").is_some())
}

/// Lines of what came, all of them where it is wanted `whole`: `|` stands before standard output and a page, `!` before
/// standard error, `=` before a value.
pub(super) fn lines(result: &Value, whole: bool) -> Vec<String> {
    let page = result.get("status").is_some_and(Value::is_number);
    let streams: &[(&str, char)] = match (is_command(result), page) {
        (true, _) => &[("stdout", '|'), ("output", '|'), ("stderr", '!')],
        (_, true) => &[("title", '='), ("content", '|')],
        _ => &[],
    };
    let of_stream =
        |&(key, mark): &(&str, char)| stream(result.get(key).unwrap_or(&Value::Null), mark, whole);
    let mut all: Vec<String> = streams.iter().flat_map(of_stream).collect();
    let value = result.get("return_value").filter(|value| is_command(result) && !value.is_null());
    all.extend(value.map(|value| format!("= {}", short(&value.to_string(), WIDTH))));
    all
}

/// Whether it is the result of a command or of code that ran confined.
fn is_command(result: &Value) -> bool {
    result.get("sandbox").is_some_and(Value::is_string)
        || result.get("running").is_some_and(Value::is_boolean)
}

/// The lines of a stream: text, or the beginning of what the log stores elsewhere.
fn stream(value: &Value, mark: char, whole: bool) -> Vec<String> {
    let sealed = value.get("head").and_then(Value::as_str);
    let text = sealed.or_else(|| value.as_str()).unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    let tail = if sealed.is_some() { 0 } else { TAIL };
    let kept = |line: &&str| line_of(line, mark);
    if (whole || all.len() <= HEAD + tail + 1) && sealed.is_none() {
        return all.iter().map(kept).collect();
    }
    let head = all.iter().take(HEAD).map(kept);
    let gap = match value.get("bytes").and_then(Value::as_u64) {
        Some(bytes) => format!("{mark} … {bytes} bytes in all"),
        None => format!("{mark} … {} lines …", all.len() - HEAD - tail),
    };
    let end = all.iter().skip(all.len().saturating_sub(tail)).map(kept);
    head.chain([gap]).chain(end).collect()
}

/// A line as it stands, with its indentation.
fn line_of(line: &str, mark: char) -> String {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    format!("{mark} {}{}", " ".repeat(indent.min(WIDTH / 2)), short(line, WIDTH))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_reads_as_its_streams_and_its_end() {
        let many: String = (0..40).map(|n| format!("  line {n}\n")).collect();
        let result = json!({ "stdout": many, "stderr": "bad \u{1b}[2J\u{202e}\n", "exit_code": 3, "sandbox": "tier A" });
        assert_eq!(ending(&result).as_deref(), Some("exit code 3"));
        assert!(failed(&result));
        let shown = lines(&result, false);
        assert_eq!(shown.len(), HEAD + TAIL + 2);
        assert_eq!((shown[0].as_str(), shown[HEAD].as_str()), ("|   line 0", "| … 30 lines …"));
        assert_eq!(lines(&result, true).len(), 41);
        assert_eq!(shown.last().map(String::as_str), Some("! bad \\u{1b}[2J\\u{202e}"));

        let sealed = json!({ "stdout": { "sealed": "ab", "bytes": 9000, "head": many }, "sandbox": "tier A", "signal": "SIGKILL" });
        assert_eq!(ending(&sealed).as_deref(), Some("ended by SIGKILL"));
        assert_eq!(lines(&sealed, false).last().map(String::as_str), Some("| … 9000 bytes in all"));

        let value = json!({ "stdout": "", "return_value": { "a": 3 }, "exit_code": 0, "sandbox": "tier A" });
        assert_eq!((lines(&value, false), failed(&value)), (vec![r#"= {"a":3}"#.to_owned()], false));
        let page = json!({ "status": 404, "title": "Gone", "content": "nothing here" });
        assert_eq!((ending(&page).as_deref(), failed(&page)), (Some("status 404"), true));
        assert_eq!(lines(&page, false), ["= Gone", "| nothing here"]);
        let other = json!({ "status": "applied", "stdout": "x", "limit": "y" });
        assert_eq!((ending(&other), lines(&other, false), failed(&other)), (None, Vec::new(), false));
    }
}
