//! The output of a command or a fetch, for a person: its beginning and its end.

use serde_json::Value;

use crate::base::hidden::shorten_to_line;
use crate::protocol::ran_confined;

/// Lines of a stream that are shown from its beginning, and from its end.
const HEAD: usize = 5;
const TAIL: usize = 5;
/// Characters of a line that are shown.
const WIDTH: usize = 160;

/// The lines of an output, all of them if `whole`: the mark `|` is for standard output and a page, `!` for standard
/// error, `=` for a value.
pub(super) fn output_lines(result: &Value, whole: bool) -> Vec<String> {
    let page = result.get("status").is_some_and(Value::is_number);
    let streams: &[(&str, char)] = match (ran_confined(result), page) {
        (true, _) => &[("stdout", '|'), ("output", '|'), ("stderr", '!')],
        (_, true) => &[("title", '='), ("content", '|')],
        _ => &[],
    };
    let of_stream =
        |&(key, mark): &(&str, char)| stream_lines(result.get(key).unwrap_or(&Value::Null), mark, whole);
    let mut all: Vec<String> = streams.iter().flat_map(of_stream).collect();
    let value = result.get("return_value").filter(|value| ran_confined(result) && !value.is_null());
    all.extend(value.map(|value| format!("= {}", shorten_to_line(&value.to_string(), WIDTH))));
    all
}

/// The lines of a stream: a text, or the beginning of one that is stored outside of the log.
fn stream_lines(value: &Value, mark: char, whole: bool) -> Vec<String> {
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

/// A line with its indentation kept.
fn line_of(line: &str, mark: char) -> String {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    format!("{mark} {}{}", " ".repeat(indent.min(WIDTH / 2)), shorten_to_line(line, WIDTH))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_reads_as_its_streams() {
        let many: String = (0..40).map(|n| format!("  line {n}\n")).collect();
        let result = json!({ "stdout": many, "stderr": "bad \u{1b}[2J\u{202e}\n", "exit_code": 3, "sandbox": "tier A" });
        let shown = output_lines(&result, false);
        assert_eq!(shown.len(), HEAD + TAIL + 2);
        assert_eq!((shown[0].as_str(), shown[HEAD].as_str()), ("|   line 0", "| … 30 lines …"));
        assert_eq!(output_lines(&result, true).len(), 41);
        assert_eq!(shown.last().map(String::as_str), Some("! bad \\u{1b}[2J\\u{202e}"));

        let sealed = json!({ "stdout": { "sealed": "ab", "bytes": 9000, "head": many }, "sandbox": "tier A", "signal": "SIGKILL" });
        assert_eq!(output_lines(&sealed, false).last().map(String::as_str), Some("| … 9000 bytes in all"));

        let value = json!({ "stdout": "", "return_value": { "a": 3 }, "exit_code": 0, "sandbox": "tier A" });
        assert_eq!(output_lines(&value, false), [r#"= {"a":3}"#]);
        let page = json!({ "status": 404, "title": "Gone", "content": "nothing here" });
        assert_eq!(output_lines(&page, false), ["= Gone", "| nothing here"]);
        let other = json!({ "status": "applied", "stdout": "x", "limit": "y" });
        assert_eq!(output_lines(&other, false), Vec::<String>::new());
    }
}
