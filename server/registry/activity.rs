//! Activities: the code behind tools, by name, in sets that are swapped at run time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::RwLock;
use serde_json::{Map, Value};

use super::{Call, Draft, Permitted};
use crate::protocol::{Code, Effects, Fault};
use crate::session::Scope;

/// What a call brought about.
#[derive(Debug)]
pub enum Output {
    /// A value, the answer itself.
    Value {
        /// The answer, by the tool's output schema.
        value: Value,
        /// Whether a limit cut it.
        truncated: bool,
        /// How to get the rest, where it was cut.
        rest: Option<String>,
        /// What a model is shown instead of the value as text, where that is more than text: content blocks of
        /// the Model Context Protocol. The log keeps the value alone.
        blocks: Vec<Value>,
        /// What the caller has to know beside the value.
        warnings: Vec<String>,
    },
    /// A change that goes to review before anything is written.
    Change(Draft),
}

impl Output {
    /// A whole value.
    pub fn value(value: Value) -> Self {
        Self::Value { value, truncated: false, rest: None, blocks: Vec::new(), warnings: Vec::new() }
    }
}

/// The code behind a tool. It may be called for any tool whose definition names it, so it takes a missing
/// argument as a fault, never as a given.
pub trait Activity: Send + Sync {
    /// What a call will touch, from its arguments alone.
    fn effects(&self, args: &Map<String, Value>) -> Effects;

    /// Whether it can run here at all. Nobody is asked about a call that cannot.
    ///
    /// # Errors
    /// What is missing, and how to go on without it.
    fn ready(&self, _call: &Call) -> Result<(), Fault> {
        Ok(())
    }

    /// Runs it.
    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>>;
}

/// The set that every other one falls back to.
pub const PROD: &str = "prod";

type Set = HashMap<String, Arc<dyn Activity>>;

struct Sets {
    active: String,
    named: BTreeMap<String, Set>,
    /// What runs the tools that the person and the project define.
    custom: Set,
}

/// Every activity, in named sets of which one is active. A name that the active set lacks is looked up in
/// [`PROD`], so that a test set holds only what it replaces; then among those of custom tools.
pub struct Activities {
    sets: RwLock<Sets>,
}

impl Default for Activities {
    fn default() -> Self {
        let named = ["dev", PROD, "test"].map(|name| (name.to_owned(), Set::new()));
        Self { sets: RwLock::new(Sets { active: PROD.to_owned(), named: named.into(), custom: Set::new() }) }
    }
}

impl Activities {
    /// Puts `activity` under `name` into `set`, in place of what stood there; the set is made if need be.
    pub fn register(&self, set: &str, name: &str, activity: Arc<dyn Activity>) {
        let mut sets = self.sets.write();
        sets.named.entry(set.to_owned()).or_default().insert(name.to_owned(), activity);
    }

    /// Makes `set` the one that later calls run with; calls already resolved keep theirs.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such set.
    pub fn activate(&self, set: &str) -> Result<(), Fault> {
        let mut sets = self.sets.write();
        if !sets.named.contains_key(set) {
            let names: Vec<_> = sets.named.keys().map(String::as_str).collect();
            return Err(Fault::new(Code::NotFound, format!("there is no set of activities named {set:?}"))
                .suggest(format!("use one of {}", names.join(", "))));
        }
        sets.active = set.to_owned();
        Ok(())
    }

    /// The active set's name.
    pub fn active(&self) -> String {
        self.sets.read().active.clone()
    }

    /// Puts what runs custom tools, each under its tool's name, in place of all that did before. Calls already
    /// resolved keep theirs.
    pub fn set_custom(&self, custom: HashMap<String, Arc<dyn Activity>>) {
        self.sets.write().custom = custom;
    }

    /// The activity of that name in the active set, or else in [`PROD`], or else a custom tool's.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Activity>> {
        let sets = self.sets.read();
        let find = |set: &str| sets.named.get(set).and_then(|set| set.get(name)).cloned();
        find(&sets.active).or_else(|| find(PROD)).or_else(|| sets.custom.get(name).cloned())
    }

    /// Whether any named set holds that name. A custom tool's activity is its own: no other definition names it.
    pub fn knows(&self, name: &str) -> bool {
        let sets = self.sets.read();
        sets.named.values().any(|set| set.contains_key(name))
    }
}
