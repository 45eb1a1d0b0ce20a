//! The reasons why an agent's settings file stays as it is.

use std::path::PathBuf;

use thiserror::Error;

use crate::cli::file::FileError;

/// The problem with a settings file, or the reason why the entry cannot be added or removed, as a clause.
#[derive(Debug, Error)]
pub(in crate::cli) enum SettingsEditError {
    /// The file is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// The file is no JSON.
    #[error(transparent)]
    Json(#[from] jsonc_parser::errors::ParseError),
    /// The file is no TOML. The message names the line.
    #[error("{message}{}", line.map(|line| format!(" on line {line}")).unwrap_or_default())]
    Toml {
        /// The problem.
        message: String,
        /// The line, counted from 1.
        line: Option<usize>,
    },
    /// The entry is no TOML value.
    #[error(transparent)]
    Entry(#[from] toml::ser::Error),
    /// The file's value is no object.
    #[error("it holds no object")]
    NoObject,
    /// The container of the entries is no object.
    #[error("its `{0}` is no object")]
    ContainerNoObject(String),
    /// The container of the items is no list.
    #[error("its `{0}` is no list")]
    NoList(String),
    /// The entry's name has no value.
    #[error("its `{0}` has no value")]
    NoValue(String),
    /// The entry is written inline in another table.
    #[error("its `{0}` has no table of its own")]
    NoTable(String),
    /// The file is another's.
    #[error("wherefore did not write it")]
    NotOurs,
    /// The file's folder holds the hooks of several repositories.
    #[error(
        "it holds the hooks of other repositories, too (`core.hooksPath`). Write `wherefore git note` into its post-commit by hand, or \
         give this repository hooks of its own: `git config core.hooksPath .git/hooks`"
    )]
    OfOthers,
    /// The hook has no mode to be run.
    #[error("git does not run it, since it is not executable. `chmod +x` it, or delete it")]
    NotRun,
    /// The hook is not a script for a shell.
    #[error("it is not a script for a shell. Have it run `wherefore git note` in the background")]
    NoShell,
    /// The changed text would have another value than intended.
    #[error("its `{0}` is written in a way that only a person can change")]
    ByHand(String),
}

/// The reason why a plan for an agent's file was not made or not carried out.
#[derive(Debug, Error)]
pub(in crate::cli) enum PlanError {
    /// The file cannot be changed by us.
    #[error("{name} is left as it is: {source}")]
    LeftUnchanged {
        /// The file, below the project.
        name: String,
        /// Why.
        source: SettingsEditError,
    },
    /// The file was not read, written or removed.
    #[error("{source}{}", source.suggestion().map(|act| format!(". {act}")).unwrap_or_default())]
    File {
        /// Why.
        #[from]
        source: FileError,
    },
    /// The Neovim plugin was not written or removed.
    #[error("the plugin in {} is left as it is: {source}", folder.display())]
    Plugin {
        /// Its folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file changed after the plan was made.
    #[error("{name} has changed meanwhile and is left as it is: run it again")]
    Changed {
        /// The file, as it is named to people.
        name: String,
    },
}

impl PlanError {
    /// Makes an error of a file from its problem.
    pub(super) fn left_unchanged(name: &str) -> impl Fn(SettingsEditError) -> Self {
        move |source| Self::LeftUnchanged { name: name.to_owned(), source }
    }
}
