//! The verdicts of the rules on commands and the network. A command whose changes are kept in a layer is judged by the tables of
//! commands; any other is asked about, and so is the network, unless the person consented.
//!
//! # Invariants
//!
//! - No unconfined command that a rule asks about runs without a yes, and no verdict that counts on the sandbox is
//!   used for one.
//!   Test: `what_only_the_sandbox_bounds_is_asked_about_without_one`,
//!   `without_the_sandbox_what_the_rules_ask_about_is_asked_or_refused`,
//!   `a_command_outside_of_the_sandbox_is_asked_about_at_the_editor`

use wherefore_shell::{CommandVerdict, Judgement};

use super::judge::WorkspaceRules;
use super::refusal::AccessRefusal;
use super::touch::Touch;
use crate::protocol::NetworkTarget;

/// Characters of a command that a question shows; the others are counted.
const SHOWN_CHARS: usize = 4000;
/// Commands of a script that a question names.
const NAMED_COMMANDS: usize = 20;
/// Programs that run a script behind `-c`.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// The permission that a person can give for always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastingPermission {
    /// An entry of their settings.
    Setting(Allowable),
    /// Their consent to the tool of the call, whose command the project chose.
    ProjectTool,
}

/// An act that the settings of a person can allow for always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowable {
    /// A command, by its argument vector.
    Command(Vec<String>),
    /// A host of the network.
    Host(String),
}

/// The question that is asked before an act.
pub(super) struct ActQuestion {
    /// The act, in the words of the question.
    pub(super) act: String,
    /// The rule that asks, with its reason.
    pub(super) rule: String,
    /// The permission that the person can give for always.
    pub(super) always: Option<LastingPermission>,
    /// The script of several lines that is run.
    pub(super) script: Option<String>,
}

impl WorkspaceRules {
    /// Returns the question before a command runs or the network is reached; nothing where the rules or the person's
    /// consent allow it.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub(super) fn act_question(&self, act: &Touch) -> Result<Option<ActQuestion>, AccessRefusal> {
        Ok(match act {
            Touch::Command { argv, consented: false, confined, of_project } => {
                self.asking_command(argv, *confined, *of_project)?
            }
            Touch::Network { reached: NetworkTarget::Host(host), consented: false }
                if self.allows_host(host) =>
            {
                None
            }
            Touch::Network { reached, consented: false } => Some(ActQuestion {
                act: match reached {
                    NetworkTarget::Host(host) => format!("reach the host {host:?}"),
                    NetworkTarget::Any => "reach any host of the network".to_owned(),
                },
                rule: "asked-network (what is sent leaves this machine)".to_owned(),
                always: match reached {
                    NetworkTarget::Host(host) => {
                        Some(LastingPermission::Setting(Allowable::Host(host.clone())))
                    }
                    NetworkTarget::Any => None,
                },
                script: None,
            }),
            Touch::Processes => Some(ActQuestion {
                act: "list the processes of this machine with their arguments".to_owned(),
                rule: "asked-processes (arguments of other programs may hold what is not the agent's)"
                    .to_owned(),
                always: None,
                script: None,
            }),
            Touch::Path(_) | Touch::Command { .. } | Touch::Network { .. } => None,
        })
    }

    /// Returns whether the person's settings allow a host for always.
    fn allows_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|entry| entry.allows(host))
    }

    fn asking_command(
        &self,
        argv: &[String],
        confined: bool,
        of_project: bool,
    ) -> Result<Option<ActQuestion>, AccessRefusal> {
        let judgement = self.judge_argv(argv);
        let rule = format!(
            "{} ({})",
            judgement.rule.as_deref().unwrap_or("asked-command"),
            judgement
                .why
                .as_deref()
                .unwrap_or("it runs confined, but what it changes may be written at once")
        );
        match judgement.verdict {
            CommandVerdict::Deny => Err(AccessRefusal::Command {
                command: quote_command(argv),
                rule,
                found: found_commands(&judgement),
            }),
            CommandVerdict::Allow if confined => Ok(None),
            CommandVerdict::Allow | CommandVerdict::Ask => {
                let always = match (confined, judgement.verdict) {
                    (true, _) if self.can_be_allowed(argv) => {
                        Some(LastingPermission::Setting(Allowable::Command(argv.to_vec())))
                    }
                    // A command that the rules ask about is asked about whoever defined it.
                    (false, CommandVerdict::Allow) if of_project => Some(LastingPermission::ProjectTool),
                    _ => None,
                };
                let (words, script) = split_script(argv);
                let act = format!("run {}{}", cut_words(&words), describe_inner(&judgement));
                Ok(Some(ActQuestion { act, rule, always, script: script.map(cut_words) }))
            }
        }
    }
}

/// The commands that were found, as a person reads them.
fn found_commands(judgement: &Judgement) -> Vec<String> {
    judgement.commands.iter().map(|found| cut_words(&found.command)).collect()
}

/// Describes the commands that a command runs in turn, where there are any.
fn describe_inner(judgement: &Judgement) -> String {
    let found = found_commands(judgement);
    match found.split_first() {
        Some((_, inner)) if !inner.is_empty() => {
            let more = inner.len().saturating_sub(NAMED_COMMANDS);
            let mut shown: Vec<String> =
                inner.iter().take(NAMED_COMMANDS).map(|command| format!("`{command}`")).collect();
            shown.extend((more > 0).then(|| format!("{more} more")));
            format!(", which runs {}", shown.join(", "))
        }
        _ => String::new(),
    }
}

/// A command with each word quoted, so that it shows where one ends.
fn quote_command(argv: &[String]) -> String {
    cut_words(&argv.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" "))
}

/// Splits a command into its words, each quoted, and the script of several lines that a shell in it runs.
fn split_script(argv: &[String]) -> (String, Option<&str>) {
    let is_shell = |word: &str| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word));
    let is_script =
        |words: &[String]| is_shell(&words[0]) && words[1].starts_with('-') && words[1].ends_with('c');
    let found = argv.windows(3).position(is_script).map(|at| at + 2);
    let found = found.filter(|at| argv[*at].trim_end().contains('\n'));
    let word = |(at, word): (usize, &String)| match found {
        Some(script) if script == at => "with the script below".to_owned(),
        _ => format!("{word:?}"),
    };
    let words: Vec<String> = argv.iter().enumerate().map(word).collect();
    (words.join(" "), found.map(|at| argv[at].trim_end()))
}

fn cut_words(words: &str) -> String {
    match words.char_indices().nth(SHOWN_CHARS) {
        None => words.to_owned(),
        Some((at, _)) => format!("{} … and {} more bytes", &words[..at], words.len() - at),
    }
}
