//! Secrets that show themselves by the name they are given to: `password = "…"`, `API_KEY=…`, `--token …`, `<secret>…</secret>`.

use super::Found;
use super::line::{self, Line};
use super::names::{Class, class};
use super::value;

/// Bytes of a name on either side of its telling word.
const NAME: usize = 48;
/// Bytes of the longest value.
const LONGEST: usize = 4096;

/// An identifier with what stands around it.
#[derive(Clone, Copy, Debug)]
struct Name {
    start: usize,
    end: usize,
    /// Dashes before it, as a flag has.
    dashes: usize,
    /// Whether a quote closes behind it.
    quoted: bool,
    class: Class,
}

/// How a name is written, before it is known what it names.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// Where its telling word starts.
    word: usize,
    /// Where what closes it ends.
    after: usize,
    /// Whether it is a flag.
    flag: bool,
    /// Whether a quote closes behind it.
    quoted: bool,
}

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `=` and its kin; whether the value begins at once.
    Equals { tight: bool },
    /// `:`.
    Colon,
    /// `==` and `!=`.
    Compares,
    /// `,` or `(`.
    Argument,
    /// `>` of an element.
    Element,
    /// Nothing but space.
    Space,
    /// `is`.
    Says,
}

/// The value given to the name that holds the word at `start..end`. `seen` is how far names were looked at.
pub(super) fn check(text: &[u8], start: usize, end: usize, seen: &mut usize) -> Option<Found> {
    if start < *seen {
        return None;
    }
    let end = end + text[end..].iter().take(NAME).take_while(|b| is_name(**b)).count();
    *seen = end;
    let end = end - text[start..end].iter().rev().take_while(|b| matches!(b, b'.' | b'-')).count();
    let closers = text[end..]
        .iter()
        .take(6)
        .take_while(|b| matches!(b, b'"' | b'\'' | b'`' | b']' | b'\\' | b'*'))
        .count();
    let after = end + closers;
    let from = start - text[..start].iter().rev().take(NAME).take_while(|b| is_name(**b)).count();
    let dashes = text[from..start].iter().take_while(|b| **b == b'-').count();
    let quoted = text[end..after].iter().any(|b| matches!(b, b'"' | b'\'' | b'`'));
    // Most words have neither behind them, and that is quicker to see than what they say.
    let shouted = !text[start..end].iter().any(u8::is_ascii_lowercase);
    let is_pair = quoted || shouted || text.get(after) == Some(&b'\n');
    let paired = pair_value(text, after).filter(|_| is_pair);
    let signed = sign(text, &Written { word: start, after, flag: dashes > 0, quoted });
    if (paired.is_none() && signed.is_none()) || text[..from].ends_with(b"redacted:") {
        return None;
    }
    let class = class(&text[from + dashes..end])?;
    let name = Name { start: from + dashes, end, dashes, quoted, class };
    paired.and_then(|at| pair(text, at)).or_else(|| given(text, name, signed?))
}

/// The value behind the sign that follows a name.
fn given(text: &[u8], name: Name, (sign, at): (Sign, usize)) -> Option<Found> {
    if let Some(found) = block(text, sign, at) {
        return Some(found);
    }
    let at = at + spaces(text, at);
    let prefix = text[at..].iter().take(2).take_while(|b| b"brfuBRFUL@$".contains(b)).count();
    let is_quote = |at: usize| quote_at(text, at).is_some();
    let found = |(start, end): (usize, usize)| Some(Found { kind: "value", start, end });
    if let Some(at) = [at, at + prefix].into_iter().find(|at| is_quote(*at)) {
        let (from, to) = quote_at(text, at)?;
        return if takes_quoted(text, name, sign, (from, to)) { found((from, to)) } else { None };
    }
    match sign {
        Sign::Compares | Sign::Argument => None,
        Sign::Element => {
            let length = text[at..].iter().take(LONGEST).position(|b| *b == b'<')?;
            let to = at + text[at..at + length].trim_ascii_end().len();
            if value::is_quoted_secret(name.class, &text[at..to], true) { found((at, to)) } else { None }
        }
        _ => bare(text, name, sign, at),
    }
}

