//! Secrets that show themselves by the name they are given to: `password = "…"`, `API_KEY=…`, `--token …`, `<secret>…</secret>`.

use super::FoundSecret;
use super::line::{self, LineContext};
use super::names::{NameClass, class_of};
use super::value;

/// Bytes of a name on either side of its telling word.
const NAME: usize = 48;
/// Bytes of the longest value.
const LONGEST: usize = 4096;

/// An identifier with its surroundings.
#[derive(Clone, Copy, Debug)]
struct SecretName {
    start: usize,
    end: usize,
    /// Dashes before it, as a flag has.
    dashes: usize,
    /// True if a quote closes behind it.
    quoted: bool,
    class: NameClass,
}

/// The form of a name, before its class is known.
#[derive(Clone, Copy, Debug)]
struct WrittenName {
    /// The start of its telling word.
    word: usize,
    /// The end of its closing quote or bracket.
    after: usize,
    /// True if it is a flag.
    flag: bool,
    /// True if a quote closes behind it.
    quoted: bool,
}

/// The sign between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AssignmentSign {
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
    /// A few words of prose, such as `for admin is`, or nothing but space.
    Prose,
}

/// The value given to the name that holds the word at `start..end`. `seen` is how far names were looked at.
pub(super) fn check_name(text: &[u8], start: usize, end: usize, seen: &mut usize) -> Option<FoundSecret> {
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
    let signed = sign_after(text, &WrittenName { word: start, after, flag: dashes > 0, quoted });
    if (paired.is_none() && signed.is_none()) || text[..from].ends_with(b"redacted:") {
        return None;
    }
    let class = class_of(&text[from + dashes..end])?;
    let name = SecretName { start: from + dashes, end, dashes, quoted, class };
    paired.and_then(|at| pair_at(text, at)).or_else(|| given_value(text, name, signed?))
}

/// The value behind the sign that follows a name.
fn given_value(text: &[u8], name: SecretName, (sign, at): (AssignmentSign, usize)) -> Option<FoundSecret> {
    if let Some(found) = yaml_block(text, sign, at) {
        return Some(found);
    }
    let at = at + count_spaces(text, at);
    let prefix = text[at..].iter().take(2).take_while(|b| b"brfuBRFUL@$".contains(b)).count();
    let is_quote = |at: usize| quote_at(text, at).is_some();
    let found = |(start, end): (usize, usize)| Some(FoundSecret { kind: "value", start, end });
    if sign == (AssignmentSign::Equals { tight: true }) && closes_what_name_opened(text, name, at) {
        return bare_value(text, name, sign, at + 1);
    }
    if let Some(at) = [at, at + prefix].into_iter().find(|at| is_quote(*at)) {
        let (from, to) = quote_at(text, at)?;
        return if takes_quoted(text, name, sign, (from, to)) { found((from, to)) } else { None };
    }
    match sign {
        AssignmentSign::Compares | AssignmentSign::Argument => None,
        AssignmentSign::Element => {
            let length = text[at..].iter().take(LONGEST).position(|b| *b == b'<')?;
            let to = at + text[at..at + length].trim_ascii_end().len();
            if value::is_quoted_secret(name.class, &text[at..to], true) { found((at, to)) } else { None }
        }
        _ => bare_value(text, name, sign, at),
    }
}

/// Returns whether the quote at `at` closes the one that opens at the name: `"--token="` is a literal, and no value
/// follows in it.
fn closes_what_name_opened(text: &[u8], name: SecretName, at: usize) -> bool {
    let before = (name.start - name.dashes).checked_sub(1).map(|at| text[at]);
    !name.quoted && before.is_some_and(|quote| matches!(quote, b'"' | b'\'') && text.get(at) == Some(&quote))
}

