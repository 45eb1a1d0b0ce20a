//! A context of files, fitted to a budget of tokens: what goes in whole, what is cut, what is left out, and why.

use super::cut::cut;
use super::roles;
use super::tokens::Counter;
use crate::protocol::{Role, Truncate};

/// Tokens below which a piece of a file is not worth its place.
const LEAST: u64 = 48;

/// A file that may go into a context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
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

impl Candidate {
    /// A file that somebody named, of which nothing else is known.
    pub(crate) fn of(path: String, hotness: f64) -> Self {
        let role = roles::of(&path);
        let truncate = roles::truncate(role, &path);
        Self { path, priority: 1, hotness, role, truncate }
    }
}

/// A file in the context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Included {
    /// The file.
    pub file: Candidate,
    /// What is left of its text.
    pub text: String,
    /// Its tokens there, its path among them.
    pub tokens: u64,
    /// Where it is cut: the tokens of the whole, and the first and last line that are gone.
    pub cut: Option<(u64, (u64, u64))>,
}

/// A file that is not in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
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
    pub included: Vec<Included>,
    /// What is not.
    pub left_out: Vec<LeftOut>,
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
    mut candidates: Vec<Candidate>,
    mut read: impl FnMut(&Candidate) -> Result<String, String>,
    room: Room,
    counter: Counter,
) -> Fitted {
    candidates.sort_by(|a, b| {
        (a.priority.cmp(&b.priority)).then(b.hotness.total_cmp(&a.hotness)).then(a.path.cmp(&b.path))
    });
    let mut fitted = Fitted::default();
    let mut left = room;
    let mut waiting = candidates.len();
    for file in candidates {
        waiting -= 1;
        if left.tokens < LEAST {
            let reason = "the budget is used up".to_owned();
            fitted.left_out.push(LeftOut { path: file.path, tokens: None, reason });
            continue;
        }
        let text = match read(&file) {
            Ok(text) => text,
            Err(reason) => {
                fitted.left_out.push(LeftOut { path: file.path, tokens: None, reason });
                continue;
            }
        };
        let over = counter.count(&file.path) + 2;
        let whole = counter.count(&text) + over;
        if whole <= left.tokens && text.len() <= left.bytes {
            left = take(left, whole, text.len());
            fitted.tokens += whole;
            fitted.included.push(Included { file, text, tokens: whole, cut: None });
            continue;
        }
        let share = if waiting > 0 { left.tokens / 2 } else { left.tokens };
        // A limit of bytes as one of tokens, a little below it since no part is quite like the whole.
        let share = share.min(left.bytes as u64 * whole / (text.len() as u64).max(1) * 9 / 10);
        let (path, truncate) = (file.path.clone(), file.truncate);
        let piece = (share >= LEAST + over).then(|| cut(&text, truncate, share - over, counter)).flatten();
        match piece.filter(|piece| piece.text.len() <= left.bytes) {
            Some(piece) => {
                let tokens = piece.tokens + over;
                left = take(left, tokens, piece.text.len());
                fitted.tokens += tokens;
                fitted.included.push(Included {
                    file,
                    text: piece.text,
                    tokens,
                    cut: Some((whole, piece.gone)),
                });
            }
            None => {
                let reason = match truncate {
                    Truncate::Never => {
                        format!(
                            "it is never cut, and its {whole} tokens do not fit into the {} left",
                            left.tokens
                        )
                    }
                    _ => format!("not a line of its {whole} tokens fits into the {share} that it may take"),
                };
                fitted.left_out.push(LeftOut { path, tokens: Some(whole), reason });
            }
        }
    }
    fitted
}

fn take(left: Room, tokens: u64, bytes: usize) -> Room {
    Room { tokens: left.tokens - tokens, bytes: left.bytes - bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: Counter = Counter::ESTIMATE;

    fn file(path: &str, lines: usize, priority: u32, hotness: f64, truncate: Truncate) -> Candidate {
        Candidate { path: format!("{path}/{lines}"), priority, hotness, role: Role::Source, truncate }
    }

    fn room(tokens: u64) -> Room {
        Room { tokens, bytes: 1 << 20 }
    }

    /// A file has as many lines as its name says.
    fn fit_all(candidates: Vec<Candidate>, room: Room) -> Fitted {
        let read = |file: &Candidate| {
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
