//! The ending of a command, code or a fetch, as the result of its call reports it.

use serde_json::Value;

/// The ending of the program that a call ran: a call ends well even if its command fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnding {
    /// The ending in words: `exit code 1`, `ended by SIGKILL`, `ended by its limit of time`, `status 404`.
    pub words: String,
    /// True if it is a failure.
    pub failed: bool,
}

impl RunEnding {
    /// Reads the result of a call; none if nothing ran, or it still runs.
    pub fn from_result(result: &Value) -> Option<Self> {
        let number = |key: &str| result.get(key).and_then(Value::as_i64);
        let word = |key: &str| result.get(key).and_then(Value::as_str).filter(|_| ran_confined(result));
        let ending = |words: String, failed: bool| Some(Self { words, failed });
        let code = number("exit_code").filter(|_| ran_confined(result) || result.get("stdout").is_some());
        match (word("limit"), word("signal"), code, number("status")) {
            (Some(limit), ..) => ending(format!("ended by its limit of {limit}"), true),
            (None, Some(signal), ..) => ending(format!("ended by {signal}"), true),
            (None, None, Some(code), _) => ending(format!("exit code {code}"), code != 0),
            (None, None, None, Some(status)) => ending(format!("status {status}"), status >= 400),
            (None, None, None, None) => None,
        }
    }

    /// The words of a result that reports a failure.
    pub fn failure_words(result: &Value) -> Option<String> {
        Self::from_result(result).filter(|ending| ending.failed).map(|ending| ending.words)
    }
}

/// Returns whether a result is that of a command, or of code that ran confined.
pub fn ran_confined(result: &Value) -> bool {
    result.get("sandbox").is_some_and(Value::is_string)
        || result.get("running").is_some_and(Value::is_boolean)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_tells_how_its_command_ended_and_whether_that_is_a_failure() {
        let cases = [
            (json!({ "stdout": "x", "exit_code": 0, "sandbox": "tier A" }), Some("exit code 0"), false),
            (json!({ "stdout": "x", "exit_code": 3, "sandbox": "tier A" }), Some("exit code 3"), true),
            (json!({ "stdout": "x", "stderr": "", "exit_code": 3 }), Some("exit code 3"), true),
            (json!({ "exit_code": 3 }), None, false),
            (
                json!({ "signal": "SIGKILL", "limit": "time", "sandbox": "tier A" }),
                Some("ended by its limit of time"),
                true,
            ),
            (json!({ "signal": "SIGSEGV", "sandbox": "tier A" }), Some("ended by SIGSEGV"), true),
            (json!({ "running": false, "exit_code": 2 }), Some("exit code 2"), true),
            (json!({ "running": true }), None, false),
            (json!({ "status": 200, "content": "x" }), Some("status 200"), false),
            (json!({ "status": 404, "content": "x" }), Some("status 404"), true),
            (json!({ "status": "applied", "limit": "x", "signal": "y" }), None, false),
            (json!("text"), None, false),
        ];
        for (result, words, failed) in cases {
            let ending = RunEnding::from_result(&result);
            assert_eq!(ending.as_ref().map(|ending| ending.words.as_str()), words, "{result}");
            assert_eq!(RunEnding::failure_words(&result).is_some(), failed, "{result}");
        }
    }
}
