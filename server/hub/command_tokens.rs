//! One-time tokens of commands that were let into the sandbox: each holds for one run of one command of one agent.
//!
//! An agent's own shell runs `wherefore sandbox`, which any process may do. The token names the command line that the server
//! wrote, so that no other is taken for it.
//!
//! # Invariants
//!
//! - No command line of `wherefore sandbox` is passed for an agent but one that the folder's server let in, and none
//!   runs twice.
//!   Test: `a_token_holds_for_one_run_of_its_command_and_of_its_agent`,
//!   `a_rewritten_command_runs_once_as_it_was_in_its_folder_for_its_agent`,
//!   `of_two_runs_of_one_rewritten_command_at_once_one_runs`,
//!   `an_agent_that_is_told_a_command_runs_that_and_no_other`

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::hash;
use crate::base::random::{self, RandomnessError};
use crate::protocol::{Code, Fault, Origin};

/// The time that a command may take to begin. An agent may ask its person first.
const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Tokens that are remembered, used ones among them; the oldest is forgotten first.
const REMEMBERED: usize = 1024;

/// A command line that runs in the sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfinedCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The variables that are set for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

impl ConfinedCommand {
    /// The command line that runs a script.
    pub fn from_script(script: &str) -> Self {
        let argv = ["bash", "-c", script].map(str::to_owned).to_vec();
        Self { argv, env: BTreeMap::new() }
    }

    /// Its hash: scripts may be long, and a token outlives its command.
    fn hash(&self) -> String {
        hash::full_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The call that a token lets run.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandPermit {
    /// The call that it belongs to: the agent, its session, its id of the call, its tool, and the door.
    pub origin: Origin,
    /// True where a person was asked about it and said yes.
    pub is_allowed: bool,
    /// The reason of the call, where the command line does not say it.
    pub why: Option<String>,
}

/// The reasons why a token does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommandTokenError {
    /// No such token is known.
    #[error(
        "its token is of no command that this folder's server let into the sandbox: that server has ended since, or the token \
         is for another folder"
    )]
    Unknown,
    /// It was used.
    #[error("its token was used before, and holds for one run")]
    Used,
    /// It was not used in time.
    #[error("it was let into the sandbox more than {} minutes ago, and its token has expired", LIFETIME.as_secs() / 60)]
    Expired,
    /// It is for another command line.
    #[error("its token is for another command")]
    OtherCommand,
    /// It is for another agent, or another session.
    #[error("its token is for a command of another agent or session")]
    OtherAgent,
}

impl From<CommandTokenError> for Fault {
    fn from(error: CommandTokenError) -> Self {
        Self::new(Code::PermissionDenied, format!("the command was not run: {error}")).with_suggestion(
            "make the call again with the command alone, without `wherefore sandbox` before it",
        )
    }
}

/// The tokens of a folder's commands.
#[derive(Clone, Debug)]
pub struct CommandTokens {
    issued: Arc<Mutex<IssuedTokens>>,
    lifetime: Duration,
}

#[derive(Debug, Default)]
struct IssuedTokens {
    permits: HashMap<String, IssuedPermit>,
    order: VecDeque<String>,
}

#[derive(Debug)]
struct IssuedPermit {
    command_hash: String,
    permit: CommandPermit,
    until: Instant,
    is_used: bool,
}

impl Default for CommandTokens {
    fn default() -> Self {
        Self { issued: Arc::default(), lifetime: LIFETIME }
    }
}

impl CommandTokens {
    /// Makes a token for one run of a command.
    ///
    /// # Errors
    /// Fails where the system gives no random bytes.
    pub fn issue_token(
        &self,
        command: &ConfinedCommand,
        permit: CommandPermit,
    ) -> Result<String, RandomnessError> {
        let token = random::random_token()?;
        let until = Instant::now() + self.lifetime;
        let issue = IssuedPermit { command_hash: command.hash(), permit, until, is_used: false };
        let mut issued = self.issued.lock();
        issued.permits.insert(token.clone(), issue);
        issued.order.push_back(token.clone());
        while issued.order.len() > REMEMBERED {
            let oldest = issued.order.pop_front();
            oldest.and_then(|oldest| issued.permits.remove(&oldest));
        }
        Ok(token)
    }

    /// Looks whether a token holds for a command of an agent. It is not used up.
    ///
    /// # Errors
    /// The reason why it does not hold.
    pub fn check_token(
        &self,
        token: &str,
        command: &ConfinedCommand,
        origin: &Origin,
    ) -> Result<(), CommandTokenError> {
        let mut issued = self.issued.lock();
        let permit = &issued.find_permit(token, command)?.permit;
        match permit.origin.agent == origin.agent && permit.origin.session == origin.session {
            true => Ok(()),
            false => Err(CommandTokenError::OtherAgent),
        }
    }

