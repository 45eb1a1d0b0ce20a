//! Calls that ran a command: which command, whether it is a test, how it ended.

use serde_json::{Map, Value};

use super::clean::value_text;

/// First words of commands that test.
const TESTS: [&str; 33] = [
    "ava",
    "bazel test",
    "bun test",
    "cargo nextest",
    "cargo test",
    "ctest",
    "cypress run",
    "deno test",
    "dotnet test",
    "go test",
    "gradle test",
    "jest",
    "just test",
    "make check",
    "make test",
    "meson test",
    "mix test",
    "mocha",
    "mvn test",
    "node --test",
    "npm run test",
    "npm t",
    "npm test",
    "phpunit",
    "playwright test",
    "pnpm test",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "rspec",
    "tox",
    "vitest",
    "yarn test",
];
/// Words before a command that say how it is run.
const RUNNERS: [&str; 7] = ["npx", "time", "env", "nice", "poetry run", "uv run", "bundle exec"];

/// Returns the command of a call, by its arguments.
pub(super) fn command_of(tool: &str, args: &Map<String, Value>) -> Option<String> {
    match tool {
        "terminal.run" => Some(match args.get("cmd") {
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
            }
            _ => value_text(args.get("line")).to_owned(),
        }),
        "python.exec" => Some(format!("python: {}", first_line(value_text(args.get("code"))))),
        "js.exec" => Some(format!("javascript: {}", first_line(value_text(args.get("code"))))),
        _ => None,
    }
}

fn first_line(code: &str) -> String {
    let mut lines = code.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    if lines.next().is_some() { format!("{first} …") } else { first }
}

/// Returns whether one of the commands of a line is a test.
pub(super) fn is_test(command: &str) -> bool {
    let inner = command.strip_prefix("bash -c ").or_else(|| command.strip_prefix("sh -c "));
    let line = inner.map_or(command, |line| line.trim_matches(['\'', '"']));
    line.split(['&', '|', ';', '\n']).any(|part| begins_test(part.trim()))
}

fn begins_test(part: &str) -> bool {
    let mut rest = part;
    loop {
        let variable = rest.split(' ').next().is_some_and(|word| {
            word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
        });
        let runner = RUNNERS.iter().find_map(|runner| rest.strip_prefix(runner)?.strip_prefix(' '));
        rest = match (runner, variable) {
            (Some(after), _) => after.trim_start(),
            (None, true) => rest.split_once(' ').map_or("", |(_, after)| after.trim_start()),
            (None, false) => break,
        };
    }
    let begins =
        |test: &str| rest.strip_prefix(test).is_some_and(|more| more.is_empty() || more.starts_with(' '));
    TESTS.into_iter().any(begins)
}

/// The end of a command, by its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandEnding {
    /// In words.
    pub said: String,
    /// The exit code, where it ended by itself.
    pub exit_code: Option<i64>,
    /// True where it went wrong.
    pub failed: bool,
    /// True where it goes on in the background.
    pub running: bool,
}

/// Returns the ending of a command, by its result.
pub(super) fn command_ending(result: &Value) -> CommandEnding {
    let word = |key: &str| result.get(key).and_then(Value::as_str);
    let exit_code = result.get("exit_code").and_then(Value::as_i64);
    let mut running = false;
    let (said, failed) = match (word("limit"), word("signal"), exit_code) {
        (Some(limit), ..) => (format!("ended by its limit of {limit}"), true),
        (_, Some(signal), _) => (format!("ended by {signal}"), true),
        (_, _, Some(code)) => (format!("exit code {code}"), code != 0),
        _ if result.get("running") == Some(&Value::Bool(true)) => {
            running = true;
            ("went on in the background".to_owned(), false)
        }
        _ => ("ended".to_owned(), false),
    };
    CommandEnding { said, exit_code, failed, running }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tests_are_told_by_their_first_words() {
        for test in [
            "cargo test --lib",
            "npx vitest run",
            "cd x && pytest -q",
            "CI=1 npm test",
            "bash -c 'make test'",
            "uv run pytest",
            "node --test test/a.js",
        ] {
            assert!(is_test(test), "{test}");
        }
        for other in ["cargo build", "echo cargo test", "pytest-watch", "git commit -m test", "", "test -f x"]
        {
            assert!(!is_test(other), "{other}");
        }
    }

    #[test]
    fn commands_and_endings_are_said() {
        let args = |value: Value| value.as_object().unwrap().clone();
        let said = command_of("terminal.run", &args(json!({ "cmd": ["sh", "-c", "a b"] })));
        assert_eq!(said.as_deref(), Some("sh -c 'a b'"));
        let said = command_of("python.exec", &args(json!({ "code": "\nimport os\nprint()" })));
        assert_eq!(said.as_deref(), Some("python: import os …"));
        assert_eq!(command_of("fs.read", &Map::new()), None);
        let ended = command_ending(&json!({ "exit_code": 3, "sandbox": "tier A" }));
        assert_eq!((ended.said.as_str(), ended.exit_code, ended.failed), ("exit code 3", Some(3), true));
        assert!(command_ending(&json!({ "limit": "time", "signal": "SIGKILL" })).failed);
    }
}
