//! Judges which commands count as builds and tests, and which as installs: those that the project's own files define,
//! in the version that was looked at.

use std::path::Path;
use std::sync::LazyLock;

use super::CommandRequest;
use super::ignored_paths::IgnoredPaths;
use super::unlooked;
use crate::base::WorkspacePath;
use crate::session::CallScope;

/// The built-in list: the first words of each command.
static BUILT_IN: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| table_lines(include_str!("builds.txt")).map(split_words).collect());
/// The installs: the first words of each, and the files of which one has to be there.
static INSTALLS: LazyLock<Vec<(Vec<&str>, Vec<&str>)>> =
    LazyLock::new(|| table_rows(include_str!("installs.txt")));
/// The options that programs may have.
static OPTIONS: LazyLock<Vec<(Vec<&str>, Vec<&str>)>> =
    LazyLock::new(|| table_rows(include_str!("build_options.txt")));

/// The kind of a command, which decides how its changes are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandKind {
    /// A build or a test.
    Build,
    /// A package manager that installs what the project names, among builds or not.
    Install,
    /// Anything else.
    Other,
}

/// The kind of a command. One counts as a build or an install where it begins with the words of one, has no option, variable or
/// folder by which it would do anything else, and no file that it goes by was written by an agent and not looked at since. A
/// line for a shell counts where it is one such command and nothing else, or such installs and builds joined by `&&`.
pub(super) fn command_kind(scope: &CallScope, request: &CommandRequest) -> CommandKind {
    let further = &scope.settings().sandbox.builds;
    let Some(commands) = plain_commands(&request.argv).filter(|_| request.env.is_empty()) else {
        return CommandKind::Other;
    };
    let mut kinds = commands.iter().map(|words| kind_of_words(words, further));
    let kind = match (kinds.next(), kinds.len()) {
        (Some(kind), 0) => kind,
        (Some(first), _) => {
            let rest: Vec<CommandKind> = kinds.collect();
            let all = || rest.iter().chain([&first]);
            let is_known = all().all(|kind| *kind != CommandKind::Other);
            match is_known && all().any(|kind| *kind == CommandKind::Install) {
                true => CommandKind::Install,
                false => CommandKind::Other,
            }
        }
        (None, _) => CommandKind::Other,
    };
    if kind == CommandKind::Other {
        return kind;
    }
    let root = Path::new(scope.files().paths().root().real_path());
    let mut ignored = IgnoredPaths::at_root(root);
    let named: Vec<WorkspacePath> =
        commands.iter().flatten().filter_map(|word| named_path(root, &request.cwd, word)).collect();
    let is_own = std::iter::once(&request.cwd).chain(&named).all(|path| !ignored.is_ignored(path, true));
    let has_lock = || match commands.iter().find_map(|words| lock_files(words)) {
        Some(names) => has_above(root, &request.cwd, names),
        None => true,
    };
    // The rules warn of what builds and installs go by.
    let counts = |path: &WorkspacePath| {
        scope.files().paths().rules().paths().change_warning(path).is_some()
            || named.iter().any(|named| path.is_in(named))
    };
    match is_own && has_lock() && !unlooked::has_unlooked(scope, counts) {
        true => kind,
        false => CommandKind::Other,
    }
}

/// The commands of an argument vector or of a shell's line, where nothing in it is more than a plain word.
fn plain_commands(argv: &[String]) -> Option<Vec<Vec<&str>>> {
    let commands = match argv {
        [shell, flag, line] if is_shell(shell) && flag == "-c" => {
            if line.contains(|c: char| "|;<>()$`\\\"'\n*?[]#~{}!".contains(c)) {
                return None;
            }
            line.split("&&").map(split_words).collect()
        }
        _ => vec![argv.iter().map(String::as_str).collect::<Vec<_>>()],
    };
    // A single `&`, and an assignment before the program.
    let is_plain = |words: &Vec<&str>| {
        words.first().is_some_and(|first| !first.contains('='))
            && !words.iter().any(|word| word.contains('&'))
    };
    commands.iter().all(is_plain).then_some(commands)
}

fn kind_of_words(words: &[&str], further: &[String]) -> CommandKind {
    let begins = |with: &[&str]| !with.is_empty() && words.starts_with(with);
    let built_in = BUILT_IN.iter().find(|with| begins(with)).map(|with| with.len());
    let further = || {
        further.iter().map(|with| self::split_words(with)).find(|with| begins(with)).map(|with| with.len())
    };
    let installs = || INSTALLS.iter().find(|(with, _)| begins(with)).map(|(with, _)| with.len());
    let (kind, known) = match built_in.or_else(further) {
        Some(known) => (CommandKind::Build, known),
        None => match installs() {
            Some(known) => (CommandKind::Install, known),
            None => return CommandKind::Other,
        },
    };
    let program = words.first().copied().unwrap_or_default();
    let rest = words.get(known..).unwrap_or_default();
    match rest.iter().all(|word| is_harmless(program, word)) {
        true => kind,
        false => CommandKind::Other,
    }
}

