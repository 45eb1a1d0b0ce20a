//! The person's own rules of an agent for commands of its shell, judged as the agent judges them. They apply if the
//! agent itself sees the command only after the hook rewrote it.
//!
//! The verdicts were compared with those of the real programs: `tests/agents/own_rules` holds what these said.
//!
//! # Invariants
//!
//! - No command that the person's own rules of an agent refuse runs by our hook, and none is asked about twice that
//!   they ask about.
//!   Test: `claudes_rules_hold`, `opencodes_rules_hold`, `geminis_rules_hold`, `copilots_rules_hold`,
//!   `gemini_and_our_judgement_say_the_same`

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod pattern;

pub use claude::ClaudeRules;
pub use codex::CodexRules;
pub use copilot::CopilotRules;
pub use gemini::{GeminiRules, PolicyTier};
pub use opencode::OpencodeRules;

/// The verdict of the person's own rules of an agent on a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentRuleVerdict {
    /// None of them refuses it or asks about it.
    #[default]
    Silent,
    /// The person is to be asked.
    Ask,
    /// It is refused.
    Deny,
}
