//! The file that the lines above a SEARCH/REPLACE block name.

use super::super::names::name_fit;
use super::path_words::{
    PathLikeness, is_bare_name, is_lead_word, is_lone_word, is_plain_bare_name, is_sign, path_likeness,
};
use super::{is_fence, v4a};

/// A line without more words than this, none of them leading to a path, may itself be a path with spaces.
const SHORT: usize = 4;

/// The file of a block by the lines above it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockName<'a> {
    /// No line has anything like a name: the block is for the same file as the one before it.
    Absent,
    Named(String),
    /// This line may name a file, and which is not certain.
    Unsure(&'a str),
}

/// What one line says about the file of the block below it.
#[derive(Debug, PartialEq, Eq)]
enum LineNames {
    Nothing,
    /// The line is the name of a file, in whatever decoration.
    Alone(String),
    /// The line has something for the reader of the page, such as a fence or a tag, and a name in it.
    Markup(String),
    /// The paths in a line of prose.
    Prose(Vec<String>),
    /// The language of a fence or a tag, which is that of files with such a name alone.
    Language(String),
    Doubtful,
}

/// The names that are known where a block is read.
pub(super) struct KnownNames<'k> {
    /// The path that the diff is applied to, and the names of the files before the block.
    pub names: Vec<&'k str>,
    /// The name of the file of the block before, if there is a block before.
    pub last: Option<&'k str>,
    pub is_first: bool,
}

/// Finds the file that the lines between a block and the change before it name.
pub(super) fn find_block_name<'a>(lines: &[&'a str], known: &KnownNames) -> BlockName<'a> {
    let mut found: Option<String> = None;
    // A line with a language that is not that of the file before.
    let mut foreign = None;
    for line in lines.iter().rev() {
        let mut names = read_line(line, known);
        if let LineNames::Prose(mentioned) = &mut names {
            match known.resolve_all(mentioned) {
                Some(resolved) => *mentioned = resolved,
                None => names = LineNames::Doubtful,
            }
        }
        match (names, &found) {
            (LineNames::Nothing, _) => {}
            (LineNames::Language(language), _) => {
                let is_last = known.last.is_some_and(|last| has_file_name(last, &language));
                foreign = foreign.or((!is_last && !known.is_first).then_some(*line));
            }
            (LineNames::Alone(name), None) => return BlockName::Named(name),
            (LineNames::Alone(name), Some(other)) => match is_same(&name, other) {
                true => return BlockName::Named(name),
                false => return BlockName::Unsure(line),
            },
            (LineNames::Markup(name), None) => found = Some(name),
            (LineNames::Markup(name), Some(other)) if is_same(&name, other) => {}
            (LineNames::Prose(names), None) => match <[String; 1]>::try_from(names) {
                Ok([name]) => found = Some(name),
                Err(_) => return BlockName::Unsure(line),
            },
            // What is written above the last words about a file is about the change before.
            (LineNames::Prose(names), Some(name))
                if known.is_first
                    || names.iter().all(|other| is_same(other, name) || known.last == Some(other)) => {}
            (LineNames::Markup(_) | LineNames::Prose(_), Some(_)) => return BlockName::Unsure(line),
            // The text above a first block is about whatever the reply is about.
            (LineNames::Doubtful, None) if !known.is_first => return BlockName::Unsure(line),
            (LineNames::Doubtful, _) => {}
        }
    }
    match (found, foreign) {
        (Some(name), _) => BlockName::Named(name),
        (None, Some(line)) => BlockName::Unsure(line),
        (None, None) => BlockName::Absent,
    }
}

/// Returns whether a path ends in a file's name, in whatever case.
fn has_file_name(path: &str, name: &str) -> bool {
    path.rsplit(['/', '\\']).next().is_some_and(|last| last.eq_ignore_ascii_case(name))
}

fn is_same(name: &str, other: &str) -> bool {
    name_fit(name, other) > 0
}

