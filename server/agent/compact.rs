//! Keeps a conversation within its budget: old results are shortened first, then old steps are left out, with a list of
//! their purposes. A call and its result stay or go together.

use std::collections::HashMap;

use serde_json::Value;

use super::history::{ConversationHistory, message_characters};
use crate::model::ModelMessage;

/// The share of the budget from which on a conversation is made shorter, in percent.
const FULL: u64 = 80;
/// The share that it is brought to.
const GOAL: u64 = 55;
/// The share that it is brought to once the model's server said that it is too long.
const HARD: u64 = 35;
/// Steps at the end whose results stay as they are.
const RECENT: usize = 2;
/// Characters of a shortened result.
const KEPT: usize = 240;
/// Bytes of the list of steps that were left out.
const LIST: usize = 4000;

/// The first sentence of the note in place of steps that were left out.
const NOTE: &str = "Earlier steps were left out to save room. They were:";

/// Shortens a conversation if it is near its budget, or in any case if `hard`. Returns what was done, a sentence each.
pub(super) fn compact_history(
    history: &mut ConversationHistory,
    beside: usize,
    budget: u64,
    hard: bool,
) -> Vec<String> {
    let before = history.estimate_tokens(beside);
    if !hard && before <= budget * FULL / 100 {
        return Vec::new();
    }
    // The server's count shows that the estimate is too low, so the current size counts as the whole.
    let whole = if hard { before.min(budget) } else { budget };
    let goal = whole * if hard { HARD } else { GOAL } / 100;
    let mut done = Vec::new();
    let shortened = shorten_results(history, beside, goal, if hard { 0 } else { RECENT });
    if shortened > 0 {
        let (results, were) = if shortened == 1 { ("result", "was") } else { ("results", "were") };
        let what = format!("{shortened} older {results} {were} shortened to the first {KEPT} characters");
        done.push(what);
    }
    if history.estimate_tokens(beside) > goal {
        let left_out = leave_out_steps(history, beside, goal);
        if left_out > 0 {
            let steps = if left_out == 1 { "step was" } else { "steps were" };
            let what =
                format!("{left_out} older {steps} left out; a list of their calls stands in their place");
            done.push(what);
        }
    }
    if let Some(last) = done.last_mut() {
        last.push_str(&format!(" ({before} tokens before, {} now)", history.estimate_tokens(beside)));
    }
    done
}

/// The indexes at which the steps begin: each with the model's answer.
fn step_starts(messages: &[ModelMessage]) -> Vec<usize> {
    let is_answer = |message: &ModelMessage| matches!(message, ModelMessage::Assistant { .. });
    messages.iter().enumerate().filter(|(_, message)| is_answer(message)).map(|(at, _)| at).collect()
}

/// Shortens results, the oldest first, until the goal is reached; returns their number.
fn shorten_results(history: &mut ConversationHistory, beside: usize, goal: u64, recent: usize) -> usize {
    let starts = step_starts(history.messages());
    let until = starts.len().checked_sub(recent).and_then(|at| starts.get(at)).copied();
    let until = until.unwrap_or(if recent == 0 { history.messages().len() } else { 0 });
    let mut messages = history.messages().to_vec();
    let total: usize = messages.iter().map(message_characters).sum();
    let most = characters_of(history, beside, goal);
    let (mut left, mut first, mut count) = (total, None, 0);
    for (at, message) in messages.iter_mut().enumerate().take(until) {
        if left <= most {
            break;
        }
        let ModelMessage::ToolResult { text, .. } = message else { continue };
        if text.len() <= KEPT * 2 {
            continue;
        }
        let head: String = text.chars().take(KEPT).collect();
        let short = format!(
            "{head}… [{} further bytes of this result were left out; make the call again if you need them]",
            text.len() - head.len()
        );
        left -= text.len() - short.len().min(text.len());
        *text = short;
        first.get_or_insert(at);
        count += 1;
    }
    if let Some(first) = first {
        history.replace_from(first, messages.split_off(first));
    }
    count
}

/// Characters of messages that fit into that number of tokens.
fn characters_of(history: &ConversationHistory, beside: usize, tokens: u64) -> usize {
    let per = history.tokens_of(10_000).max(1);
    let all = usize::try_from(tokens.saturating_mul(10_000) / per).unwrap_or(usize::MAX);
    all.saturating_sub(beside)
}

/// Leaves steps out, the oldest first, until the goal is reached; returns their number. The person's messages and the
/// last step stay.
fn leave_out_steps(history: &mut ConversationHistory, beside: usize, goal: u64) -> usize {
    let messages = history.messages().to_vec();
    let starts = step_starts(&messages);
    let most = characters_of(history, beside, goal);
    let mut left: usize = messages.iter().map(message_characters).sum();
    let mut until = 0;
    let mut count = 0;
    for pair in starts.windows(2) {
        if left <= most {
            break;
        }
        let gone = messages[pair[0]..pair[1]].iter().filter(|message| !is_words(message));
        left -= gone.map(message_characters).sum::<usize>().min(left);
        until = pair[1];
        count += 1;
    }
    let Some(first) = starts.first().copied().filter(|_| count > 0) else { return 0 };
    let mut list = String::new();
    let mut words = Vec::new();
    list_steps(&messages[first..until], &mut list, &mut words);
    let mut kept: Vec<ModelMessage> = messages[..first].to_vec();
    let mut told = format!("{NOTE}\n{list}");
    words.iter().for_each(|text| told.push_str(&format!("\nThe person said meanwhile: {text}")));
    match kept.last_mut() {
        Some(ModelMessage::User { text }) => {
            if let Some(at) = text.find(&format!("\n\n{NOTE}")) {
                let earlier = text.split_off(at);
                let mut lines = earlier.trim_start().to_owned();
                lines.push_str(told.strip_prefix(NOTE).unwrap_or(&told));
                told = shorten_note(&lines);
            }
            text.push_str("\n\n");
            text.push_str(&told);
        }
        _ => kept.push(ModelMessage::User { text: told }),
    }
    kept.extend_from_slice(&messages[until..]);
    // The message that a step began with may have changed, like those before it.
    let from = first.saturating_sub(1);
    history.replace_from(from, kept.split_off(from));
    count
}

