//! The reading of programs' arguments by `programs.txt`: operands, paths, and written paths.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::word::ShellWord;

/// The kinds of use of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUse {
    /// It is read.
    Read,
    /// It is written or removed.
    Write,
    /// It is moved away.
    Move,
}

/// The reading of a program's arguments.
#[derive(Clone, Debug, Default)]
struct ProgramSpec {
    values: Vec<&'static str>,
    texts: bool,
    names: bool,
    /// The first operand is a text, unless one of these options is there.
    first: Option<Vec<&'static str>>,
    text_options: Vec<&'static str>,
    writes: bool,
    /// The options that name the target.
    target: Option<Vec<&'static str>>,
    moves: bool,
    attaches: Vec<&'static str>,
    long: bool,
}

fn program_spec(program: &str) -> Option<&'static ProgramSpec> {
    static SPECS: LazyLock<HashMap<&'static str, ProgramSpec>> = LazyLock::new(|| {
        let mut specs = HashMap::new();
        for line in include_str!("programs.txt").lines().filter(|line| !line.starts_with('#')) {
            add_line(&mut specs, line);
        }
        specs
    });
    SPECS.get(program)
}

fn add_line(specs: &mut HashMap<&'static str, ProgramSpec>, line: &'static str) {
    let Some((kind, rest)) = line.split_once(' ') else { return };
    let (names, options) = rest.split_once(": ").unwrap_or((rest, ""));
    let options: Vec<&str> = options.split_whitespace().collect();
    for name in names.split_whitespace() {
        let spec = specs.entry(name).or_default();
        match kind {
            "values" => spec.values.extend(&options),
            "texts" => spec.texts = true,
            "names" => spec.names = true,
            "first" => spec.first = Some(options.clone()),
            "option" => spec.text_options.extend(&options),
            "writes" => spec.writes = true,
            "attaches" => spec.attaches.extend(&options),
            "long" => spec.long = true,
            "target" | "moves" => {
                spec.target = Some(options.clone());
                spec.moves = kind == "moves";
            }
            _ => {}
        }
    }
}

/// The operands; of each, whether it may be the value of an option that is not known.
pub(crate) fn find_operands<'w>(program: &str, words: &'w [ShellWord]) -> Vec<(&'w ShellWord, bool)> {
    let mut values = program_spec(program).map(|spec| spec.values.clone()).unwrap_or_default();
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
            if found.is_empty()
                && let Some(spec) = program_spec(&format!("{program}/{}", word.text))
            {
                values.extend(&spec.values);
            }
            found.push((word, shaky));
            shaky = false;
        }
    }
    found
}

/// How the options of a command line are read.
#[derive(Debug, Default)]
pub(crate) struct OptionReading {
    /// The options whose value is the next word.
    pub(crate) values: Vec<&'static str>,
    /// Those among them whose value may stand in their own word.
    pub(crate) attaches: Vec<&'static str>,
    /// True if a word with one dash is one option, and not several letters.
    pub(crate) is_long: bool,
}

/// Returns how the options of a program with these operands are read.
pub(crate) fn option_reading(program: &str, operands: &[(&ShellWord, bool)]) -> OptionReading {
    let sub = operands.first().map(|(word, _)| format!("{program}/{}", word.text));
    let mut reading = OptionReading::default();
    for spec in [Some(program), sub.as_deref()].into_iter().flatten().filter_map(program_spec) {
        reading.values.extend(spec.values.iter().chain(&spec.attaches));
        reading.attaches.extend(&spec.attaches);
        reading.is_long |= spec.long;
    }
    reading
}

impl OptionReading {
    /// Returns the letters of options in a word: `-ab` has two. None of them stands in the value of another.
    pub(crate) fn option_letters<'t>(&self, text: &'t str) -> Option<&'t str> {
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-') && !self.is_long)?;
        let is_last = |letter: char| self.attaches.iter().any(|option| is_letter(option, letter));
        let last = letters.char_indices().find(|(_, letter)| is_last(*letter));
        Some(last.map_or(letters, |(at, letter)| &letters[..at + letter.len_utf8()]))
    }

    /// Returns whether the word after this one is a value.
    pub(crate) fn takes_next(&self, text: &str) -> bool {
        let letters = self.option_letters(text).filter(|letters| letters.len() + 1 == text.len());
        self.values.contains(&text)
            || letters
                .and_then(|letters| letters.chars().last())
                .is_some_and(|letter| self.attaches.iter().any(|option| is_letter(option, letter)))
    }
}