/// The sign behind a name, and where it ends.
fn sign_after(text: &[u8], name: &WrittenName) -> Option<(AssignmentSign, usize)> {
    let space = count_spaces(text, name.after);
    let at = name.after + space;
    let rest = &text[at..text.len().min(at + 3)];
    Some(match rest {
        [b'=' | b'!', b'=', b'=', ..] => (AssignmentSign::Compares, at + 3),
        [b'=' | b'!', b'=', ..] => (AssignmentSign::Compares, at + 2),
        [b'=', b'>', ..] | [b':' | b'?' | b'+', b'=', ..] => {
            (AssignmentSign::Equals { tight: false }, at + 2)
        }
        [b':', b':', ..] => return None,
        [b'=', ..] => {
            let tight = space == 0 && !matches!(text.get(at + 1), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
            (AssignmentSign::Equals { tight }, at + 1)
        }
        [b':', ..] => (AssignmentSign::Colon, at + 1),
        [b',' | b'(', ..] if name.quoted || rest[0] == b'(' => (AssignmentSign::Argument, at + 1),
        [b'>', ..] => (AssignmentSign::Element, at + 1),
        [b'i', b's', b' ' | b':', ..] => (AssignmentSign::Says, at + 3),
        _ if space > 0 && (name.flag || is_login(text, name.word) || is_setting(text, name.word)) => {
            (AssignmentSign::Space, at)
        }
        _ if space > 0 && !name.quoted => (AssignmentSign::Prose, prose_value(text, at)),
        _ => return None,
    })
}

/// Returns the start of the value that a sentence gives to the name before `at`: `password for admin is …`, `password
/// set to …`; else `at`.
fn prose_value(text: &[u8], at: usize) -> usize {
    let end = line::line_end(text, at).min(at + 80);
    let rest = &text[at..end];
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'@' | b'.' | b'_' | b'-' | b'\'');
    let ends = [&b" is "[..], b" to ", b": ", b" was "];
    let mark = ends.iter().filter_map(|mark| Some((memchr::memmem::find(rest, mark)?, mark.len()))).min();
    mark.filter(|(start, _)| rest[..*start].iter().all(is_word))
        .map_or(at, |(start, length)| at + start + length)
}

/// Returns whether a name is in a line of `.netrc`.
fn is_login(text: &[u8], word: usize) -> bool {
    if !text[word].eq_ignore_ascii_case(&b'p') {
        return false;
    }
    let before = &text[word.saturating_sub(160)..word];
    [&b"login "[..], b"machine "].iter().any(|word| memchr::memmem::find(before, word).is_some())
}

/// Returns whether a name is in a command that sets it to the word behind it: `aws configure set
/// aws_secret_access_key …`.
fn is_setting(text: &[u8], word: usize) -> bool {
    const COMMANDS: [&str; 5] =
        ["configure set ", "npm config set ", "config create ", "wifi connect ", "config set-credentials "];
    let from = word.saturating_sub(160);
    let begin = memchr::memrchr(b'\n', &text[from..word]).map_or(from, |at| from + at + 1);
    COMMANDS.iter().any(|command| memchr::memmem::find(&text[begin..word], command.as_bytes()).is_some())
}

fn takes_quoted(text: &[u8], name: SecretName, sign: AssignmentSign, (from, to): (usize, usize)) -> bool {
    let secret = &text[from..to];
    let labels = sign == AssignmentSign::Colon;
    let telling = || value::is_random(secret) && secret.len() >= 6 && !value::is_place(secret);
    match sign {
        AssignmentSign::Compares | AssignmentSign::Says => telling(),
        AssignmentSign::Prose => telling() && secret.len() >= 10,
        AssignmentSign::Argument if name.dashes == 0 => telling() || is_set(text, name, secret),
        AssignmentSign::Argument | AssignmentSign::Space => is_flags(secret),
        _ if name.dashes > 1 => is_flags(secret) || value::is_quoted_secret(name.class, secret, labels),
        AssignmentSign::Colon if is_header(text, name) => {
            secret.len() >= 6 && !value::is_place(secret) && !value::is_word(secret)
        }
        AssignmentSign::Equals { tight: true } if is_shouted(text, name) => {
            secret.len() >= 3 && !value::is_place(secret) && !secret.iter().any(u8::is_ascii_whitespace)
                || value::is_quoted_secret(name.class, secret, labels)
        }
        _ => value::is_quoted_secret(name.class, secret, labels),
    }
}

/// Returns whether a name is that of a request's header that carries a secret.
fn is_header(text: &[u8], name: SecretName) -> bool {
    let written = text[name.start..name.end].to_ascii_lowercase();
    let is_opened = name.start > 0 && matches!(text[name.start - 1], b'"' | b'\'');
    written.starts_with(b"x-") || is_opened && !name.quoted && matches!(&written[..], b"apikey" | b"api-key")
}