impl KnownNames<'_> {
    /// The paths of a line of prose, each one that is the end of a known path as that path. Nothing where several are.
    fn resolve_all(&self, mentioned: &[String]) -> Option<Vec<String>> {
        let mut resolved: Vec<String> = Vec::new();
        for name in mentioned {
            let name = self.resolve(name)?;
            if !resolved.contains(&name) {
                resolved.push(name);
            }
        }
        // A link states the end of the path that it leads to.
        let is_part =
            |name: &String| resolved.iter().any(|other| other.len() > name.len() && is_same(name, other));
        Some(resolved.iter().filter(|name| !is_part(name)).cloned().collect())
    }

    fn resolve(&self, name: &str) -> Option<String> {
        if let Some(exact) = self.names.iter().find(|known| name_fit(name, known) == 2) {
            return Some((*exact).to_owned());
        }
        let mut fits: Vec<&str> =
            self.names.iter().copied().filter(|known| name_fit(name, known) == 1).collect();
        fits.dedup_by(|a, b| name_fit(a, b) == 2);
        match fits[..] {
            [] => Some(name.to_owned()),
            [only] => Some(only.to_owned()),
            _ => None,
        }
    }

    fn holds(&self, name: &str) -> bool {
        self.names.iter().any(|known| name_fit(name, known) > 0)
    }
}

/// Reads what a line says about the file of the block below it.
fn read_line(line: &str, known: &KnownNames) -> LineNames {
    let line = line.trim();
    if line.is_empty() || v4a::is_star_line(line) {
        return LineNames::Nothing;
    }
    if is_fence(line) {
        return read_info(line.trim_start_matches(['`', '~']), known);
    }
    let comment = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    if let Some(comment) = comment {
        return read_text(comment, known);
    }
    match line.starts_with('<').then(|| split_tags(line)).flatten() {
        Some((Some(name), _)) => LineNames::Markup(name),
        Some((None, text)) if !line.contains("</") && is_bare_name(text.trim()) => {
            LineNames::Language(text.trim().to_owned())
        }
        Some((None, text)) => read_text(&text, known),
        None => read_text(line, known),
    }
}

/// Reads the words after the signs of an opening fence: a language, a path, attributes.
fn read_info(info: &str, known: &KnownNames) -> LineNames {
    if let Some(name) = attribute_path(info) {
        return LineNames::Markup(name);
    }
    let info = info.trim();
    if is_bare_name(info) {
        return LineNames::Language(info.to_owned());
    }
    // The path may stand behind the language, with a colon between.
    let behind = info.split_once(':').filter(|(language, path)| {
        !language.is_empty()
            && language.chars().all(char::is_alphanumeric)
            && language.len() > 1
            && !path.is_empty()
    });
    let text = match (behind, info.split_once(char::is_whitespace)) {
        (Some((_, path)), _) => path,
        (None, Some((language, rest))) if path_likeness(language) == PathLikeness::Word => rest,
        _ => info,
    };
    match read_text(text, known) {
        LineNames::Alone(name) => LineNames::Markup(name),
        // A word behind the language is an option of the fence.
        LineNames::Doubtful if path_likeness(text.trim()) == PathLikeness::Word => LineNames::Nothing,
        names => names,
    }
}

/// The name in the attributes of the tags that a line begins with, and the text outside of the tags.
fn split_tags(line: &str) -> Option<(Option<String>, String)> {
    let (mut text, mut name, mut rest) = (String::new(), None, line);
    while let Some((before, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>')?;
        let word = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) || path_likeness(tag) == PathLikeness::Path {
            return None;
        }
        name = name.or_else(|| attribute_path(tag));
        text.push_str(before);
        rest = after;
    }
    Some((name, text + rest))
}

