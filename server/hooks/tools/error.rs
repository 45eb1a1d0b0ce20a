//! The reasons why a call of an agent's own tool cannot be read.

use thiserror::Error;

/// The reason why the action of a call of an agent's own tool cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NativeCallError {
    /// It has an argument that the tool does not take.
    #[error("the tool {tool} of {agent} takes no argument `{name}`")]
    Unknown {
        /// The tool.
        tool: String,
        /// The agent.
        agent: &'static str,
        /// The argument.
        name: String,
    },
    /// It lacks an argument.
    #[error("the tool {0} needs the argument `{1}`")]
    Missing(String, &'static str),
    /// It has an argument twice, under two names.
    #[error("the tool {0} was given both `{1}` and `{2}`, which are one argument")]
    Twice(String, String, String),
    /// An argument is of another kind.
    #[error("the argument `{1}` of the tool {0} has to be {2}")]
    Kind(String, String, &'static str),
    /// The tool is unknown, and looks like one that edits, runs or reads.
    #[error("{1} is not known to have a tool {0}, and it looks like one that edits or runs something")]
    Stranger(String, &'static str),
}
