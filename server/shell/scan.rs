//! Reads one word, or a text that the shell expands, by bash's rules of quoting. The parser gives the position of a
//! word; a word that does not end at the parser's position is unclear.

mod ansi;
mod arithmetic;
mod skip;

pub(crate) use arithmetic::scan_calculated;
pub(crate) use skip::read_delimiter;

use crate::command::{VariableAssignment, Within};
use crate::variables::{ScriptVariables, VariableLookup};
use crate::word::ShellWord;

/// The error that bash may read a text otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnclearScript;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordUnit {
    /// A character.
    Char {
        /// The character.
        c: char,
        /// True if quotes or a backslash take its meaning from it.
        quoted: bool,
        /// True if it comes from a variable.
        derived: bool,
    },
    /// Quotes, which make a word of no characters.
    Quotes,
    /// A part that is not known, with texts that it may have, and whether it can have no others.
    Hole(Vec<String>, bool),
}

/// The result of scanning a text.
#[derive(Debug, Default)]
pub(crate) struct ScannedText {
    pub units: Vec<WordUnit>,
    /// The scripts in it, with what they stand in.
    pub scripts: Vec<(Within, String)>,
    /// Variables that it sets: `${x:=1}`.
    pub sets: Vec<VariableAssignment>,
    /// True if it expands a text as a script: `${x@P}`.
    pub expands_twice: bool,
    /// True if it calculates: then bash evaluates the values of variables again.
    pub calculates: bool,
    /// The variables whose values it takes.
    pub names: Vec<String>,
}

/// Reads a word in its form in a command.
pub(crate) fn scan_word(text: &str, variables: &ScriptVariables) -> Result<ScannedText, UnclearScript> {
    WordScanner::for_text(text, variables)?.scan_all(ScanMode::Word)
}

/// Reads a text that is expanded as between double quotes: a here-document, an arithmetic expression.
pub(crate) fn scan_expanding(text: &str, variables: &ScriptVariables) -> Result<ScannedText, UnclearScript> {
    WordScanner::for_text(text, variables)?.scan_all(ScanMode::Expanding)
}

/// Finds what is expanded in a piece of script whose words do not matter: a test, a pattern.
pub(crate) fn scan_loose(text: &str, variables: &ScriptVariables) -> Result<ScannedText, UnclearScript> {
    WordScanner::for_text(text, variables)?.scan_all(ScanMode::Loose)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScanMode {
    Word,
    Expanding,
    Loose,
}

/// The deepest nesting of quotes and braces in one word.
const DEEPEST: usize = 40;

struct WordScanner<'a> {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    variables: &'a ScriptVariables,
    found: ScannedText,
}

impl<'a> WordScanner<'a> {
    fn for_text(text: &str, variables: &'a ScriptVariables) -> Result<Self, UnclearScript> {
        let chars: Vec<char> = text.chars().collect();
        // No argument holds a NUL, and the mark for unknown parts is ours.
        let is_odd = |c: &char| *c == '\0' || *c == crate::place::HOLE && !variables.is_partial;
        match chars.iter().any(is_odd) {
            true => Err(UnclearScript),
            false => Ok(Self { chars, at: 0, depth: 0, variables, found: ScannedText::default() }),
        }
    }

