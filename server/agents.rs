//! The known agents, a file each: the one place where an agent's names, files, forms and manners stand.
//!
//! A profile is data, with functions where data does not do. Set-up, hooks, doors and the lists of other programs ask it
//! for what they need to know, and name no agent. It knows nothing of them.
//!
//! # Invariants
//!
//! - No two agents have one name, and no agent is missing in the pages and lists that name all of them.
//!   Test: `no_two_agents_have_one_name`, `the_page_names_each_agent_with_its_files_and_its_version`,
//!   `generated_files_are_fresh`

mod acp_profile;
mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod hook_profile;
mod levers;
mod opencode;
mod plugin_profile;
mod profile;
mod qwen;
pub mod tool_form;
mod vs_code;
mod zed;

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use serde_json::Value;

pub use acp_profile::{AcpProfile, FeedbackChannel, PermissionReply};
pub use hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookGroups,
    HookMessageForm, HookProfile, HookSetup, HookTrust, MessageMembers, MissingProgram, OffSwitch, OwnRules,
    SampleCall, SenderEvidence, ShellPlace,
};
pub use plugin_profile::{PluginForm, PluginProfile, PluginTrace};
pub use profile::{
    AgentFiles, AgentFolder, AgentProfile, AgentTrace, FileFormat, LeverFiles, McpClientProfile, PermitItem,
    PermitProfile, PersonFiles, ServerCommand, SettingEffect, SettingLever, SettingsEntryPath, SettingsOwner,
    SetupProfile, UsualFolder,
};

/// The name that agents start the program by, and that its server has in their settings.
pub const PROGRAM: &str = "wherefore";

/// All known agents, in the order in which a person sees them.
pub static ALL: [&AgentProfile; 8] = [
    &claude_code::PROFILE,
    &vs_code::PROFILE,
    &codex::PROFILE,
    &gemini::PROFILE,
    &qwen::PROFILE,
    &copilot::PROFILE,
    &opencode::PROFILE,
    &zed::PROFILE,
];

/// The agent whose client gives that name to a server.
pub fn find_mcp_client(name: &str) -> Option<&'static McpClientProfile> {
    ALL.iter().filter_map(|agent| agent.mcp.as_ref()).find(|client| client.name == name)
}

/// An agent whose own tools can be sent through wherefore by its hooks.
#[derive(Clone, Copy)]
pub struct HookAgent {
    /// All that is known of it.
    pub profile: &'static AgentProfile,
    hooks: &'static HookProfile,
}

impl HookAgent {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().filter_map(|profile| Self::of_profile(profile))
    }

    /// The agent of a profile, if it has hooks.
    pub fn of_profile(profile: &'static AgentProfile) -> Option<Self> {
        Some(Self { profile, hooks: profile.hooks? })
    }

    /// The agent of that id, if it has hooks.
    pub fn find(id: &str) -> Option<Self> {
        Self::all().find(|agent| agent.id() == id)
    }

    /// The agent that sent a message, by members that only its messages have.
    pub fn sender_of(message: &Value) -> Option<Self> {
        let evidence = |agent: &Self| (agent.message.evidence)(message);
        Self::all().max_by_key(evidence).filter(|agent| evidence(agent) > SenderEvidence::None)
    }

    /// Its name on the command line.
    pub fn id(self) -> &'static str {
        self.profile.id
    }

    /// The name that people use for it.
    pub fn title(self) -> &'static str {
        self.profile.title
    }

    /// The time that it waits for a hook without a limit, less a margin: afterwards it goes on without the answer.
    pub fn hook_timeout(self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }

    /// Returns whether it asks its person about a call on a hook's request, and refuses the call if no person is there.
    pub fn can_ask(self) -> bool {
        self.questions == AgentQuestions::ByAnswer
    }

    /// Returns whether a policy of `wherefore init --guard` makes it ask its person about a command line that requests
    /// it. If its hook asked instead, it would wait forever without a person.
    pub fn can_ask_by_policy(self) -> bool {
        self.questions == AgentQuestions::ByPolicy
    }

    /// Returns whether it runs the hooks that a project has for that agent, too.
    pub fn borrows_hooks_of(self, other: Self) -> bool {
        self.message.borrows_hooks_of == Some(other.id())
    }
}

impl Deref for HookAgent {
    type Target = HookProfile;

    fn deref(&self) -> &HookProfile {
        self.hooks
    }
}

impl PartialEq for HookAgent {
    fn eq(&self, other: &Self) -> bool {
        self.profile == other.profile
    }
}

impl Eq for HookAgent {}

impl fmt::Debug for HookAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

/// The agent of that id, for tests of other modules.
#[cfg(test)]
pub(crate) fn hook_agent(id: &str) -> HookAgent {
    HookAgent::find(id).unwrap_or_else(|| panic!("no agent {id} has hooks"))
}

#[cfg(test)]
mod tests;
