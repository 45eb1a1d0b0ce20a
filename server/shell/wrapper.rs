//! The commands that a command runs in turn: the wrappers of `wrappers.txt`, and programs with special command lines.

mod code;
mod evaluation;
mod find;
pub(crate) mod git;
mod options;
mod parallel;
pub(crate) mod runner;
mod shell;
mod xargs;

use crate::command::{ScriptDoubt, ShellCommand, VariableAssignment};
use crate::word::{ShellWord, WordKind};
use options::{RestReading, WrapperLine, WrapperSpec};

/// Something that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InnerCommand {
    /// A command with arguments.
    Command {
        /// The name of the wrapper.
        via: String,
        /// The command that it runs.
        command: Box<ShellCommand>,
    },
    /// A script.
    Script {
        /// The name of the wrapper.
        via: String,
        /// Its text.
        text: String,
    },
    /// A script of which only parts are known.
    PartialScript {
        /// The name of the wrapper.
        via: String,
        /// The texts that it may have, with U+FFFC for each part that is not known.
        texts: Vec<String>,
    },
    /// A text that bash expands once more, as an expression or a name.
    Expression {
        /// The name of the command.
        via: String,
        /// The text.
        text: String,
    },
    /// Not known.
    Doubt(ScriptDoubt),
}

impl InnerCommand {
    /// A command of these words, with the streams of the one that runs it.
    fn from_words(via: &str, words: Vec<ShellWord>, outer: &ShellCommand) -> Self {
        let command = ShellCommand { words, input: outer.input.clone(), ..ShellCommand::default() };
        Self::Command { via: via.to_owned(), command: Box::new(command) }
    }

    /// A script, of which parts may not be known.
    fn from_word(via: &str, word: &ShellWord) -> Self {
        match word.kind {
            WordKind::Known => Self::Script { via: via.to_owned(), text: word.text.clone() },
            WordKind::Pattern | WordKind::Computed => {
                let texts = word.possible_texts().map(str::to_owned).collect();
                Self::PartialScript { via: via.to_owned(), texts }
            }
        }
    }
}

/// Variables whose values are run as commands.
const RUN: [&str; 5] = ["PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER"];

/// Returns the commands that `command` runs in turn.
pub(crate) fn inner_commands(command: &ShellCommand) -> Vec<InnerCommand> {
    let run = command.assignments.iter().filter(|set| RUN.contains(&set.name.as_str()));
    let run = run.map(|set| InnerCommand::from_word(&set.name, &set.value));
    run.chain(inner_of_words(command)).collect()
}

fn inner_of_words(command: &ShellCommand) -> Vec<InnerCommand> {
    let Some(program) = command.program() else { return Vec::new() };
    let mut all = run_by(program, command);
    all.extend(evaluation::inner_of_evaluation(program, command));
    all
}

fn run_by(program: &str, command: &ShellCommand) -> Vec<InnerCommand> {
    match program {
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "mksh" | "rbash" | "pdksh" | "fish" | "csh"
        | "tcsh" | "yash" | "elvish" | "nu" | "xonsh" | "pwsh" | "hush" => {
            shell::inner_of_shell(program, command)
        }
        "eval" => vec![join_script("eval", command.arguments())],
        "alias" => command.arguments().iter().filter_map(alias_script).collect(),
        "find" | "gfind" => find::inner_of_find(command),
        "fd" | "fdfind" => find::inner_of_fd(command),
        "xargs" | "gxargs" => xargs::inner_of_xargs(command),
        "git" => git::inner_of_git(command),
        "ssh" | "scp" | "sftp" => ssh_commands(command),
        program => match options::wrapper_spec(program) {
            Some(spec) => wrapped_commands(program, spec, command),
            None => code::inner_of_code(program, command)
                .into_iter()
                .chain(runner::inner_of_runner(program, command))
                .chain(runner::python_module(program, command))
                .collect(),
        },
    }
}

