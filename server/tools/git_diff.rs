//! git.diff: what changed in files, not yet committed or between commits.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::repository;
use crate::execution::{CommandExecutor, DiffRequest, DiffSides, DiffedFile, GitReader};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Lines around each change, where the caller names none.
const CONTEXT: Count = Count(3);
/// The most lines around each change.
const MOST_CONTEXT: u64 = 1000;

/// Compares two states of files.
pub(super) struct ShowDiff(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DiffInput {
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    staged: bool,
    rev: Option<String>,
    from: Option<String>,
    to: Option<String>,
    context: Option<Count>,
    #[serde(default)]
    stat: bool,
}

/// The changes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DiffAnswer {
    files: Vec<DiffedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl Activity for ShowDiff {
    type Input = DiffInput;
    type Output = DiffAnswer;

    fn call_effects(&self, input: &DiffInput) -> CallEffects {
        repository::repository_effects(&input.paths)
    }

    async fn run_call(
        &self,
        input: Arc<DiffInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<DiffAnswer>, Fault> {
        let request = DiffRequest {
            sides: diff_sides(&input)?,
            paths: repository::parse_paths(scope, &input.paths)?,
            context: input.context.unwrap_or(CONTEXT).0.min(MOST_CONTEXT),
            has_text: !input.stat,
        };
        let mut diff = GitReader::open(&self.0, scope, &request.paths)?.diff_files(&request).await?;
        scope.check_cancelled()?;
        let limits = &scope.settings().limits;
        let (files, bytes) = (diff.files.len(), diff.text.len());
        diff.files.truncate(limits.output_items);
        let shown = cut_to_lines(&diff.text, limits.output_bytes);
        let is_short = shown.len() < bytes || diff.is_cut;
        let rest = match (is_short, diff.files.len() < files) {
            (true, _) => Some(format!(
                "the diff is cut after {} bytes; name `paths`, or set `stat` to see the list of files alone",
                shown.len()
            )),
            (false, true) => Some(format!("{} of {files} files are listed; name `paths`", diff.files.len())),
            (false, false) => None,
        };
        let text = request.has_text.then(|| shown.to_owned());
        let warnings = repository::left_out(diff.closed).into_iter().collect();
        let answer = DiffAnswer { files: diff.files, diff: text };
        Ok(ActivityOutput { truncated: rest.is_some(), rest, warnings, ..ActivityOutput::from_value(answer) })
    }
}

fn diff_sides(input: &DiffInput) -> Result<DiffSides, Fault> {
    let DiffInput { staged, rev, from, to, .. } = input;
    match (rev, from, to) {
        (None, _, None) => Ok(DiffSides::Now { staged: *staged, from: from.clone() }),
        (None, Some(from), Some(to)) if !staged => {
            Ok(DiffSides::Commits { from: from.clone(), to: to.clone() })
        }
        (Some(rev), None, None) if !staged => Ok(DiffSides::Of(rev.clone())),
        _ => Err(Fault::new(Code::InvalidArgs, "these arguments name no two states to compare").with_suggestion(
            "give `rev` alone for what one commit changed, `from` and `to` for two commits, `from` for the files since a \
             commit, or `staged`",
        )),
    }
}

/// The beginning of a text, in whole lines where it has any.
fn cut_to_lines(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let head = &text[..text.floor_char_boundary(most)];
    head.rfind('\n').map_or(head, |end| &head[..=end])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn two_states_are_compared_and_no_more() {
        let sides = |arguments: Value| diff_sides(&serde_json::from_value(arguments).unwrap());
        let text = str::to_owned;
        assert_eq!(sides(json!({})), Ok(DiffSides::Now { staged: false, from: None }));
        let since = DiffSides::Now { staged: true, from: Some(text("v1")) };
        assert_eq!(sides(json!({ "staged": true, "from": "v1" })), Ok(since));
        let both = DiffSides::Commits { from: text("a"), to: text("b") };
        assert_eq!(sides(json!({ "from": "a", "to": "b" })), Ok(both));
        assert_eq!(sides(json!({ "rev": "a" })), Ok(DiffSides::Of(text("a"))));
        for wrong in [
            json!({ "to": "b" }),
            json!({ "rev": "a", "from": "b" }),
            json!({ "rev": "a", "staged": true }),
            json!({ "from": "a", "to": "b", "staged": true }),
        ] {
            assert_eq!(sides(wrong.clone()).unwrap_err().code, Code::InvalidArgs, "{wrong}");
        }
    }

    #[test]
    fn a_long_text_ends_with_a_whole_line() {
        assert_eq!(cut_to_lines("one\ntwo\n", 8), "one\ntwo\n");
        assert_eq!(cut_to_lines("one\ntwo\n", 7), "one\n");
        assert_eq!(cut_to_lines("äöü", 3), "ä");
    }
}
