//! A context of files, fitted to a budget of tokens: what goes in whole, what is cut, what is left out, and why.

use super::cut::cut;
use super::roles;
use super::tokens::Counter;
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
    /// How hot it is.
    pub hotness: f64,
    /// What it is.
    pub role: Role,
    /// Which part of it is cut where it does not fit.
    pub truncate: Truncate,
}

impl ContextCandidate {
    /// A file that somebody named, of which nothing else is known.
    pub(crate) fn of(path: String, hotness: f64) -> Self {
        let role = roles::of(&path);
        let truncate = roles::truncate(role, &path);
        Self { path, priority: 1, hotness, role, truncate }
    }
}

/// A file in the context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FittedFile {
    /// The file.
    pub file: ContextCandidate,
    /// What is left of its text.
    pub text: String,
    /// Its tokens there, its path among them.
    pub tokens: u64,
    /// Where it is cut: the tokens of the whole, and the first and last line that are gone.
    pub cut: Option<(u64, (u64, u64))>,
}

/// A file that is not in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnfittedFile {
    /// Its path.
    pub path: String,
    /// Its tokens, where they were counted.
    pub tokens: Option<u64>,
    /// Why.
    pub reason: String,
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fitted {
    /// What is in it, in its order.
    pub included: Vec<FittedFile>,
    /// What is not.
    pub left_out: Vec<UnfittedFile>,
    /// Its tokens.
    pub tokens: u64,
}

/// The most that a context holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Tokens.
    pub tokens: u64,
    /// Bytes, whatever they count as: the limit of an answer.
    pub bytes: usize,
}

/// Puts files into a context, by priority and then by hotness, until the room is used up. A file that is cut takes at most
/// half of what is left while others wait, so that one long file does not keep the rest out. Each is read when its turn
/// comes; `read` says why one cannot be.
pub(crate) fn fit(
    mut candidates: Vec<ContextCandidate>,
    mut read: impl FnMut(&ContextCandidate) -> Result<String, String>,
    room: Room,
    counter: Counter,
) -> Fitted {
    candidates.sort_by(|a, b| {
        (a.priority.cmp(&b.priority)).then(b.hotness.total_cmp(&a.hotness)).then(a.path.cmp(&b.path))
    });
    let mut fitting = Fitting { fitted: Fitted::default(), left: room, counter };
    let mut waiting = candidates.len();
    for file in candidates {
        waiting -= 1;
        if fitting.left.tokens < LEAST {
            fitting.leave_out(file.path, None, "the budget is used up".to_owned());
            continue;
        }
        match read(&file) {
            Ok(text) => fitting.put(file, text, waiting > 0),
            Err(reason) => fitting.leave_out(file.path, None, reason),
        }
    }
    fitting.fitted
}

/// A context that is being filled.
struct Fitting {
    fitted: Fitted,
    /// The room that is left.
    left: Room,
    counter: Counter,
}

impl Fitting {
    /// Puts a file in, whole or cut, where it fits; `others_wait` says that it may not take all that is left.
    fn put(&mut self, file: ContextCandidate, text: String, others_wait: bool) {
        let over = self.counter.count(&file.path) + 2;
        let whole = self.counter.count(&text) + over;
        if whole <= self.left.tokens && text.len() <= self.left.bytes {
            return self.include(FittedFile { file, text, tokens: whole, cut: None });
        }
        let left = self.left;
        let share = if others_wait { left.tokens / 2 } else { left.tokens };
        // A limit of bytes as one of tokens, a little below it since no part is quite like the whole.
        let share = share.min(left.bytes as u64 * whole / (text.len() as u64).max(1) * 9 / 10);
        let fits = share >= LEAST + over;
        let piece = fits.then(|| cut(&text, file.truncate, share - over, self.counter)).flatten();
        match piece.filter(|piece| piece.text.len() <= left.bytes) {
            Some(piece) => {
                let (tokens, cut) = (piece.tokens + over, Some((whole, piece.gone)));
                self.include(FittedFile { file, text: piece.text, tokens, cut });
            }
            None => {
                let reason = match file.truncate {
                    Truncate::Never => {
                        let left = left.tokens;
                        format!("it is never cut, and its {whole} tokens do not fit into the {left} left")
                    }
                    _ => format!("not a line of its {whole} tokens fits into the {share} that it may take"),
                };
                self.leave_out(file.path, Some(whole), reason);
            }
        }
    }

    fn include(&mut self, included: FittedFile) {
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

    const COUNTER: Counter = Counter::ESTIMATE;

    fn file(path: &str, lines: usize, priority: u32, hotness: f64, truncate: Truncate) -> ContextCandidate {
        ContextCandidate { path: format!("{path}/{lines}"), priority, hotness, role: Role::Source, truncate }
    }

    fn room(tokens: u64) -> Room {
        Room { tokens, bytes: 1 << 20 }
    }

    /// A file has as many lines as its name says.
    fn fit_all(candidates: Vec<ContextCandidate>, room: Room) -> Fitted {
        let read = |file: &ContextCandidate| {
            let lines: usize = file.path.rsplit('/').next().unwrap().parse().unwrap();
            Ok((1..=lines).map(|line| format!("line number {line:04}\n")).collect())
        };
        fit(candidates, read, room, COUNTER)
    }

    fn told(fitted: &Fitted) -> Vec<String> {
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
        let fitted = fit_all(files, Room { tokens: 100_000, bytes: 2500 });
        assert_eq!(told(&fitted), ["a/100", "b/100 cut"]);
        let bytes: usize = fitted.included.iter().map(|included| included.text.len()).sum();
        assert!(bytes <= 2500, "{bytes}");
        assert_eq!(told(&fit_all(vec![file("a", 100, 1, 0.5, Truncate::End)], room(5))), ["not a/100"]);
    }
}