fn is_letter(option: &str, letter: char) -> bool {
    option.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter]))
}

/// Returns whether a program reads no file that its arguments name, but only metadata.
pub(crate) fn only_names(program: &str, words: &[ShellWord]) -> bool {
    let names = |name: &str| program_spec(name).is_some_and(|spec| spec.names);
    let sub = || find_operands(program, words).first().map(|(word, _)| format!("{program}/{}", word.text));
    // By these a log shows contents.
    let shows = words.iter().any(|word| {
        ["-p", "--patch", "-L", "-G", "-S", "-u"].iter().any(|option| word.text.starts_with(option))
    });
    names(program) || !shows && sub().is_some_and(|sub| names(&sub))
}

/// Returns whether a program writes into the folder that its last operand names.
pub(crate) fn has_target(program: &str) -> bool {
    program_spec(program).is_some_and(|spec| spec.target.is_some())
}

/// Returns whether an argument may be a subcommand: a plain word of a program that nothing is known of, and no option's
/// value.
pub(crate) fn may_be_subcommand(program: &str, word: &ShellWord, words: &[ShellWord]) -> bool {
    let before = || {
        let offset = std::ptr::from_ref(word).addr().checked_sub(words.as_ptr().addr())?;
        words.get((offset / size_of::<ShellWord>()).checked_sub(1)?)
    };
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    program_spec(program).is_none()
        && word.plain_text().is_some_and(is_name)
        && !before().is_some_and(ShellWord::is_option)
}

/// The arguments that may be paths, and how each is touched.
pub(crate) fn argument_paths<'w>(program: &str, words: &'w [ShellWord]) -> Vec<(&'w ShellWord, PathUse)> {
    let none = ProgramSpec::default();
    let spec = program_spec(program).unwrap_or(&none);
    if spec.texts {
        return Vec::new();
    }
    let mut kept: Vec<&ShellWord> = Vec::new();
    let mut skip = false;
    for word in words {
        let is_text_option = spec.text_options.iter().any(|option| is_option_word(word, option));
        if !(skip || is_text_option && word.text.contains('=')) {
            kept.push(word);
        }
        skip = !skip && is_text_option && !word.text.contains('=');
    }
    if let Some(unless) = &spec.first
        && !words.iter().any(|word| unless.iter().any(|option| is_option_word(word, option)))
        && let Some(at) = kept.iter().position(|word| !word.is_option())
    {
        kept.remove(at);
    }
    let in_place = matches!(program, "sed" | "gsed" | "perl" | "ruby") && words.iter().any(in_place);
    let used = |word: &&ShellWord| match spec.writes || in_place {
        true => PathUse::Write,
        false => used_by(spec, word, &kept, words),
    };
    kept.iter().map(|word| (*word, used(word))).collect()
}

/// Returns the use that a program with a target makes of an argument.
fn used_by(spec: &ProgramSpec, word: &ShellWord, kept: &[&ShellWord], words: &[ShellWord]) -> PathUse {
    let Some(options) = &spec.target else { return PathUse::Read };
    let named = words.iter().position(|word| options.iter().any(|option| is_option_word(word, option)));
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

/// Returns whether a word is this option, alone or with its value.
fn is_option_word(word: &ShellWord, option: &str) -> bool {
    let text = word.text.as_str();
    match option.starts_with("--") {
        true => text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
        false => text == option || option == "-" && text == "-",
    }
}

fn in_place(word: &ShellWord) -> bool {
    let text = word.text.as_str();
    text.starts_with("--in-place") || text.starts_with('-') && !text.starts_with("--") && text.contains('i')
}
