//! Runners of packages' programs: `npx`, `npm exec`, `pnpm dlx`, `yarn exec`, `bunx`; and Python's modules that are programs.

use super::InnerCommand;
use crate::command::ShellCommand;
use crate::word::ShellWord;

/// Options before the program whose value is the next word.
const VALUES: [&str; 16] = [
    "-p",
    "--package",
    "-w",
    "--workspace",
    "-C",
    "--prefix",
    "--dir",
    "--cwd",
    "-F",
    "--filter",
    "--registry",
    "--userconfig",
    "--cache",
    "--loglevel",
    "--node-options",
    "--shell",
];
/// Options whose value is a script.
const SCRIPTS: [&str; 2] = ["-c", "--call"];
/// Options with which nothing is fetched.
const OFFLINE: [&str; 4] = ["--no", "--no-install", "--offline", "--no-yes"];
/// Modules of Python that are programs too.
const MODULES: [&str; 6] = ["pip", "pipx", "uv", "poetry", "pdm", "twine"];

/// A command line of a runner, read.
#[derive(Debug)]
pub(crate) struct RunnerLine<'w> {
    /// The packages that it names in addition to the program.
    pub(crate) packages: Vec<&'w str>,
    /// The program and its arguments.
    pub(crate) rest: &'w [ShellWord],
    /// True if it runs only installed programs.
    pub(crate) is_offline: bool,
    /// True if it always fetches the program, installed or not.
    pub(crate) is_fresh: bool,
    script: Option<&'w ShellWord>,
}

/// Reads a command line; `None` if the program is no runner.
pub(crate) fn runner_line<'w>(program: &str, words: &'w [ShellWord]) -> Option<RunnerLine<'w>> {
    let (mut rest, mut is_offline, is_fresh) = match program {
        "npx" | "bunx" => (words, false, false),
        "pnpx" => (words, false, true),
        "npm" | "pnpm" | "yarn" | "bun" => {
            let at = subcommand_at(words)?;
            match (program, words.get(at)?.plain_text()?) {
                ("npm" | "bun", "exec" | "x") => (&words[at + 1..], false, false),
                ("pnpm" | "yarn", "dlx") => (&words[at + 1..], false, true),
                ("pnpm" | "yarn", "exec") => (&words[at + 1..], true, false),
                _ => return None,
            }
        }
        _ => return None,
    };
    let (mut packages, mut script) = (Vec::new(), None);
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.is_option()) {
        rest = after;
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        is_offline |= OFFLINE.contains(&text);
        if SCRIPTS.contains(&text) {
            script = rest.first();
            rest = rest.get(1..).unwrap_or_default();
        } else if VALUES.contains(&text) {
            packages.extend(
                rest.first().filter(|_| matches!(text, "-p" | "--package")).map(|word| word.text.as_str()),
            );
            rest = rest.get(1..).unwrap_or_default();
        } else {
            packages.extend(text.strip_prefix("--package="));
        }
    }
    Some(RunnerLine { packages, rest, is_offline, is_fresh, script })
}

/// Returns the position of a package manager's subcommand.
fn subcommand_at(words: &[ShellWord]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.is_option()) {
        at += if VALUES.contains(&word.text.as_str()) { 2 } else { 1 };
    }
    (at < words.len()).then_some(at)
}

/// Returns the commands that a runner runs.
pub(super) fn inner_of_runner(program: &str, command: &ShellCommand) -> Vec<InnerCommand> {
    let Some(RunnerLine { rest, script, .. }) = runner_line(program, command.arguments()) else {
        return Vec::new();
    };
    if let Some(script) = script {
        return vec![InnerCommand::from_word(&format!("{program} -c"), script)];
    }
    let Some((tool, arguments)) = rest.split_first() else { return Vec::new() };
    let tool = tool.with_text(without_version(&tool.text));
    vec![InnerCommand::from_words(
        program,
        [tool].into_iter().chain(arguments.iter().cloned()).collect(),
        command,
    )]
}

/// The name of a package without its version: `@scope/name@1.2` is `@scope/name`.
pub(crate) fn without_version(package: &str) -> &str {
    match package.rfind('@') {
        Some(at) if at > 0 => &package[..at],
        _ => package,
    }
}

/// The program that `python -m` runs, if the module is one.
pub(super) fn python_module(program: &str, command: &ShellCommand) -> Option<InnerCommand> {
    let words =
        Some(command.arguments()).filter(|_| program.starts_with("python") || program.starts_with("pypy"))?;
    let at = words.iter().take_while(|word| word.is_option()).position(|word| {
        let is_cluster = !word.text.starts_with("--") && word.text.len() <= 6;
        is_cluster && word.text.contains('m')
    })?;
    let attached = words[at].text.split_once('m').map(|(_, name)| name).filter(|name| !name.is_empty());
    let (name, rest) = match attached {
        Some(name) => (words[at].with_text(name), &words[at + 1..]),
        None => (words.get(at + 1)?.clone(), words.get(at + 2..).unwrap_or_default()),
    };
    MODULES.contains(&name.plain_text()?).then(|| {
        let words = [name].into_iter().chain(rest.iter().cloned()).collect();
        InnerCommand::from_words(&format!("{program} -m"), words, command)
    })
}
