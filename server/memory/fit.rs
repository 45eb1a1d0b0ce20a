//! A context of files, fitted to a budget of tokens: what goes in whole, what is cut, what is left out, and why.

use super::cut::cut_text;
use super::roles;
use super::tokens::TokenCounter;
use crate::protocol::{Role, Truncate};

/// Tokens below which a piece of a file is not worth its place.
const LEAST: u64 = 48;

/// A file that may go into a context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContextCandidate {
    /// Its path.
    pub path: String,
    /// Its place, 1 first.
    pub priority: u32,
    /// Its hotness.
    pub hotness: f64,
    /// Its role.
    pub role: Role,
    /// The part of it that is cut where it does not fit.
    pub truncate: Truncate,
}

impl ContextCandidate {
    /// A file that somebody named, of which nothing else is known.
    pub(crate) fn from_path(path: String, hotness: f64) -> Self {
        let role = roles::role_of(&path);
        let truncate = roles::default_truncate(role, &path);
        Self { path, priority: 1, hotness, role, truncate }
    }
}

/// A file in the context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FittedFile {
    /// The file.
    pub file: ContextCandidate,
    /// The remaining text.
    pub text: String,
    /// Its tokens there, its path among them.
    pub tokens: u64,
    /// The cut, where there is one: the tokens of the whole, and the first and last line that are gone.
    pub cut: Option<(u64, (u64, u64))>,
}

/// A file that is not in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnfittedFile {
    /// Its path.
    pub path: String,
    /// Its tokens, where they were counted.
    pub tokens: Option<u64>,
    /// The reason.
    pub reason: String,
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FittedContext {
    /// The files in it, in its order.
    pub included: Vec<FittedFile>,
    /// The files that are left out.
    pub left_out: Vec<UnfittedFile>,
    /// Its tokens.
    pub tokens: u64,
}

/// The most that a context holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextRoom {
    /// Tokens.
    pub tokens: u64,
    /// Bytes, whatever they count as: the limit of an answer.
    pub bytes: usize,
}

/// Puts files into a context, by priority and then by hotness, until the room is used up. A cut file takes at most half
/// of the remaining room while others wait, so that one long file does not keep the rest out. Each is read when its
/// turn comes; `read` returns why one cannot be.
pub(crate) fn fit_context(
    mut candidates: Vec<ContextCandidate>,
    mut read: impl FnMut(&ContextCandidate) -> Result<String, String>,
    room: ContextRoom,
    counter: TokenCounter,
) -> FittedContext {
    candidates.sort_by(|a, b| {
        (a.priority.cmp(&b.priority)).then(b.hotness.total_cmp(&a.hotness)).then(a.path.cmp(&b.path))
    });
    let mut fitting = ContextFitting { fitted: FittedContext::default(), left: room, counter };
    let mut waiting = candidates.len();
    for file in candidates {
        waiting -= 1;
        if fitting.left.tokens < LEAST {
            let left = fitting.left.tokens;
            let reason =
                format!("{left} tokens of the budget are left, and no file goes in with less than {LEAST}");
            fitting.leave_out(file.path, None, reason);
            continue;
        }
        match read(&file) {
            Ok(text) => fitting.put_file(file, text, waiting > 0),
            Err(reason) => fitting.leave_out(file.path, None, reason),
        }
    }
    fitting.fitted
}

/// A context that is being filled.
struct ContextFitting {
    fitted: FittedContext,
    /// The room that is left.
    left: ContextRoom,
    counter: TokenCounter,
}

impl ContextFitting {
    /// Puts a file in, whole or cut, where it fits; with `others_wait` it may not take all of the remaining room.
    fn put_file(&mut self, file: ContextCandidate, text: String, others_wait: bool) {
        let over = self.counter.count_tokens(&file.path) + 2;
        let whole = self.counter.count_tokens(&text) + over;
        if whole <= self.left.tokens && text.len() <= self.left.bytes {
            return self.include_file(FittedFile { file, text, tokens: whole, cut: None });
        }
        let left = self.left;
        let share = if others_wait { left.tokens / 2 } else { left.tokens };
        // A limit of bytes as one of tokens, a little below it since no part is quite like the whole.
        let share = share.min(left.bytes as u64 * whole / (text.len() as u64).max(1) * 9 / 10);
        let fits = share >= LEAST + over;
        let piece = fits.then(|| cut_text(&text, file.truncate, share - over, self.counter)).flatten();
        match piece.filter(|piece| piece.text.len() <= left.bytes) {
            Some(piece) => {
                let (tokens, cut) = (piece.tokens + over, Some((whole, piece.gone)));
                self.include_file(FittedFile { file, text: piece.text, tokens, cut });
            }
            None => {
                let reason = match file.truncate {
                    Truncate::Never => {
                        let left = left.tokens;
                        format!("it is never cut, and its {whole} tokens do not fit into the {left} left")
                    }
                    _ if others_wait => format!(
                        "not a line of its {whole} tokens fits into the {share} that it may take: half of what is \
                         left is kept for the files behind it"
                    ),
                    _ => format!("not a line of its {whole} tokens fits into the {share} that it may take"),
                };
                self.leave_out(file.path, Some(whole), reason);
            }
        }
    }