    /// Uses a token up.
    ///
    /// # Errors
    /// The reason why it does not hold.
    pub fn redeem_token(
        &self,
        token: &str,
        command: &ConfinedCommand,
        agent: Option<&str>,
    ) -> Result<CommandPermit, CommandTokenError> {
        let mut issued = self.issued.lock();
        let found = issued.find_permit(token, command)?;
        if found.permit.origin.agent.as_deref() != agent {
            return Err(CommandTokenError::OtherAgent);
        }
        found.is_used = true;
        Ok(found.permit.clone())
    }

    /// Returns whether a command may begin still: its server is to stay for it.
    pub fn has_pending(&self) -> bool {
        let now = Instant::now();
        self.issued.lock().permits.values().any(|issued| !issued.is_used && issued.until > now)
    }
}

impl IssuedTokens {
    fn find_permit(
        &mut self,
        token: &str,
        command: &ConfinedCommand,
    ) -> Result<&mut IssuedPermit, CommandTokenError> {
        let found = self.permits.get_mut(token).ok_or(CommandTokenError::Unknown)?;
        if found.is_used {
            return Err(CommandTokenError::Used);
        }
        if found.until <= Instant::now() {
            return Err(CommandTokenError::Expired);
        }
        match found.command_hash == command.hash() {
            true => Ok(found),
            false => Err(CommandTokenError::OtherCommand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(agent: &str, session: &str) -> Origin {
        Origin { agent: Some(agent.to_owned()), session: Some(session.to_owned()), ..Origin::default() }
    }

    fn permit() -> CommandPermit {
        CommandPermit { origin: origin("codex", "s"), is_allowed: false, why: None }
    }

    fn issued(tokens: &CommandTokens) -> String {
        tokens.issue_token(&ConfinedCommand::from_script("ls"), permit()).unwrap()
    }

    #[test]
    fn a_token_holds_for_one_run_of_its_command_and_of_its_agent() {
        let tokens = CommandTokens::default();
        let ls = ConfinedCommand::from_script("ls");
        let token = issued(&tokens);
        assert_ne!(token, issued(&tokens));
        let other_env = ConfinedCommand { env: [("A".to_owned(), "b".to_owned())].into(), ..ls.clone() };
        for other in [ConfinedCommand::from_script("ls "), other_env, ConfinedCommand::default()] {
            let refused = tokens.redeem_token(&token, &other, Some("codex"));
            assert_eq!(refused, Err(CommandTokenError::OtherCommand), "{other:?}");
        }
        for agent in [Some("qwen-code"), None] {
            assert_eq!(tokens.redeem_token(&token, &ls, agent), Err(CommandTokenError::OtherAgent));
        }
        for other in [origin("codex", "t"), origin("qwen-code", "s"), Origin::default()] {
            assert_eq!(
                tokens.check_token(&token, &ls, &other),
                Err(CommandTokenError::OtherAgent),
                "{other:?}"
            );
        }
        assert_eq!(
            CommandTokens::default().redeem_token(&token, &ls, Some("codex")),
            Err(CommandTokenError::Unknown)
        );
        // Looking at it uses nothing up, and neither do attempts with another command.
        assert_eq!(tokens.check_token(&token, &ls, &origin("codex", "s")), Ok(()));
        assert_eq!(tokens.redeem_token(&token, &ls, Some("codex")), Ok(permit()));
        assert_eq!(tokens.redeem_token(&token, &ls, Some("codex")), Err(CommandTokenError::Used));
        assert_eq!(tokens.check_token(&token, &ls, &origin("codex", "s")), Err(CommandTokenError::Used));
    }

    #[test]
    fn of_two_runs_at_once_one_gets_the_token() {
        let tokens = CommandTokens::default();
        let token = issued(&tokens);
        let ls = ConfinedCommand::from_script("ls");
        let won = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| tokens.redeem_token(&token, &ls, Some("codex")).is_ok()))
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn a_token_expires_and_no_more_than_so_many_are_kept() {
        let tokens = CommandTokens { lifetime: Duration::ZERO, ..CommandTokens::default() };
        let late = issued(&tokens);
        let ls = ConfinedCommand::from_script("ls");
        assert_eq!(tokens.redeem_token(&late, &ls, Some("codex")), Err(CommandTokenError::Expired));
        assert!(!tokens.has_pending());
        let tokens = CommandTokens::default();
        let first = issued(&tokens);
        assert!(tokens.has_pending());
        for _ in 0..REMEMBERED {
            issued(&tokens);
        }
        assert_eq!(tokens.redeem_token(&first, &ls, Some("codex")), Err(CommandTokenError::Unknown));
        assert_eq!(tokens.issued.lock().permits.len(), REMEMBERED);
    }
}