/// Returns whether a program runs others, or the code that it is given: what its last option does depends on them.
pub(crate) fn runs_others(program: &str, command: &ShellCommand) -> bool {
    const INTERPRETERS: [&str; 22] = [
        "python",
        "pypy",
        "ipython",
        "node",
        "nodejs",
        "bun",
        "deno",
        "perl",
        "ruby",
        "irb",
        "lua",
        "luajit",
        "php",
        "Rscript",
        "R",
        "julia",
        "groovy",
        "scala",
        "tclsh",
        "osascript",
        "expect",
        "ssh",
    ];
    const SHELLS: [&str; 4] = ["find", "xargs", "eval", "mosh"];
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
        || SHELLS.contains(&program)
        || options::wrapper_spec(program).is_some()
        || runner::runner_line(program, command.arguments()).is_some()
        || matches!(program, "uvx" | "pipx" | "nix-shell" | "nix")
        || !inner_commands(command).is_empty()
}

/// Words joined to a script, as `eval` does.
fn join_script(via: &str, words: &[ShellWord]) -> InnerCommand {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    match words.iter().all(|word| word.kind == WordKind::Known) {
        true => InnerCommand::Script { via: via.to_owned(), text },
        false => InnerCommand::PartialScript { via: via.to_owned(), texts: vec![text] },
    }
}

fn alias_script(word: &ShellWord) -> Option<InnerCommand> {
    let (_, value) = word.text.split_once('=')?;
    Some(InnerCommand::from_word("alias", &word.with_text(value)))
}

/// The commands that `ssh` runs on this machine, by its options.
fn ssh_commands(command: &ShellCommand) -> Vec<InnerCommand> {
    let runs = |word: &ShellWord| {
        let setting = word.text.strip_prefix("-o").unwrap_or(&word.text).trim_start();
        let (name, value) = setting.split_once(['=', ' '])?;
        let names = ["proxycommand", "localcommand", "knownhostscommand"];
        names
            .contains(&name.to_lowercase().as_str())
            .then(|| InnerCommand::from_word("ssh -o", &word.with_text(value)))
    };
    command.arguments().iter().filter_map(runs).collect()
}

/// Returns the commands that a wrapper of the table runs.
fn wrapped_commands(program: &str, spec: &WrapperSpec, outer: &ShellCommand) -> Vec<InnerCommand> {
    let WrapperLine { scripts, rest, assigned, unknown, stopped } =
        options::read_line(spec, outer.arguments());
    let mut found: Vec<InnerCommand> = Vec::new();
    if unknown {
        found.push(InnerCommand::Doubt(ScriptDoubt::UnknownOption));
    }
    if stopped {
        return found;
    }
    let assigned: Vec<VariableAssignment> = assigned.iter().filter_map(parse_assignment).collect();
    if program == "env" && !scripts.is_empty() {
        let words: Vec<ShellWord> = scripts.into_iter().chain(rest.iter().cloned()).collect();
        found.push(join_script("env -S", &words));
        return found;
    }
    found.extend(scripts.iter().map(|script| InnerCommand::from_word(&format!("{program} -c"), script)));
    match spec.rest {
        RestReading::Trap => found.extend(
            rest.first()
                .filter(|_| rest.len() > 1)
                .filter(|word| word.text != "-")
                .map(|word| InnerCommand::from_word("trap", word)),
        ),
        RestReading::None => {}
        RestReading::Scripts => found.extend(rest.iter().map(|word| InnerCommand::from_word(program, word))),
        RestReading::Joined if matches!(program, "parallel" | "env_parallel") => {
            found.extend(parallel::inner_of_parallel(program, rest, outer));
        }
        RestReading::Joined if rest.is_empty() => {}
        RestReading::Joined => found.push(join_script(program, rest)),
        RestReading::Command if !rest.is_empty() || !assigned.is_empty() => {
            let InnerCommand::Command { via, mut command } =
                InnerCommand::from_words(program, rest.to_vec(), outer)
            else {
                return found;
            };
            command.assignments = assigned;
            found.push(InnerCommand::Command { via, command });
            // The first word may be the value of the option that is not known.
            if unknown && rest.len() > 1 {
                found.push(InnerCommand::from_words(program, rest[1..].to_vec(), outer));
            }
        }
        RestReading::Command => {}
    }
    found
}

/// `NAME=value` before a command.
fn parse_assignment(word: &ShellWord) -> Option<VariableAssignment> {
    let (name, value) = word.text.split_once('=')?;
    Some(VariableAssignment { name: name.to_owned(), value: word.with_text(value) })
}
