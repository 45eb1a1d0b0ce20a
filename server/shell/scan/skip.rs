//! Where a substitution ends: the end of `(…)`, `{…}` and `[…]`, quotes, comments and here-documents skipped.

/// The deepest nesting that is followed.
const DEEPEST: usize = 100;

/// Where the parenthesis that opens at `open` is closed: one past it.
pub(super) fn parenthesis(chars: &[char], open: usize) -> Option<usize> {
    Skip { chars, depth: 0, documents: Vec::new() }.to(open + 1, ')')
}

/// Where the brace of `${` that opens at `open` is closed: one past it.
pub(super) fn brace(chars: &[char], open: usize) -> Option<usize> {
    Skip { chars, depth: 0, documents: Vec::new() }.expansion(open + 1, '}')
}

/// Where the bracket of `$[` that opens at `open` is closed: one past it.
pub(super) fn bracket(chars: &[char], open: usize) -> Option<usize> {
    Skip { chars, depth: 0, documents: Vec::new() }.expansion(open + 1, ']')
}

struct Skip<'a> {
    chars: &'a [char],
    depth: usize,
    /// The here-documents whose bodies begin at the next line: the last line, and whether tabs before it do not count.
    documents: Vec<(String, bool)>,
}

impl Skip<'_> {
    fn at(&self, at: usize) -> Option<char> {
        self.chars.get(at).copied()
    }

    /// One past the `close` of a piece of script.
    fn to(&mut self, mut at: usize, close: char) -> Option<usize> {
        self.enter()?;
        let outer = std::mem::take(&mut self.documents);
        loop {
            let c = self.at(at)?;
            at = match c {
                c if c == close => break,
                '(' => self.to(at + 1, ')')?,
                '\'' => self.single(at + 1)?,
                '#' if self.begins_word(at) => self.line_end(at),
                '<' if self.at(at + 1) == Some('<') => self.document(at)?,
                '\n' => self.bodies(at + 1)?,
                _ => self.common(at)?,
            };
        }
        self.documents = outer;
        self.depth -= 1;
        Some(at + 1)
    }

    /// One past the `close` of a parameter expansion.
    fn expansion(&mut self, mut at: usize, close: char) -> Option<usize> {
        self.enter()?;
        loop {
            let c = self.at(at)?;
            at = match c {
                c if c == close => break,
                '\'' if close == '}' => self.single(at + 1)?,
                _ => self.common(at)?,
            };
        }
        self.depth -= 1;
        Some(at + 1)
    }

    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    /// What is skipped everywhere but between single quotes.
    fn common(&mut self, at: usize) -> Option<usize> {
        match (self.at(at)?, self.at(at + 1)) {
            ('\\', _) => Some(at + 2),
            ('"', _) => self.double(at + 1),
            ('`', _) => self.backquoted(at + 1),
            ('$', Some('\'')) => self.ansi(at + 2),
            ('$', Some('(')) => self.to(at + 2, ')'),
            ('$', Some('{')) => self.expansion(at + 2, '}'),
            _ => Some(at + 1),
        }
    }

    fn single(&self, at: usize) -> Option<usize> {
        Some(at + self.chars.get(at..)?.iter().position(|c| *c == '\'')? + 1)
    }

    fn ansi(&self, mut at: usize) -> Option<usize> {
        while self.at(at)? != '\'' {
            at += if self.at(at) == Some('\\') { 2 } else { 1 };
        }
        Some(at + 1)
    }

    fn backquoted(&self, mut at: usize) -> Option<usize> {
        while self.at(at)? != '`' {
            at += if self.at(at) == Some('\\') { 2 } else { 1 };
        }
        Some(at + 1)
    }

    fn double(&mut self, mut at: usize) -> Option<usize> {
        self.enter()?;
        while self.at(at)? != '"' {
            at = match (self.at(at)?, self.at(at + 1)) {
                ('$', Some('\'')) => at + 1,
                _ => self.common(at)?,
            };
        }
        self.depth -= 1;
        Some(at + 1)
    }

    fn begins_word(&self, at: usize) -> bool {
        at == 0 || self.at(at - 1).is_some_and(|c| " \t\n;&|()".contains(c))
    }

    fn line_end(&self, at: usize) -> usize {
        self.chars[at..].iter().position(|c| *c == '\n').map_or(self.chars.len(), |length| at + length)
    }

    /// Takes a here-document's delimiter; its body comes after the line.
    fn document(&mut self, at: usize) -> Option<usize> {
        if self.at(at + 2) == Some('<') {
            return Some(at + 3);
        }
        let tabs = self.at(at + 2) == Some('-');
        let mut at = at + if tabs { 3 } else { 2 };
        while matches!(self.at(at), Some(' ' | '\t')) {
            at += 1;
        }
        let (delimiter, length) = delimiter(self.chars.get(at..)?)?;
        self.documents.push((delimiter, tabs));
        Some(at + length)
    }

    /// Skips the bodies of the here-documents of the line before.
    fn bodies(&mut self, mut at: usize) -> Option<usize> {
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
pub(crate) fn delimiter(chars: &[char]) -> Option<(String, usize)> {
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
