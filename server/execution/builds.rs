//! Which commands count as builds and tests.

use std::sync::LazyLock;

/// The built-in list: the first words of each command.
static BUILT_IN: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("builds.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(words).collect()
});

/// Whether a command begins with the words of a build or a test: one of the built-in ones, or of `further`. A line for a shell
/// counts where it is one such command and nothing else.
pub(super) fn is_build(argv: &[String], further: &[String]) -> bool {
    let line = match argv {
        [shell, flag, line] if is_shell(shell) && flag == "-c" => Some(line.as_str()),
        _ => None,
    };
    let own: Vec<&str> = match line {
        Some(line) if line.contains(|c: char| "|&;<>()$`\\\"'\n*?[]#~={}!".contains(c)) => return false,
        Some(line) => words(line),
        None => argv.iter().map(String::as_str).collect(),
    };
    let begins = |with: &[&str]| !with.is_empty() && own.starts_with(with);
    BUILT_IN.iter().any(|with| begins(with)) || further.iter().any(|with| begins(&words(with)))
}

fn is_shell(program: &str) -> bool {
    matches!(program, "bash" | "sh" | "/bin/bash" | "/bin/sh")
}

fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(line: &str) -> bool {
        is_build(&words(line).into_iter().map(str::to_owned).collect::<Vec<_>>(), &["just lint".to_owned()])
    }

    #[test]
    fn builds_are_told_by_their_first_words() {
        for build in
            ["cargo test --lib", "make", "make -j8 all", "npm test", "just lint --fast", "go test ./..."]
        {
            assert!(counts(build), "{build}");
        }
        for other in
            ["cargo fmt", "cargo", "npm install", "just", "sed -i s/a/b/ x", "makefile", "cargo-test"]
        {
            assert!(!counts(other), "{other}");
        }
    }

    #[test]
    fn a_shell_line_counts_where_it_is_one_plain_command() {
        let of_line = |line: &str| is_build(&["bash".to_owned(), "-c".to_owned(), line.to_owned()], &[]);
        assert!(of_line("cargo test") && of_line("  make  -j 2 "));
        for line in [
            "cargo test; rm x",
            "cargo test && sed -i s/a/b/ x",
            "make $(x)",
            "make > out",
            "a\nmake",
            "make\nsed -i x",
        ] {
            assert!(!of_line(line), "{line}");
        }
    }
}
