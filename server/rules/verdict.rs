//! The rules judge everything that a call touches: its paths, the command that it runs, the hosts that it reaches.

use std::sync::Arc;

use super::acts::{ActQuestion, LastingPermission};
use super::grant::{AllowedSubject, Grant, PersonLeave, RuleQuestion, RuleVerdict};
use super::judge::WorkspaceRules;
use super::path_rule_lists::PathRuling;
use super::refusal::AccessRefusal;
use super::touch::{Effectful, PathTouch, Touch, access_verb};
use crate::base::hidden::escape_to_line;
use crate::protocol::{NetworkTarget, PathAccess};

/// Files that one question names.
const MOST_ASKED: usize = 20;

impl WorkspaceRules {
    /// Judges all touches that a call declares. `look` resolves a path. A touch that `before` covers is not asked
    /// again.
    ///
    /// # Errors
    /// The error of `look`.
    pub fn judge_call<T: Effectful, E>(
        &self,
        call: T,
        look: impl Fn(PathAccess, &str) -> Result<PathTouch, E>,
        before: Option<&Grant>,
    ) -> Result<RuleVerdict<T>, E> {
        let effects = call.declared_effects();
        let paths = effects.paths().map(|(access, asked)| look(access, asked).map(Touch::Path));
        let touches = Touch::acts_of(effects).map(Ok).chain(paths).collect::<Result<Vec<_>, _>>()?;
        Ok(conclude_verdict(call, self.weigh_touches(touches, before)))
    }

    /// Judges the touches of an allowed call in addition to its declared ones: the paths of its change. Its earlier
    /// grant stays.
    pub fn judge_further<T>(&self, allowed: AllowedSubject<T>, touches: Vec<PathTouch>) -> RuleVerdict<T> {
        let AllowedSubject { subject, grant: before } = allowed;
        let touches = touches.into_iter().map(Touch::Path).collect();
        let weighed = self.weigh_touches(touches, Some(&before));
        conclude_verdict(
            subject,
            weighed.map(|weighed| WeighedTouches { grant: before.join_later(weighed.grant), ..weighed }),
        )
    }

    /// Judges a host that an allowed call comes to on its way: where a URL redirects to. What `before` reaches is not asked
    /// again.
    pub fn judge_host<T>(&self, subject: T, host: &str, before: &Grant) -> RuleVerdict<T> {
        let touch = Touch::Network { reached: NetworkTarget::Host(host.to_owned()), consented: false };
        conclude_verdict(subject, self.weigh_touches(vec![touch], Some(before)))
    }

    /// Judges accesses that are no call's: those of an undo.
    pub fn judge_paths(&self, touches: Vec<PathTouch>) -> RuleVerdict<()> {
        conclude_verdict((), self.weigh_touches(touches.into_iter().map(Touch::Path).collect(), None))
    }

    /// Holds touches against the rules, a path by the one asked for and by the one it leads to.
    fn weigh_touches(
        &self,
        touches: Vec<Touch>,
        before: Option<&Grant>,
    ) -> Result<WeighedTouches, AccessRefusal> {
        let mut case = TouchCase {
            before,
            asks: Vec::new(),
            always: None,
            script: None,
            of_paths: true,
            paths: Vec::new(),
            leaves: Vec::new(),
        };
        for touch in &touches {
            match touch {
                Touch::Path(path) => self.judge_path(path, &mut case)?,
                act => case.judge_act(act, self.act_question(act)?),
            }
        }
        let TouchCase { asks, leaves, always, script, of_paths, paths, .. } = case;
        let always = always.filter(|_| asks.len() == 1);
        let paths = of_paths.then(|| Grant::new(Vec::new(), paths));
        Ok(WeighedTouches { grant: Grant::new(touches, leaves), asks, always, script, paths })
    }

