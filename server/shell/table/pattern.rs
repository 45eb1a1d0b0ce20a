//! A pattern of the table: a program, its subcommand, options, and the zones of its arguments.

use super::MatchSubject;
use crate::glob;
use crate::place::PathZone;
use crate::word::{ShellWord, WordKind};

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TablePattern {
    /// The programs' names.
    pub(crate) programs: Vec<String>,
    /// The first operands, each one of several.
    operands: Vec<Vec<String>>,
    parts: Vec<PatternPart>,
}

/// A required part in addition to the program and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    /// Any of these options, with any of these values.
    Option(Vec<String>, Vec<String>),
    /// None of these options.
    Without(Vec<String>),
    /// An argument that lies there, after this start.
    Lies(String, ArgumentClass),
    /// An argument that looks so.
    Looks(String),
    /// No arguments.
    Bare,
    /// No arguments but options.
    NoOperands,
    /// An argument that is no option.
    SomeOperand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentClass {
    In(PathZone),
    Home,
    Remote,
}

impl TablePattern {
    /// Reads a pattern of the table or of settings.
    pub(crate) fn parse_pattern(text: &str) -> Option<Self> {
        let mut tokens = text.split_whitespace();
        let alternatives = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        let programs = alternatives(tokens.next()?);
        let (mut operands, mut parts) = (Vec::new(), Vec::new());
        for token in tokens {
            if token == "<bare>" {
                parts.push(PatternPart::Bare);
            } else if token == "<none>" {
                parts.push(PatternPart::NoOperands);
            } else if token == "<some>" {
                parts.push(PatternPart::SomeOperand);
            } else if let Some(options) = token.strip_prefix('!') {
                parts.push(PatternPart::Without(alternatives(options)));
            } else if let Some(look) = token.strip_prefix('~') {
                parts.push(PatternPart::Looks(look.to_owned()));
            } else if let Some((start, class)) = parse_class(token) {
                parts.push(PatternPart::Lies(start.to_owned(), class));
            } else if token.starts_with('-') {
                let (options, value) =
                    token.split_once('=').map_or((token, Vec::new()), |(o, v)| (o, alternatives(v)));
                parts.push(PatternPart::Option(alternatives(options), value));
            } else {
                operands.push(alternatives(token));
            }
        }
        Some(Self { programs, operands, parts })
    }

    /// Returns whether a command matches the pattern.
    pub(crate) fn fits_subject(&self, subject: &MatchSubject<'_>) -> bool {
        self.programs.iter().any(|program| glob::matches_pattern(program, subject.program))
            && self.fits_operands(subject)
            && self.parts.iter().all(|part| part.fits_part(subject))
    }

    fn fits_operands(&self, subject: &MatchSubject<'_>) -> bool {
        if self.operands.is_empty() {
            return true;
        }
        let operands = subject.operands;
        // A word after an unknown option may be its value, or the first operand.
        let starts = operands.iter().take_while(|(_, shaky)| *shaky).count();
        (0..=starts).any(|start| {
            let rest = operands.get(start..).unwrap_or_default();
            rest.len() >= self.operands.len()
                && self.operands.iter().zip(rest).all(|(wanted, (word, _))| {
                    word.kind == WordKind::Computed
                        || wanted.iter().any(|wanted| glob::matches_pattern(wanted, &word.text))
                })
        })
    }
}

impl PatternPart {
    fn fits_part(&self, subject: &MatchSubject<'_>) -> bool {
        let words = subject.arguments;
        match self {
            Self::Bare => words.is_empty(),
            Self::NoOperands => subject.operands.is_empty(),
            Self::SomeOperand => !subject.operands.is_empty(),
            Self::Option(options, value) => {
                options.iter().any(|option| has_option(subject, option, value, false))
            }
            Self::Without(options) => !options.iter().any(|option| has_option(subject, option, &[], true)),
            Self::Looks(look) => {
                let words = if subject.program == "git" { after_folders(subject) } else { words };
                words.iter().any(|word| word.possible_texts().any(|text| glob::matches_pattern(look, text)))
            }
            Self::Lies(start, class) => words.iter().any(|word| {
                let texts = word.possible_texts().filter_map(|text| text.strip_prefix(start.as_str()));
                let is_path = |text: &str| !start.is_empty() || !text.starts_with('-') || text == "-";
                texts.filter(|text| is_path(text)).any(|text| class.holds_for(word, text, subject))
            }),
        }
    }
}

