//! The built-in lists of globs, as all workspaces of a process have them.

use std::sync::LazyLock;

use super::builtin::{self, RuleKind};
use super::glob::PathGlobs;

/// The built-in lists, for any workspace.
static SHARED: LazyLock<BuiltInLists> = LazyLock::new(BuiltInLists::new);

/// The built-in lists. Those that close a path or ask about it are compiled together: a path that none of them speaks of
/// is held against one set.
#[derive(Debug)]
pub(super) struct BuiltInLists {
    pub(super) ours: PathGlobs,
    pub(super) version_control: PathGlobs,
    pub(super) sensitive: PathGlobs,
    pub(super) runs: PathGlobs,
    pub(super) asked: PathGlobs,
    /// The sensitive paths that are examples without secrets.
    pub(super) templates: PathGlobs,
    /// The paths of `runs` that a confined command may write.
    pub(super) installed: PathGlobs,
    pub(super) warned: PathGlobs,
    /// A sentence for each glob that is wrong.
    pub(super) problems: Vec<String>,
}

impl BuiltInLists {
    /// The lists of this process.
    pub(super) fn shared() -> &'static Self {
        &SHARED
    }

    fn new() -> Self {
        let mut problems = Vec::new();
        let mut of = |kind| PathGlobs::at_any_depth(&builtin::globs_of_kind(kind), &mut problems);
        let (mut ours, mut version_control) = (of(RuleKind::Private), of(RuleKind::Versions));
        let (mut sensitive, mut runs, mut asked) =
            (of(RuleKind::Sensitive), of(RuleKind::Never), of(RuleKind::Asked));
        PathGlobs::join_lists([&mut ours, &mut version_control, &mut sensitive, &mut runs, &mut asked]);
        let (templates, installed, warned) =
            (of(RuleKind::Template), of(RuleKind::Installed), of(RuleKind::Warned));
        Self { ours, version_control, sensitive, runs, asked, templates, installed, warned, problems }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_glob_is_compiled() {
        let lists = BuiltInLists::shared();
        assert!(lists.problems.is_empty(), "{:?}", lists.problems);
        let all = [&lists.ours, &lists.version_control, &lists.sensitive, &lists.runs, &lists.asked];
        for list in all.into_iter().chain([&lists.templates, &lists.installed, &lists.warned]) {
            assert!(list.is_compiled_whole(), "{list:?}");
        }
    }
}
