//! `find` and `fd`: what they run on the files that they find, and what they remove.

use super::Inner;
use super::xargs::filled;
use crate::command::ShellCommand;
use crate::place::HOLE;
use crate::word::{Word, WordKind};

/// Tests that narrow down what is found by its name.
const NAMES: [&str; 7] = ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"];

/// What `find` runs. A found file is a text below the folder that is searched.
pub(super) fn inner(command: &ShellCommand) -> Vec<Inner> {
    let words = command.arguments();
    let options = words
        .iter()
        .take_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P" | "-O3" | "-O2"))
        .count();
    let words = words.get(options..).unwrap_or_default();
    let is_root = |word: &&Word| !word.text.starts_with('-') && !matches!(word.text.as_str(), "(" | "!");
    let mut roots: Vec<Word> = words.iter().take_while(is_root).cloned().collect();
    let tests = words.get(roots.len()..).unwrap_or_default();
    if roots.is_empty() {
        roots.push(Word::known("."));
    }
    let named = tests.windows(2).find(|pair| NAMES.contains(&pair[0].text.as_str())).map(|pair| &pair[1]);
    let found: Vec<Word> = roots.iter().map(|root| below(root, named)).collect();
    let mut all = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        match test.text.as_str() {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let run = tests.get(at + 1..).unwrap_or_default();
                let ends = |(at, word): (usize, &Word)| {
                    word.text == ";" || word.text == "+" && at > 0 && run[at - 1].text == "{}"
                };
                let length =
                    run.iter().enumerate().position(|(at, word)| ends((at, word))).unwrap_or(run.len());
                all.extend(found.iter().map(|found| {
                    Inner::command(&format!("find {}", test.text), with(&run[..length], found), command)
                }));
            }
            "-delete" => {
                let removal = |found: &Word| vec![Word::known("rm"), Word::known("-r"), found.clone()];
                all.extend(found.iter().map(|found| Inner::command("find -delete", removal(found), command)));
            }
            _ => {}
        }
    }
    all
}

/// What `fd` runs.
pub(super) fn inner_of_fd(command: &ShellCommand) -> Vec<Inner> {
    let words = command.arguments();
    let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let Some(at) = words.iter().position(runs) else { return Vec::new() };
    let rest = words.get(at + 1..).unwrap_or_default();
    let mut run = filled(rest, "{}");
    if run.as_slice() == rest {
        run.push(Word::computed());
    }
    vec![Inner::command("fd -x", run, command)]
}

/// A file that is found below a folder.
fn below(root: &Word, named: Option<&Word>) -> Word {
    let name = match named {
        Some(name) if name.kind != WordKind::Computed => name.text.trim_start_matches("./").to_owned(),
        _ => HOLE.to_string(),
    };
    let text = format!("{}/{name}", root.text.trim_end_matches('/'));
    let kind = if named.is_some() && root.kind != WordKind::Computed {
        WordKind::Pattern
    } else {
        WordKind::Computed
    };
    Word { text, kind, derived: false, maybe: Vec::new(), listed: false }
}

/// The words with `{}` replaced by a found file.
fn with(words: &[Word], found: &Word) -> Vec<Word> {
    let replaced = |word: &Word| match word.text.as_str() {
        "{}" => found.clone(),
        text if text.contains("{}") => Word {
            text: text.replace("{}", &found.text),
            kind: WordKind::Computed,
            maybe: Vec::new(),
            listed: false,
            ..word.clone()
        },
        _ => word.clone(),
    };
    words.iter().map(replaced).collect()
}
