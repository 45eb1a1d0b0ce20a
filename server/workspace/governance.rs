//! What governs a workspace at one time: settings and rules, read from the same state of the same files.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Store;
use super::config::{self, Loaded, PERSON, PROJECT, Party, Stamps};
use crate::protocol::{Policy, Settings};
use crate::rules::{Lists, ReviewRules, Rules};

/// How long a settings file that is being written is waited for, at a time and how often.
const STEP: Duration = Duration::from_millis(20);
const STEPS: u32 = 25;

/// How often files that change while they are read are read again.
const TRIES: u32 = 5;

/// Settings, the rules made of them, and what is wrong with both. Never changed: another one takes its place.
#[derive(Debug)]
pub struct Governance {
    settings: Arc<Settings>,
    rules: Arc<Rules>,
    rule_problems: Vec<String>,
    review: ReviewRules,
    review_problems: Vec<String>,
    loaded: Loaded,
    stamps: Stamps,
}

impl Governance {
    /// Reads the settings files, with what the editor holds. What cannot be read any more stays as in `before`. It waits
    /// a moment for a file that was written just now.
    pub fn load(store: &Store, client: Option<&Value>, before: Option<&Self>) -> Self {
        let none = Stamps::default();
        let known = before.map_or(&none, |before| &before.stamps);
        let (mut stamps, mut loaded) = (none.clone(), Loaded::default());
        for _ in 0..TRIES {
            stamps = settled(store, known);
            loaded = config::load(store, client, before.map(|before| &before.loaded));
            // Otherwise a file was written while it was read.
            if Stamps::now(store) == stamps {
                break;
            }
        }
        let (rules, rule_problems) = match before.filter(|before| same_rules(&before.loaded, &loaded)) {
            Some(before) => (before.rules.clone(), before.rule_problems.clone()),
            None => {
                let (rules, problems) =
                    Rules::of(&lists(&loaded.person, PERSON), &lists(&loaded.project, PROJECT));
                (Arc::new(rules.holding(store.state().held().clone()).rooted(store.root().path())), problems)
            }
        };
        let lost = loaded.person.lost.any || loaded.project.lost.review || loaded.project.lost.rules;
        let floor = lost.then_some(Policy::Hold);
        let rules_of = |party: &Party| party.settings.review.rules.clone();
        let (review, review_problems) =
            ReviewRules::new(&rules_of(&loaded.person), &rules_of(&loaded.project), floor);
        let settings = Arc::new(loaded.settings.clone());
        Self { settings, rules, rule_problems, review, review_problems, loaded, stamps }
    }

    /// The person's settings, tightened by the project's.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Which paths are closed, read-only or asked for.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// What becomes of changes.
    pub fn review(&self) -> &ReviewRules {
        &self.review
    }

    /// What becomes of a change that no rule names: by the person's word, and by the project's.
    pub fn default_policies(&self) -> [Policy; 2] {
        [self.settings.review.policy, self.loaded.project.policy.unwrap_or(Policy::Auto)]
    }

    /// What is wrong with the settings, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        [&self.loaded.problems, &self.loaded.warnings, &self.rule_problems, &self.review_problems]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// What makes calls stricter than the settings say, since something could not be read; a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.loaded.warnings
    }

    /// Why there is no model, where the settings are wrong.
    pub fn no_model(&self) -> Option<&String> {
        self.loaded.no_model.as_ref()
    }

    /// Whether the files are in the state in which they were read.
    pub fn is_current(&self, store: &Store) -> bool {
        Stamps::now(store) == self.stamps
    }
}

/// The state of the files, once nobody writes them any more: half of a file holds fewer rules than the whole.
fn settled(store: &Store, before: &Stamps) -> Stamps {
    let mut stamps = Stamps::now(store);
    for _ in 0..STEPS {
        if stamps == *before || !stamps.may_change(before) {
            break;
        }
        std::thread::sleep(STEP);
        stamps = Stamps::now(store);
    }
    stamps
}

fn lists<'a>(party: &'a Party, name: &str) -> Lists<'a> {
    Lists { rules: Some(&party.settings.rules), unread: party.lost.rules.then(|| name.to_owned()) }
}

fn same_rules(one: &Loaded, other: &Loaded) -> bool {
    let alike = |one: &Party, other: &Party| {
        one.settings.rules == other.settings.rules && one.lost.rules == other.lost.rules
    };
    alike(&one.person, &other.person) && alike(&one.project, &other.project)
}
