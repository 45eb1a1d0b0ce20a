//! The prompt of a run within its share of the model's context: the whole one if that fits, otherwise the short one,
//! assembled from its parts until its room is full.

use std::collections::BTreeMap;

use super::constrained;
use super::feedback;
use super::prompt::{self, PromptParts};
use super::short_prompt;
use super::surface::{OfferedTools, offered_tools};
use crate::hub::ServedFolder;
use crate::model::{ModelFacts, ToolSpec};
use crate::protocol::PromptSize;

/// The share of the context that the whole prompt may take, in percent; of a model that makes no native calls, which a long
/// list of tools leads astray.
const WHOLE: u64 = 50;
const WHOLE_UNTAUGHT: u64 = 10;
/// The share that the short prompt may take, in percent, the least and the most tokens. A model that makes no native calls gets
/// less: with a hundred tokens more of tools, one of 135 million parameters took the wrong one.
const SHORT: u64 = 12;
const SHORT_UNTAUGHT: u64 = 5;
const LEAST: u64 = 400;
const MOST: u64 = 1500;
/// The size in bytes below which the project's instructions are left out rather than cut.
const CUT: usize = 120;

/// The prompt and the tools of a run.
#[derive(Debug)]
pub(super) struct AssembledPrompt {
    pub(super) system: String,
    pub(super) offered: OfferedTools,
    /// The use of the short prompt's room; none if the prompt is whole.
    pub(super) room: Option<PromptRoom>,
}

/// The room of a prompt, and its contents.
#[derive(Debug)]
pub(super) struct PromptRoom {
    /// Tokens that it may hold.
    pub(super) budget: u64,
    /// Tokens that it holds, estimated.
    pub(super) tokens: u64,
    /// Its parts with their tokens.
    pub(super) included: BTreeMap<String, u64>,
    /// The parts that are cut.
    pub(super) cut: Vec<String>,
    /// The parts that were left out, with the reasons.
    pub(super) left_out: BTreeMap<String, String>,
}

/// Tokens of a text, estimated: signatures and rules have less than four characters a token.
fn estimate_tokens(text: &str) -> u64 {
    (text.len() as u64 * 2).div_ceil(7)
}

impl PromptRoom {
    fn new(context: u64, share: u64) -> Self {
        Self {
            budget: (context * share / 100).clamp(LEAST, MOST),
            tokens: 0,
            included: BTreeMap::new(),
            cut: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    fn tokens_left(&self) -> u64 {
        self.budget.saturating_sub(self.tokens)
    }

    fn add_part(&mut self, name: &str, tokens: u64) {
        self.tokens += tokens;
        self.included.insert(name.to_owned(), tokens);
    }

    /// Adds a part if it fits; returns whether it does.
    fn add_if_fits(&mut self, name: &str, tokens: u64) -> bool {
        let fits = tokens <= self.tokens_left();
        match fits {
            true => self.add_part(name, tokens),
            false => drop(self.left_out.insert(name.to_owned(), format!("no room for its {tokens} tokens"))),
        }
        fits
    }

    /// A sentence about it for the person.
    pub(super) fn describe_room(&self) -> String {
        let mut told =
            format!("the model gets the short prompt, about {} of {} tokens", self.tokens, self.budget);
        if !self.cut.is_empty() {
            told.push_str(&format!("; cut: {}", self.cut.join(", ")));
        }
        if !self.left_out.is_empty() {
            let names: Vec<&str> = self.left_out.keys().map(String::as_str).collect();
            told.push_str(&format!("; left out: {}", names.join(", ")));
        }
        told
    }
}

/// Assembles the prompt of a run. `context` is the size of the model's context, known or guessed.
pub(super) fn assemble_prompt(
    folder: &ServedFolder,
    facts: &ModelFacts,
    size: PromptSize,
    context: u64,
    task: &str,
    instructions: &[(String, String)],
) -> AssembledPrompt {
    let whole = whole_prompt(folder, instructions);
    let share = if constrained::needs_constrained_form(facts) { WHOLE_UNTAUGHT } else { WHOLE };
    let is_short = match size {
        PromptSize::Full => false,
        PromptSize::Short => true,
        // A guessed size is no reason to leave anything out.
        PromptSize::Auto => {
            let tools: u64 = whole.offered.tools.iter().map(tool_tokens).sum();
            facts.context_tokens.is_some() && estimate_tokens(&whole.system) + tools > context * share / 100
        }
    };
    if is_short { short_prompt(folder, facts, context, task, instructions) } else { whole }
}

/// Tokens of a tool in a request.
fn tool_tokens(tool: &ToolSpec) -> u64 {
    estimate_tokens(&tool.description) + estimate_tokens(&tool.schema.to_string())
}

fn whole_prompt(folder: &ServedFolder, instructions: &[(String, String)]) -> AssembledPrompt {
    let offered = offered_tools(folder);
    let system = prompt::system_prompt(PromptParts {
        root: folder.root(),
        is_discovery: offered.is_discovery,
        has_latent: offered.has_latent,
        instructions,
    });
    AssembledPrompt { system, offered, room: None }
}

fn short_prompt(
    folder: &ServedFolder,
    facts: &ModelFacts,
    context: u64,
    task: &str,
    instructions: &[(String, String)],
) -> AssembledPrompt {
    let is_constrained = constrained::needs_constrained_form(facts);
    let cost = |tool: &ToolSpec| match is_constrained {
        true => estimate_tokens(&short_prompt::tool_signature(tool)),
        false => tool_tokens(tool) + estimate_tokens(&tool.name),
    };
    let mut room = PromptRoom::new(context, if is_constrained { SHORT_UNTAUGHT } else { SHORT });
    let mut system = short_prompt::short_rules(folder.root());
    room.add_part("rules", estimate_tokens(&system));
    if is_constrained {
        room.add_part("form", estimate_tokens(&constrained::short_form()));
    }
    let mut tools = Vec::new();
    for (tool, is_needed) in short_prompt::core_tools(folder, task) {
        if is_needed {
            room.add_part(&tool.name, cost(&tool));
        } else if !room.add_if_fits(&tool.name, cost(&tool)) {
            continue;
        }
        tools.push(tool);
    }
    let finders = short_prompt::finder_tools();
    let finding = finders.iter().map(cost).sum::<u64>() + estimate_tokens(short_prompt::FINDING);
    if room.add_if_fits("finding other tools", finding) {
        system.push('\n');
        system.push_str(short_prompt::FINDING);
        tools.extend(finders);
    }
    for (name, said) in instructions {
        let head = format!("\n\nThe project's {name} says:\n");
        let bytes =
            usize::try_from(room.tokens_left() * 7 / 2).unwrap_or(usize::MAX).saturating_sub(head.len());
        let kept = feedback::text_head(said.trim(), bytes);
        if kept.len() < said.trim().len() {
            if kept.len() < CUT {
                room.left_out
                    .insert(name.clone(), format!("no room for its {} tokens", estimate_tokens(said)));
                continue;
            }
            room.cut.push(name.clone());
        }
        let part = format!("{head}{kept}");
        room.add_part(name, estimate_tokens(&part));
        system.push_str(&part);
    }
    AssembledPrompt {
        system,
        offered: OfferedTools { tools, is_discovery: true, has_latent: false, is_short: true },
        room: Some(room),
    }
}
