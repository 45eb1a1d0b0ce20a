//! From a word as it is written to the words that a command gets: braces, home folders, splitting, patterns.

use crate::command::Doubt;
use crate::place::HOLE;
use crate::scan::Unit;
use crate::variables::Variables;
use crate::word::{Word, WordKind};

/// Words that braces may make of one word.
const MOST: usize = 2000;
/// Texts that a computed word may have.
const MAYBE: usize = 32;

/// The words that `units` become.
pub(crate) fn words(units: Vec<Unit>, variables: &Variables) -> Result<Vec<Word>, Doubt> {
    let mut all = Vec::new();
    for units in braces(units)? {
        let units = with_home(units, variables);
        all.extend(split(&units).into_iter().map(finished));
    }
    Ok(all)
}

/// The word that `units` become where nothing is split: a value, a redirection's target.
pub(crate) fn one(units: Vec<Unit>, variables: &Variables) -> Word {
    finished(&with_home(units, variables))
}

/// The text of `units`, where all of it is known.
pub(crate) fn text(units: &[Unit]) -> Option<String> {
    let word = finished(units);
    (word.kind != WordKind::Computed).then_some(word.text)
}

/// A word that stands for a text of which parts may be computed.
fn finished(units: &[Unit]) -> Word {
    let mut word = Word::known(String::new());
    let mut maybe = vec![String::new()];
    let mut listed = true;
    for unit in units {
        match unit {
            Unit::Quotes => {}
            Unit::Char { c, quoted, derived } => {
                word.text.push(*c);
                maybe.iter_mut().for_each(|text| text.push(*c));
                word.derived |= derived;
                if !quoted && matches!(c, '*' | '?' | '[') && word.kind == WordKind::Known {
                    word.kind = WordKind::Pattern;
                }
            }
            Unit::Hole(texts, all) => {
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
    if word.kind == WordKind::Computed {
        word.listed = listed && !maybe.is_empty() && maybe.len() < MAYBE;
        word.maybe = maybe;
    }
    word
}

/// Expands `{a,b}` and `{1..3}` where the braces are not quoted.
fn braces(units: Vec<Unit>) -> Result<Vec<Vec<Unit>>, Doubt> {
    let (mut done, mut open) = (Vec::new(), vec![(units, 0)]);
    while let Some((units, from)) = open.pop() {
        if (done.len() + open.len()) * (units.len() + 100) > MOST * 200 {
            return Err(Doubt::TooMuch);
        }
        match group(&units, from) {
            None => done.push(units),
            Some(Group::None { after }) => open.push((units, after)),
            Some(Group::Parts { start, end, parts }) => {
                let made = |part: Vec<Unit>| {
                    let units: Vec<Unit> = units[..start]
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

enum Group {
    /// The brace opens nothing; the next is looked for from here.
    None {
        after: usize,
    },
    Parts {
        start: usize,
        end: usize,
        parts: Vec<Vec<Unit>>,
    },
}

fn is(unit: &Unit, wanted: char) -> bool {
    matches!(unit, Unit::Char { c, quoted: false, derived: false } if *c == wanted)
}

/// The first group of braces at or after `from`.
fn group(units: &[Unit], from: usize) -> Option<Group> {
    let start = from + units.get(from..)?.iter().position(|unit| is(unit, '{'))?;
    let (mut depth, mut parts, mut part) = (0, Vec::new(), Vec::new());
    for (at, unit) in units.iter().enumerate().skip(start + 1) {
        match unit {
            unit if is(unit, '{') => depth += 1,
            unit if is(unit, '}') && depth > 0 => depth -= 1,
            unit if is(unit, '}') => {
                let end = at + 1;
                if parts.is_empty() {
                    let parts = sequence(&part);
                    return Some(match parts {
                        Some(parts) => Group::Parts { start, end, parts },
                        None => Group::None { after: start + 1 },
                    });
                }
                parts.push(part);
                return Some(Group::Parts { start, end, parts });
            }
            unit if is(unit, ',') && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(unit.clone());
    }
    Some(Group::None { after: start + 1 })
}

/// The texts of `1..3` or `a..c`.
fn sequence(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let char_of = |unit: &Unit| match unit {
        Unit::Char { c, quoted: false, .. } => Some(*c),
        _ => None,
    };
    let text: String = units.iter().map(char_of).collect::<Option<String>>()?;
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    let written =
        |text: String| text.chars().map(|c| Unit::Char { c, quoted: false, derived: false }).collect();
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
fn with_home(mut units: Vec<Unit>, variables: &Variables) -> Vec<Unit> {
    if !units.first().is_some_and(|unit| is(unit, '~')) {
        return units;
    }
    let bare = |unit: &&Unit| matches!(unit, Unit::Char { c, quoted: false, .. } if *c != '/');
    let length = units.iter().take_while(bare).count();
    if units.get(length).is_some_and(|unit| !is(unit, '/')) {
        return units;
    }
    let name: String = units[1..length]
        .iter()
        .filter_map(|unit| if let Unit::Char { c, .. } = unit { Some(*c) } else { None })
        .collect();
    let folder = match name.as_str() {
        "" => variables.home().to_owned(),
        "+" => variables.cwd().unwrap_or(".").to_owned(),
        "root" => "/root".to_owned(),
        name => format!("/home/{name}"),
    };
    units.splice(..length, folder.chars().map(|c| Unit::Char { c, quoted: true, derived: false }));
    units
}

/// Splits at the blanks of values that stand without quotes.
fn split(units: &[Unit]) -> Vec<&[Unit]> {
    let blank =
        |unit: &Unit| matches!(unit, Unit::Char { c: ' ' | '\t' | '\n', quoted: false, derived: true });
    units.split(blank).filter(|part| !part.is_empty()).collect()
}
