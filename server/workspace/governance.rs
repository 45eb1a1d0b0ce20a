//! The settings and rules of a workspace at one time, read from the same state of the same files.
//!
//! # Invariants
//!
//! - No project's settings loosen the person's.
//!   Test: `a_project_only_tightens`, `no_review_rule_of_a_project_loosens_the_persons`,
//!   `one_glob_of_a_project_leaves_the_persons_rules`
//! - No call runs, and no proposal is applied, by rules that hold no more.
//!   Test: `rules_are_heard_while_the_server_runs`, `a_proposal_meets_the_rules_that_hold_when_it_is_applied`
//! - No slip in a settings file opens what it closed.
//!   Test: `a_slip_in_the_persons_settings_opens_nothing`, `settings_that_cannot_be_read_any_more_stay_as_they_were`

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::WorkspaceStore;
use super::config::{self, LoadedSettings, PERSON, PROJECT, SettingsLayer, SettingsStamps};
use crate::protocol::{Policy, Settings};
use crate::rules::{PartyLists, ReviewRules, WorkspaceRules};

/// The time that a settings file that is being written is waited for, at a time and how often.
const STEP: Duration = Duration::from_millis(20);
const STEPS: u32 = 25;

/// The number of times that files that change while they are read are read again.
const TRIES: u32 = 5;

/// Settings, the rules made of them, and what is wrong with both. Never changed: another one takes its place.
#[derive(Debug)]
pub struct Governance {
    settings: Arc<Settings>,
    rules: Arc<WorkspaceRules>,
    rule_problems: Vec<String>,
    review: ReviewRules,
    review_problems: Vec<String>,
    loaded: LoadedSettings,
    stamps: SettingsStamps,
}

impl Governance {
    /// Reads the settings files, with what the editor holds. What cannot be read any more stays as in `before`. It waits
    /// a moment for a file that was written just now.
    pub fn load(store: &WorkspaceStore, client: Option<&Value>, before: Option<&Self>) -> Self {
        let none = SettingsStamps::default();
        let known = before.map_or(&none, |before| &before.stamps);
        let (mut stamps, mut loaded) = (none.clone(), LoadedSettings::default());
        for _ in 0..TRIES {
            stamps = settled_stamps(store, known);
            loaded = config::load_settings(store, client, before.map(|before| &before.loaded));
            // Otherwise a file was written while it was read.
            if SettingsStamps::now(store) == stamps {
                break;
            }
        }
        let (rules, rule_problems) = match before.filter(|before| same_rules(&before.loaded, &loaded)) {
            Some(before) => (before.rules.clone(), before.rule_problems.clone()),
            None => {
                let (rules, problems) = WorkspaceRules::from_lists(
                    &rule_lists(&loaded.person, PERSON),
                    &rule_lists(&loaded.project, PROJECT),
                );
                (
                    Arc::new(
                        rules.with_held(store.state().held_paths().clone()).in_workspace(store.root().path()),
                    ),
                    problems,
                )
            }
        };
        let lost = loaded.person.unreadable.any
            || loaded.project.unreadable.review
            || loaded.project.unreadable.rules;
        let floor = lost.then_some(Policy::Hold);
        let rules_of = |party: &SettingsLayer| party.settings.review.rules.clone();
        let (review, review_problems) =
            ReviewRules::new(&rules_of(&loaded.person), &rules_of(&loaded.project), floor);
        let settings = Arc::new(loaded.settings.clone());
        Self { settings, rules, rule_problems, review, review_problems, loaded, stamps }
    }

    /// The person's settings, tightened by the project's.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Returns the rules: the paths that are closed, read-only or asked for.
    pub fn rules(&self) -> &Arc<WorkspaceRules> {
        &self.rules
    }

    /// The review rules.
    pub fn review_rules(&self) -> &ReviewRules {
        &self.review
    }

    /// Returns the policies of a change that no rule names: the person's, and the project's.
    pub fn default_policies(&self) -> [Policy; 2] {
        [self.settings.review.policy, self.loaded.project.policy.unwrap_or(Policy::Auto)]
    }

    /// Returns the problems of the settings, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        [&self.loaded.problems, &self.loaded.warnings, &self.rule_problems, &self.review_problems]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// The reasons for which calls are judged more strictly than the settings state, as a part could not be read; a
    /// sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.loaded.warnings
    }

    /// Returns the reason why there is no model, where the settings are wrong.
    pub fn no_model(&self) -> Option<&String> {
        self.loaded.no_model.as_ref()
    }

    /// Returns whether the files are in the state in which they were read.
    pub fn is_current(&self, store: &WorkspaceStore) -> bool {
        SettingsStamps::now(store) == self.stamps
    }
}

/// Returns the state of the files, once no program writes them any more: half of a file holds fewer rules than the
/// whole.
fn settled_stamps(store: &WorkspaceStore, before: &SettingsStamps) -> SettingsStamps {
    let mut stamps = SettingsStamps::now(store);
    for _ in 0..STEPS {
        if stamps == *before || !stamps.may_change(before) {
            break;
        }
        std::thread::sleep(STEP);
        stamps = SettingsStamps::now(store);
    }
    stamps
}

fn rule_lists<'a>(party: &'a SettingsLayer, name: &str) -> PartyLists<'a> {
    PartyLists { rules: Some(&party.settings.rules), unread: party.unreadable.rules.then(|| name.to_owned()) }
}

fn same_rules(one: &LoadedSettings, other: &LoadedSettings) -> bool {
    let alike = |one: &SettingsLayer, other: &SettingsLayer| {
        one.settings.rules == other.settings.rules && one.unreadable.rules == other.unreadable.rules
    };
    alike(&one.person, &other.person) && alike(&one.project, &other.project)
}
