//! Reads one word, or a text that the shell expands, by bash's rules of quoting. The parser says where a word stands;
//! a word that does not end where the parser says is unclear.

mod ansi;
mod skip;

pub(crate) use skip::delimiter;

use crate::command::{Assignment, Within};
use crate::variables::{Lookup, Variables};
use crate::word::Word;

/// Says that bash may read a text otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unclear;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A character.
    Char {
        /// The character.
        c: char,
        /// Whether quotes or a backslash take its meaning from it.
        quoted: bool,
        /// Whether it comes from a variable.
        derived: bool,
    },
    /// Quotes, which make a word of no characters.
    Quotes,
    /// A part that is not known, with texts that it may have, and whether it can have no others.
    Hole(Vec<String>, bool),
}

/// What a text holds.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    pub units: Vec<Unit>,
    /// The scripts in it, with what they stand in.
    pub scripts: Vec<(Within, String)>,
    /// Variables that it sets: `${x:=1}`.
    pub sets: Vec<Assignment>,
    /// Whether it expands a text as a script: `${x@P}`.
    pub expands_twice: bool,
    /// Whether it calculates: then bash evaluates the values of variables again.
    pub calculates: bool,
    /// The variables whose values it takes.
    pub names: Vec<String>,
}

/// Reads a word as it stands in a command.
pub(crate) fn word(text: &str, variables: &Variables) -> Result<Scanned, Unclear> {
    Scanner::over(text, variables)?.read(Mode::Word)
}

/// Reads a text that is expanded as between double quotes: a here-document, an arithmetic expression.
pub(crate) fn expanding(text: &str, variables: &Variables) -> Result<Scanned, Unclear> {
    Scanner::over(text, variables)?.read(Mode::Expanding)
}

/// Finds what is expanded in a piece of script whose words do not matter: a test, a pattern.
pub(crate) fn loose(text: &str, variables: &Variables) -> Result<Scanned, Unclear> {
    Scanner::over(text, variables)?.read(Mode::Loose)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Word,
    Expanding,
    Loose,
}

/// The deepest nesting of quotes and braces in one word.
const DEEPEST: usize = 40;

struct Scanner<'a> {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    variables: &'a Variables,
    found: Scanned,
}

impl<'a> Scanner<'a> {
    fn over(text: &str, variables: &'a Variables) -> Result<Self, Unclear> {
        let chars: Vec<char> = text.chars().collect();
        // No argument holds a NUL, and the mark for unknown parts is ours.
        match chars.iter().any(|c| *c == '\0' || *c == crate::place::HOLE) {
            true => Err(Unclear),
            false => Ok(Self { chars, at: 0, depth: 0, variables, found: Scanned::default() }),
        }
    }

