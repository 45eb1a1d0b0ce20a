//! The reading of wrappers' command lines: their options are listed in `wrappers.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::word::{ShellWord, WordKind};

/// The kinds of option values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionArgument {
    Nothing,
    Value,
    Script,
}

/// The reading of the words after the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RestReading {
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

/// The reading of one wrapper's command line.
#[derive(Clone, Debug, Default)]
pub(super) struct WrapperSpec {
    options: HashMap<&'static str, OptionArgument>,
    /// Options with which nothing is run.
    stops: Vec<&'static str>,
    numbers: bool,
    skip: usize,
    assigns: bool,
    sub: Option<&'static str>,
    pub(super) rest: RestReading,
}

/// A command line as it was read.
#[derive(Debug)]
pub(super) struct WrapperLine<'w> {
    /// The values of options that are scripts.
    pub(super) scripts: Vec<ShellWord>,
    /// The words after options, assignments and operands.
    pub(super) rest: &'w [ShellWord],
    /// The assignments before the command.
    pub(super) assigned: &'w [ShellWord],
    /// True if an option is not known.
    pub(super) unknown: bool,
    /// True if nothing is run.
    pub(super) stopped: bool,
}

/// The wrapper of that name.
pub(super) fn wrapper_spec(program: &str) -> Option<&'static WrapperSpec> {
    type Specs = (HashMap<&'static str, WrapperSpec>, Vec<(&'static str, WrapperSpec)>);
    static SPECS: LazyLock<Specs> = LazyLock::new(|| {
        let (mut named, mut starting) = (HashMap::new(), Vec::new());
        for (name, spec) in include_str!("../wrappers.txt").lines().flat_map(parse_specs) {
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

fn parse_specs(line: &'static str) -> Vec<(&'static str, WrapperSpec)> {
    let Some((names, tokens)) = line.split_once(':').filter(|_| !line.starts_with('#')) else {
        return Vec::new();
    };
    let mut spec = WrapperSpec::default();
    for token in tokens.split_whitespace() {
        match token {
            "assign" => spec.assigns = true,
            "joined" => spec.rest = RestReading::Joined,
            "scripts" => spec.rest = RestReading::Scripts,
            "trap" => spec.rest = RestReading::Trap,
            "none" if spec.rest == RestReading::Command => spec.rest = RestReading::None,
            "none" => {}
            "-N" => spec.numbers = true,
            token => spec.add_token(token),
        }
    }
    names.split_whitespace().map(|name| (name, spec.clone())).collect()
}

impl WrapperSpec {
    fn add_token(&mut self, token: &'static str) {
        if let Some(sub) = token.strip_prefix("sub:") {
            self.sub = Some(sub);
        } else if let Some(stop) = token.strip_prefix("stop:") {
            self.stops.push(stop);
        } else if let Some(skip) = token.strip_prefix('+') {
            self.skip = skip.parse().unwrap_or_default();
        } else if let Some(name) = token.strip_suffix('=') {
            self.options.insert(name, OptionArgument::Value);
        } else if let Some(name) = token.strip_suffix('!') {
            self.options.insert(name, OptionArgument::Script);
        } else {
            self.options.insert(token, OptionArgument::Nothing);
        }
    }

    /// Returns the value kind of a long option; it may be abbreviated as long as it is unique.
    fn long_option(&self, name: &str) -> Option<OptionArgument> {
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
pub(super) fn read_line<'w>(spec: &WrapperSpec, words: &'w [ShellWord]) -> WrapperLine<'w> {
    let mut line =
        WrapperLine { scripts: Vec::new(), rest: words, assigned: &[], unknown: false, stopped: false };
    read_options(spec, &mut line);
    if let Some(sub) = spec.sub {
        match line.rest.split_first() {
            Some((first, rest))
                if first.plain_text().is_some_and(|text| sub.split('|').any(|sub| sub == text)) =>
            {
                line.rest = rest;
            }
            _ => {
                (line.stopped, line.unknown) = (true, false);
                return line;
            }
        }
        read_options(spec, &mut line);
    }
    if spec.assigns {
        let is_set = |word: &ShellWord| {
            let name = word.text.split('=').next().unwrap_or_default();
            word.text.contains('=') && !name.is_empty() && !name.contains('/')
        };
        let count = line.rest.iter().take_while(|word| is_set(word)).count();
        (line.assigned, line.rest) = line.rest.split_at(count);
    }
    line.rest = line.rest.get(spec.skip..).unwrap_or_default();
    if spec.skip > 0 {
        read_options(spec, &mut line);
    }
    line
}

/// Reads the options at the start of `line.rest`.
fn read_options(spec: &WrapperSpec, line: &mut WrapperLine<'_>) {
    while let Some((word, rest)) = line.rest.split_first() {
        if word.plain_text() == Some("--") {
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
            true => read_long(spec, word, line),
            false => read_short(spec, word, line),
        };
        line.unknown |= !takes;
    }
}

/// Reads `--name`, `--name value` or `--name=value`; returns whether it is known.
fn read_long(spec: &WrapperSpec, word: &ShellWord, line: &mut WrapperLine<'_>) -> bool {
    let (name, value) = match word.text.split_once('=') {
        Some((name, value)) => (name, Some(word.with_text(value))),
        None => (word.text.as_str(), None),
    };
    let Some(takes) = spec.long_option(name) else { return false };
    take_value(takes, value, line);
    true
}

/// Reads `-a`, `-abc`, `-a value` or `-avalue`; returns whether all of it is known.
fn read_short(spec: &WrapperSpec, word: &ShellWord, line: &mut WrapperLine<'_>) -> bool {
    if let Some(takes) = spec.options.get(word.text.as_str()) {
        take_value(*takes, None, line);
        return true;
    }
    for (at, letter) in word.text.char_indices().skip(1) {
        match spec.options.get(format!("-{letter}").as_str()) {
            None => return false,
            Some(OptionArgument::Nothing) => {}
            Some(takes) => {
                let value = word.text.get(at + letter.len_utf8()..).filter(|value| !value.is_empty());
                take_value(*takes, value.map(|value| word.with_text(value)), line);
                return true;
            }
        }
    }
    true
}

/// Takes an option's value: the one in its own word, or the next word.
fn take_value(takes: OptionArgument, value: Option<ShellWord>, line: &mut WrapperLine<'_>) {
    let value = match (takes, value) {
        (OptionArgument::Nothing, _) => return,
        (_, Some(value)) => Some(value),
        (_, None) => {
            let next = line.rest.split_first();
            line.rest = next.map_or(line.rest, |(_, rest)| rest);
            next.map(|(value, _)| value.clone())
        }
    };
    if takes == OptionArgument::Script {
        line.scripts.extend(value);
    }
}
