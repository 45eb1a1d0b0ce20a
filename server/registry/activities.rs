//! Every activity by name, and the activities that replace them in environments.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use thiserror::Error;

use super::{AnyActivity, CompiledTool};
use crate::protocol::{Code, Fault};

/// The environment if none is chosen.
pub const PROD: &str = "prod";
/// The environments that exist without a definition.
const ALWAYS: [&str; 3] = ["dev", PROD, "test"];

type ActivitySet = HashMap<String, Arc<dyn AnyActivity>>;

/// The activity of a tool in one environment, in place of the one in the tool's definition.
#[derive(Clone)]
pub struct EnvironmentActivity {
    /// The activity's name, as a call states it; empty if the tool is latent there.
    pub name: String,
    /// The code; none if the tool is latent there.
    pub code: Option<Arc<dyn AnyActivity>>,
    /// The activity in words, as `a fixed answer`.
    pub words: String,
}

impl fmt::Debug for EnvironmentActivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvironmentActivity").field("name", &self.name).field("words", &self.words).finish()
    }
}

/// The activities of each environment, by the names of their tools.
pub type Environments = BTreeMap<String, BTreeMap<String, EnvironmentActivity>>;

/// The activity that an environment names for a tool and that may not run it.
#[derive(Clone, Debug)]
pub struct RefusedActivity {
    /// The activity of the tool where the person asked for that environment: it refuses each call with the reason.
    pub refusing: EnvironmentActivity,
    /// The warning of a call where nobody asked for that environment, and the tool's own activity runs.
    pub warning: String,
}

/// The refused activities of each environment, by the names of their tools.
pub type RefusedActivities = BTreeMap<String, BTreeMap<String, RefusedActivity>>;

/// The error of a name that no environment has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no environment named {name:?}")]
pub struct UnknownEnvironment {
    /// The name.
    pub name: String,
    /// The existing environments.
    pub known: Vec<String>,
}

impl From<UnknownEnvironment> for Fault {
    fn from(unknown: UnknownEnvironment) -> Self {
        let known = unknown.known.join(", ");
        Self::new(Code::NotFound, unknown.to_string())
            .with_suggestion(format!("name one of {known}, or define it: [activities.NAME] in the settings"))
    }
}

/// The activity that runs a tool.
#[derive(Default)]
pub(super) struct ChosenActivity {
    /// Its name; empty if the tool is latent.
    pub(super) name: String,
    /// Its code; none if the tool is latent.
    pub(super) code: Option<Arc<dyn AnyActivity>>,
    /// The environment with the activity in words, if the environment replaces the tool's own.
    pub(super) environment: Option<String>,
    /// The warning that the environment names another activity, which may not run the tool.
    pub(super) warning: Option<String>,
}

#[derive(Default)]
struct ActivitySets {
    /// The activities of built-in tools.
    built_in: ActivitySet,
    /// The activities of the tools that the person and the project define.
    custom: ActivitySet,
    environments: Environments,
    refused: RefusedActivities,
    /// The environment of calls that name none.
    active: String,
    /// True if the person asked for the active environment.
    is_asked: bool,
}

/// Every activity. Built-in and custom tools use their own activity unless an environment replaces it; an environment holds
/// only such replacements.
pub struct Activities {
    sets: RwLock<ActivitySets>,
}

impl Default for Activities {
    fn default() -> Self {
        Self { sets: RwLock::new(ActivitySets { active: PROD.to_owned(), ..ActivitySets::default() }) }
    }
}

impl Activities {
    /// Sets the built-in activity of `name`, in place of an earlier one.
    pub fn register(&self, name: &str, activity: Arc<dyn AnyActivity>) {
        self.sets.write().built_in.insert(name.to_owned(), activity);
    }

    /// Replaces all activities of custom tools by these, each under its tool's name. A call that is already resolved keeps its
    /// activity.
    pub fn set_custom(&self, custom: HashMap<String, Arc<dyn AnyActivity>>) {
        self.sets.write().custom = custom;
    }

    /// Replaces all environments, and uses `active` for later calls that name none. Returns whether tools run otherwise by that.
    /// A call that is already resolved keeps its activity.
    pub fn set_environments(&self, environments: Environments, active: &str) -> bool {
        let mut sets = self.sets.write();
        let before = sets.replaced();
        sets.environments = environments;
        sets.active = active.to_owned();
        before != sets.replaced()
    }

