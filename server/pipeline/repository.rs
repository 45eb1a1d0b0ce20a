//! The decision on a command's changes of the repository, after the one on its changes of files: by the setting `[git] commit`,
//! by the policy, or by the person.

use super::{CallPipeline, call_policy, permit};
use crate::base::WorkspacePath;
use crate::protocol::{ChangeAnswer, CommitDecision, Event, Policy, RepositoryChange, Unanswered};
use crate::registry::{CheckedCall, RepositoryDesk};
use crate::session::CallScope;

/// The rule that is logged with the person's answer.
const RULE: &str = "git.commit";
/// The outcome of changes on which a person decides later.
const LATER: &str = "it waits for the person, who decides by `wherefore review --git`; later commands see it";

/// Decides on the waiting changes of the repository, and returns a sentence for each outcome. If some of the call's changes of
/// files are not accepted, they wait.
pub(super) async fn decide(
    pipeline: &CallPipeline,
    scope: &CallScope,
    call: &CheckedCall,
    is_accepted: bool,
) -> Vec<String> {
    let Some(desk) = call.activity().and_then(|activity| activity.desk()) else { return Vec::new() };
    let changes = desk.waiting(scope).await;
    if changes.is_empty() {
        return Vec::new();
    }
    let whole = summary(&changes);
    let left_out = changes.iter().flat_map(|change| change.left_out.clone());
    let mut said = vec![match outcome(pipeline, scope, call, (&*desk, &changes), is_accepted).await {
        Ok(words) => format!("{whole}: {words}"),
        Err(problems) => format!(
            "{whole}: not taken over: {}; the person sees it by `wherefore review --git`",
            problems.join("; ")
        ),
    }];
    said.extend(left_out);
    said
}

/// Adds the sentences to the answer of a call.
pub(super) fn add_sentences(answer: &mut ChangeAnswer, sentences: Vec<String>) {
    if !sentences.is_empty() {
        answer.notes.insert("git".to_owned(), sentences.into());
    }
}

/// The words for all that waits.
fn summary(changes: &[RepositoryChange]) -> String {
    let words: Vec<&str> = changes.iter().map(|change| change.summary.as_str()).collect();
    words.join("; ")
}

/// Decides, and returns the outcome as the end of a sentence.
///
/// # Errors
/// A sentence for each reason why the changes cannot be taken over.
async fn outcome(
    pipeline: &CallPipeline,
    scope: &CallScope,
    call: &CheckedCall,
    (desk, changes): (&dyn RepositoryDesk, &[RepositoryChange]),
    is_accepted: bool,
) -> Result<String, Vec<String>> {
    let obstacles: Vec<String> = changes.iter().flat_map(|change| change.obstacles.clone()).collect();
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    if !is_accepted {
        return Ok(
            "it waits until the changes of files beside it are accepted; later commands see it".to_owned()
        );
    }
    let of_changes = WorkspacePath::from_relative(".git")
        .and_then(|path| call_policy::policy_of_call(scope, call, &[path], false).ok())
        .unwrap_or(Policy::Deny);
    let not_accepted: Vec<&str> =
        changes.iter().flat_map(|change| change.not_accepted.iter().map(String::as_str)).collect();
    if of_changes != Policy::Auto && of_changes != Policy::Deny && !not_accepted.is_empty() {
        let named = not_accepted.join(", ");
        return Ok(format!(
            "it waits, since {named} is not in the workspace as it is there; later commands see it"
        ));
    }
    let policy = match scope.settings().git.commit {
        CommitDecision::Allow => Policy::Auto,
        CommitDecision::Ask => of_changes,
        CommitDecision::Deny => Policy::Deny,
    };
    match policy {
        Policy::Auto => taken(desk, scope).await,
        Policy::Ask => match asked(pipeline, scope, call, changes).await {
            Ok(true) => taken(desk, scope).await,
            Ok(false) => dropped(desk, scope, "the person said no, and it is dropped").await,
            Err(_) => Ok(LATER.to_owned()),
        },
        Policy::Hold => Ok(LATER.to_owned()),
        Policy::Deny => dropped(desk, scope, "the policy is to refuse changes, and it is dropped").await,
    }
}

async fn taken(desk: &dyn RepositoryDesk, scope: &CallScope) -> Result<String, Vec<String>> {
    let problems = desk.take(scope).await;
    if problems.is_empty() { Ok("taken over".to_owned()) } else { Err(problems) }
}

async fn dropped(desk: &dyn RepositoryDesk, scope: &CallScope, words: &str) -> Result<String, Vec<String>> {
    let problems = desk.discard(scope).await;
    if problems.is_empty() { Ok(words.to_owned()) } else { Err(problems) }
}

/// Asks the person, where one is there.
///
/// # Errors
/// The reason why there is no answer.
async fn asked(
    pipeline: &CallPipeline,
    scope: &CallScope,
    call: &CheckedCall,
    changes: &[RepositoryChange],
) -> Result<bool, Unanswered> {
    let passing: Vec<&str> =
        changes.iter().flat_map(|change| change.passing.iter().map(String::as_str)).collect();
    let aside = match passing.as_slice() {
        [] => String::new(),
        paths => format!("\nan earlier commit of it holds other texts of {}", paths.join(", ")),
    };
    let text = format!("take over what the command did to the repository: {}?{aside}", summary(changes));
    let (answer, by_client) = permit::asked_afterwards(&pipeline.session, scope, call, &text).await;
    let (granted, unanswered) = match answer {
        Ok(granted) => (granted, None),
        Err(why) => (false, Some(why)),
    };
    let event = Event::UserApproval {
        call_id: call.id().clone(),
        rule: RULE.to_owned(),
        granted,
        unanswered,
        by_client,
    };
    if let Err(error) = pipeline.session.log().write_event(event) {
        tracing::warn!("the answer is not in the log: {error}");
        return Err(Unanswered::Lost);
    }
    answer
}
