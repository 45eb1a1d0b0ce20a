//! The syntax of a file's lines, within a time limit.

use std::ops::Range;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::palette::SyntaxToken;

/// The languages that are known.
static KNOWN: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Bytes of the longest line that is parsed: a longer one is minified, or data.
const LONGEST: usize = 1000;

/// The time limit for the lines of one hunk; the remaining lines are plain. The first hunk also loads its language.
const LIMIT: Duration = Duration::from_millis(500);

/// The token kind for the beginning of a scope's name; the first match counts.
static TOKENS: LazyLock<Vec<(Scope, SyntaxToken)>> = LazyLock::new(|| {
    let tokens = [
        ("comment", SyntaxToken::Comment),
        ("string", SyntaxToken::Text),
        ("constant", SyntaxToken::Number),
        ("keyword.operator.word", SyntaxToken::Keyword),
        ("keyword.operator.logical.python", SyntaxToken::Keyword),
        ("keyword.operator", SyntaxToken::Plain),
        ("keyword", SyntaxToken::Keyword),
        ("storage", SyntaxToken::Keyword),
        ("variable.language", SyntaxToken::Keyword),
        ("entity.name.function", SyntaxToken::Name),
        ("support.function", SyntaxToken::Name),
        ("variable.function", SyntaxToken::Name),
        ("entity.other.attribute-name", SyntaxToken::Name),
        ("entity.name.tag", SyntaxToken::Keyword),
        ("entity.name", SyntaxToken::Kind),
        ("support.type", SyntaxToken::Kind),
        ("support.class", SyntaxToken::Kind),
        ("markup.heading", SyntaxToken::Keyword),
        ("markup.raw", SyntaxToken::Text),
    ];
    tokens.into_iter().filter_map(|(name, token)| Some((Scope::new(name).ok()?, token))).collect()
});

/// Reads lines of one file, one after the other.
#[derive(Clone, Debug)]
pub(super) struct LineReader {
    /// None if the language is not known, or the time limit is over.
    state: Option<(ParseState, ScopeStack)>,
    until: Instant,
}

impl LineReader {
    /// A reader for the lines of the file at `path`.
    pub(super) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
        let known = KNOWN.find_syntax_by_extension(name);
        let known = known.or_else(|| KNOWN.find_syntax_by_extension(ending));
        let known = known.filter(|known| known.name != "Plain Text");
        let state = known.map(|known| (ParseState::new(known), ScopeStack::new()));
        Self { state, until: Instant::now() + LIMIT }
    }

    /// A reader without a language.
    pub(super) fn without_language() -> Self {
        Self { state: None, until: Instant::now() }
    }

    /// The token kinds of the parts of a line, in order; a part that is not named is plain.
    pub(super) fn read_tokens(&mut self, line: &str) -> Vec<(Range<usize>, SyntaxToken)> {
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
            push_token(&mut parts, from..at.min(line.len()), stack);
            from = at.min(line.len());
            if stack.apply(&change).is_err() {
                self.state = None;
                return parts;
            }
        }
        push_token(&mut parts, from..line.len(), stack);
        parts
    }
}

fn push_token(parts: &mut Vec<(Range<usize>, SyntaxToken)>, part: Range<usize>, stack: &ScopeStack) {
    let of =
        |scope: &Scope| TOKENS.iter().find(|(name, _)| name.is_prefix_of(*scope)).map(|(_, token)| *token);
    let token = stack.as_slice().iter().rev().find_map(of).unwrap_or(SyntaxToken::Plain);
    if !part.is_empty() && token != SyntaxToken::Plain {
        parts.push((part, token));
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, LineReader};
    use crate::cli::palette::SyntaxToken;

    fn read(path: &str, line: &str) -> Vec<(String, SyntaxToken)> {
        let parts = LineReader::of(path).read_tokens(line);
        parts.into_iter().map(|(part, token)| (line[part].to_owned(), token)).collect()
    }

    #[test]
    fn parts_of_a_line_are_told_by_the_language_of_the_file() {
        let has = |path, line, text: &str, token| {
            let parts = read(path, line);
            assert!(parts.iter().any(|(part, is)| part.trim() == text && *is == token), "{path}: {parts:?}");
        };
        has("src/a.rs", "fn main() { let x = 12; // why", "fn", SyntaxToken::Keyword);
        has("src/a.rs", "fn main() { let x = 12; // why", "12", SyntaxToken::Number);
        has("src/a.rs", "fn main() { let x = 12; // why", "main", SyntaxToken::Name);
        has("a.py", "def f(): return 'ü'", "def", SyntaxToken::Keyword);
        has("a.ts", "const a: string = `x`", "const", SyntaxToken::Keyword);
        has("a/Cargo.toml", "a = 1", "1", SyntaxToken::Number);
        has("Makefile", "# all", "all", SyntaxToken::Comment);
        assert!(read("a.unknown-ending", "fn main() {}").is_empty());
    }

    #[test]
    fn a_comment_goes_on_over_lines_and_a_huge_line_is_plain() {
        let mut reader = LineReader::of("a.c");
        reader.read_tokens("/* begins");
        assert_eq!(reader.read_tokens("int x;"), [(0..6, SyntaxToken::Comment)]);
        assert!(reader.read_tokens(&"int x;".repeat(LONGEST)).is_empty());
        assert_eq!(
            reader.read_tokens("ends */").first().map(|(_, token)| *token),
            Some(SyntaxToken::Comment)
        );
    }
}
