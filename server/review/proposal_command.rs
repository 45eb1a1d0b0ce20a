//! Describes the command that made a change, for the person who reviews its hunks.

use serde_json::{Map, Value};

use crate::protocol::ProposalCommand;

/// Lines of each stream that are shown.
const LINES: usize = 4;
/// Characters of such a line.
const LINE: usize = 200;
/// Characters of a script.
const SCRIPT: usize = 8000;

/// The command of a call by its arguments, with the end of its output by the result; none where the call ran nothing.
pub fn proposal_command(
    arguments: &Map<String, Value>,
    result: &Map<String, Value>,
) -> Option<ProposalCommand> {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
    let line = || text("line").or_else(|| join_shell_line(arguments.get("cmd")?.as_array()?));
    let script = text("code").or_else(|| result.get("sandbox").and_then(|_| line()))?;
    let stream = |key: &str| last_lines(result.get(key).and_then(Value::as_str).unwrap_or_default());
    let output: Vec<String> = ["stdout", "stderr"].into_iter().flat_map(stream).collect();
    Some(ProposalCommand { script: script.chars().take(SCRIPT).collect(), output: output.join("\n") })
}

/// Joins an argument vector to a quoted line of shell; takes the script of `sh -c SCRIPT`. None if an argument is no text.
fn join_shell_line(argv: &[Value]) -> Option<String> {
    let words: Vec<&str> = argv.iter().map(Value::as_str).collect::<Option<_>>()?;
    Some(match words.as_slice() {
        ["bash" | "sh" | "zsh", "-c" | "-lc", script] => (*script).to_owned(),
        words => words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" "),
    })
}

fn quote_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| line.chars().take(LINE).collect()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(arguments: Value, result: Value) -> Option<Vec<String>> {
        let command = proposal_command(arguments.as_object().unwrap(), result.as_object().unwrap());
        command.map(|command| command.display_rows())
    }

    #[test]
    fn a_command_is_shown_with_the_end_of_its_output() {
        let ran =
            |stdout: &str| json!({ "sandbox": "tier A", "exit_code": 0, "stdout": stdout, "stderr": "w\n" });
        let rows = shown(json!({ "line": "make fmt\nls" }), ran("1\n\n2\n3\n4\n5\n"));
        assert_eq!(rows.unwrap(), ["$ make fmt", "  ls", "| 2", "| 3", "| 4", "| 5", "| w"]);
        let rows = shown(json!({ "cmd": ["sed", "-i", "s/a b/c/", "it's"] }), ran(""));
        assert_eq!(rows.unwrap(), [r"$ sed -i 's/a b/c/' 'it'\''s'", "| w"]);
        let rows = shown(json!({ "cmd": ["bash", "-c", "sed -i s/a/b/ x"] }), json!({ "sandbox": "x" }));
        assert_eq!(rows.unwrap(), ["$ sed -i s/a/b/ x"]);
        let long = (0..20).map(|at| format!("l{at}\n")).collect::<String>();
        assert_eq!(shown(json!({ "code": long }), json!({})).unwrap().last().unwrap(), "  … 8 more lines");
        assert_eq!(shown(json!({ "path": "a", "line": "3" }), json!({})), None);
    }
}
