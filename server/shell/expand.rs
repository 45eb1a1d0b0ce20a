//! Expands a word of a script to the words that a command gets: braces, home folders, splitting, patterns.

use crate::command::ScriptDoubt;
use crate::place::HOLE;
use crate::scan::WordUnit;
use crate::variables::ScriptVariables;
use crate::word::{ShellWord, WordKind};

/// Words that braces may make of one word.
const MOST: usize = 2000;
/// Texts that a computed word may have.
const MAYBE: usize = 32;

/// The words that `units` become.
pub(crate) fn expand_words(
    units: Vec<WordUnit>,
    variables: &ScriptVariables,
) -> Result<Vec<ShellWord>, ScriptDoubt> {
    let mut all = Vec::new();
    for units in expand_braces(units)? {
        let units = with_home(units, variables);
        all.extend(split_blanks(&units).into_iter().map(finish_word));
    }
    Ok(all)
}

/// The word that `units` become if nothing is split: a value, a redirection's target.
pub(crate) fn expand_value(units: Vec<WordUnit>, variables: &ScriptVariables) -> ShellWord {
    finish_word(&with_home(units, variables))
}

/// The text of `units`, if all of it is known.
pub(crate) fn known_text(units: &[WordUnit]) -> Option<String> {
    let word = finish_word(units);
    (word.kind != WordKind::Computed).then_some(word.text)
}

/// Builds a word for a text, parts of which may be computed.
fn finish_word(units: &[WordUnit]) -> ShellWord {
    let mut word = ShellWord::from_text(String::new());
    let mut maybe = vec![String::new()];
    let mut listed = true;
    for unit in units {
        match unit {
            WordUnit::Quotes => {}
            WordUnit::Char { c, quoted, derived } => {
                word.text.push(*c);
                maybe.iter_mut().for_each(|text| text.push(*c));
                word.derived |= derived;
                if !quoted && matches!(c, '*' | '?' | '[') && word.kind == WordKind::Known {
                    word.kind = WordKind::Pattern;
                }
            }
            WordUnit::Hole(texts, all) => {
                listed &= all;
                word.text.push(HOLE);
                word.kind = WordKind::Computed;
                let with = |text: &String| {
                    maybe.iter().map(move |start| format!("{start}{text}")).collect::<Vec<_>>()
                };
                maybe = texts.iter().flat_map(with).take(MAYBE).collect();
            }
        }
    }
    if word.kind != WordKind::Computed && word.text.contains(HOLE) {
        // A part of a script that is only known once it runs.
        word.kind = WordKind::Computed;
        return word;
    }
    if word.kind == WordKind::Computed {
        word.listed = listed && !maybe.is_empty() && maybe.len() < MAYBE;
        word.maybe = maybe;
    }
    word
}

/// Expands `{a,b}` and `{1..3}` if the braces are not quoted.
fn expand_braces(units: Vec<WordUnit>) -> Result<Vec<Vec<WordUnit>>, ScriptDoubt> {
    let (mut done, mut open) = (Vec::new(), vec![(units, 0)]);
    while let Some((units, from)) = open.pop() {
        if (done.len() + open.len()) * (units.len() + 100) > MOST * 200 {
            return Err(ScriptDoubt::TooMuch);
        }
        match find_group(&units, from) {
            None => done.push(units),
            Some(BraceGroup::None { after }) => open.push((units, after)),
            Some(BraceGroup::Parts { start, end, parts }) => {
                let made = |part: Vec<WordUnit>| {
                    let units: Vec<WordUnit> = units[..start]
                        .iter()
                        .cloned()
                        .chain(part)
                        .chain(units[end..].iter().cloned())
                        .collect();
                    (units, start)
                };
                // The first is taken first.
                open.extend(parts.into_iter().rev().map(made));
            }
        }
    }
    Ok(done)
}

