//! One pattern of the table: a program, its subcommand, options, and where its arguments lie.

use super::Subject;
use crate::glob;
use crate::place::Zone;
use crate::word::{Word, WordKind};

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The programs' names.
    pub(crate) programs: Vec<String>,
    /// The first operands, each one of several.
    operands: Vec<Vec<String>>,
    parts: Vec<Part>,
}

/// What has to be there beside the program and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// One of these options, with one of such values.
    Option(Vec<String>, Vec<String>),
    /// None of these options.
    Without(Vec<String>),
    /// An argument that lies there, after this start.
    Lies(String, Class),
    /// An argument that looks so.
    Looks(String),
    /// No arguments.
    Bare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    In(Zone),
    Home,
    Remote,
}

impl Pattern {
    /// Reads a pattern as it stands in the table or in settings.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut tokens = text.split_whitespace();
        let alternatives = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        let programs = alternatives(tokens.next()?);
        let (mut operands, mut parts) = (Vec::new(), Vec::new());
        for token in tokens {
            if token == "<bare>" {
                parts.push(Part::Bare);
            } else if let Some(options) = token.strip_prefix('!') {
                parts.push(Part::Without(alternatives(options)));
            } else if let Some(look) = token.strip_prefix('~') {
                parts.push(Part::Looks(look.to_owned()));
            } else if let Some((start, class)) = class(token) {
                parts.push(Part::Lies(start.to_owned(), class));
            } else if token.starts_with('-') {
                let (options, value) =
                    token.split_once('=').map_or((token, Vec::new()), |(o, v)| (o, alternatives(v)));
                parts.push(Part::Option(alternatives(options), value));
            } else {
                operands.push(alternatives(token));
            }
        }
        Some(Self { programs, operands, parts })
    }

    /// Whether a command is as the pattern says.
    pub(crate) fn fits(&self, subject: &Subject<'_>) -> bool {
        self.programs.iter().any(|program| glob::matches(program, subject.program))
            && self.fits_operands(subject)
            && self.parts.iter().all(|part| part.fits(subject))
    }

    fn fits_operands(&self, subject: &Subject<'_>) -> bool {
        if self.operands.is_empty() {
            return true;
        }
        let operands = subject.operands;
        // A word after an option that is not known may be its value, or the first operand.
        let starts = operands.iter().take_while(|(_, shaky)| *shaky).count();
        (0..=starts).any(|start| {
            let rest = operands.get(start..).unwrap_or_default();
            rest.len() >= self.operands.len()
                && self.operands.iter().zip(rest).all(|(wanted, (word, _))| {
                    word.kind == WordKind::Computed
                        || wanted.iter().any(|wanted| glob::matches(wanted, &word.text))
                })
        })
    }
}

impl Part {
    fn fits(&self, subject: &Subject<'_>) -> bool {
        let words = subject.arguments;
        match self {
            Self::Bare => words.is_empty(),
            Self::Option(options, value) => options.iter().any(|option| has(words, option, value)),
            Self::Without(options) => !options.iter().any(|option| has(words, option, &[])),
            Self::Looks(look) => words.iter().any(|word| word.texts().any(|text| glob::matches(look, text))),
            Self::Lies(start, class) => words.iter().any(|word| {
                let texts = word.texts().filter_map(|text| text.strip_prefix(start.as_str()));
                let is_path = |text: &str| !start.is_empty() || !text.starts_with('-') || text == "-";
                texts.filter(|text| is_path(text)).any(|text| class.holds(word, text, subject))
            }),
        }
    }
}

impl Class {
    fn holds(self, word: &Word, text: &str, subject: &Subject<'_>) -> bool {
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
fn class(token: &str) -> Option<(&str, Class)> {
    let (start, name) = token.strip_suffix('>')?.split_once('<')?;
    let class = match name {
        "vital" => Class::In(Zone::Vital),
        "workspace" => Class::In(Zone::Workspace),
        "all" => Class::In(Zone::AllOfWorkspace),
        "outside" => Class::In(Zone::Outside),
        "device" => Class::In(Zone::Device),
        "unknown" => Class::In(Zone::Unknown),
        "home" => Class::Home,
        "remote" => Class::Remote,
        _ => return None,
    };
    Some((start, class))
}

/// Whether an option is among the words: alone, in a cluster, with its value, or a long one cut short.
fn has(words: &[Word], option: &str, values: &[String]) -> bool {
    let before_operands = words.iter().take_while(|word| word.text != "--").count();
    let fits = |text: Option<&str>| {
        let is_one = |text: &str| values.iter().any(|value| glob::matches(value, text));
        values.is_empty() || text.is_some_and(is_one)
    };
    words[..before_operands].iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).map(|word| word.text.as_str());
        let text = word.text.as_str();
        let letter = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
        match letter.and_then(|letter| letter.chars().next()) {
            Some(letter) => {
                let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                let attached = cluster.and_then(|cluster| cluster.split_once(letter)).map(|(_, rest)| rest);
                attached.is_some_and(|rest| {
                    fits(if rest.is_empty() { next } else { Some(rest.trim_start_matches('=')) })
                })
            }
            None => {
                let (name, attached) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
                let cut = name.starts_with("--") && name.len() > 2 && option.starts_with(name);
                (cut || glob::matches(option, name) || glob::matches(option, text)) && fits(attached.or(next))
            }
        }
    })
}
