//! What the rules say of commands and the network. No party has rules for them yet: a person is asked about each that
//! they have not consented to. The lists of `[rules.commands]` belong here, before that.

use super::touch::Touch;
use crate::protocol::Network;

/// Characters of a command that a question shows; the others are counted.
const SHOWN: usize = 4000;

/// What has to be asked before an act.
pub(super) struct Asking {
    /// The act, as a question says it.
    pub(super) act: String,
    /// The rule that asks, with its reason.
    pub(super) rule: &'static str,
}

/// What has to be asked before a command runs or the network is reached; nothing where the person consented.
pub(super) fn asking(act: &Touch) -> Option<Asking> {
    match act {
        Touch::Command { argv, consented: false, confined: false } => Some(Asking {
            act: format!("run {}", command(argv)),
            rule: "asked-command (a program may do what you may)",
        }),
        Touch::Network { reached, consented: false } => Some(Asking {
            act: match reached {
                Network::Host(host) => format!("reach the host {host:?}"),
                Network::Any => "reach any host of the network".to_owned(),
            },
            rule: "asked-network (what is sent leaves this machine)",
        }),
        Touch::Path(_) | Touch::Command { .. } | Touch::Network { .. } => None,
    }
}

/// A command with each word quoted, so that it shows where one ends.
fn command(argv: &[String]) -> String {
    let words = argv.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        None => words,
        Some((at, _)) => format!("{} … and {} more bytes", &words[..at], words.len() - at),
    }
}
