//! The rules judge everything that a call touches: its paths, the command that it runs, the hosts that it reaches.

use std::sync::Arc;

use super::acts::Asking;
use super::grant::{Allowed, Grant, Leave, RuleQuestion, Verdict};
use super::judge::{Rules, Ruling};
use super::refusal::Refusal;
use super::touch::{Effectful, PathTouch, Touch, verb};
use crate::protocol::{Access, Network};

/// Files that one question names.
const ASKED: usize = 20;

impl Rules {
    /// Judges all that a call declares. `look` finds where a path leads to. What `before` reaches is not asked again.
    ///
    /// # Errors
    /// What `look` says.
    pub fn judge_call<T: Effectful, E>(
        &self,
        call: T,
        look: impl Fn(Access, &str) -> Result<PathTouch, E>,
        before: Option<&Grant>,
    ) -> Result<Verdict<T>, E> {
        let effects = call.effects();
        let paths = effects.paths().map(|(access, asked)| look(access, asked).map(Touch::Path));
        let touches = Touch::outside(effects).map(Ok).chain(paths).collect::<Result<Vec<_>, _>>()?;
        Ok(concluded(call, self.weighed(touches, before)))
    }

    /// Judges what an allowed call touches beside what it declared: the paths of its change. What it was granted stays.
    pub fn judge_further<T>(&self, allowed: Allowed<T>, touches: Vec<PathTouch>) -> Verdict<T> {
        let Allowed { subject, grant: before } = allowed;
        let touches = touches.into_iter().map(Touch::Path).collect();
        let weighed = self.weighed(touches, Some(&before));
        concluded(subject, weighed.map(|weighed| Weighed { grant: before.and(weighed.grant), ..weighed }))
    }

    /// Judges a host that an allowed call comes to on its way: where a URL redirects to. What `before` reaches is not asked
    /// again.
    pub fn judge_host<T>(&self, subject: T, host: &str, before: &Grant) -> Verdict<T> {
        let touch = Touch::Network { reached: Network::Host(host.to_owned()), consented: false };
        concluded(subject, self.weighed(vec![touch], Some(before)))
    }

    /// Judges accesses that are no call's: those of an undo.
    pub fn judge_paths(&self, touches: Vec<PathTouch>) -> Verdict<()> {
        concluded((), self.weighed(touches.into_iter().map(Touch::Path).collect(), None))
    }

    /// Holds touches against the rules, a path by the one asked for and by the one it leads to.
    fn weighed(&self, touches: Vec<Touch>, before: Option<&Grant>) -> Result<Weighed, Refusal> {
        let mut case = Case {
            before,
            asks: Vec::new(),
            always: None,
            of_paths: true,
            paths: Vec::new(),
            leaves: Vec::new(),
        };
        for touch in &touches {
            match touch {
                Touch::Path(path) => self.judge_path(path, &mut case)?,
                act => case.judge_act(act, self.asking(act)?),
            }
        }
        let Case { asks, leaves, always, of_paths, paths, .. } = case;
        let always = always.filter(|_| asks.len() == 1);
        let paths = of_paths.then(|| Grant::new(Vec::new(), paths));
        Ok(Weighed { grant: Grant::new(touches, leaves), asks, always, paths })
    }

    /// Who may write a path may read it: the text that a change is made on.
    fn judge_path(&self, touch: &PathTouch, case: &mut Case<'_>) -> Result<(), Refusal> {
        let resolved = Some(&touch.resolved).filter(|resolved| **resolved != touch.asked);
        for path in std::iter::once(&touch.asked).chain(resolved) {
            if touch.access == Access::Write
                && let Ruling::Ask { rule } = self.check(Access::Read, path)
            {
                case.leaves.push(Leave::Path(path.clone(), rule));
            }
            match self.check(touch.access, path) {
                Ruling::Allow => {}
                Ruling::Deny { rule } => return Err(Refusal::Denied { touch: touch.clone(), rule }),
                Ruling::Ask { rule } => {
                    let leave = Leave::Path(path.clone(), rule.clone());
                    case.leaves.push(leave.clone());
                    if !case.before.is_some_and(|before| before.reaches(path, &rule)) {
                        case.paths.push(leave);
                        case.ask(format!("{} {touch}", verb(touch.access)), rule);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Touches that no rule refuses.
struct Weighed {
    grant: Grant,
    /// What has to be asked first, each act with the rule.
    asks: Vec<(String, String)>,
    /// The command that is all that is asked about, where the person can allow it for always.
    always: Option<Vec<String>>,
    /// The paths that are asked about, where nothing else is.
    paths: Option<Grant>,
}

fn concluded<T>(subject: T, weighed: Result<Weighed, Refusal>) -> Verdict<T> {
    let Weighed { grant, asks, always, paths } = match weighed {
        Ok(weighed) => weighed,
        Err(refusal) => return Verdict::Deny(refusal),
    };
    let allowed = Allowed { subject, grant: Arc::new(grant) };
    match asks.first() {
        None => Verdict::Allow(allowed),
        Some((_, rule)) => Verdict::Ask(RuleQuestion {
            rule: rule.clone(),
            question: question(&asks, rule),
            always,
            paths,
            allowed,
        }),
    }
}

/// What is judged together.
struct Case<'a> {
    /// What was granted already.
    before: Option<&'a Grant>,
    /// What has to be asked, each act with the rule.
    asks: Vec<(String, String)>,
    /// The command among them, where the person can allow it for always.
    always: Option<Vec<String>>,
    /// Whether nothing but paths is asked about.
    of_paths: bool,
    /// The paths that are asked about.
    paths: Vec<Leave>,
    leaves: Vec<Leave>,
}

impl Case<'_> {
    /// A command or a part of the network.
    fn judge_act(&mut self, act: &Touch, asking: Option<Asking>) {
        let Some(asking) = asking else { return };
        self.leaves.push(Leave::Act(act.clone()));
        if !self.before.is_some_and(|before| before.holds(act)) {
            self.always = self.always.take().or(asking.always);
            self.of_paths = false;
            self.ask(asking.act, asking.rule);
        }
    }

    fn ask(&mut self, act: String, rule: String) {
        if !self.asks.iter().any(|(asked, _)| *asked == act) {
            self.asks.push((act, rule));
        }
    }
}

fn question(asks: &[(String, String)], rule: &str) -> String {
    let more = asks.len().saturating_sub(ASKED);
    let mut acts: Vec<String> = asks.iter().take(ASKED).map(|(act, _)| act.clone()).collect();
    if more > 0 {
        acts.push(format!("and {more} more files"));
    }
    format!("Allow to {}? Rule {rule} asks first.", acts.join(", "))
}

#[cfg(test)]
mod tests;