/// The path that an attribute states.
fn attribute_path(text: &str) -> Option<String> {
    const KEYS: [&str; 10] = [
        "path",
        "file",
        "filename",
        "file_path",
        "filepath",
        "file-path",
        "file_name",
        "title",
        "name",
        "src",
    ];
    text.match_indices(['=', ':']).find_map(|(at, sign)| {
        let key =
            text[..at].trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next()?;
        let rest = text[at + sign.len()..].trim_start();
        if !KEYS.contains(&key.to_lowercase().as_str()) || sign == ":" && !text.contains('{') {
            return None;
        }
        let value = match rest.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(&rest[..1]).next()?,
            None => rest.split([' ', '\t', '}', ',', '>']).next()?,
        };
        let free = ["title", "name", "src"].contains(&key.to_lowercase().as_str());
        let is_path =
            is_bare_name(value) || path_likeness(value) == PathLikeness::Path || value.contains('/');
        (!value.trim().is_empty() && (is_path || !free)).then(|| value.trim().to_owned())
    })
}

/// Reads a line without tags.
fn read_text(text: &str, known: &KnownNames) -> LineNames {
    let bold = text.trim_matches(['#', ' ', ':', '-', '\t']);
    let bold = bold.len() > 4 && bold.starts_with("**") && bold.ends_with("**");
    // An item of a list may be one of several.
    let item = ["- ", "* ", "+ ", "• "].iter().any(|sign| text.trim_start().starts_with(sign));
    let (label, text) = strip_label(strip_lead(text));
    let text = strip_end(strip_lead(text));
    if text.is_empty() {
        return LineNames::Nothing;
    }
    let span =
        text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|span| !span.contains('`'));
    let plain = span.unwrap_or(text).trim();
    let words = plain.split_whitespace().count();
    if !item && known.names.iter().any(|known| name_fit(plain, known) == 2) {
        return LineNames::Alone(plain.to_owned());
    }
    match span {
        _ if item => {}
        // A link, or a word with signs around it.
        None if words == 1 && plain.contains(is_sign) && path_likeness(plain) != PathLikeness::Path => {}
        _ if words == 1 => return read_word(plain, label || span.is_some() || bold, known),
        Some(path) if path_likeness(path) != PathLikeness::Word => {
            return LineNames::Alone(path.trim().to_owned());
        }
        _ => {}
    }
    let names = read_prose(text, known);
    if item {
        return names;
    }
    let free = !text.contains(['`', '"']) && !plain.split_whitespace().any(is_lead_word);
    match &names {
        // It may be a path with a space.
        LineNames::Prose(_)
            if label || free && words <= SHORT && path_likeness(last_word(plain)) == PathLikeness::Path =>
        {
            LineNames::Doubtful
        }
        _ => names,
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}

/// A text without the signs of a list, a title or a comment before it.
fn strip_lead(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number =
            number.len() < text.len() && number.starts_with(['.', ')']) && number[1..].starts_with(' ');
        let next = if is_number { &number[1..] } else { text };
        let next = next.trim_start_matches(['#', '*', ':', ';', '>']).trim_start();
        let signs = ["- ", "+ ", "• ", "// ", "//", "/*", "-- "];
        let next = signs.iter().find_map(|sign| next.strip_prefix(sign)).unwrap_or(next).trim_start();
        if next.len() == text.len() {
            return text;
        }
        text = next;
    }
}

/// A text without the punctuation and the remark in parentheses after it.
fn strip_end(text: &str) -> &str {
    let trim = |text: &'_ str| -> usize {
        text.trim_end()
            .strip_suffix("*/")
            .unwrap_or(text)
            .trim_end_matches(['#', '*', ':', ',', ';', '.', ' ', '\t'])
            .len()
    };
    let text = &text[..trim(text)];
    let remark = text.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")).map(|(before, _)| before);
    remark.map_or(text, |before| &before[..trim(before)])
}

/// A text without the words before it that announce a file, and whether there are any.
fn strip_label(text: &str) -> (bool, &str) {
    let Some((before, after)) = text.split_once(':') else { return (false, text) };
    let label = before.trim_matches(['*', '_', ' ']).rsplit(' ').next().unwrap_or_default().to_lowercase();
    let is_label = ["file", "filename", "filepath", "path"].contains(&label.as_str());
    let after = after.trim_start_matches(['*', '_', ' ']);
    // A trailing colon is no label's.
    if is_label && !after.is_empty() { (true, after) } else { (false, text) }
}