/// Returns whether a further word names a target, a test or a known option.
fn is_harmless(program: &str, word: &str) -> bool {
    let plain = |text: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:@/*-".contains(c);
        !text.starts_with('/') && text.chars().all(is_plain) && text.split('/').all(|part| part != "..")
    };
    if !word.starts_with('-') {
        return plain(word);
    }
    let known = |option: &str| {
        let of_program = |(programs, options): &&(Vec<&str>, Vec<&str>)| {
            (programs.contains(&"any") || programs.contains(&program)) && options.contains(&option)
        };
        OPTIONS.iter().any(|row| of_program(&row))
    };
    let with_value = || word.split_once('=').is_some_and(|(option, value)| known(option) && plain(value));
    // `-j8`
    let with_number = || {
        let option = word.trim_end_matches(|c: char| c.is_ascii_digit());
        option.len() == 2 && option.len() < word.len() && known(option)
    };
    known(word) || with_value() || with_number()
}

/// Returns the file or folder of the workspace that an argument names from `cwd`, where it exists.
fn named_path(root: &Path, cwd: &WorkspacePath, word: &str) -> Option<WorkspacePath> {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let path = WorkspacePath::from_relative(&format!("{cwd}/{}", value.trim_end_matches("/...")))?;
    let is_there = !value.starts_with('-') && root.join(path.as_str()).symlink_metadata().is_ok();
    (is_there && !path.is_root()).then_some(path)
}

/// The lock files of an install.
fn lock_files(words: &[&str]) -> Option<&'static [&'static str]> {
    let of = INSTALLS.iter().find(|(with, _)| words.starts_with(with))?;
    Some(of.1.as_slice())
}

/// Returns whether a file with one of these names exists in a folder of the workspace or above it.
fn has_above(root: &Path, folder: &WorkspacePath, names: &[&str]) -> bool {
    let mut at = Some(folder.clone());
    while let Some(folder) = at {
        let place = if folder.is_root() { root.to_owned() } else { root.join(folder.as_str()) };
        if names.iter().any(|name| place.join(name).is_file()) {
            return true;
        }
        at = folder.parent();
    }
    false
}

fn is_shell(program: &str) -> bool {
    matches!(program, "bash" | "sh" | "/bin/bash" | "/bin/sh")
}

fn split_words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

fn table_lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn table_rows(table: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    table_lines(table)
        .filter_map(|line| line.split_once(':'))
        .map(|(left, right)| (split_words(left), split_words(right)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_words(line: &str) -> CommandKind {
        kind_of_words(&split_words(line), &["just lint".to_owned()])
    }

    #[test]
    fn builds_are_told_by_their_first_words() {
        for build in [
            "cargo test --lib",
            "cargo test -p core-lib -- --nocapture --test-threads=1 name",
            "make",
            "make -j8 all",
            "npm test",
            "npm test -- slug -t total",
            "just lint",
            "go test ./...",
            "pytest -x -k name tests/test_a.py",
        ] {
            assert_eq!(of_words(build), CommandKind::Build, "{build}");
        }
        for other in ["cargo fmt", "cargo", "just", "sed -i s/a/b/ x", "makefile", "cargo-test"] {
            assert_eq!(of_words(other), CommandKind::Other, "{other}");
        }
        for install in ["npm ci", "npm install lodash", "pnpm install --frozen-lockfile", "uv sync"] {
            assert_eq!(of_words(install), CommandKind::Install, "{install}");
        }
    }

    #[test]
    fn a_build_by_other_files_than_the_projects_is_none() {
        for other in [
            "make -f out/evil.mk",
            "make -fout/evil.mk",
            "make -kf x",
            "make --file=x",
            "make --makefile x",
            "make -C out",
            "make --directory=out",
            "make --eval all:;id",
            "make -I x",
            "make SHELL=x",
            "make ../x",
            "cargo test --manifest-path x/Cargo.toml",
            "cargo test --config build.rustc-wrapper=x",
            "cargo build --target-dir x",
            "cargo build -Zunstable",
            "npm test --prefix out",
            "npm test --node-options=--require=./x",
            "npm test --script-shell x",
            "npx jest --config x",
            "npx vitest --root out",
            "pytest -p evil",
            "pytest -c x.ini",
            "pytest --rootdir=out",
            "go test -exec x",
            "go build -toolexec=x",
            "mvn test -f out/pom.xml",
            "mvn test -s x.xml",
            "gradle test -I x.gradle",
            "tsc -p out",
            "node --test --import ./x.mjs",
            "just lint --justfile x",
            "npm ci --prefix out",
            "npm install --script-shell=x",
            "make /tmp/x",
        ] {
            assert_eq!(of_words(other), CommandKind::Other, "{other}");
        }
    }

    #[test]
    fn a_shell_line_counts_where_it_is_plain_commands() {
        let of_line = |line: &str| {
            let argv = ["bash", "-c", line].map(str::to_owned);
            let commands = plain_commands(&argv)?;
            Some(commands.iter().map(|words| kind_of_words(words, &[])).collect::<Vec<_>>())
        };
        assert_eq!(of_line("  make  -j 2 "), Some(vec![CommandKind::Build]));
        assert_eq!(of_line("npm ci && npm test"), Some(vec![CommandKind::Install, CommandKind::Build]));
        for line in [
            "cargo test; rm x",
            "make $(x)",
            "make > out",
            "a\nmake",
            "make\nsed -i x",
            "make & make",
            "MAKEFLAGS=-fx make",
            "NODE_OPTIONS=x npm test",
            "make && ",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }
}
