//! Which review policy a call falls under.
//!
//! # Invariants
//!
//! - No review rule is passed by a link or by another spelling.
//!   Test: `a_review_rule_holds_for_where_a_link_leads`

use crate::base::WorkspacePath;
use crate::protocol::{Code, Door, Fault, Policy};
use crate::registry::CheckedCall;
use crate::session::CallScope;

/// The policy of a call that writes these paths: the strictest over them, each as it was asked for and as it resolves,
/// and over the rules of the person and of the project.
///
/// A caller's own policy can only make it stricter, except where it is the choice of the person who typed the command:
/// that counts before the default, though not before a rule. This holds for a call from the command line, and for an
/// agent's, whose policy is that of the `wherefore mcp` which let it in, or of the person who started its run.
///
/// If the change `applies` by the person's settings, the default is to apply it, unless it is to refuse.
///
/// # Errors
/// PERMISSION_DENIED where the policy is to refuse.
pub(super) fn policy_of_call(
    scope: &CallScope,
    call: &CheckedCall,
    writes: &[WorkspacePath],
    applies: bool,
) -> Result<Policy, Fault> {
    let governance = scope.governance();
    let asked = call.policy().unwrap_or(Policy::Auto);
    let defaults = match (call.policy(), call.origin().door) {
        (_, Door::Cli) | (Some(_), Door::Mcp | Door::Agent) => [asked; 2],
        _ => governance.default_policies(),
    };
    let defaults =
        defaults.map(|policy| if applies && policy != Policy::Deny { Policy::Auto } else { policy });
    // A tool that a project defines over a built-in activity falls under the rules of both.
    let mut names = vec![call.tool().def().all_names()];
    if call.activity_name() != call.tool().name() {
        names.push(vec![call.activity_name().to_owned()]);
    }
    let mut strictest = Policy::Auto;
    for path in writes {
        // The rules report a path that does not resolve.
        let resolved = scope.files().paths().root().resolve_path(path).unwrap_or_else(|_| path.clone());
        let policy = [path, &resolved]
            .into_iter()
            .map(|path| governance.review_rules().policy_for(&names, path, defaults))
            .fold(asked, Policy::max);
        if policy == Policy::Deny {
            return Err(Fault::new(
                Code::PermissionDenied,
                format!("the policy for {} on {path} is to refuse changes", call.tool().name()),
            )
            .with_suggestion(
                "say what you would change; the person can allow it in the settings ([review])",
            ));
        }
        strictest = strictest.max(policy);
    }
    Ok(strictest)
}

/// Refuses a call that declares to write a path whose policy is to refuse, before anything runs. The other policies
/// are judged by what its draft changes later: a call may declare more than it changes.
///
/// # Errors
/// As [`policy_of_call`] and [`WorkspacePath::parse`].
pub(super) fn refuse_declared(scope: &CallScope, call: &CheckedCall) -> Result<(), Fault> {
    let declared: Result<Vec<_>, _> =
        call.effects().writes.iter().map(|asked| scope.parse_path(asked)).collect();
    policy_of_call(scope, call, &declared?, false).map(drop)
}
