//! How the command lines of wrappers are read: their options stand in `wrappers.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::word::{Word, WordKind};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Script,
}

/// How the words after the options are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rest {
    /// A command.
    #[default]
    Command,
    /// A script in several words.
    Joined,
    /// A script each.
    Scripts,
    /// `trap`: a script, then signals.
    Trap,
    /// No command.
    None,
}

/// How the command line of one wrapper is read.
#[derive(Clone, Debug, Default)]
pub(super) struct WrapperSpec {
    options: HashMap<&'static str, Takes>,
    /// Options with which nothing is run.
    stops: Vec<&'static str>,
    numbers: bool,
    skip: usize,
    assigns: bool,
    sub: Option<&'static str>,
    pub(super) rest: Rest,
}

/// A command line as it was read.
#[derive(Debug)]
pub(super) struct Line<'w> {
    /// The values of options that are scripts.
    pub(super) scripts: Vec<Word>,
    /// The words after options, assignments and operands.
    pub(super) rest: &'w [Word],
    /// The assignments before the command.
    pub(super) assigned: &'w [Word],
    /// Whether an option is not known.
    pub(super) unknown: bool,
    /// Whether nothing is run.
    pub(super) stopped: bool,
}

/// The wrapper of that name.
pub(super) fn spec(program: &str) -> Option<&'static WrapperSpec> {
    type Specs = (HashMap<&'static str, WrapperSpec>, Vec<(&'static str, WrapperSpec)>);
    static SPECS: LazyLock<Specs> = LazyLock::new(|| {
        let (mut named, mut starting) = (HashMap::new(), Vec::new());
        for (name, spec) in include_str!("../wrappers.txt").lines().flat_map(specs) {
            match name.strip_suffix('*') {
                Some(start) => starting.push((start, spec)),
                None => drop(named.insert(name, spec)),
            }
        }
        (named, starting)
    });
    let (named, starting) = &*SPECS;
    let starts = || starting.iter().find(|(start, _)| program.starts_with(start)).map(|(_, spec)| spec);
    named.get(program).or_else(starts)
}

fn specs(line: &'static str) -> Vec<(&'static str, WrapperSpec)> {
    let Some((names, tokens)) = line.split_once(':').filter(|_| !line.starts_with('#')) else {
        return Vec::new();
    };
    let mut spec = WrapperSpec::default();
    for token in tokens.split_whitespace() {
        match token {
            "assign" => spec.assigns = true,
            "joined" => spec.rest = Rest::Joined,
            "scripts" => spec.rest = Rest::Scripts,
            "trap" => spec.rest = Rest::Trap,
            "none" if spec.rest == Rest::Command => spec.rest = Rest::None,
            "none" => {}
            "-N" => spec.numbers = true,
            token => spec.add(token),
        }
    }
    names.split_whitespace().map(|name| (name, spec.clone())).collect()
}

impl WrapperSpec {
    fn add(&mut self, token: &'static str) {
        if let Some(sub) = token.strip_prefix("sub:") {
            self.sub = Some(sub);
        } else if let Some(stop) = token.strip_prefix("stop:") {
            self.stops.push(stop);
        } else if let Some(skip) = token.strip_prefix('+') {
            self.skip = skip.parse().unwrap_or_default();
        } else if let Some(name) = token.strip_suffix('=') {
            self.options.insert(name, Takes::Value);
        } else if let Some(name) = token.strip_suffix('!') {
            self.options.insert(name, Takes::Script);
        } else {
            self.options.insert(token, Takes::Nothing);
        }
    }

    /// What a long option takes; a start that fits one option alone stands for it.
    fn long(&self, name: &str) -> Option<Takes> {
        if let Some(takes) = self.options.get(name) {
            return Some(*takes);
        }
        let mut fitting =
            self.options.iter().filter(|(option, _)| option.starts_with(name) && name.len() > 3);
        let (_, takes) = fitting.next()?;
        fitting.all(|(_, other)| other == takes).then_some(*takes)
    }
}

/// Reads a command line by a wrapper's options.
pub(super) fn read<'w>(spec: &WrapperSpec, words: &'w [Word]) -> Line<'w> {
    let mut line = Line { scripts: Vec::new(), rest: words, assigned: &[], unknown: false, stopped: false };
    options(spec, &mut line);
    if let Some(sub) = spec.sub {
        match line.rest.split_first() {
            Some((first, rest)) if first.plain() == Some(sub) => line.rest = rest,
            _ => {
                (line.stopped, line.unknown) = (true, false);
                return line;
            }
        }
        options(spec, &mut line);
    }
    if spec.assigns {
        let is_set = |word: &Word| {
            let name = word.text.split('=').next().unwrap_or_default();
            word.text.contains('=') && !name.is_empty() && !name.contains('/')
        };
        let count = line.rest.iter().take_while(|word| is_set(word)).count();
        (line.assigned, line.rest) = line.rest.split_at(count);
    }
    line.rest = line.rest.get(spec.skip..).unwrap_or_default();
    if spec.skip > 0 {
        options(spec, &mut line);
    }
    line
}

/// Reads the options at the start of `line.rest`.
fn options(spec: &WrapperSpec, line: &mut Line<'_>) {
    while let Some((word, rest)) = line.rest.split_first() {
        if word.plain() == Some("--") {
            line.rest = rest;
            return;
        }
        if word.kind == WordKind::Computed
            || !(word.is_option() || word.text == "-" && spec.options.contains_key("-"))
        {
            return;
        }
        line.rest = rest;
        let text = word.text.as_str();
        line.stopped |= spec.stops.contains(&text);
        if spec.stops.contains(&text)
            || text == "-"
            || spec.numbers && text[1..].chars().all(|c| c.is_ascii_digit())
        {
            continue;
        }
        let takes = match text.starts_with("--") {
            true => long(spec, word, line),
            false => short(spec, word, line),
        };
        line.unknown |= !takes;
    }
}

/// Reads `--name`, `--name value` or `--name=value`; says whether it is known.
fn long(spec: &WrapperSpec, word: &Word, line: &mut Line<'_>) -> bool {
    let (name, value) = match word.text.split_once('=') {
        Some((name, value)) => (name, Some(word.with_text(value))),
        None => (word.text.as_str(), None),
    };
    let Some(takes) = spec.long(name) else { return false };
    taken(takes, value, line);
    true
}

/// Reads `-a`, `-abc`, `-a value` or `-avalue`; says whether all of it is known.
fn short(spec: &WrapperSpec, word: &Word, line: &mut Line<'_>) -> bool {
    if let Some(takes) = spec.options.get(word.text.as_str()) {
        taken(*takes, None, line);
        return true;
    }
    for (at, letter) in word.text.char_indices().skip(1) {
        match spec.options.get(format!("-{letter}").as_str()) {
            None => return false,
            Some(Takes::Nothing) => {}
            Some(takes) => {
                let value = word.text.get(at + letter.len_utf8()..).filter(|value| !value.is_empty());
                taken(*takes, value.map(|value| word.with_text(value)), line);
                return true;
            }
        }
    }
    true
}

/// Takes an option's value: the one that stands with it, or the next word.
fn taken(takes: Takes, value: Option<Word>, line: &mut Line<'_>) {
    let value = match (takes, value) {
        (Takes::Nothing, _) => return,
        (_, Some(value)) => Some(value),
        (_, None) => {
            let next = line.rest.split_first();
            line.rest = next.map_or(line.rest, |(_, rest)| rest);
            next.map(|(value, _)| value.clone())
        }
    };
    if takes == Takes::Script {
        line.scripts.extend(value);
    }
}
