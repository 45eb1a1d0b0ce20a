//! The proof that the rules allowed something, and how it comes about.

use std::sync::Arc;

use super::refusal::Refusal;
use super::touch::{PathTouch, Touch};
use crate::base::WorkspacePath;

/// The proof that the rules allowed these touches. Only the rules make one, directly or through [`RuleQuestion::yes`].
#[derive(Clone, Debug)]
pub struct Grant {
    touches: Vec<Touch>,
    leaves: Vec<Leave>,
}

/// What a rule asks about, and the person said yes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// A path, with the rule.
    Path(WorkspacePath, String),
    /// A command or a part of the network.
    Act(Touch),
}

impl Grant {
    pub(super) fn new(touches: Vec<Touch>, leaves: Vec<Leave>) -> Self {
        Self { touches, leaves }
    }

    /// What was allowed.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// The paths among it.
    pub fn paths(&self) -> impl Iterator<Item = &PathTouch> {
        self.touches.iter().filter_map(Touch::path)
    }

    /// Whether the person's yes reaches a path that `rule` asks about: one they were asked for, or one below it that
    /// the same rule speaks of.
    pub(super) fn reaches(&self, path: &WorkspacePath, rule: &str) -> bool {
        self.leaves.iter().any(|leave| match leave {
            Leave::Path(leave, of) => leave == path || (path.is_in(leave) && of == rule),
            Leave::Act(_) => false,
        })
    }

    /// Whether the person said yes to this very command or host.
    pub(super) fn holds(&self, act: &Touch) -> bool {
        self.leaves.iter().any(|leave| matches!(leave, Leave::Act(leave) if leave == act))
    }

    /// The hosts that the person said yes to, and those of `before`; nothing where there is none more.
    pub fn further_hosts(&self, before: Option<&Self>) -> Option<Self> {
        let is_new = |leave: &&Leave| match leave {
            Leave::Act(act @ Touch::Network { .. }) => before.is_none_or(|before| !before.holds(act)),
            Leave::Act(_) | Leave::Path(..) => false,
        };
        let leaves: Vec<_> = self.leaves.iter().filter(is_new).cloned().collect();
        let hosts = Self { touches: Vec::new(), leaves };
        (!hosts.leaves.is_empty()).then(|| match before {
            Some(before) => before.and(hosts),
            None => hosts,
        })
    }

    /// Joins what is granted later.
    pub fn and(&self, later: Self) -> Self {
        let touches = self.touches.iter().cloned().chain(later.touches).collect();
        let leaves = self.leaves.iter().cloned().chain(later.leaves).collect();
        Self { touches, leaves }
    }
}

/// A subject (a call) with the grant for what it touches. Only the rules make one.
#[derive(Debug)]
pub struct Allowed<T> {
    pub(super) subject: T,
    pub(super) grant: Arc<Grant>,
}

impl<T> Allowed<T> {
    /// What the rules allowed.
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

/// What the rules say of a subject.
#[derive(Debug)]
pub enum Verdict<T> {
    /// It may go on.
    Allow(Allowed<T>),
    /// It may go on once a person says so.
    Ask(RuleQuestion<T>),
    /// It may not, and why.
    Deny(Refusal),
}

/// A question to a person, with what a yes allows.
#[derive(Debug)]
pub struct RuleQuestion<T> {
    /// The rule's name and its glob.
    pub rule: String,
    /// What to ask, without the call's why.
    pub question: String,
    /// The command that it is about, where the person can allow it for always.
    pub always: Option<Vec<String>>,
    /// What it asks about, where these are paths alone: the person can allow them for the session.
    pub paths: Option<Grant>,
    pub(super) allowed: Allowed<T>,
}

impl<T> RuleQuestion<T> {
    /// Whom the question is about.
    pub fn subject(&self) -> &T {
        &self.allowed.subject
    }

    /// Takes the person's yes.
    pub fn yes(self) -> Allowed<T> {
        self.allowed
    }
}

/// Who opens files: it decides about those that a rule asks about.
#[derive(Clone, Debug, Default)]
pub enum Opener {
    /// Nobody whom the person said yes to: a search, an index, a model.
    #[default]
    Unasked,
    /// A call, as far as its grant goes.
    Call(Arc<Grant>),
    /// The person, who decides on a change or asks for a file in their own editor.
    Person,
}

impl Opener {
    pub(super) fn reaches(&self, path: &WorkspacePath, rule: &str) -> bool {
        match self {
            Self::Unasked => false,
            Self::Call(grant) => grant.reaches(path, rule),
            Self::Person => true,
        }
    }
}
