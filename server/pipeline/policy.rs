//! Which review policy a call falls under.

use globset::GlobBuilder;

use crate::base::WorkspacePath;
use crate::protocol::{Code, Door, Fault, Policy, PolicyRule};
use crate::registry::Call;
use crate::session::Session;

/// The policy of a call: the strictest over the paths it writes.
///
/// What a caller asks for can only make it stricter, but where it is the word of the person who typed the command:
/// that counts before the default, though not before a rule. It is so for a call from the command line, and for an
/// agent's, whose policy is that of the `wherefore mcp` which let it in.
///
/// # Errors
/// PERMISSION_DENIED where the policy is to refuse.
pub fn of(session: &Session, call: &Call) -> Result<Policy, Fault> {
    let review = &session.settings().review;
    let effects = call.effects();
    let mut strictest: Option<Policy> = None;
    for asked in &effects.writes {
        let path = WorkspacePath::parse(session.root(), asked)?;
        // A tool that a project defines over a built-in activity falls under the rules of both names.
        let names = [call.tool().name(), call.activity_name()];
        let ruled = names.iter().filter_map(|name| {
            review.rules.iter().rev().find(|rule| matches(rule, name, &path)).map(|rule| rule.policy)
        });
        let ruled = ruled.max();
        let policy = match (ruled, call.policy(), call.origin().door) {
            (None, asked, Door::Cli) => asked.unwrap_or(Policy::Auto),
            (None, Some(asked), Door::Mcp) => asked,
            (ruled, asked, _) => ruled.unwrap_or(review.policy).max(asked.unwrap_or(Policy::Auto)),
        };
        if policy == Policy::Deny {
            return Err(Fault::new(
                Code::PermissionDenied,
                format!("the policy for {} on {path} is to refuse changes", call.tool().name()),
            )
            .suggest("say what you would change; the person can allow it in the settings ([review])"));
        }
        strictest = strictest.max(Some(policy));
    }
    Ok(strictest.unwrap_or(Policy::Auto))
}

/// A glob that does not parse matches everything: a rule must not fall away by a slip of the pen.
fn matches(rule: &PolicyRule, tool: &str, path: &WorkspacePath) -> bool {
    let hit = |glob: &Option<String>, text: &str| {
        glob.as_ref().is_none_or(|glob| {
            GlobBuilder::new(glob)
                .literal_separator(true)
                .build()
                .map_or(true, |glob| glob.compile_matcher().is_match(text))
        })
    };
    hit(&rule.tool, tool) && hit(&rule.path, path.as_str())
}