/// Returns whether a text in quotes is the value that a call sets a secret to: `define('DB_PASSWORD', '…')`,
/// `setPassword("…")`, `("password", "…")`.
fn is_set(text: &[u8], name: SecretName, secret: &[u8]) -> bool {
    if secret.len() < 6 || secret.iter().any(u8::is_ascii_whitespace) || value::is_word(secret) {
        return false;
    }
    let written = &text[name.start..name.end];
    if is_shouted(text, name) && name.quoted {
        return !value::is_place(secret);
    }
    let is_setter = !name.quoted
        && [&b"set"[..], b"with"]
            .iter()
            .any(|verb| written.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)));
    let is_pair = name.quoted || name.start > 0 && text[name.start - 1] == b'.';
    (is_setter || is_pair)
        && name.class == NameClass::Password
        && value::is_quoted_secret(name.class, secret, true)
}

/// Returns whether the value of a flag is a secret, and no word of its description.
fn is_flags(secret: &[u8]) -> bool {
    let metavariable = secret.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    secret.len() >= 3
        && !value::is_place(secret)
        && !metavariable
        && !matches!(secret[0], b'-' | b'[' | b'`' | b'"' | b'\'' | b'|' | b'(' | b')' | b',' | b';')
        && !value::is_word(secret)
}

/// Finds a secret value without quotes at `at`, or one in quotes behind a type; none if it does not look like a secret.
fn bare_value(text: &[u8], name: SecretName, sign: AssignmentSign, at: usize) -> Option<FoundSecret> {
    let found = |end: usize| (at < end).then_some(FoundSecret { kind: "value", start: at, end });
    let end = line::line_end(text, at).min(at + LONGEST);
    let until = |stop: fn(&u8) -> bool| at + text[at..end].iter().position(stop).unwrap_or(end - at);
    let token = until(|b| b.is_ascii_whitespace() || b",;)]}\"'`<\\&".contains(b));
    let solid = until(|b| b.is_ascii_whitespace() || b"\"'`".contains(b));
    if let Some(typed) = typed_value(text, name, at) {
        return Some(typed);
    }
    let secret = &text[at..token];
    if secret.is_empty() || value::is_place(&text[at..solid]) || value::is_place(secret) {
        return None;
    }
    if name.dashes > 0 && matches!(sign, AssignmentSign::Space | AssignmentSign::Equals { .. }) {
        return if is_flags(&text[at..solid]) { found(solid) } else { None };
    }
    if sign == AssignmentSign::Prose {
        let is_secret = value::is_random(&text[at..solid]) && !value::has_code_signs(&text[at..solid]);
        return if is_secret && solid - at >= 12 { found(solid) } else { None };
    }
    if let Some(end) = at_once(text, name, sign, (at, token, solid)) {
        return found(end);
    }
    let LineContext { first, code } = line::line_context(text, name.start, name.quoted);
    if let Some(end) = in_prose(text, name, sign, (at, solid)) {
        return found(end);
    }
    if first && !code {
        let whole = line::value_end(text, at, end);
        let line = &text[at..whole];
        let labels = sign == AssignmentSign::Colon;
        let yes = match line.iter().any(u8::is_ascii_whitespace) {
            true => name.class != NameClass::Token && value::is_passphrase(line, labels),
            false => value::is_bare_secret(name.class, line),
        };
        if yes {
            return found(whole);
        }
    }
    let password = name.class == NameClass::Password;
    let numeric = name.quoted && password && secret.len() >= 4 && secret.iter().all(u8::is_ascii_digit);
    let least = if password { 8 } else { 10 };
    let random = secret.len() >= least && value::is_random(secret) && !value::has_code_signs(secret);
    if random || numeric { found(token) } else { None }
}

/// The end of a password at the end of a line of prose: `user: admin, password: …`.
fn in_prose(
    text: &[u8],
    name: SecretName,
    sign: AssignmentSign,
    (at, solid): (usize, usize),
) -> Option<usize> {
    if sign != AssignmentSign::Colon
        || name.class != NameClass::Password
        || name.quoted
        || text.get(at.checked_sub(1)?) != Some(&b' ')
    {
        return None;
    }
    let solid = solid - text[at..solid].iter().rev().take_while(|b| matches!(b, b'.' | b',')).count();
    let secret = &text[at..solid];
    let last = text[solid..line::line_end(text, solid)]
        .iter()
        .all(|b| b.is_ascii_whitespace() || matches!(b, b'.' | b','));
    let is_secret = secret.len() >= 6 && !value::is_word(secret) && value::is_bare_secret(name.class, secret);
    (last && is_secret && !line::is_in_code(text, name.start)).then_some(solid)
}

