//! The language of a file's lines, as far as it can be told in bounded time.

use std::ops::Range;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::palette::Token;

/// The languages that are known.
static KNOWN: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Bytes of the longest line that is looked into: a longer one is minified, or data.
const LONGEST: usize = 1000;

/// How long the lines of one hunk may take; those that are left then are plain. The first hunk prepares its language too.
const LIMIT: Duration = Duration::from_millis(500);

/// What the beginning of a scope's name says of a part; the first that fits counts.
static TOKENS: LazyLock<Vec<(Scope, Token)>> = LazyLock::new(|| {
    let tokens = [
        ("comment", Token::Comment),
        ("string", Token::Text),
        ("constant", Token::Number),
        ("keyword.operator.word", Token::Keyword),
        ("keyword.operator.logical.python", Token::Keyword),
        ("keyword.operator", Token::Plain),
        ("keyword", Token::Keyword),
        ("storage", Token::Keyword),
        ("variable.language", Token::Keyword),
        ("entity.name.function", Token::Name),
        ("support.function", Token::Name),
        ("variable.function", Token::Name),
        ("entity.other.attribute-name", Token::Name),
        ("entity.name.tag", Token::Keyword),
        ("entity.name", Token::Kind),
        ("support.type", Token::Kind),
        ("support.class", Token::Kind),
        ("markup.heading", Token::Keyword),
        ("markup.raw", Token::Text),
    ];
    tokens.into_iter().filter_map(|(name, token)| Some((Scope::new(name).ok()?, token))).collect()
});

/// Reads lines of one file, one after the other.
#[derive(Clone, Debug)]
pub(super) struct LineReader {
    /// None where the language is not known, or the time is over.
    state: Option<(ParseState, ScopeStack)>,
    until: Instant,
}

impl LineReader {
    /// For the lines of the file at `path`.
    pub(super) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
        let known = KNOWN.find_syntax_by_extension(name);
        let known = known.or_else(|| KNOWN.find_syntax_by_extension(ending));
        let known = known.filter(|known| known.name != "Plain Text");
        let state = known.map(|known| (ParseState::new(known), ScopeStack::new()));
        Self { state, until: Instant::now() + LIMIT }
    }

    /// For lines whose language does not matter.
    pub(super) fn plain() -> Self {
        Self { state: None, until: Instant::now() }
    }

    /// What the parts of a line are, in order; a part that is not named is plain.
    pub(super) fn read(&mut self, line: &str) -> Vec<(Range<usize>, Token)> {
        if line.len() > LONGEST {
            return Vec::new();
        }
        if Instant::now() > self.until {
            self.state = None;
        }
        let Some((state, stack)) = &mut self.state else { return Vec::new() };
        let Ok(changes) = state.parse_line(&format!("{line}\n"), &KNOWN) else {
            self.state = None;
            return Vec::new();
        };
        let (mut parts, mut from) = (Vec::new(), 0);
        for (at, change) in changes {
            push(&mut parts, from..at.min(line.len()), stack);
            from = at.min(line.len());
            if stack.apply(&change).is_err() {
                self.state = None;
                return parts;
            }
        }
        push(&mut parts, from..line.len(), stack);
        parts
    }
}

fn push(parts: &mut Vec<(Range<usize>, Token)>, part: Range<usize>, stack: &ScopeStack) {
    let of =
        |scope: &Scope| TOKENS.iter().find(|(name, _)| name.is_prefix_of(*scope)).map(|(_, token)| *token);
    let token = stack.as_slice().iter().rev().find_map(of).unwrap_or(Token::Plain);
    if !part.is_empty() && token != Token::Plain {
        parts.push((part, token));
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, LineReader};
    use crate::cli::palette::Token;

    fn read(path: &str, line: &str) -> Vec<(String, Token)> {
        let parts = LineReader::of(path).read(line);
        parts.into_iter().map(|(part, token)| (line[part].to_owned(), token)).collect()
    }

    #[test]
    fn parts_of_a_line_are_told_by_the_language_of_the_file() {
        let has = |path, line, text: &str, token| {
            let parts = read(path, line);
            assert!(parts.iter().any(|(part, is)| part.trim() == text && *is == token), "{path}: {parts:?}");
        };
        has("src/a.rs", "fn main() { let x = 12; // why", "fn", Token::Keyword);
        has("src/a.rs", "fn main() { let x = 12; // why", "12", Token::Number);
        has("src/a.rs", "fn main() { let x = 12; // why", "main", Token::Name);
        has("a.py", "def f(): return 'ü'", "def", Token::Keyword);
        has("a.ts", "const a: string = `x`", "const", Token::Keyword);
        has("a/Cargo.toml", "a = 1", "1", Token::Number);
        has("Makefile", "# all", "all", Token::Comment);
        assert!(read("a.unknown-ending", "fn main() {}").is_empty());
    }

    #[test]
    fn a_comment_goes_on_over_lines_and_a_huge_line_is_plain() {
        let mut reader = LineReader::of("a.c");
        reader.read("/* begins");
        assert_eq!(reader.read("int x;"), [(0..6, Token::Comment)]);
        assert!(reader.read(&"int x;".repeat(LONGEST)).is_empty());
        assert_eq!(reader.read("ends */").first().map(|(_, token)| *token), Some(Token::Comment));
    }
}