    fn scan_all(mut self, mode: ScanMode) -> Result<ScannedText, UnclearScript> {
        while let Some(c) = self.peek(0) {
            match (c, mode) {
                ('\\', ScanMode::Expanding) => self.escape_between_quotes(false),
                ('\\', _) => self.read_escape(),
                ('\'', ScanMode::Word | ScanMode::Loose) => self.single_quoted()?,
                ('"', ScanMode::Word | ScanMode::Loose) => self.double_quoted()?,
                ('$', _) => self.read_dollar(mode == ScanMode::Expanding)?,
                ('`', _) => self.read_backquoted(false)?,
                ('<' | '>', ScanMode::Word | ScanMode::Loose) if self.peek(1) == Some('(') => {
                    self.process_substitution()?;
                }
                (' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')', ScanMode::Word) => {
                    return Err(UnclearScript);
                }
                _ => self.take_char(false),
            }
        }
        Ok(self.found)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, c: char, quoted: bool) {
        self.found.units.push(WordUnit::Char { c, quoted, derived: false });
    }

    /// Adds the mark of quotes: an empty text between quotes is still a word.
    fn add_quotes(&mut self) {
        self.found.units.push(WordUnit::Quotes);
    }

    /// Takes the next character as it is.
    fn take_char(&mut self, quoted: bool) {
        if let Some(c) = self.peek(0) {
            self.push(c, quoted);
            self.at += 1;
        }
    }

    fn read_escape(&mut self) {
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
            _ => self.take_char(true),
        }
    }

    fn single_quoted(&mut self) -> Result<(), UnclearScript> {
        self.at += 1;
        loop {
            match self.peek(0).ok_or(UnclearScript)? {
                '\'' => break,
                _ => self.take_char(true),
            }
        }
        self.at += 1;
        self.add_quotes();
        Ok(())
    }

    fn double_quoted(&mut self) -> Result<(), UnclearScript> {
        self.at += 1;
        self.add_quotes();
        self.nest_deeper(|scanner| {
            loop {
                match scanner.peek(0).ok_or(UnclearScript)? {
                    '"' => break,
                    '\\' => scanner.escape_between_quotes(true),
                    '$' => scanner.read_dollar(true)?,
                    '`' => scanner.read_backquoted(true)?,
                    _ => scanner.take_char(true),
                }
            }
            Ok(())
        })?;
        self.at += 1;
        Ok(())
    }

    fn nest_deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<(), UnclearScript>,
    ) -> Result<(), UnclearScript> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(UnclearScript);
        }
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Reads an expansion that begins with `$`.
    fn read_dollar(&mut self, quoted: bool) -> Result<(), UnclearScript> {
        match self.peek(1) {
            Some('\'') if !quoted => self.ansi_quoted(),
            Some('"') if !quoted => {
                self.at += 1;
                self.double_quoted()
            }
            Some('(') => self.read_parenthesis(),
            Some('{') => self.read_braced(quoted),
            Some('[') => {
                let end = skip::bracket_end(&self.chars, self.at + 1).ok_or(UnclearScript)?;
                self.found.calculates = true;
                self.scan_inside(self.at + 2, end - 1, true)?;
                self.hole_to(end);
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name: String = self.chars[self.at + 1..]
                    .iter()
                    .take_while(|c| c.is_ascii_alphanumeric() || **c == '_')
                    .collect();
                self.at += 1 + name.len();
                self.read_variable(&name, quoted);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.hole_to(self.at + 2);
                Ok(())
            }
            _ => {
                self.take_char(quoted);
                Ok(())
            }
        }
    }

    fn hole_to(&mut self, end: usize) {
        self.found.units.push(WordUnit::Hole(Vec::new(), false));
        self.at = end;
    }

    fn text_between(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    /// `$(…)` and `$((…))`.
    fn read_parenthesis(&mut self) -> Result<(), UnclearScript> {
        let open = self.at + 1;
        let end = skip::parenthesis_end(&self.chars, open).ok_or(UnclearScript)?;
        let arithmetic = self.peek(2) == Some('(')
            && skip::parenthesis_end(&self.chars, open + 1).is_some_and(|inner| inner == end - 1);
        match arithmetic {
            true => {
                self.found.calculates = true;
                self.scan_inside(open + 2, end - 2, true)?;
            }
            false => self.found.scripts.push((Within::Substitution, self.text_between(open + 1, end - 1))),
        }
        self.hole_to(end);
        Ok(())
    }

    fn process_substitution(&mut self) -> Result<(), UnclearScript> {
        let open = self.at + 1;
        let end = skip::parenthesis_end(&self.chars, open).ok_or(UnclearScript)?;
        self.found.scripts.push((Within::ProcessSubstitution, self.text_between(open + 1, end - 1)));
        self.hole_to(end);
        Ok(())
    }

    fn read_backquoted(&mut self, quoted: bool) -> Result<(), UnclearScript> {
        let mut script = String::new();
        let mut at = self.at + 1;
        loop {
            match (self.chars.get(at).ok_or(UnclearScript)?, self.chars.get(at + 1)) {
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

    /// Reads a part for what is expanded in it. One that bash calculates is expanded twice.
    fn scan_inside(&mut self, from: usize, to: usize, calculated: bool) -> Result<(), UnclearScript> {
        let part = self.text_between(from, to);
        let (depth, variables) = (self.depth + 1, self.variables);
        if depth > DEEPEST {
            return Err(UnclearScript);
        }
        let scanner = WordScanner {
            chars: part.chars().collect(),
            at: 0,
            depth,
            variables,
            found: ScannedText::default(),
        };
        let mut found = scanner.scan_all(ScanMode::Loose)?;
        if calculated {
            arithmetic::add_second(&mut found, variables)?;
        }
        self.found.scripts.append(&mut found.scripts);
        self.found.sets.append(&mut found.sets);
        self.found.names.append(&mut found.names);
        self.found.expands_twice |= found.expands_twice;
        self.found.calculates |= found.calculates;
        Ok(())
    }

    /// `${…}`.
    fn read_braced(&mut self, quoted: bool) -> Result<(), UnclearScript> {
        let end = skip::brace_end(&self.chars, self.at + 1).ok_or(UnclearScript)?;
        let inner = self.text_between(self.at + 2, end - 1);
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
            self.read_variable(&name, quoted);
            return Ok(());
        }
        let calculated =
            inner.starts_with('!') || operator.starts_with('[') || arithmetic::is_slice(operator);
        self.scan_inside(self.at + 2, end - 1, calculated)?;
        // A value may name an element of an array by an expression, and bash evaluates that one too.
        self.found.calculates |= calculated;
        let fallback = operator.starts_with(":-") || operator.starts_with('-');
        if marks == 0 && fallback && matches!(self.variables.look_up(&name), VariableLookup::Place(_)) {
            self.at = end;
            self.read_variable(&name, quoted);
            return Ok(());
        }
        self.found.names.push(name.clone());
        self.found.expands_twice |= operator.starts_with('@') && operator.contains('P');
        let mut maybe = Vec::new();
        let value = [":=", "=", ":-", "-", ":+", "+"].iter().find_map(|sign| operator.strip_prefix(sign));
        if let Some(value) = value.filter(|value| !value.contains(['$', '`', '\\', '"', '\''])) {
            maybe.push(value.to_owned());
        }
        if operator.starts_with(":=") || operator.starts_with('=') {
            self.found.sets.push(VariableAssignment { name, value: ShellWord::unknown_text() });
        }
        self.found.units.push(WordUnit::Hole(maybe, false));
        self.at = end;
        Ok(())
    }

    fn read_variable(&mut self, name: &str, quoted: bool) {
        self.found.names.push(name.to_owned());
        match self.variables.look_up(name) {
            VariableLookup::Known(value) => {
                let chars = value.chars().map(|c| WordUnit::Char { c, quoted, derived: true });
                self.found.units.extend(chars);
            }
            VariableLookup::Place(value) => {
                self.found.units.extend(value.chars().map(|c| WordUnit::Char {
                    c,
                    quoted: true,
                    derived: false,
                }));
            }
            VariableLookup::Maybe(values, all) => self.found.units.push(WordUnit::Hole(values, all)),
        }
    }
}
