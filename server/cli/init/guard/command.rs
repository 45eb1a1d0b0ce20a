//! The command that an agent's hook runs: `wherefore hook AGENT`, written out and recognized.

use std::ffi::OsStr;
use std::path::Path;

use crate::cli::init::PROGRAM;

/// The option of a hook that is of a plugin.
const PLUGIN_FLAG: &str = "--plugin";

/// The command line of the hooks.
#[derive(Clone, Debug)]
pub(in crate::cli) struct HookCommand {
    /// The program: a name on the PATH, or an absolute path.
    pub(in crate::cli) program: String,
    /// True if the agent's tools are refused where the program is missing.
    pub(in crate::cli) refuse: bool,
    /// True if the hooks are of a plugin of the agent, and not of its settings.
    pub(in crate::cli) is_of_plugin: bool,
}

impl HookCommand {
    /// As a line for a shell; `words` name the agent. With a `code`, the line ends with that where the program is
    /// missing.
    pub(in crate::cli::init) fn shell_line(&self, words: &str, code: Option<u8>) -> String {
        let words = &if self.is_of_plugin { format!("{words} {PLUGIN_FLAG}") } else { words.to_owned() };
        let program = quote_word(&self.program);
        match code {
            None => format!("{program} hook {words}"),
            Some(code) => {
                let script =
                    format!("command -v {program} >/dev/null || exit {code}; exec {program} hook {words}");
                format!("sh -c {}", quote_word(&script))
            }
        }
    }
}

/// A word, quoted for a shell where necessary.
pub(super) fn quote_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@%,=".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns whether a line of a shell runs `wherefore hook` for that agent, with the program at any path.
pub(in crate::cli) fn runs_our_hook(line: &str, agent: &str) -> bool {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "'\"\\;".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let name = |word: &str| Path::new(word).file_name().and_then(OsStr::to_str).map(str::to_owned);
    // A copy of the program may have a version in its name.
    let is_us = |word: &str| {
        let rest = name(word).and_then(|name| name.strip_prefix(PROGRAM).map(str::to_owned));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    words.windows(3).any(|three| is_us(three[0]) && three[1] == "hook" && three[2] == agent)
}

#[cfg(test)]
mod tests {
    use super::{HookCommand, quote_word, runs_our_hook};

    #[test]
    fn a_hook_is_known_again_however_it_is_spelled() {
        for program in ["wherefore", "/opt/bin/wherefore", "/my own/wherefore", "/it's/wherefore-0.1"] {
            for code in [None, Some(0), Some(2)] {
                let command = HookCommand { program: program.to_owned(), refuse: false, is_of_plugin: false };
                let line = command.shell_line("codex", code);
                assert!(runs_our_hook(&line, "codex"), "{line}");
                assert!(!runs_our_hook(&line, "claude"), "{line}");
            }
        }
        for line in ["other hook codex", "wherefore mcp", "echo wherefore hook", "wherefore hooks codex", ""]
        {
            assert!(!runs_our_hook(line, "codex"), "{line}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in
            [("a/b", "a/b"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''"), ("$x", "'$x'")]
        {
            assert_eq!(quote_word(word), expected);
        }
    }

    #[test]
    fn a_missing_program_ends_as_it_is_told_to() {
        for (code, refuse) in [(Some(0), false), (Some(1), false), (Some(2), true)] {
            let command =
                HookCommand { program: "/no/such place/wherefore".to_owned(), refuse, is_of_plugin: false };
            let status =
                std::process::Command::new("sh").args(["-c", &command.shell_line("codex", code)]).status();
            assert_eq!(status.unwrap().code(), code.map(i32::from));
        }
    }
}
