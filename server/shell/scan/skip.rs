//! Finds the end of a substitution: of `(…)`, `{…}` and `[…]`, skipping quotes, comments and here-documents.

/// The deepest nesting that is followed.
const DEEPEST: usize = 100;

/// Returns the position after the parenthesis that closes the one at `open`.
pub(super) fn parenthesis_end(chars: &[char], open: usize) -> Option<usize> {
    SubstitutionSkipper { chars, depth: 0, documents: Vec::new() }.skip_to(open + 1, ')')
}

/// Returns the position after the brace that closes the `${` at `open`.
pub(super) fn brace_end(chars: &[char], open: usize) -> Option<usize> {
    SubstitutionSkipper { chars, depth: 0, documents: Vec::new() }.skip_expansion(open + 1, '}')
}

/// Returns the position after the bracket that closes the `$[` at `open`.
pub(super) fn bracket_end(chars: &[char], open: usize) -> Option<usize> {
    SubstitutionSkipper { chars, depth: 0, documents: Vec::new() }.skip_expansion(open + 1, ']')
}

struct SubstitutionSkipper<'a> {
    chars: &'a [char],
    depth: usize,
    /// The here-documents whose bodies begin at the next line: the last line, and whether tabs before it do not count.
    documents: Vec<(String, bool)>,
}

impl SubstitutionSkipper<'_> {
    fn char_at(&self, at: usize) -> Option<char> {
        self.chars.get(at).copied()
    }

    /// Returns the position after the `close` of a piece of script.
    fn skip_to(&mut self, mut at: usize, close: char) -> Option<usize> {
        self.enter_level()?;
        let outer = std::mem::take(&mut self.documents);
        loop {
            let c = self.char_at(at)?;
            at = match c {
                c if c == close => break,
                '(' => self.skip_to(at + 1, ')')?,
                '\'' => self.skip_single(at + 1)?,
                '#' if self.begins_word(at) => self.line_end(at),
                '<' if self.char_at(at + 1) == Some('<') => self.take_document(at)?,
                '\n' => self.skip_bodies(at + 1)?,
                _ => self.skip_common(at)?,
            };
        }
        self.documents = outer;
        self.depth -= 1;
        Some(at + 1)
    }

    /// Returns the position after the `close` of a parameter expansion.
    fn skip_expansion(&mut self, mut at: usize, close: char) -> Option<usize> {
        self.enter_level()?;
        loop {
            let c = self.char_at(at)?;
            at = match c {
                c if c == close => break,
                '\'' if close == '}' => self.skip_single(at + 1)?,
                _ => self.skip_common(at)?,
            };
        }
        self.depth -= 1;
        Some(at + 1)
    }

    fn enter_level(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    /// Skips a part that is skipped everywhere except between single quotes.
    fn skip_common(&mut self, at: usize) -> Option<usize> {
        match (self.char_at(at)?, self.char_at(at + 1)) {
            ('\\', _) => Some(at + 2),
            ('"', _) => self.skip_double(at + 1),
            ('`', _) => self.skip_backquoted(at + 1),
            ('$', Some('\'')) => self.skip_ansi(at + 2),
            ('$', Some('(')) => self.skip_to(at + 2, ')'),
            ('$', Some('{')) => self.skip_expansion(at + 2, '}'),
            _ => Some(at + 1),
        }
    }

    fn skip_single(&self, at: usize) -> Option<usize> {
        Some(at + self.chars.get(at..)?.iter().position(|c| *c == '\'')? + 1)
    }

    fn skip_ansi(&self, mut at: usize) -> Option<usize> {
        while self.char_at(at)? != '\'' {
            at += if self.char_at(at) == Some('\\') { 2 } else { 1 };
        }
        Some(at + 1)
    }

    fn skip_backquoted(&self, mut at: usize) -> Option<usize> {
        while self.char_at(at)? != '`' {
            at += if self.char_at(at) == Some('\\') { 2 } else { 1 };
        }
        Some(at + 1)
    }

    fn skip_double(&mut self, mut at: usize) -> Option<usize> {
        self.enter_level()?;
        while self.char_at(at)? != '"' {
            at = match (self.char_at(at)?, self.char_at(at + 1)) {
                ('$', Some('\'')) => at + 1,
                _ => self.skip_common(at)?,
            };
        }
        self.depth -= 1;
        Some(at + 1)
    }

    fn begins_word(&self, at: usize) -> bool {
        at == 0 || self.char_at(at - 1).is_some_and(|c| " \t\n;&|()".contains(c))
    }

    fn line_end(&self, at: usize) -> usize {
        self.chars[at..].iter().position(|c| *c == '\n').map_or(self.chars.len(), |length| at + length)
    }

    /// Takes a here-document's delimiter; its body comes after the line.
    fn take_document(&mut self, at: usize) -> Option<usize> {
        if self.char_at(at + 2) == Some('<') {
            return Some(at + 3);
        }
        let tabs = self.char_at(at + 2) == Some('-');
        let mut at = at + if tabs { 3 } else { 2 };
        while matches!(self.char_at(at), Some(' ' | '\t')) {
            at += 1;
        }
        let (delimiter, length) = read_delimiter(self.chars.get(at..)?)?;
        self.documents.push((delimiter, tabs));
        Some(at + length)
    }

    /// Skips the bodies of the here-documents of the line before.
    fn skip_bodies(&mut self, mut at: usize) -> Option<usize> {
        for (delimiter, tabs) in std::mem::take(&mut self.documents) {
            loop {
                if at >= self.chars.len() {
                    return None;
                }
                let end = self.line_end(at);
                let line: String = self.chars[at..end].iter().collect();
                at = end + 1;
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == delimiter {
                    break;
                }
            }
        }
        Some(at)
    }
}

/// A here-document's delimiter without its quotes, and how many characters it takes in the script.
pub(crate) fn read_delimiter(chars: &[char]) -> Option<(String, usize)> {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(c) = chars.get(at).filter(|c| !" \t\n;&|<>()".contains(**c)) {
        match c {
            '\\' => {
                text.push(*chars.get(at + 1)?);
                at += 2;
            }
            '\'' | '"' => {
                let inner = chars.get(at + 1..)?;
                let length = inner.iter().position(|end| end == c)?;
                text.extend(&inner[..length]);
                at += length + 2;
            }
            '$' | '`' => return None,
            c => {
                text.push(*c);
                at += 1;
            }
        }
    }
    (at > 0).then_some((text, at))
}