    /// Judges one path: the right to write it includes the right to read it, as the text that a change is made on.
    fn judge_path(&self, touch: &PathTouch, case: &mut TouchCase<'_>) -> Result<(), AccessRefusal> {
        let resolved = Some(&touch.resolved).filter(|resolved| **resolved != touch.asked);
        for path in std::iter::once(&touch.asked).chain(resolved) {
            if touch.access == PathAccess::Write
                && let PathRuling::Ask { rule } = self.paths().check_access(PathAccess::Read, path)
            {
                case.leaves.push(PersonLeave::Path(path.clone(), rule));
            }
            match self.paths().check_access(touch.access, path) {
                PathRuling::Allow => {}
                PathRuling::Deny { rule } => {
                    return Err(AccessRefusal::Denied { touch: touch.clone(), rule });
                }
                PathRuling::Ask { rule } => {
                    let leave = PersonLeave::Path(path.clone(), rule.clone());
                    case.leaves.push(leave.clone());
                    if !case.before.is_some_and(|before| before.covers_path(path, &rule)) {
                        case.paths.push(leave);
                        case.add_question(format!("{} {touch}", access_verb(touch.access)), rule);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Touches that no rule refuses.
struct WeighedTouches {
    grant: Grant,
    /// The questions to ask first, each act with the rule.
    asks: Vec<(String, String)>,
    /// The permission that the person can give for always, where a single act is asked about.
    always: Option<LastingPermission>,
    /// The script of several lines that is asked about.
    script: Option<String>,
    /// The paths that are asked about, where nothing else is.
    paths: Option<Grant>,
}

fn conclude_verdict<T>(subject: T, weighed: Result<WeighedTouches, AccessRefusal>) -> RuleVerdict<T> {
    let WeighedTouches { grant, asks, always, script, paths } = match weighed {
        Ok(weighed) => weighed,
        Err(refusal) => return RuleVerdict::Deny(refusal),
    };
    let allowed = AllowedSubject { subject, grant: Arc::new(grant) };
    match asks.first() {
        None => RuleVerdict::Allow(allowed),
        Some((_, rule)) => RuleVerdict::Ask(RuleQuestion {
            rule: rule.clone(),
            question: question_text(&asks, rule, script.as_deref()),
            always,
            paths,
            allowed,
        }),
    }
}

/// The state of judging several touches together.
struct TouchCase<'a> {
    /// The grant so far.
    before: Option<&'a Grant>,
    /// The questions to ask, each act with the rule.
    asks: Vec<(String, String)>,
    /// The permission that the person can give for always.
    always: Option<LastingPermission>,
    /// The script of several lines among them.
    script: Option<String>,
    /// True where nothing but paths is asked about.
    of_paths: bool,
    /// The paths that are asked about.
    paths: Vec<PersonLeave>,
    leaves: Vec<PersonLeave>,
}

impl TouchCase<'_> {
    /// A command or a part of the network.
    fn judge_act(&mut self, act: &Touch, asking: Option<ActQuestion>) {
        let Some(asking) = asking else { return };
        self.leaves.push(PersonLeave::Act(act.clone()));
        if !self.before.is_some_and(|before| before.covers_act(act)) {
            self.always = self.always.take().or(asking.always);
            self.script = self.script.take().or(asking.script);
            self.of_paths = false;
            self.add_question(asking.act, asking.rule);
        }
    }

    fn add_question(&mut self, act: String, rule: String) {
        if !self.asks.iter().any(|(asked, _)| *asked == act) {
            self.asks.push((act, rule));
        }
    }
}

fn question_text(asks: &[(String, String)], rule: &str, script: Option<&str>) -> String {
    let more = asks.len().saturating_sub(MOST_ASKED);
    let mut acts: Vec<String> = asks.iter().take(MOST_ASKED).map(|(act, _)| act.clone()).collect();
    if more > 0 {
        acts.push(format!("and {more} more files"));
    }
    let asked = format!("Allow to {}? Rule {rule} asks first.", acts.join(", "));
    // No line of it is the script's.
    let asked = escape_to_line(&asked).into_owned();
    match script {
        Some(script) => format!("{asked}\n{}", indent_script(script)),
        None => asked,
    }
}

/// Indents a script below a question, so that no line can be taken for wherefore's words.
pub(crate) fn indent_script(script: &str) -> String {
    script.split('\n').map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
