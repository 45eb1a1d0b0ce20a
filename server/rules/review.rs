//! Review rules: the policy of a change, by the tool that makes it and the paths that it writes.

use globset::{Glob, GlobBuilder};

use super::fold::{fold_text, path_spellings};
use super::glob::clip_glob;
use super::glob_sets::GlobSets;
use crate::base::WorkspacePath;
use crate::protocol::{Policy, PolicyRule};

/// Review rules that each party may have.
const MOST: usize = 10_000;
/// Bytes of the longest glob of a review rule.
const LONGEST: usize = 4096;

/// The review rules of one party. Its last rule that matches counts.
#[derive(Clone, Debug, Default)]
struct PartyReviewRules {
    policies: Vec<Policy>,
    tools: GlobColumn,
    paths: GlobColumn,
    /// The strictest policy of the rules that cannot be compiled: it counts for every change.
    uncompiled: Option<Policy>,
}

/// A column of globs, one for each rule; a rule without one matches everything.
#[derive(Clone, Debug, Default)]
struct GlobColumn {
    /// Marks the rules that have a glob here.
    given: Vec<bool>,
    exact: GlobSets,
    /// The folded globs, for the spellings of a path.
    folded: GlobSets,
}

/// The review rules of the person and of the project, as separate parties: the strictest verdict counts.
#[derive(Clone, Debug, Default)]
pub struct ReviewRules {
    person: PartyReviewRules,
    project: PartyReviewRules,
    /// The least strict policy that any change may get, where settings could not be read.
    floor: Option<Policy>,
}

impl ReviewRules {
    /// Compiles the rules of both parties. A rule that cannot be compiled is reported in the problems; it makes changes
    /// stricter where it is strict, and never looser.
    pub fn new(person: &[PolicyRule], project: &[PolicyRule], floor: Option<Policy>) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let person = PartyReviewRules::new("the person's settings", person, &mut problems);
        let project = PartyReviewRules::new("the project's settings", project, &mut problems);
        (Self { person, project, floor }, problems)
    }

    /// The policy of a change to a path. `tools` are what makes it, each with every name that a rule may give it; of several
    /// the strictest policy counts. `defaults` are what counts where the person, and the project, have no rule for it. The path counts in each spelling that a file system may take for the same file.
    pub fn policy_for(&self, tools: &[Vec<String>], path: &WorkspacePath, defaults: [Policy; 2]) -> Policy {
        let exact = std::iter::once((path.as_str().to_owned(), false));
        let spelt = exact.chain(path_spellings(path.as_str()).into_iter().map(|spelling| (spelling, true)));
        let strictest = |strictest: Policy, (path, folded): (String, bool)| {
            let parties = [&self.person, &self.project].into_iter().zip(defaults);
            let verdict = |(party, default): (&PartyReviewRules, Policy)| {
                party.party_verdict(tools, &path, folded).unwrap_or(default)
            };
            parties.map(verdict).fold(strictest, Policy::max)
        };
        let ruled = spelt.fold(Policy::Auto, strictest);
        let closed = [self.person.uncompiled, self.project.uncompiled, self.floor];
        closed.into_iter().flatten().fold(ruled, Policy::max)
    }
}

impl PartyReviewRules {
    fn new(name: &str, rules: &[PolicyRule], problems: &mut Vec<String>) -> Self {
        let mut refused: Vec<(usize, String)> = Vec::new();
        if rules.len() > MOST {
            let why = format!("there are more than {MOST} review rules");
            refused.extend((MOST..rules.len()).map(|at| (at, why.clone())));
        }
        let kept = &rules[..rules.len().min(MOST)];
        let tools = GlobColumn::new(kept.iter().map(|rule| rule.tool.as_deref()), &mut refused);
        let paths = GlobColumn::new(kept.iter().map(|rule| rule.path.as_deref()), &mut refused);
        let uncompiled = refused.iter().filter_map(|(at, _)| rules.get(*at)).map(|rule| rule.policy).max();
        for (at, why) in refused.iter().take(20) {
            problems.push(format!(
                "review rule {} of {name} cannot be compiled ({why}): until it is mended it counts for every change, \
                 where it is the stricter one",
                at + 1
            ));
        }
        Self { policies: kept.iter().map(|rule| rule.policy).collect(), tools, paths, uncompiled }
    }

    fn party_verdict(&self, tools: &[Vec<String>], path: &str, folded: bool) -> Option<Policy> {
        if self.policies.is_empty() {
            return None;
        }
        let by_path = self.paths.matching_rules(path, folded);
        let of_tool = |names: &Vec<String>| {
            let by_name: Vec<_> =
                names.iter().map(|name| self.tools.matching_rules(&fold_text(name), true)).collect();
            let by_tool = |at: usize| by_name.iter().any(|hits| hits[at]);
            let last = (0..self.policies.len()).rev().find(|at| by_path[*at] && by_tool(*at))?;
            self.policies.get(last).copied()
        };
        tools.iter().filter_map(of_tool).max()
    }
}

impl GlobColumn {
    fn new<'a>(globs: impl Iterator<Item = Option<&'a str>>, refused: &mut Vec<(usize, String)>) -> Self {
        let (mut given, mut exact, mut folded) = (Vec::new(), Vec::new(), Vec::new());
        for (at, glob) in globs.enumerate() {
            given.push(glob.is_some());
            let Some(glob) = glob else { continue };
            match (compile_glob(glob), compile_glob(&fold_text(glob))) {
                (Ok(one), Ok(other)) => {
                    exact.push((at, one));
                    folded.push((at, other));
                }
                (Err(why), _) | (_, Err(why)) => refused.push((at, why)),
            }
        }
        let mut sets = |globs: &[(usize, Glob)]| {
            let (sets, too_large) = GlobSets::new(globs);
            refused.extend(too_large.into_iter().map(|(place, why)| (globs[place].0, clip_glob(&why))));
            sets
        };
        let (exact, folded) = (sets(&exact), sets(&folded));
        refused.sort();
        refused.dedup_by_key(|(at, _)| *at);
        Self { given, exact, folded }
    }

    /// Returns for each rule whether it matches here.
    fn matching_rules(&self, text: &str, folded: bool) -> Vec<bool> {
        let mut hits: Vec<bool> = self.given.iter().map(|given| !given).collect();
        let sets = if folded { &self.folded } else { &self.exact };
        sets.matching_globs(text).for_each(|at| hits[at] = true);
        hits
    }
}

fn compile_glob(glob: &str) -> Result<Glob, String> {
    if glob.len() > LONGEST {
        return Err(format!("its glob is {} bytes long, more than {LONGEST}", glob.len()));
    }
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built.map_err(|error| format!("`{}` is no glob: {}", clip_glob(glob), error.kind()))
}