    fn include_file(&mut self, included: FittedFile) {
        self.left.tokens -= included.tokens;
        self.left.bytes -= included.text.len();
        self.fitted.tokens += included.tokens;
        self.fitted.included.push(included);
    }

    fn leave_out(&mut self, path: String, tokens: Option<u64>, reason: String) {
        self.fitted.left_out.push(UnfittedFile { path, tokens, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: TokenCounter = TokenCounter::ESTIMATE;

    fn file(path: &str, lines: usize, priority: u32, hotness: f64, truncate: Truncate) -> ContextCandidate {
        ContextCandidate { path: format!("{path}/{lines}"), priority, hotness, role: Role::Source, truncate }
    }

    fn room(tokens: u64) -> ContextRoom {
        ContextRoom { tokens, bytes: 1 << 20 }
    }

    /// The number in a file's name is its number of lines.
    fn fit_all(candidates: Vec<ContextCandidate>, room: ContextRoom) -> FittedContext {
        let read = |file: &ContextCandidate| {
            let lines: usize = file.path.rsplit('/').next().unwrap().parse().unwrap();
            Ok((1..=lines).map(|line| format!("line number {line:04}\n")).collect())
        };
        fit_context(candidates, read, room, COUNTER)
    }

    fn told(fitted: &FittedContext) -> Vec<String> {
        let included = fitted.included.iter().map(|included| {
            let cut = if included.cut.is_some() { " cut" } else { "" };
            format!("{}{cut}", included.file.path)
        });
        included.chain(fitted.left_out.iter().map(|left| format!("not {}", left.path))).collect()
    }

    #[test]
    fn the_first_and_the_hottest_go_in_before_others() {
        let files = vec![
            file("cold", 10, 2, 0.1, Truncate::End),
            file("hot", 10, 2, 0.9, Truncate::End),
            file("first", 10, 1, 0.0, Truncate::End),
        ];
        let fitted = fit_all(files.clone(), room(1000));
        assert_eq!(told(&fitted), ["first/10", "hot/10", "cold/10"]);
        assert_eq!(fitted.tokens, fitted.included.iter().map(|included| included.tokens).sum::<u64>());
        assert_eq!(told(&fit_all(files, room(100))), ["first/10", "hot/10", "not cold/10"]);
    }

    #[test]
    fn a_long_file_is_cut_and_leaves_room_for_others() {
        let files = vec![
            file("long", 1000, 1, 0.5, Truncate::Middle),
            file("whole", 1000, 2, 0.5, Truncate::Never),
            file("short", 10, 3, 0.1, Truncate::End),
        ];
        let fitted = fit_all(files, room(600));
        assert_eq!(told(&fitted), ["long/1000 cut", "short/10", "not whole/1000"]);
        assert!(fitted.tokens <= 600);
        let (whole, gone) = fitted.included[0].cut.unwrap();
        assert!(whole > 4000 && gone.0 > 1 && gone.1 < 1000, "{gone:?}");
        assert!(fitted.left_out[0].reason.starts_with("it is never cut"), "{:?}", fitted.left_out);
    }

    #[test]
    fn an_answer_has_no_more_bytes_than_it_may() {
        let files = vec![file("a", 100, 1, 0.5, Truncate::End), file("b", 100, 2, 0.5, Truncate::End)];
        let fitted = fit_all(files, ContextRoom { tokens: 100_000, bytes: 2500 });
        assert_eq!(told(&fitted), ["a/100", "b/100 cut"]);
        let bytes: usize = fitted.included.iter().map(|included| included.text.len()).sum();
        assert!(bytes <= 2500, "{bytes}");
        assert_eq!(told(&fit_all(vec![file("a", 100, 1, 0.5, Truncate::End)], room(5))), ["not a/100"]);
    }
}
