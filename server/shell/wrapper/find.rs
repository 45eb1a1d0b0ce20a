//! `find` and `fd`: what they run on the files that they find, and what they remove.

use super::InnerCommand;
use super::xargs::fill_mark;
use crate::command::ShellCommand;
use crate::place::HOLE;
use crate::word::{ShellWord, WordKind};

/// Tests that narrow down what is found by its name.
const NAMES: [&str; 8] =
    ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];
/// Other tests and options whose argument is the next word.
const VALUES: [&str; 38] = [
    "-amin",
    "-anewer",
    "-atime",
    "-Bmin",
    "-Bnewer",
    "-Btime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-files0-from",
    "-flags",
    "-fls",
    "-fprint",
    "-fprint0",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-inum",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mnewer",
    "-mtime",
    "-newer",
    "-perm",
    "-printf",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-xtype",
];
/// Patterns of names that one action is limited to.
const MOST_NAMES: usize = 64;
/// Parentheses in parentheses that are followed.
const DEEPEST: usize = 64;

/// The patterns of names of which a found file has one; `None` if it may have any name.
type FoundNames<'w> = Option<Vec<&'w ShellWord>>;

/// An action of `find`.
#[derive(Debug)]
struct FindAction<'w> {
    /// Its name.
    name: &'w str,
    /// The command of `-exec`; nothing for `-delete`.
    arguments: &'w [ShellWord],
    /// The names of the files that reach it.
    names: FoundNames<'w>,
}

/// The expression of `find`, read from left to right, as `find` evaluates it.
#[derive(Debug)]
struct FindExpression<'w> {
    words: &'w [ShellWord],
    at: usize,
    depth: usize,
    actions: Vec<FindAction<'w>>,
}

/// Returns the commands that `find` runs. A found file is a text below the searched folder.
pub(super) fn inner_of_find(command: &ShellCommand) -> Vec<InnerCommand> {
    let words = skip_options(command.arguments());
    let is_root = |word: &&ShellWord| {
        !word.text.starts_with('-') && !matches!(word.text.as_str(), "(" | ")" | "!" | ",")
    };
    let mut roots: Vec<ShellWord> = words.iter().take_while(is_root).cloned().collect();
    let tests = words.get(roots.len()..).unwrap_or_default();
    if roots.is_empty() {
        roots.push(ShellWord::from_text("."));
    }
    let mut all = Vec::new();
    for action in FindExpression::read_actions(tests) {
        let names = action.names.map_or(vec![None], |names| names.into_iter().map(Some).collect());
        for found in roots.iter().flat_map(|root| names.iter().map(|name| found_below(root, *name))) {
            let run = match action.name {
                "-delete" => vec![ShellWord::from_text("rm"), ShellWord::from_text("-r"), found],
                _ => with_found(action.arguments, &found),
            };
            all.push(InnerCommand::from_words(&format!("find {}", action.name), run, command));
        }
    }
    all
}

/// The words after the options that stand before the searched folders.
fn skip_options(mut words: &[ShellWord]) -> &[ShellWord] {
    while let Some((word, rest)) = words.split_first() {
        words = match word.text.as_str() {
            "-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" => rest,
            "-D" => rest.get(1..).unwrap_or_default(),
            text if text.starts_with("-O") => rest,
            _ => return words,
        };
    }
    words
}

impl<'w> FindExpression<'w> {
    /// Reads all actions of an expression.
    fn read_actions(words: &'w [ShellWord]) -> Vec<FindAction<'w>> {
        let mut expression = Self { words, at: 0, depth: 0, actions: Vec::new() };
        while expression.at < words.len() {
            expression.read_alternatives(&None);
            // A parenthesis that closes nothing.
            expression.at += 1;
        }
        expression.actions
    }

    /// Reads terms with `-o` between them, reached by files with one of the names `passed`. Returns the names with which
    /// the alternatives are true.
    fn read_alternatives(&mut self, passed: &FoundNames<'w>) -> FoundNames<'w> {
        let mut either = Some(Vec::new());
        loop {
            let names = self.read_terms(passed);
            either = either.zip(names).map(|(mut either, names)| {
                either.extend(names);
                either
            });
            match self.words.get(self.at).map(|word| word.text.as_str()) {
                Some("-o" | "-or" | ",") => self.at += 1,
                _ => break,
            }
        }
        match passed {
            Some(_) => passed.clone(),
            None => either.filter(|names| names.len() <= MOST_NAMES),
        }
    }

    /// Reads terms that all have to be true.
    fn read_terms(&mut self, passed: &FoundNames<'w>) -> FoundNames<'w> {
        let mut passed = passed.clone();
        let mut is_negated = false;
        while let Some(word) = self.words.get(self.at) {
            let text = word.text.as_str();
            if matches!(text, "-o" | "-or" | "," | ")") {
                break;
            }
            self.at += 1;
            match text {
                "!" | "-not" => {
                    is_negated = true;
                    continue;
                }
                "(" if self.depth < DEEPEST => {
                    self.depth += 1;
                    let names = self.read_alternatives(&passed);
                    self.depth -= 1;
                    self.at += 1;
                    passed = if is_negated { passed } else { names };
                }
                "-delete" => self.add_action(text, &[], &passed),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let run = self.words.get(self.at..).unwrap_or_default();
                    let length = command_length(run);
                    self.at += length + 1;
                    self.add_action(text, &run[..length], &passed);
                }
                text if NAMES.contains(&text) => {
                    let name = self.words.get(self.at).filter(|name| {
                        !text.ends_with("regex") || name.text.contains(|c: char| c.is_alphanumeric())
                    });
                    self.at += 1;
                    if !is_negated && passed.is_none() {
                        passed = name.map(|name| vec![name]);
                    }
                }
                "-fprintf" => self.at += 2,
                text if VALUES.contains(&text) || text.starts_with("-newer") => self.at += 1,
                // It may be an operator, or several words.
                _ if word.kind == WordKind::Computed => passed = None,
                _ => {}
            }
            is_negated = false;
        }
        passed
    }

    fn add_action(&mut self, name: &'w str, arguments: &'w [ShellWord], passed: &FoundNames<'w>) {
        self.actions.push(FindAction { name, arguments, names: passed.clone() });
    }
}

/// Returns how many words the command of `-exec` has.
fn command_length(words: &[ShellWord]) -> usize {
    let ends =
        |at: usize| words[at].text == ";" || words[at].text == "+" && at > 0 && words[at - 1].text == "{}";
    (0..words.len()).find(|at| ends(*at)).unwrap_or(words.len())
}

/// Returns the commands that `fd` runs.
pub(super) fn inner_of_fd(command: &ShellCommand) -> Vec<InnerCommand> {
    let words = command.arguments();
    let runs = |word: &ShellWord| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let Some(at) = words.iter().position(runs) else { return Vec::new() };
    let rest = words.get(at + 1..).unwrap_or_default();
    let mut run = fill_mark(rest, "{}");
    if run.as_slice() == rest {
        run.push(ShellWord::unknown_text());
    }
    vec![InnerCommand::from_words("fd -x", run, command)]
}

/// A file that is found below a folder.
fn found_below(root: &ShellWord, named: Option<&ShellWord>) -> ShellWord {
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
    ShellWord { text, kind, derived: false, maybe: Vec::new(), listed: false }
}

/// The words with `{}` replaced by a found file.
fn with_found(words: &[ShellWord], found: &ShellWord) -> Vec<ShellWord> {
    let replaced = |word: &ShellWord| match word.text.as_str() {
        "{}" => found.clone(),
        text if text.contains("{}") => ShellWord {
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
