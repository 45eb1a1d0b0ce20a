//! What the rules say of commands and the network. A command whose changes are kept apart is judged by the tables of
//! commands; any other is asked about, and so is the network, unless the person consented.

use wherefore_shell::{CommandVerdict, Judgement};

use super::judge::Rules;
use super::refusal::Refusal;
use super::touch::Touch;
use crate::protocol::Network;

/// Characters of a command that a question shows; the others are counted.
const SHOWN: usize = 4000;
/// Commands of a script that a question names.
const NAMED: usize = 20;

/// What has to be asked before an act.
pub(super) struct Asking {
    /// The act, as a question says it.
    pub(super) act: String,
    /// The rule that asks, with its reason.
    pub(super) rule: String,
    /// The command, where the person can allow it for always.
    pub(super) always: Option<Vec<String>>,
}

impl Rules {
    /// What has to be asked before a command runs or the network is reached; nothing where the rules or the person's
    /// consent allow it.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub(super) fn asking(&self, act: &Touch) -> Result<Option<Asking>, Refusal> {
        Ok(match act {
            Touch::Command { argv, consented: false, confined } => self.asking_command(argv, *confined)?,
            Touch::Network { reached, consented: false } => Some(Asking {
                act: match reached {
                    Network::Host(host) => format!("reach the host {host:?}"),
                    Network::Any => "reach any host of the network".to_owned(),
                },
                rule: "asked-network (what is sent leaves this machine)".to_owned(),
                always: None,
            }),
            Touch::Path(_) | Touch::Command { .. } | Touch::Network { .. } => None,
        })
    }

    fn asking_command(&self, argv: &[String], confined: bool) -> Result<Option<Asking>, Refusal> {
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
            CommandVerdict::Deny => {
                Err(Refusal::Command { command: command(argv), rule, found: found(&judgement) })
            }
            CommandVerdict::Allow if confined => Ok(None),
            CommandVerdict::Allow | CommandVerdict::Ask => {
                let always = (confined && self.can_be_allowed(argv)).then(|| argv.to_vec());
                Ok(Some(Asking { act: format!("run {}{}", command(argv), runs(&judgement)), rule, always }))
            }
        }
    }
}

/// The commands that were found, as a person reads them.
fn found(judgement: &Judgement) -> Vec<String> {
    judgement.commands.iter().map(|found| cut(&found.command)).collect()
}

/// What a command runs in turn, where that is anything.
fn runs(judgement: &Judgement) -> String {
    let found = found(judgement);
    match found.split_first() {
        Some((_, inner)) if !inner.is_empty() => {
            let more = inner.len().saturating_sub(NAMED);
            let mut shown: Vec<String> =
                inner.iter().take(NAMED).map(|command| format!("`{command}`")).collect();
            shown.extend((more > 0).then(|| format!("{more} more")));
            format!(", which runs {}", shown.join(", "))
        }
        _ => String::new(),
    }
}

/// A command with each word quoted, so that it shows where one ends.
fn command(argv: &[String]) -> String {
    cut(&argv.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" "))
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(SHOWN) {
        None => words.to_owned(),
        Some((at, _)) => format!("{} … and {} more bytes", &words[..at], words.len() - at),
    }
}
