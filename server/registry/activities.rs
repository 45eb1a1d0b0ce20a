//! Every activity by name, in sets that are swapped at run time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::RwLock;

use super::AnyActivity;
use crate::protocol::{Code, Fault};

/// The set that every other one falls back to.
pub const PROD: &str = "prod";

type Set = HashMap<String, Arc<dyn AnyActivity>>;

struct ActivitySets {
    active: String,
    named: BTreeMap<String, Set>,
    /// What runs the tools that the person and the project define.
    custom: Set,
}

/// Every activity, in named sets of which one is active. A name that the active set lacks is looked up in
/// [`PROD`], so that a test set holds only what it replaces; then among those of custom tools.
pub struct Activities {
    sets: RwLock<ActivitySets>,
}

impl Default for Activities {
    fn default() -> Self {
        let named = ["dev", PROD, "test"].map(|name| (name.to_owned(), Set::new()));
        Self {
            sets: RwLock::new(ActivitySets {
                active: PROD.to_owned(),
                named: named.into(),
                custom: Set::new(),
            }),
        }
    }
}

impl Activities {
    /// Puts `activity` under `name` into `set`, in place of what stood there; the set is made if need be.
    pub fn register(&self, set: &str, name: &str, activity: Arc<dyn AnyActivity>) {
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
    pub fn set_custom(&self, custom: HashMap<String, Arc<dyn AnyActivity>>) {
        self.sets.write().custom = custom;
    }

    /// The activity of that name in the active set, or else in [`PROD`], or else a custom tool's.
    pub fn get(&self, name: &str) -> Option<Arc<dyn AnyActivity>> {
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
