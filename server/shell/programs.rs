//! How the arguments of programs are read, by `programs.txt`: which are operands, which are paths, which are written.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::word::Word;

/// How a path is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUse {
    /// It is read.
    Read,
    /// It is written or removed.
    Write,
    /// It is moved away.
    Move,
}

/// How one program's arguments are read.
#[derive(Clone, Debug, Default)]
struct ProgramSpec {
    values: Vec<&'static str>,
    texts: bool,
    /// The first operand is a text, unless one of these options is there.
    first: Option<Vec<&'static str>>,
    text_options: Vec<&'static str>,
    writes: bool,
    /// The options that name the target.
    target: Option<Vec<&'static str>>,
    moves: bool,
}

fn spec(program: &str) -> Option<&'static ProgramSpec> {
    static SPECS: LazyLock<HashMap<&'static str, ProgramSpec>> = LazyLock::new(|| {
        let mut specs = HashMap::new();
        for line in include_str!("programs.txt").lines().filter(|line| !line.starts_with('#')) {
            add(&mut specs, line);
        }
        specs
    });
    SPECS.get(program)
}

fn add(specs: &mut HashMap<&'static str, ProgramSpec>, line: &'static str) {
    let Some((kind, rest)) = line.split_once(' ') else { return };
    let (names, options) = rest.split_once(": ").unwrap_or((rest, ""));
    let options: Vec<&str> = options.split_whitespace().collect();
    for name in names.split_whitespace() {
        let spec = specs.entry(name).or_default();
        match kind {
            "values" => spec.values.extend(&options),
            "texts" => spec.texts = true,
            "first" => spec.first = Some(options.clone()),
            "option" => spec.text_options.extend(&options),
            "writes" => spec.writes = true,
            "target" | "moves" => {
                spec.target = Some(options.clone());
                spec.moves = kind == "moves";
            }
            _ => {}
        }
    }
}

/// The operands; of each, whether it may be the value of an option that is not known.
pub(crate) fn operands<'w>(program: &str, words: &'w [Word]) -> Vec<(&'w Word, bool)> {
    let values = spec(program).map(|spec| spec.values.as_slice()).unwrap_or_default();
    let (mut found, mut only_operands, mut value, mut shaky) = (Vec::new(), false, false, false);
    for word in words {
        if value {
            value = false;
        } else if !only_operands && word.text == "--" {
            only_operands = true;
        } else if !only_operands && (word.is_option() || program == "cargo" && word.text.starts_with('+')) {
            value = values.contains(&word.text.as_str());
            shaky = !value && !word.text.contains('=');
        } else {
            found.push((word, shaky));
            shaky = false;
        }
    }
    found
}

/// The arguments that may be paths, and how each is touched.
pub(crate) fn paths<'w>(program: &str, words: &'w [Word]) -> Vec<(&'w Word, PathUse)> {
    let none = ProgramSpec::default();
    let spec = spec(program).unwrap_or(&none);
    if spec.texts {
        return Vec::new();
    }
    let mut kept: Vec<&Word> = Vec::new();
    let mut skip = false;
    for word in words {
        let is_text_option = spec.text_options.iter().any(|option| names(word, option));
        if !(skip || is_text_option && word.text.contains('=')) {
            kept.push(word);
        }
        skip = !skip && is_text_option && !word.text.contains('=');
    }
    if let Some(unless) = &spec.first
        && !words.iter().any(|word| unless.iter().any(|option| names(word, option)))
        && let Some(at) = kept.iter().position(|word| !word.is_option())
    {
        kept.remove(at);
    }
    let in_place = matches!(program, "sed" | "gsed" | "perl" | "ruby") && words.iter().any(in_place);
    let used = |word: &&Word| match spec.writes || in_place {
        true => PathUse::Write,
        false => used_by(spec, word, &kept, words),
    };
    kept.iter().map(|word| (*word, used(word))).collect()
}

/// How a program with a target touches one argument.
fn used_by(spec: &ProgramSpec, word: &Word, kept: &[&Word], words: &[Word]) -> PathUse {
    let Some(options) = &spec.target else { return PathUse::Read };
    let named = words.iter().position(|word| options.iter().any(|option| names(word, option)));
    let is_target = match named {
        Some(at) => {
            std::ptr::eq(word, &words[at]) || words.get(at + 1).is_some_and(|next| std::ptr::eq(word, next))
        }
        None => kept.last().is_some_and(|last| std::ptr::eq(word, *last)),
    };
    match (is_target, spec.moves) {
        (true, _) => PathUse::Write,
        (false, true) => PathUse::Move,
        (false, false) => PathUse::Read,
    }
}

/// Whether a word is this option, alone or with its value.
fn names(word: &Word, option: &str) -> bool {
    let text = word.text.as_str();
    match option.starts_with("--") {
        true => text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
        false => text == option || option == "-" && text == "-",
    }
}

fn in_place(word: &Word) -> bool {
    let text = word.text.as_str();
    text.starts_with("--in-place") || text.starts_with('-') && !text.starts_with("--") && text.contains('i')
}