    /// Replaces the activities that may not run their tools. `is_asked` says that the person asked for the environment of
    /// calls that name none.
    pub fn set_refused(&self, refused: RefusedActivities, is_asked: bool) {
        let mut sets = self.sets.write();
        sets.refused = refused;
        sets.is_asked = is_asked;
    }

    /// Returns the environment of calls that name none.
    pub fn active_set(&self) -> String {
        self.sets.read().active.clone()
    }

    /// Returns the environments by name, each with its activities.
    pub fn environments(&self) -> Environments {
        let sets = self.sets.read();
        let mut all = sets.environments.clone();
        for name in ALWAYS {
            all.entry(name.to_owned()).or_default();
        }
        all
    }

    /// Refuses a name that no environment has.
    ///
    /// # Errors
    /// `UnknownEnvironment` with the existing ones.
    pub fn check(&self, environment: &str) -> Result<(), UnknownEnvironment> {
        self.sets.read().check(environment)
    }

    /// Returns the activity of that name, apart from those of environments.
    pub fn get(&self, name: &str) -> Option<Arc<dyn AnyActivity>> {
        self.sets.read().get(name)
    }

    /// Chooses the activity that runs a tool in an environment, by default in the active one: the environment's, else the one
    /// that the definition names, else the one of the tool's name. A tool without one is latent. In an environment that was
    /// asked for, an activity that may not run the tool refuses its calls.
    ///
    /// # Errors
    /// `UnknownEnvironment` if there is no such environment, and the call named it or an environment replaces the tool.
    pub(super) fn choose(
        &self,
        tool: &CompiledTool,
        environment: Option<&str>,
    ) -> Result<ChosenActivity, UnknownEnvironment> {
        let sets = self.sets.read();
        let name = environment.unwrap_or(&sets.active);
        let is_replaced = || sets.environments.values().any(|all| all.contains_key(tool.name()));
        if environment.is_some() || is_replaced() {
            sets.check(name)?;
        }
        let own = sets.environments.get(name).and_then(|all| all.get(tool.name()));
        let refused = sets.refused.get(name).and_then(|all| all.get(tool.name()));
        let refused = refused.filter(|_| own.is_none());
        let is_asked = environment.is_some() || sets.is_asked;
        if let Some(own) = own.or(refused.filter(|_| is_asked).map(|refused| &refused.refusing)) {
            return Ok(ChosenActivity {
                name: own.name.clone(),
                code: own.code.clone(),
                environment: Some(format!("{name}: {}", own.words)),
                warning: None,
            });
        }
        let warning = refused.map(|refused| refused.warning.clone());
        let name = tool.def().activity.as_deref().unwrap_or(tool.name());
        let code = sets.get(name);
        let name = if code.is_some() { name.to_owned() } else { String::new() };
        Ok(ChosenActivity { name, code, environment: None, warning })
    }

    /// Returns whether a built-in activity has that name. A custom tool's activity is its own: no other definition names it.
    pub fn has_activity(&self, name: &str) -> bool {
        self.sets.read().built_in.contains_key(name)
    }
}

impl ActivitySets {
    fn get(&self, name: &str) -> Option<Arc<dyn AnyActivity>> {
        self.built_in.get(name).or_else(|| self.custom.get(name)).cloned()
    }

    fn check(&self, environment: &str) -> Result<(), UnknownEnvironment> {
        if ALWAYS.contains(&environment) || self.environments.contains_key(environment) {
            return Ok(());
        }
        let known: BTreeSet<&str> =
            self.environments.keys().map(String::as_str).chain(ALWAYS.iter().copied()).collect();
        let known = known.into_iter().map(str::to_owned).collect();
        Err(UnknownEnvironment { name: environment.to_owned(), known })
    }

    /// Returns the tools that the active environment replaces, each with the activity in words.
    fn replaced(&self) -> (String, Vec<(String, String)>) {
        let active = self.environments.get(&self.active).into_iter().flatten();
        let words = active.map(|(tool, activity)| (tool.clone(), activity.words.clone()));
        (self.active.clone(), words.collect())
    }
}