    fn read(mut self, mode: Mode) -> Result<Scanned, Unclear> {
        while let Some(c) = self.peek(0) {
            match (c, mode) {
                ('\\', Mode::Expanding) => self.escape_between_quotes(false),
                ('\\', _) => self.escape(),
                ('\'', Mode::Word | Mode::Loose) => self.single_quoted()?,
                ('"', Mode::Word | Mode::Loose) => self.double_quoted()?,
                ('$', _) => self.dollar(mode == Mode::Expanding)?,
                ('`', _) => self.backquoted(false)?,
                ('<' | '>', Mode::Word | Mode::Loose) if self.peek(1) == Some('(') => {
                    self.process_substitution()?;
                }
                (' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')', Mode::Word) => {
                    return Err(Unclear);
                }
                _ => self.take(false),
            }
        }
        Ok(self.found)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, c: char, quoted: bool) {
        self.found.units.push(Unit::Char { c, quoted, derived: false });
    }

    /// Notes that quotes stand here: an empty text between quotes is a word all the same.
    fn quotes(&mut self) {
        self.found.units.push(Unit::Quotes);
    }

    /// Takes the next character as it is.
    fn take(&mut self, quoted: bool) {
        if let Some(c) = self.peek(0) {
            self.push(c, quoted);
            self.at += 1;
        }
    }

    fn escape(&mut self) {
        match self.peek(1) {
            Some('\n') => {}
            Some(c) => self.push(c, true),
            None => self.push('\\', true),
        }
        self.at += 2;
    }

    fn escape_between_quotes(&mut self, quotes: bool) {
        match self.peek(1) {
            Some('\n') => self.at += 2,
            Some(c @ ('$' | '`' | '\\')) => {
                self.push(c, true);
                self.at += 2;
            }
            Some('"') if quotes => {
                self.push('"', true);
                self.at += 2;
            }
            _ => self.take(true),
        }
    }

    fn single_quoted(&mut self) -> Result<(), Unclear> {
        self.at += 1;
        loop {
            match self.peek(0).ok_or(Unclear)? {
                '\'' => break,
                _ => self.take(true),
            }
        }
        self.at += 1;
        self.quotes();
        Ok(())
    }

    fn double_quoted(&mut self) -> Result<(), Unclear> {
        self.at += 1;
        self.quotes();
        self.deeper(|scanner| {
            loop {
                match scanner.peek(0).ok_or(Unclear)? {
                    '"' => break,
                    '\\' => scanner.escape_between_quotes(true),
                    '$' => scanner.dollar(true)?,
                    '`' => scanner.backquoted(true)?,
                    _ => scanner.take(true),
                }
            }
            Ok(())
        })?;
        self.at += 1;
        Ok(())
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Unclear>) -> Result<(), Unclear> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Unclear);
        }
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// What begins with `$`.
    fn dollar(&mut self, quoted: bool) -> Result<(), Unclear> {
        match self.peek(1) {
            Some('\'') if !quoted => self.ansi_quoted(),
            Some('"') if !quoted => {
                self.at += 1;
                self.double_quoted()
            }
            Some('(') => self.parenthesis(),
            Some('{') => self.braced(quoted),
            Some('[') => {
                let end = skip::bracket(&self.chars, self.at + 1).ok_or(Unclear)?;
                self.found.calculates = true;
                self.inside(self.at + 2, end - 1)?;
                self.hole_to(end);
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name: String = self.chars[self.at + 1..]
                    .iter()
                    .take_while(|c| c.is_ascii_alphanumeric() || **c == '_')
                    .collect();
                self.at += 1 + name.len();
                self.variable(&name, quoted);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.hole_to(self.at + 2);
                Ok(())
            }
            _ => {
                self.take(quoted);
                Ok(())
            }
        }
    }

    fn hole_to(&mut self, end: usize) {
        self.found.units.push(Unit::Hole(Vec::new(), false));
        self.at = end;
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    /// `$(…)` and `$((…))`.
    fn parenthesis(&mut self) -> Result<(), Unclear> {
        let open = self.at + 1;
        let end = skip::parenthesis(&self.chars, open).ok_or(Unclear)?;
        let arithmetic = self.peek(2) == Some('(')
            && skip::parenthesis(&self.chars, open + 1).is_some_and(|inner| inner == end - 1);
        match arithmetic {
            true => {
                self.found.calculates = true;
                self.inside(open + 2, end - 2)?;
            }
            false => self.found.scripts.push((Within::Substitution, self.text(open + 1, end - 1))),
        }
        self.hole_to(end);
        Ok(())
    }

    fn process_substitution(&mut self) -> Result<(), Unclear> {
        let open = self.at + 1;
        let end = skip::parenthesis(&self.chars, open).ok_or(Unclear)?;
        self.found.scripts.push((Within::ProcessSubstitution, self.text(open + 1, end - 1)));
        self.hole_to(end);
        Ok(())
    }

    fn backquoted(&mut self, quoted: bool) -> Result<(), Unclear> {
        let mut script = String::new();
        let mut at = self.at + 1;
        loop {
            match (self.chars.get(at).ok_or(Unclear)?, self.chars.get(at + 1)) {
                ('`', _) => break,
                ('\\', Some(c @ ('`' | '$' | '\\'))) => {
                    script.push(*c);
                    at += 2;
                }
                ('\\', Some('"')) if quoted => {
                    script.push('"');
                    at += 2;
                }
                (c, _) => {
                    script.push(*c);
                    at += 1;
                }
            }
        }
        self.found.scripts.push((Within::Substitution, script));
        self.hole_to(at + 1);
        Ok(())
    }

    /// Reads a part for what is expanded in it.
    fn inside(&mut self, from: usize, to: usize) -> Result<(), Unclear> {
        let part = self.text(from, to);
        let (depth, variables) = (self.depth + 1, self.variables);
        if depth > DEEPEST {
            return Err(Unclear);
        }
        let scanner =
            Scanner { chars: part.chars().collect(), at: 0, depth, variables, found: Scanned::default() };
        let mut found = scanner.read(Mode::Loose)?;
        self.found.scripts.append(&mut found.scripts);
        self.found.sets.append(&mut found.sets);
        self.found.names.append(&mut found.names);
        self.found.expands_twice |= found.expands_twice;
        self.found.calculates |= found.calculates;
        Ok(())
    }

    /// `${…}`.
    fn braced(&mut self, quoted: bool) -> Result<(), Unclear> {
        let end = skip::brace(&self.chars, self.at + 1).ok_or(Unclear)?;
        let inner = self.text(self.at + 2, end - 1);
        let marks = inner.len() - inner.trim_start_matches(['!', '#']).len();
        let name: String =
            inner[marks..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let operator = inner.get(marks + name.len()..).unwrap_or_default();
        if marks == 0
            && operator.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
        {
            self.at = end;
            self.variable(&name, quoted);
            return Ok(());
        }
        self.inside(self.at + 2, end - 1)?;
        self.found.names.push(name.clone());
        self.found.expands_twice |= operator.starts_with('@') && operator.contains('P');
        let mut maybe = Vec::new();
        let value = [":=", "=", ":-", "-", ":+", "+"].iter().find_map(|sign| operator.strip_prefix(sign));
        if let Some(value) = value.filter(|value| !value.contains(['$', '`', '\\', '"', '\''])) {
            maybe.push(value.to_owned());
        }
        if operator.starts_with(":=") || operator.starts_with('=') {
            self.found.sets.push(Assignment { name, value: Word::computed() });
        }
        self.found.units.push(Unit::Hole(maybe, false));
        self.at = end;
        Ok(())
    }

    fn variable(&mut self, name: &str, quoted: bool) {
        self.found.names.push(name.to_owned());
        match self.variables.value(name) {
            Lookup::Known(value) => {
                let chars = value.chars().map(|c| Unit::Char { c, quoted, derived: true });
                self.found.units.extend(chars);
            }
            Lookup::Place(value) => {
                self.found.units.extend(value.chars().map(|c| Unit::Char {
                    c,
                    quoted: true,
                    derived: false,
                }));
            }
            Lookup::Maybe(values, all) => self.found.units.push(Unit::Hole(values, all)),
        }
    }
}