/// Cuts the start of a note's list that is longer than [`LIST`]; the heading and the end stay.
fn shorten_note(note: &str) -> String {
    let list = note.strip_prefix(NOTE).unwrap_or(note);
    let over = list.len().saturating_sub(LIST);
    let at = list.char_indices().map(|(at, _)| at).find(|at| *at >= over).unwrap_or(0);
    let cut = if at > 0 { "\n…" } else { "" };
    format!("{NOTE}{cut}{}", &list[at..])
}

fn is_words(message: &ModelMessage) -> bool {
    matches!(message, ModelMessage::User { .. })
}

/// Adds a line for each call, with its reason and whether it failed.
fn list_steps(messages: &[ModelMessage], list: &mut String, words: &mut Vec<String>) {
    let failed: HashMap<&str, bool> = messages
        .iter()
        .filter_map(|message| match message {
            ModelMessage::ToolResult { call_id, failed, .. } => Some((call_id.as_str(), *failed)),
            _ => None,
        })
        .collect();
    for message in messages {
        match message {
            ModelMessage::User { text } => words.push(text.clone()),
            ModelMessage::Assistant { calls, .. } => {
                for call in calls {
                    let args: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
                    let outcome = match failed.get(call.id.as_str()) {
                        Some(true) => " (failed)",
                        _ => "",
                    };
                    let line = format!("- {} {}: {}{outcome}", call.name, text("path"), text("why"));
                    if list.len() + line.len() < LIST {
                        list.push_str(&line);
                        list.push('\n');
                    }
                }
            }
            ModelMessage::ToolResult { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::ModelCall;

    fn conversation(steps: usize, result: usize) -> ConversationHistory {
        let mut history = ConversationHistory::default();
        history.push_words("Fix the bug");
        for step in 0..steps {
            let id = format!("c{step}");
            let arguments = format!("{{\"path\":\"f{step}\",\"why\":\"To see {step}\"}}");
            let call = ModelCall { id: id.clone(), name: "fs_read".to_owned(), arguments };
            history.push_message(ModelMessage::Assistant {
                text: String::new(),
                calls: vec![call],
                state: None,
            });
            let text = "x".repeat(result);
            history.push_message(ModelMessage::ToolResult {
                call_id: id,
                name: "fs_read".to_owned(),
                text,
                failed: false,
            });
        }
        history
    }

    fn paired(history: &ConversationHistory) -> bool {
        let (mut calls, mut results) = (HashSet::new(), HashSet::new());
        for message in history.messages() {
            match message {
                ModelMessage::Assistant { calls: made, .. } => {
                    calls.extend(made.iter().map(|call| call.id.clone()))
                }
                ModelMessage::ToolResult { call_id, .. } => drop(results.insert(call_id.clone())),
                ModelMessage::User { .. } => {}
            }
        }
        calls == results
    }

    #[test]
    fn below_the_limit_nothing_changes() {
        let mut history = conversation(3, 100);
        assert!(compact_history(&mut history, 0, 10_000, false).is_empty());
        assert_eq!(history.messages().len(), 7);
    }

    #[test]
    fn older_results_are_shortened_and_the_newest_stay() {
        let mut history = conversation(6, 4000);
        let done = compact_history(&mut history, 0, 7000, false);
        assert!(done[0].contains("older results"), "{done:?}");
        assert!(history.estimate_tokens(0) <= 7000 * FULL / 100 && paired(&history));
        let ModelMessage::ToolResult { text, .. } = history.messages().last().unwrap() else { panic!() };
        assert_eq!(text.len(), 4000);
        assert_eq!(history.messages().len(), 13);
    }

    #[test]
    fn older_steps_are_left_out_with_what_they_were_for_and_no_pair_is_parted() {
        let mut history = conversation(60, 400);
        for round in 0..3 {
            let done = compact_history(&mut history, 0, 3000, false);
            assert!(done.iter().any(|done| done.contains("steps were left out; ")), "{round}: {done:?}");
            assert!(
                history.estimate_tokens(0) <= 3000 * FULL / 100 && paired(&history),
                "{}",
                history.estimate_tokens(0)
            );
            let ModelMessage::User { text } = &history.messages()[0] else { panic!() };
            assert!(text.starts_with("Fix the bug\n\n") && text.matches(NOTE).count() == 1, "{text}");
            for message in conversation(30, 400).messages().iter().skip(1) {
                history.push_message(message.clone());
            }
        }
    }

    #[test]
    fn what_the_server_calls_too_long_is_cut_whatever_the_estimate_says() {
        let mut history = conversation(4, 3000);
        let before = history.estimate_tokens(0);
        let done = compact_history(&mut history, 0, 1_000_000, true);
        assert!(!done.is_empty() && history.estimate_tokens(0) < before / 2, "{done:?}");
        assert!(paired(&history));
    }
}
