//! The prompt of a run within what it may take of the model's context: the whole one where that fits, else the short one, put
//! together from its parts until its room is full.

use std::collections::BTreeMap;

use super::constrained;
use super::feedback;
use super::prompt::{self, PromptParts};
use super::short;
use super::surface::{Offered, offered};
use crate::hub::Folder;
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
/// Bytes below which the project's word to agents is left out rather than cut.
const CUT: usize = 120;

/// What the run begins with.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) system: String,
    pub(super) offered: Offered,
    /// How the room of the short prompt was used; nothing where the prompt is whole.
    pub(super) room: Option<Room>,
}

/// The room of a prompt, and what is in it.
#[derive(Debug)]
pub(super) struct Room {
    /// Tokens that it may hold.
    pub(super) budget: u64,
    /// Tokens that it holds, estimated.
    pub(super) tokens: u64,
    /// Its parts with their tokens.
    pub(super) included: BTreeMap<String, u64>,
    /// Those of them that are cut.
    pub(super) cut: Vec<String>,
    /// What was left out, and why.
    pub(super) left_out: BTreeMap<String, String>,
}

/// Tokens of a text, estimated: signatures and rules have less than four characters a token.
fn tokens(text: &str) -> u64 {
    (text.len() as u64 * 2).div_ceil(7)
}

impl Room {
    fn new(context: u64, share: u64) -> Self {
        Self {
            budget: (context * share / 100).clamp(LEAST, MOST),
            tokens: 0,
            included: BTreeMap::new(),
            cut: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    fn left(&self) -> u64 {
        self.budget.saturating_sub(self.tokens)
    }

    fn put(&mut self, name: &str, tokens: u64) {
        self.tokens += tokens;
        self.included.insert(name.to_owned(), tokens);
    }

    /// Takes a part in where it fits; whether it does.
    fn fits(&mut self, name: &str, tokens: u64) -> bool {
        let fits = tokens <= self.left();
        match fits {
            true => self.put(name, tokens),
            false => drop(self.left_out.insert(name.to_owned(), format!("no room for its {tokens} tokens"))),
        }
        fits
    }

    /// What the person is told of it, as a sentence.
    pub(super) fn told(&self) -> String {
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

/// Puts the prompt of a run together. `context` is the size of the model's context, known or guessed.
pub(super) fn assembled(
    folder: &Folder,
    facts: &ModelFacts,
    size: PromptSize,
    context: u64,
    task: &str,
    instructions: &[(String, String)],
) -> Assembly {
    let whole = whole(folder, instructions);
    let share = if constrained::is_meant(facts) { WHOLE_UNTAUGHT } else { WHOLE };
    let is_short = match size {
        PromptSize::Full => false,
        PromptSize::Short => true,
        // A size that was guessed is no reason to leave anything out.
        PromptSize::Auto => {
            let tools: u64 = whole.offered.tools.iter().map(of_tool).sum();
            facts.context_tokens.is_some() && tokens(&whole.system) + tools > context * share / 100
        }
    };
    if is_short { shortened(folder, facts, context, task, instructions) } else { whole }
}

/// Tokens of a tool as it is sent.
fn of_tool(tool: &ToolSpec) -> u64 {
    tokens(&tool.description) + tokens(&tool.schema.to_string())
}

fn whole(folder: &Folder, instructions: &[(String, String)]) -> Assembly {
    let offered = offered(folder);
    let system = prompt::system(PromptParts {
        root: folder.root(),
        is_discovery: offered.is_discovery,
        has_latent: offered.has_latent,
        instructions,
    });
    Assembly { system, offered, room: None }
}

fn shortened(
    folder: &Folder,
    facts: &ModelFacts,
    context: u64,
    task: &str,
    instructions: &[(String, String)],
) -> Assembly {
    let is_constrained = constrained::is_meant(facts);
    let cost = |tool: &ToolSpec| match is_constrained {
        true => tokens(&short::signature(tool)),
        false => of_tool(tool) + tokens(&tool.name),
    };
    let mut room = Room::new(context, if is_constrained { SHORT_UNTAUGHT } else { SHORT });
    let mut system = short::rules(folder.root());
    room.put("rules", tokens(&system));
    if is_constrained {
        room.put("form", tokens(&constrained::short_form()));
    }
    let mut tools = Vec::new();
    for (tool, is_needed) in short::core_tools(folder, task) {
        if is_needed {
            room.put(&tool.name, cost(&tool));
        } else if !room.fits(&tool.name, cost(&tool)) {
            continue;
        }
        tools.push(tool);
    }
    let finders = short::finders();
    let finding = finders.iter().map(cost).sum::<u64>() + tokens(short::FINDING);
    if room.fits("finding other tools", finding) {
        system.push('\n');
        system.push_str(short::FINDING);
        tools.extend(finders);
    }
    for (name, said) in instructions {
        let head = format!("\n\nThe project's {name} says:\n");
        let bytes = usize::try_from(room.left() * 7 / 2).unwrap_or(usize::MAX).saturating_sub(head.len());
        let kept = feedback::head(said.trim(), bytes);
        if kept.len() < said.trim().len() {
            if kept.len() < CUT {
                room.left_out.insert(name.clone(), format!("no room for its {} tokens", tokens(said)));
                continue;
            }
            room.cut.push(name.clone());
        }
        let part = format!("{head}{kept}");
        room.put(name, tokens(&part));
        system.push_str(&part);
    }
    Assembly {
        system,
        offered: Offered { tools, is_discovery: true, has_latent: false, is_short: true },
        room: Some(room),
    }
}
