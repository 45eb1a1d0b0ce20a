//! The environment that a folder's tools run in, and how it is switched.

use super::toolbox::Toolbox;
use crate::protocol::{EnvironmentSource, Fault, Settings};
use crate::workspace::WorkspaceError;

/// The name under which the choice of `wherefore env` is kept, in the workspace's state.
const KEPT: &str = "environment";

/// The environment that tools run in where a call names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenEnvironment {
    /// Its name.
    pub name: String,
    /// Who chose it.
    pub by: EnvironmentSource,
}

/// Who chose an environment in this process, before what is kept and what the settings say.
#[derive(Debug, Default)]
pub(super) struct EnvironmentChoice {
    /// Chosen at the start of the process, by `--env` or `WHEREFORE_ENV`.
    pub(super) started: Option<String>,
    /// The person, while it runs; the inner is none where they took their choice back.
    pub(super) switched: Option<Option<String>>,
}

impl EnvironmentChoice {
    /// The environment that holds, where `kept` is what the person chose for the workspace before.
    pub(super) fn decide(&self, kept: Option<String>, settings: &Settings) -> ChosenEnvironment {
        let chosen = |name: String, by| ChosenEnvironment { name, by };
        if let Some(switched) = &self.switched {
            if let Some(name) = switched {
                return chosen(name.clone(), EnvironmentSource::Command);
            }
        } else if let Some(name) = &self.started {
            return chosen(name.clone(), EnvironmentSource::Start);
        } else if let Some(name) = kept {
            return chosen(name, EnvironmentSource::Command);
        }
        match &settings.environment {
            Some(name) if settings.is_environment_of_project => {
                chosen(name.clone(), EnvironmentSource::Project)
            }
            Some(name) => chosen(name.clone(), EnvironmentSource::Settings),
            None => chosen(crate::registry::PROD.to_owned(), EnvironmentSource::Default),
        }
    }
}

impl Toolbox {
    /// The environment that tools run in.
    pub fn environment(&self) -> ChosenEnvironment {
        let workspace = self.session().workspace();
        let kept = workspace.state().read_file(KEPT).ok().flatten();
        let kept = kept.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|name| !name.is_empty());
        self.choice().lock().decide(kept, &workspace.settings())
    }

    /// Runs tools in another environment from the next call on, also in later processes of this workspace. Without a name, the
    /// settings choose again.
    ///
    /// # Errors
    /// NOT_FOUND if there is no such environment, or the error of writing the choice.
    pub fn switch_environment(&self, name: Option<&str>) -> Result<(), Fault> {
        if let Some(name) = name {
            self.registry().activities().check(name)?;
        }
        self.keep(name)?;
        self.choice().lock().switched = Some(name.map(str::to_owned));
        self.read_all();
        Ok(())
    }

    fn keep(&self, name: Option<&str>) -> Result<(), WorkspaceError> {
        let session = self.session();
        let state = session.workspace().state();
        match name {
            Some(name) => state.write_file(KEPT, name.as_bytes()),
            None => state.remove_file(KEPT).map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_on_an_environment_holds() {
        let settings = |name: Option<&str>, of_project| Settings {
            environment: name.map(str::to_owned),
            is_environment_of_project: of_project,
            ..Settings::default()
        };
        let check = |choice: &EnvironmentChoice, kept: Option<&str>, settings: &Settings, name: &str, by| {
            let expected = ChosenEnvironment { name: name.to_owned(), by };
            assert_eq!(choice.decide(kept.map(str::to_owned), settings), expected);
        };
        let mut choice = EnvironmentChoice::default();
        check(&choice, None, &settings(None, false), "prod", EnvironmentSource::Default);
        check(&choice, None, &settings(Some("dev"), true), "dev", EnvironmentSource::Project);
        check(&choice, None, &settings(Some("dev"), false), "dev", EnvironmentSource::Settings);
        check(&choice, Some("test"), &settings(Some("dev"), false), "test", EnvironmentSource::Command);
        choice.started = Some("staging".to_owned());
        check(&choice, Some("test"), &settings(Some("dev"), false), "staging", EnvironmentSource::Start);
        choice.switched = Some(Some("test".to_owned()));
        check(&choice, None, &settings(None, false), "test", EnvironmentSource::Command);
        choice.switched = Some(None);
        check(&choice, None, &settings(Some("dev"), false), "dev", EnvironmentSource::Settings);
    }
}
