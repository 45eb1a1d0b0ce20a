//! What a command runs in turn: the wrappers of `wrappers.txt`, and programs whose command lines are read in their own way.

mod find;
pub(crate) mod git;
mod options;
mod shell;
mod xargs;

use crate::command::{Assignment, Doubt, ShellCommand};
use crate::word::{Word, WordKind};
use options::{Line, Rest, WrapperSpec};

/// Something that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// A command with arguments.
    Command {
        /// By which wrapper.
        via: String,
        /// What it runs.
        command: Box<ShellCommand>,
    },
    /// A script.
    Script {
        /// By which wrapper.
        via: String,
        /// Its text.
        text: String,
    },
    /// Nobody knows.
    Doubt(Doubt),
}

impl Inner {
    /// A command of these words, with the streams of the one that runs it.
    fn command(via: &str, words: Vec<Word>, outer: &ShellCommand) -> Self {
        let command = ShellCommand { words, input: outer.input.clone(), ..ShellCommand::default() };
        Self::Command { via: via.to_owned(), command: Box::new(command) }
    }

    /// A script, where its text is known.
    fn script(via: &str, word: &Word) -> Self {
        match word.kind {
            WordKind::Known => Self::Script { via: via.to_owned(), text: word.text.clone() },
            WordKind::Pattern | WordKind::Computed => Self::Doubt(Doubt::ComputedScript),
        }
    }
}

/// Variables whose values are run as commands.
const RUN: [&str; 5] = ["PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER"];

/// What `command` runs in turn.
pub(crate) fn inner(command: &ShellCommand) -> Vec<Inner> {
    let run = command.assignments.iter().filter(|set| RUN.contains(&set.name.as_str()));
    let run = run.map(|set| Inner::script(&set.name, &set.value));
    run.chain(inner_of_words(command)).collect()
}

fn inner_of_words(command: &ShellCommand) -> Vec<Inner> {
    let Some(program) = command.program() else { return Vec::new() };
    match program {
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "mksh" | "rbash" | "pdksh" | "fish" | "csh"
        | "tcsh" | "yash" | "elvish" | "nu" | "xonsh" | "pwsh" | "hush" => shell::inner(program, command),
        "eval" => vec![joined("eval", command.arguments())],
        "alias" => command.arguments().iter().filter_map(alias).collect(),
        "find" | "gfind" => find::inner(command),
        "fd" | "fdfind" => find::inner_of_fd(command),
        "xargs" | "gxargs" => xargs::inner(command),
        "git" => git::inner(command),
        "ssh" | "scp" | "sftp" => remote(command),
        program => match options::spec(program) {
            Some(spec) => wrapped(program, spec, command),
            None => Vec::new(),
        },
    }
}

/// Words joined to a script, as `eval` does.
fn joined(via: &str, words: &[Word]) -> Inner {
    match words.iter().all(|word| word.kind == WordKind::Known) {
        true => {
            let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            Inner::Script { via: via.to_owned(), text }
        }
        false => Inner::Doubt(Doubt::ComputedScript),
    }
}

fn alias(word: &Word) -> Option<Inner> {
    let (_, value) = word.text.split_once('=')?;
    Some(Inner::script("alias", &word.with_text(value)))
}

/// The commands that `ssh` runs on this machine, by its options.
fn remote(command: &ShellCommand) -> Vec<Inner> {
    let runs = |word: &Word| {
        let setting = word.text.strip_prefix("-o").unwrap_or(&word.text).trim_start();
        let (name, value) = setting.split_once(['=', ' '])?;
        let names = ["proxycommand", "localcommand", "knownhostscommand"];
        names.contains(&name.to_lowercase().as_str()).then(|| Inner::script("ssh -o", &word.with_text(value)))
    };
    command.arguments().iter().filter_map(runs).collect()
}

/// What a wrapper of the table runs.
fn wrapped(program: &str, spec: &WrapperSpec, command: &ShellCommand) -> Vec<Inner> {
    let Line { scripts, rest, assigned, unknown, stopped } = options::read(spec, command.arguments());
    let mut found: Vec<Inner> = Vec::new();
    if unknown {
        found.push(Inner::Doubt(Doubt::UnknownOption));
    }
    if stopped {
        return found;
    }
    let assigned: Vec<Assignment> = assigned.iter().filter_map(assignment).collect();
    if program == "env" && !scripts.is_empty() {
        let words: Vec<Word> = scripts.into_iter().chain(rest.iter().cloned()).collect();
        found.push(joined("env -S", &words));
        return found;
    }
    found.extend(scripts.iter().map(|script| Inner::script(&format!("{program} -c"), script)));
    match spec.rest {
        Rest::Trap => found.extend(
            rest.first()
                .filter(|_| rest.len() > 1)
                .filter(|word| word.text != "-")
                .map(|word| Inner::script("trap", word)),
        ),
        Rest::None => {}
        Rest::Scripts => found.extend(rest.iter().map(|word| Inner::script(program, word))),
        Rest::Joined if rest.is_empty() => {}
        Rest::Joined => {
            // `parallel` adds what stands after `:::`.
            let words: Vec<Word> =
                rest.iter().filter(|word| !word.text.starts_with(":::")).cloned().collect();
            found.push(joined(program, &xargs::filled(&words, "{}")));
        }
        Rest::Command if !rest.is_empty() || !assigned.is_empty() => {
            let Inner::Command { via, mut command } = Inner::command(program, rest.to_vec(), command) else {
                return found;
            };
            command.assignments = assigned;
            found.push(Inner::Command { via, command });
        }
        Rest::Command => {}
    }
    found
}

/// `NAME=value` before a command.
fn assignment(word: &Word) -> Option<Assignment> {
    let (name, value) = word.text.split_once('=')?;
    Some(Assignment { name: name.to_owned(), value: word.with_text(value) })
}