/// Reads a word that is alone on its line, marked as a name by quotes, in bold or by words before it, or not.
fn read_word(word: &str, marked: bool, known: &KnownNames) -> LineNames {
    let word = strip_line_number(word);
    let alone = LineNames::Alone(word.to_owned());
    let has_sign = word.contains(['.', '/', '\\']) && word.chars().any(char::is_alphanumeric);
    match path_likeness(word) {
        PathLikeness::Path => alone,
        _ if is_bare_name(word) || known.holds(word) => alone,
        PathLikeness::Doubtful if word.contains(['=', '<', '>', '{', '}']) => LineNames::Doubtful,
        _ if word.contains(['(', ')', '=', '<', '>', '{', '}']) || word.contains("://") => LineNames::Nothing,
        PathLikeness::Doubtful => alone,
        PathLikeness::Word if has_sign && !word.starts_with(|c: char| c.is_ascii_digit()) => alone,
        PathLikeness::Word if is_lone_word(word) || !word.starts_with(char::is_alphanumeric) => {
            LineNames::Nothing
        }
        PathLikeness::Word if marked => alone,
        PathLikeness::Word if word.chars().all(|c| c.is_ascii_digit()) => LineNames::Nothing,
        PathLikeness::Word => LineNames::Doubtful,
    }
}

/// A word without the number of a line behind it.
fn strip_line_number(word: &str) -> &str {
    let number =
        |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '-' || c == ':');
    match word.split_once(':') {
        Some((name, rest)) if number(rest) && name.len() > 1 => name,
        _ => word,
    }
}

/// Reads the paths in a line of prose: those in quotes, and words with an extension or a slash.
fn read_prose(text: &str, known: &KnownNames) -> LineNames {
    let (mut names, mut doubtful) = (Vec::new(), false);
    let mut add = |word: &str, quoted: bool, beside_file: bool| {
        let word = strip_line_number(word);
        let is_custom = if quoted { is_bare_name(word) } else { is_plain_bare_name(word) };
        match path_likeness(word) {
            PathLikeness::Path => names.push(word.to_owned()),
            PathLikeness::Doubtful if known.holds(word) => names.push(word.to_owned()),
            PathLikeness::Doubtful => match quoted && word.contains('/') && !word.starts_with('/') {
                true => names.push(word.to_owned()),
                false => doubtful = true,
            },
            PathLikeness::Word if word.is_empty() => {}
            PathLikeness::Word if is_custom || quoted && (beside_file || known.holds(word)) => {
                names.push(word.to_owned());
            }
            PathLikeness::Word => {}
        }
    };
    let mut spans_doubtful = false;
    let parts: Vec<&str> = text.split(['`', '"']).collect();
    for (at, part) in parts.iter().enumerate() {
        // An opening quote without a closing one quotes nothing.
        let quoted = at % 2 == 1 && at + 1 < parts.len();
        if quoted && !part.contains(char::is_whitespace) {
            let is_file = |word: Option<&str>| word.is_some_and(|word| word.eq_ignore_ascii_case("file"));
            let beside = is_file(parts[at - 1].split_whitespace().next_back())
                || is_file(parts[at + 1].split_whitespace().next());
            add(part, true, beside);
            continue;
        }
        for word in part.split_whitespace().flat_map(|word| word.split("](")) {
            let word = word.trim_start_matches(['(', '[', '{', '\'', '*', ',', '“', '‘', '«']);
            let word = word.trim_end_matches([
                ')', ']', '}', '\'', '*', ',', ';', ':', '.', '!', '?', '”', '’', '»', '…',
            ]);
            let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
            // Code with spaces in it, or a path.
            spans_doubtful |= quoted && path_likeness(word) == PathLikeness::Path;
            if !quoted {
                add(word, false, false);
            }
        }
    }
    match doubtful || spans_doubtful {
        true => LineNames::Doubtful,
        false if names.is_empty() => LineNames::Nothing,
        false => LineNames::Prose(names),
    }
}
