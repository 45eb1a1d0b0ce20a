//! The scripts of `sed` and `awk`: whether they run commands or write files.

use crate::command::ShellCommand;
use crate::verdict::RuleObjection;
use crate::word::ShellWord;

/// Returns the objection to the script that a program is given as an argument.
pub(super) fn script_objection(program: &str, command: &ShellCommand) -> Option<RuleObjection> {
    let words = command.arguments();
    let (runs, what) = match program {
        "sed" | "gsed" => {
            (program_texts(words, &["-e", "--expression"], &["-f", "--file"]).any(sed_runs), "sed")
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            (program_texts(words, &["-e", "--source"], &["-f", "--file"]).any(awk_runs), "awk")
        }
        _ => return None,
    };
    runs.then(|| {
        RuleObjection::ask("runs-by-option", format!("this script of {what} runs a command or writes a file"))
            .as_unseen()
    })
}

/// The texts of a program: the values of these options, or the first operand.
fn program_texts<'w>(
    words: &'w [ShellWord],
    options: &[&str],
    files: &[&str],
) -> impl Iterator<Item = &'w str> {
    let mut found: Vec<&str> = Vec::new();
    let mut skip = false;
    let mut first = None;
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if std::mem::take(&mut skip) {
            continue;
        }
        let next = words.get(at + 1).map(|word| word.text.as_str());
        if options.contains(&text) {
            found.extend(next);
            skip = true;
        } else if files.contains(&text)
            || matches!(text, "-v" | "-F" | "-l" | "--assign" | "--field-separator")
        {
            skip = true;
        } else if let Some(value) = options.iter().find_map(|option| text.strip_prefix(option)) {
            found.push(value.trim_start_matches('='));
        } else if text.starts_with('-')
            && !text.starts_with("--")
            && text.ends_with('e')
            && options.contains(&"-e")
        {
            found.extend(next);
            skip = true;
        } else if !word.is_option() && first.is_none() {
            first = Some(text);
        }
    }
    let has_file = words.iter().any(|word| files.contains(&word.text.as_str()));
    if found.is_empty() && !has_file {
        found.extend(first);
    }
    found.into_iter()
}

/// Returns whether a script of awk runs a command, or writes a file.
fn awk_runs(script: &str) -> bool {
    let mut bare = script.replace(char::is_whitespace, "");
    bare.make_ascii_lowercase();
    bare.contains("system(")
        || bare.contains("|getline")
        || bare.contains("\"|")
        || bare.contains("|\"")
        || bare.contains(">\"")
        || bare.contains("@load")
        || bare.contains("/inet/")
        || script
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == "print" || word == "printf")
            && pipes_to_name(&bare)
}

/// Returns whether a script prints to a command or file named by a variable: `print x | cmd`, `print > file`.
fn pipes_to_name(bare: &str) -> bool {
    let after = |(at, _): (usize, &str)| {
        bare[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '(' || c == '$')
    };
    let single = |at: usize| !bare[..at].ends_with('|') && !bare[at + 1..].starts_with('|');
    let outside = |at: usize| {
        bare[..at].matches('/').count().is_multiple_of(2) && bare[..at].matches('"').count().is_multiple_of(2)
    };
    bare.match_indices('|').filter(|(at, _)| single(*at) && outside(*at)).any(after)
}

/// Returns whether a script of sed runs a command (`e`, `s///e`) or writes a file (`w`, `s///w`).
fn sed_runs(script: &str) -> bool {
    let chars: Vec<char> = script.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        at = address_end(&chars, at);
        let Some(command) = chars.get(at) else { break };
        match command {
            'e' | 'w' | 'W' | 'F' if *command != 'F' => return true,
            's' | 'y' => {
                let Some(end) = substitution_end(&chars, at) else { return true };
                let flags: String =
                    chars[end..].iter().take_while(|c| !matches!(c, ';' | '\n' | '}' | ' ' | '#')).collect();
                if *command == 's' && flags.contains(['e', 'w']) {
                    return true;
                }
                at = end + flags.chars().count();
            }
            // The rest of the line is a text, a label or a name of a file.
            'a' | 'i' | 'c' | 'r' | 'R' | 'b' | 't' | 'T' | ':' | '#' => {
                at = chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |length| at + length);
            }
            _ => at += 1,
        }
    }
    false
}

/// Returns the position where the command begins: after blanks, `;`, `{`, line numbers and patterns.
fn address_end(chars: &[char], mut at: usize) -> usize {
    while let Some(c) = chars.get(at) {
        match c {
            '/' => at = find_delimiter(chars, at + 1, '/').unwrap_or(chars.len()),
            '\\' => {
                let end = chars.get(at + 1).and_then(|mark| find_delimiter(chars, at + 2, *mark));
                at = end.unwrap_or(chars.len());
            }
            c if c.is_whitespace() || c.is_ascii_digit() || ";{},!$~+".contains(*c) => at += 1,
            'I' | 'M' if at > 0 && chars[at - 1] == '/' => at += 1,
            _ => break,
        }
    }
    at
}

fn find_delimiter(chars: &[char], mut at: usize, mark: char) -> Option<usize> {
    while *chars.get(at)? != mark {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

/// Returns the position after the last mark of `s/…/…/`.
fn substitution_end(chars: &[char], at: usize) -> Option<usize> {
    let mark = *chars.get(at + 1)?;
    let middle = find_delimiter(chars, at + 2, mark)?;
    find_delimiter(chars, middle, mark)
}