/// The sign behind a name, and where it ends.
fn sign(text: &[u8], name: &Written) -> Option<(Sign, usize)> {
    let space = spaces(text, name.after);
    let at = name.after + space;
    let rest = &text[at..text.len().min(at + 3)];
    Some(match rest {
        [b'=' | b'!', b'=', b'=', ..] => (Sign::Compares, at + 3),
        [b'=' | b'!', b'=', ..] => (Sign::Compares, at + 2),
        [b'=', b'>', ..] | [b':' | b'?' | b'+', b'=', ..] => (Sign::Equals { tight: false }, at + 2),
        [b':', b':', ..] => return None,
        [b'=', ..] => {
            let tight = space == 0 && !matches!(text.get(at + 1), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
            (Sign::Equals { tight }, at + 1)
        }
        [b':', ..] => (Sign::Colon, at + 1),
        [b',' | b'(', ..] if name.quoted || rest[0] == b'(' => (Sign::Argument, at + 1),
        [b'>', ..] => (Sign::Element, at + 1),
        [b'i', b's', b' ', ..] => (Sign::Says, at + 3),
        _ if space > 0 && (name.flag || is_login(text, name.word)) => (Sign::Space, at),
        _ => return None,
    })
}

/// Whether a name stands in a line of `.netrc`.
fn is_login(text: &[u8], word: usize) -> bool {
    if !text[word].eq_ignore_ascii_case(&b'p') {
        return false;
    }
    let before = &text[word.saturating_sub(160)..word];
    [&b"login "[..], b"machine "].iter().any(|word| memchr::memmem::find(before, word).is_some())
}

fn takes_quoted(text: &[u8], name: Name, sign: Sign, (from, to): (usize, usize)) -> bool {
    let secret = &text[from..to];
    let labels = sign == Sign::Colon;
    let telling = || value::is_random(secret) && secret.len() >= 6 && !value::is_place(secret);
    match sign {
        Sign::Compares | Sign::Says => telling(),
        Sign::Argument if name.dashes == 0 => telling(),
        Sign::Argument | Sign::Space => is_flags(secret),
        _ if name.dashes > 1 => is_flags(secret) || value::is_quoted_secret(name.class, secret, labels),
        Sign::Equals { tight: true } if is_shouted(text, name) => {
            secret.len() >= 3 && !value::is_place(secret) && !secret.iter().any(u8::is_ascii_whitespace)
                || value::is_quoted_secret(name.class, secret, labels)
        }
        _ => value::is_quoted_secret(name.class, secret, labels),
    }
}

/// Whether the value of a flag is one, and no word of its description.
fn is_flags(secret: &[u8]) -> bool {
    let metavariable = secret.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    secret.len() >= 3
        && !value::is_place(secret)
        && !metavariable
        && !matches!(secret[0], b'-' | b'[' | b'`' | b'"' | b'\'' | b'|' | b'(' | b',')
        && !value::is_word(secret)
}

/// A value without quotes.
fn bare(text: &[u8], name: Name, sign: Sign, at: usize) -> Option<Found> {
    let found = |end: usize| (at < end).then_some(Found { kind: "value", start: at, end });
    let end = line::end(text, at).min(at + LONGEST);
    let until = |stop: fn(&u8) -> bool| at + text[at..end].iter().position(stop).unwrap_or(end - at);
    let token = until(|b| b.is_ascii_whitespace() || b",;)]}\"'`<\\&".contains(b));
    let solid = until(|b| b.is_ascii_whitespace() || b"\"'`".contains(b));
    if let Some(typed) = typed(text, name, at) {
        return Some(typed);
    }
    let secret = &text[at..token];
    if secret.is_empty() || value::is_place(&text[at..solid]) || value::is_place(secret) {
        return None;
    }
    if name.dashes > 0 && matches!(sign, Sign::Space | Sign::Equals { .. }) {
        return if is_flags(&text[at..solid]) { found(solid) } else { None };
    }
    if let Some(end) = at_once(text, name, sign, (at, token, solid)) {
        return found(end);
    }
    let Line { first, code } = line::around(text, name.start, name.quoted);
    if first && !code {
        let whole = line::value(text, at, end);
        let line = &text[at..whole];
        let labels = sign == Sign::Colon;
        let yes = match line.iter().any(u8::is_ascii_whitespace) {
            true => name.class != Class::Token && value::is_passphrase(line, labels),
            false => value::is_bare_secret(name.class, line),
        };
        if yes {
            return found(whole);
        }
    }
    let password = name.class == Class::Password;
    let numeric = name.quoted && password && secret.len() >= 4 && secret.iter().all(u8::is_ascii_digit);
    let least = if password { 8 } else { 10 };
    let random = secret.len() >= least && value::is_random(secret) && !value::is_code(secret);
    if random || numeric { found(token) } else { None }
}

/// The end of a value that follows its sign at once, as in the environment, in a URL, a header or a connection string.
fn at_once(text: &[u8], name: Name, sign: Sign, (at, token, solid): (usize, usize, usize)) -> Option<usize> {
    let before = name.start.checked_sub(1).map_or(b'\n', |at| text[at]);
    let secret = &text[at..token];
    let tight = sign == Sign::Equals { tight: true };
    if tight && is_shouted(text, name) && solid - at >= 3 {
        return Some(
            solid - text[at..solid].iter().rev().take_while(|b| matches!(b, b',' | b';' | b')')).count(),
        );
    }
    let header = sign == Sign::Colon && text[name.start..name.end].to_ascii_lowercase().starts_with(b"x-");
    if (sign == Sign::Space || header) && secret.len() >= 2 {
        return Some(solid);
    }
    if tight && matches!(before, b'?' | b'&' | b';') && secret.len() >= 4 {
        return Some(token);
    }
    let alone = text.get(token).is_none_or(|b| b.is_ascii_whitespace() || b";\"'&\\".contains(b));
    let keyed = tight && alone && b" \t\n\"';:/".contains(&before) && !line::is_call(text, name.start);
    (keyed && value::is_bare_secret(name.class, secret)).then_some(token)
}

/// The value behind a type: `password: &str = "…"`.
fn typed(text: &[u8], name: Name, at: usize) -> Option<Found> {
    let of_type = |b: &&u8| b.is_ascii_alphanumeric() || b"_&<>:[]|?'. ".contains(b);
    let at = at + text[at..].iter().take(48).take_while(of_type).count();
    if text.get(at) != Some(&b'=') || matches!(text.get(at + 1), Some(b'=' | b'>')) {
        return None;
    }
    let at = at + 1 + spaces(text, at + 1);
    let (start, end) = quote_at(text, at)?;
    let yes = value::is_quoted_secret(name.class, &text[start..end], false);
    yes.then_some(Found { kind: "value", start, end })
}

/// Where the value of a pair stands whose name ends before `after`: `name: DB_PASSWORD` and `value: …` beside it.
fn pair_value(text: &[u8], after: usize) -> Option<usize> {
    let gap = |b: &&u8| b.is_ascii_whitespace() || matches!(**b, b',' | b'>' | b'<' | b'-');
    let quotes =
        |at: usize| text[at..].iter().take(2).take_while(|b| matches!(b, b'"' | b'\'' | b'\\')).count();
    let at = after + text[after..].iter().take(24).take_while(gap).count();
    if at == after {
        return None;
    }
    let at = at + quotes(at);
    if !text.get(at..at + 5).is_some_and(|word| word.eq_ignore_ascii_case(b"value")) {
        return None;
    }
    let at = at + 5 + quotes(at + 5);
    let at = at + spaces(text, at);
    matches!(text.get(at), Some(b':' | b'=' | b'>')).then(|| at + 1 + spaces(text, at + 1))
}

/// The value of a pair, which begins at `at`.
fn pair(text: &[u8], at: usize) -> Option<Found> {
    let (start, end) = quote_at(text, at).unwrap_or_else(|| {
        let end = line::end(text, at);
        let stop = |b: &u8| matches!(b, b'<' | b' ' | b',');
        (at, at + text[at..end].iter().position(stop).unwrap_or(end - at))
    });
    let secret = text.get(start..end)?;
    let yes = secret.len() >= 3 && !value::is_place(secret) && !value::is_word(secret);
    yes.then_some(Found { kind: "value", start, end })
}

/// The lines of a block of YAML, or of a value that begins on the next line.
fn block(text: &[u8], sign: Sign, at: usize) -> Option<Found> {
    let head = at + spaces(text, at);
    if sign != Sign::Colon || !matches!(text.get(head), Some(b'|' | b'>')) {
        return None;
    }
    let first = line::end(text, head);
    if text[head + 1..first].iter().any(|b| !matches!(b, b'+' | b'-' | b' ' | b'1'..=b'9')) {
        return None;
    }
    let mut end = first;
    while text.get(end) == Some(&b'\n')
        && matches!(text.get(end + 1), Some(b' ' | b'\t'))
        && end < first + LONGEST
    {
        end = line::end(text, end + 1);
    }
    let start = first + text[first..end].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let secret = &text[start.min(end)..end];
    (secret.len() >= 3 && !value::is_place(secret) && !secret.contains(&b'(')).then_some(Found {
        kind: "value",
        start,
        end,
    })
}

/// What stands in the quotes that open at `at`, whatever they are escaped with.
pub(super) fn quote_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let escapes = text.get(at..)?.iter().take(8).take_while(|b| **b == b'\\').count();
    let quote = *text.get(at + escapes).filter(|b| matches!(b, b'"' | b'\'' | b'`'))?;
    let mut from = at + escapes + 1;
    let triple = escapes == 0 && text[from..].starts_with(&[quote, quote]);
    if triple && text.get(from + 2).is_some_and(|b| *b != quote) {
        from += 2;
    }
    let mut slashes = 0;
    let mut to = from;
    while to < text.len().min(from + LONGEST) {
        let byte = text[to];
        if byte == b'\\' {
            slashes += 1;
        } else if byte == quote && (slashes <= escapes && escapes > 0 || escapes == 0 && slashes % 2 == 0) {
            if escapes == 0 && quote == b'\'' && to > from && text.get(to + 1) == Some(&quote) {
                to += 2;
                continue;
            }
            return Some((from, to - if escapes > 0 { slashes } else { 0 }));
        } else if byte == b'\n' && slashes == 0 && !triple {
            break;
        } else {
            slashes = 0;
        }
        to += 1;
    }
    Some((from, to))
}

/// Whether a name is written as variables of the environment are.
fn is_shouted(text: &[u8], name: Name) -> bool {
    let word = &text[name.start..name.end];
    let shouted = word.iter().any(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase);
    shouted && !word.contains(&b'.') && !word.contains(&b'-')
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

fn spaces(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