/// The end of a value that follows its sign at once, as in the environment, in a URL, a header or a connection string.
fn at_once(
    text: &[u8],
    name: SecretName,
    sign: AssignmentSign,
    (at, token, solid): (usize, usize, usize),
) -> Option<usize> {
    let before = name.start.checked_sub(1).map_or(b'\n', |at| text[at]);
    let secret = &text[at..token];
    let tight = sign == AssignmentSign::Equals { tight: true };
    if tight && is_shouted(text, name) && solid - at >= 3 {
        return Some(
            solid - text[at..solid].iter().rev().take_while(|b| matches!(b, b',' | b';' | b')')).count(),
        );
    }
    let header = sign == AssignmentSign::Colon && is_header(text, name);
    if (sign == AssignmentSign::Space || header) && secret.len() >= 2 {
        return Some(solid);
    }
    if tight && matches!(before, b'?' | b'&' | b';') && secret.len() >= 4 {
        return Some(token);
    }
    let alone = text.get(token).is_none_or(|b| b.is_ascii_whitespace() || b";\"'&\\".contains(b));
    let keyed = tight && alone && b" \t\n\"';:/,=".contains(&before) && !line::is_call(text, name.start);
    (keyed && value::is_bare_secret(name.class, secret)).then_some(token)
}

/// The value behind a type: `password: &str = "…"`.
fn typed_value(text: &[u8], name: SecretName, at: usize) -> Option<FoundSecret> {
    let of_type = |b: &&u8| b.is_ascii_alphanumeric() || b"_&<>:[]|?'. ".contains(b);
    let at = at + text[at..].iter().take(48).take_while(of_type).count();
    if text.get(at) != Some(&b'=') || matches!(text.get(at + 1), Some(b'=' | b'>')) {
        return None;
    }
    let at = at + 1 + count_spaces(text, at + 1);
    let (start, end) = quote_at(text, at)?;
    let yes = value::is_quoted_secret(name.class, &text[start..end], false);
    yes.then_some(FoundSecret { kind: "value", start, end })
}

/// Returns the start of the value of a pair whose name ends before `after`: `name: DB_PASSWORD` next to `value: …`.
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
    let at = at + count_spaces(text, at);
    matches!(text.get(at), Some(b':' | b'=' | b'>')).then(|| at + 1 + count_spaces(text, at + 1))
}

/// The value of a pair, which begins at `at`.
fn pair_at(text: &[u8], at: usize) -> Option<FoundSecret> {
    let (start, end) = quote_at(text, at).unwrap_or_else(|| {
        let end = line::line_end(text, at);
        let stop = |b: &u8| matches!(b, b'<' | b' ' | b',');
        (at, at + text[at..end].iter().position(stop).unwrap_or(end - at))
    });
    let secret = text.get(start..end)?;
    let yes = secret.len() >= 3 && !value::is_place(secret) && !value::is_word(secret);
    yes.then_some(FoundSecret { kind: "value", start, end })
}

/// The lines of a block of YAML, or of a value that begins on the next line.
fn yaml_block(text: &[u8], sign: AssignmentSign, at: usize) -> Option<FoundSecret> {
    let head = at + count_spaces(text, at);
    if sign != AssignmentSign::Colon || !matches!(text.get(head), Some(b'|' | b'>')) {
        return None;
    }
    let first = line::line_end(text, head);
    if text[head + 1..first].iter().any(|b| !matches!(b, b'+' | b'-' | b' ' | b'1'..=b'9')) {
        return None;
    }
    let mut end = first;
    while text.get(end) == Some(&b'\n')
        && matches!(text.get(end + 1), Some(b' ' | b'\t'))
        && end < first + LONGEST
    {
        end = line::line_end(text, end + 1);
    }
    let start = first + text[first..end].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let secret = &text[start.min(end)..end];
    (secret.len() >= 3 && !value::is_place(secret) && !secret.contains(&b'(')).then_some(FoundSecret {
        kind: "value",
        start,
        end,
    })
}

/// Returns the contents of the quotes that open at `at`, with any kind of escape.
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

/// Returns whether a name is written like a variable of the environment.
fn is_shouted(text: &[u8], name: SecretName) -> bool {
    let word = &text[name.start..name.end];
    let shouted = word.iter().any(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase);
    shouted && !word.contains(&b'.') && !word.contains(&b'-')
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

fn count_spaces(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