impl ArgumentClass {
    fn holds_for(self, word: &ShellWord, text: &str, subject: &MatchSubject<'_>) -> bool {
        match self {
            Self::In(zone) => (subject.zones)(word, text).contains(&zone),
            Self::Home => (subject.is_home)(word, text),
            Self::Remote => {
                let host = text.split_once(':').map(|(host, _)| host);
                host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
            }
        }
    }
}

/// `<vital>` or `of=<vital>`.
fn parse_class(token: &str) -> Option<(&str, ArgumentClass)> {
    let (start, name) = token.strip_suffix('>')?.split_once('<')?;
    let class = match name {
        "vital" => ArgumentClass::In(PathZone::Vital),
        "workspace" => ArgumentClass::In(PathZone::Workspace),
        "all" => ArgumentClass::In(PathZone::AllOfWorkspace),
        "cache" => ArgumentClass::In(PathZone::Cache),
        "outside" => ArgumentClass::In(PathZone::Outside),
        "temporary" => ArgumentClass::In(PathZone::Temporary),
        "device" => ArgumentClass::In(PathZone::Device),
        "unknown" => ArgumentClass::In(PathZone::Unknown),
        "home" => ArgumentClass::Home,
        "remote" => ArgumentClass::Remote,
        _ => return None,
    };
    Some((start, class))
}

/// The arguments of git from the subcommand on: before it stand folders and settings.
fn after_folders<'a>(subject: &MatchSubject<'a>) -> &'a [ShellWord] {
    let words = subject.arguments;
    let is_sub =
        |word: &&ShellWord| subject.operands.first().is_some_and(|(sub, _)| std::ptr::eq(*sub, *word));
    let before = words.iter().take_while(|word| !is_sub(word)).count();
    words.get(before..).filter(|rest| !rest.is_empty()).unwrap_or(words)
}

/// Returns whether an option is among the arguments: alone, in a cluster, with its value, or a long one abbreviated.
/// If `skips_values` is set, the value of another option is none.
fn has_option(subject: &MatchSubject<'_>, option: &str, values: &[String], skips_values: bool) -> bool {
    let (words, reading) = (subject.arguments, subject.options);
    let before_operands = words.iter().take_while(|word| word.text != "--").count();
    let fits = |text: Option<&str>| {
        let is_one = |text: &str| values.iter().any(|value| glob::matches_pattern(value, text));
        values.is_empty() || text.is_some_and(is_one)
    };
    let letter = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1 && !reading.is_long);
    let letter = letter.and_then(|letter| letter.chars().next());
    words[..before_operands].iter().enumerate().any(|(at, word)| {
        if skips_values && at > 0 && reading.takes_next(&words[at - 1].text) {
            return false;
        }
        let next = words.get(at + 1).map(|word| word.text.as_str());
        let text = word.text.as_str();
        match letter {
            Some(letter) => {
                let at = reading.option_letters(text).and_then(|letters| letters.find(letter));
                at.is_some_and(|at| {
                    let rest = &text[1 + at + letter.len_utf8()..];
                    fits(if rest.is_empty() { next } else { Some(rest.trim_start_matches('=')) })
                })
            }
            None => {
                let (name, attached) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
                let is_cut = (name.starts_with("--") && name.len() > 2 || reading.is_long && name.len() > 1)
                    && option.starts_with(name);
                (is_cut || glob::matches_pattern(option, name) || glob::matches_pattern(option, text))
                    && fits(attached.or(next))
            }
        }
    })
}
