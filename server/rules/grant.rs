//! The proof that the rules allowed something, and how it comes about.

use std::sync::Arc;

use super::acts::LastingPermission;
use super::refusal::AccessRefusal;
use super::touch::{PathTouch, Touch};
use crate::base::WorkspacePath;

/// The proof that the rules allowed these touches. Only the rules make one, directly or through [`RuleQuestion::take_yes`].
#[derive(Clone, Debug)]
pub struct Grant {
    touches: Vec<Touch>,
    leaves: Vec<PersonLeave>,
}

/// A path or an act that a rule asks about and the person agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PersonLeave {
    /// A path, with the rule.
    Path(WorkspacePath, String),
    /// A command or a part of the network.
    Act(Touch),
}

impl Grant {
    pub(super) fn new(touches: Vec<Touch>, leaves: Vec<PersonLeave>) -> Self {
        Self { touches, leaves }
    }

    /// The touches that were allowed.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// The paths among it.
    pub fn paths(&self) -> impl Iterator<Item = &PathTouch> {
        self.touches.iter().filter_map(Touch::as_path)
    }

    /// Returns whether the person's yes reaches a path that `rule` asks about: one they were asked for, or one below it
    /// that the same rule speaks of.
    pub(super) fn covers_path(&self, path: &WorkspacePath, rule: &str) -> bool {
        self.leaves.iter().any(|leave| match leave {
            PersonLeave::Path(leave, of) => leave == path || (path.is_in(leave) && of == rule),
            PersonLeave::Act(_) => false,
        })
    }

    /// Returns whether the person said yes to this very command or host.
    pub(super) fn covers_act(&self, act: &Touch) -> bool {
        self.leaves.iter().any(|leave| matches!(leave, PersonLeave::Act(leave) if leave == act))
    }

    /// The hosts that the person said yes to, and those of `before`; nothing where there is none more.
    pub fn further_hosts(&self, before: Option<&Self>) -> Option<Self> {
        let is_new = |leave: &&PersonLeave| match leave {
            PersonLeave::Act(act @ Touch::Network { .. }) => {
                before.is_none_or(|before| !before.covers_act(act))
            }
            PersonLeave::Act(_) | PersonLeave::Path(..) => false,
        };
        let leaves: Vec<_> = self.leaves.iter().filter(is_new).cloned().collect();
        let hosts = Self { touches: Vec::new(), leaves };
        (!hosts.leaves.is_empty()).then(|| match before {
            Some(before) => before.join_later(hosts),
            None => hosts,
        })
    }

    /// Joins what is granted later.
    pub fn join_later(&self, later: Self) -> Self {
        let touches = self.touches.iter().cloned().chain(later.touches).collect();
        let leaves = self.leaves.iter().cloned().chain(later.leaves).collect();
        Self { touches, leaves }
    }
}

/// A subject (a call) with the grant for what it touches. Only the rules make one.
#[derive(Debug)]
pub struct AllowedSubject<T> {
    pub(super) subject: T,
    pub(super) grant: Arc<Grant>,
}

impl<T> AllowedSubject<T> {
    /// The subject that the rules allowed.
    pub fn subject(&self) -> &T {
        &self.subject
    }

    /// The proof of it.
    pub fn grant(&self) -> &Arc<Grant> {
        &self.grant
    }

    /// Gives the grant up, and the subject back.
    pub fn into_subject(self) -> T {
        self.subject
    }
}

/// The verdict of the rules on a subject.
#[derive(Debug)]
pub enum RuleVerdict<T> {
    /// It may go on.
    Allow(AllowedSubject<T>),
    /// It may go on once a person agrees.
    Ask(RuleQuestion<T>),
    /// It may not, and why.
    Deny(AccessRefusal),
}

/// A question to a person, with what a yes allows.
#[derive(Debug)]
pub struct RuleQuestion<T> {
    /// The rule's name and its glob.
    pub rule: String,
    /// The question, without the call's why.
    pub question: String,
    /// The permission that the person can give for always.
    pub always: Option<LastingPermission>,
    /// The paths that it asks about, if it asks about paths alone: the person can allow them for the session.
    pub paths: Option<Grant>,
    pub(super) allowed: AllowedSubject<T>,
}

impl<T> RuleQuestion<T> {
    /// Whom the question is about.
    pub fn subject(&self) -> &T {
        &self.allowed.subject
    }

    /// Takes the person's yes.
    pub fn take_yes(self) -> AllowedSubject<T> {
        self.allowed
    }
}

/// The party that opens files: it decides about those that a rule asks about.
#[derive(Clone, Debug, Default)]
pub enum FileOpener {
    /// No consent: a search, an index, a model.
    #[default]
    NoConsent,
    /// A call, within its grant.
    Call(Arc<Grant>),
    /// The person, who decides on a change or asks for a file in their own editor.
    Person,
}

impl FileOpener {
    pub(super) fn covers_path(&self, path: &WorkspacePath, rule: &str) -> bool {
        match self {
            Self::NoConsent => false,
            Self::Call(grant) => grant.covers_path(path, rule),
            Self::Person => true,
        }
    }
}