enum BraceGroup {
    /// The brace opens nothing; the next is looked for from here.
    None {
        after: usize,
    },
    Parts {
        start: usize,
        end: usize,
        parts: Vec<Vec<WordUnit>>,
    },
}

fn is_bare_char(unit: &WordUnit, wanted: char) -> bool {
    matches!(unit, WordUnit::Char { c, quoted: false, derived: false } if *c == wanted)
}

/// The first group of braces at or after `from`.
fn find_group(units: &[WordUnit], from: usize) -> Option<BraceGroup> {
    let start = from + units.get(from..)?.iter().position(|unit| is_bare_char(unit, '{'))?;
    let (mut depth, mut parts, mut part) = (0, Vec::new(), Vec::new());
    for (at, unit) in units.iter().enumerate().skip(start + 1) {
        match unit {
            unit if is_bare_char(unit, '{') => depth += 1,
            unit if is_bare_char(unit, '}') && depth > 0 => depth -= 1,
            unit if is_bare_char(unit, '}') => {
                let end = at + 1;
                if parts.is_empty() {
                    let parts = expand_sequence(&part);
                    return Some(match parts {
                        Some(parts) => BraceGroup::Parts { start, end, parts },
                        None => BraceGroup::None { after: start + 1 },
                    });
                }
                parts.push(part);
                return Some(BraceGroup::Parts { start, end, parts });
            }
            unit if is_bare_char(unit, ',') && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(unit.clone());
    }
    Some(BraceGroup::None { after: start + 1 })
}

/// The texts of `1..3` or `a..c`.
fn expand_sequence(units: &[WordUnit]) -> Option<Vec<Vec<WordUnit>>> {
    let char_of = |unit: &WordUnit| match unit {
        WordUnit::Char { c, quoted: false, .. } => Some(*c),
        _ => None,
    };
    let text: String = units.iter().map(char_of).collect::<Option<String>>()?;
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    let written =
        |text: String| text.chars().map(|c| WordUnit::Char { c, quoted: false, derived: false }).collect();
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        let steps = usize::try_from(step).ok()?;
        return Some(
            (low..=high).step_by(steps).take(MOST).map(|number| written(number.to_string())).collect(),
        );
    }
    let letter = |text: &str| text.chars().next().filter(|c| c.is_ascii_alphabetic() && text.len() == 1);
    let (first, last) = (letter(first)?, letter(last)?);
    Some((first.min(last)..=first.max(last)).map(|letter| written(letter.to_string())).collect())
}

/// Replaces `~` at the start by the home folder.
fn with_home(mut units: Vec<WordUnit>, variables: &ScriptVariables) -> Vec<WordUnit> {
    if !units.first().is_some_and(|unit| is_bare_char(unit, '~')) {
        return units;
    }
    let bare = |unit: &&WordUnit| matches!(unit, WordUnit::Char { c, quoted: false, .. } if *c != '/');
    let length = units.iter().take_while(bare).count();
    if units.get(length).is_some_and(|unit| !is_bare_char(unit, '/')) {
        return units;
    }
    let name: String = units[1..length]
        .iter()
        .filter_map(|unit| if let WordUnit::Char { c, .. } = unit { Some(*c) } else { None })
        .collect();
    let folder = match name.as_str() {
        "" => variables.home().to_owned(),
        "+" => variables.cwd().unwrap_or(".").to_owned(),
        "root" => "/root".to_owned(),
        name => format!("/home/{name}"),
    };
    units.splice(..length, folder.chars().map(|c| WordUnit::Char { c, quoted: true, derived: false }));
    units
}

/// Splits at the blanks of values that stand without quotes.
fn split_blanks(units: &[WordUnit]) -> Vec<&[WordUnit]> {
    let blank = |unit: &WordUnit| {
        matches!(unit, WordUnit::Char { c: ' ' | '\t' | '\n', quoted: false, derived: true })
    };
    units.split(blank).filter(|part| !part.is_empty()).collect()
}
