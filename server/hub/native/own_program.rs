//! Commands that reach this program under another name, by a link or a copy of it. They are looked for where no sandbox
//! keeps a command from this program's socket and state.
//!
//! # Invariants
//!
//! - No agent's command acts in the person's place by this program, by its name or another.
//!   Test: `what_acts_in_the_persons_place_is_refused_by_any_spelling`,
//!   `what_names_our_program_is_confined_or_refused_by_any_spelling`

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::shell::{CommandVerdict, Judgement};

/// This program, whatever its path holds by now.
const OWN: &str = "/proc/self/exe";
/// The words of a judgement that are looked at, and the folders that they are looked for in.
const WORDS: usize = 2000;
const FOLDERS: usize = 64;

/// Makes the judgement of an unconfined command stricter where it is this program or names it, by a link or a copy too.
/// `cwd` is the folder that it runs in; the workspace at `root` where none is given.
pub(crate) fn tighten_judgement(judgement: Judgement, root: &str, cwd: Option<&str>) -> Judgement {
    let Ok(own) = fs::metadata(OWN) else { return judgement };
    let here = Path::new(cwd.unwrap_or(root));
    let mut folders = vec![here.to_owned(), PathBuf::from(root)];
    folders.extend(named_folders(&judgement, here).take(FOLDERS));
    let names_own = |word: &str| candidate_paths(word, &folders).any(|path| is_same(&path, &own));
    let commands = judgement.commands.iter();
    let is_run =
        commands.clone().filter_map(|command| command.argv.first()).take(WORDS).any(|word| {
            match word.contains('/') {
                true => names_own(word),
                false => on_path(word).any(|path| is_same(&path, &own)),
            }
        });
    // Redirections stand in the text alone.
    let words = || {
        let targets = commands.clone().flat_map(|command| command.command.split(['<', '>']).skip(1));
        let targets =
            targets.map(|text| text.split_whitespace().next().unwrap_or_default().trim_matches('\''));
        let words = commands.clone().flat_map(|command| command.argv.iter().skip(1).map(String::as_str));
        words.take(WORDS).chain(targets.take(WORDS))
    };
    let (verdict, why) = match is_run {
        true => {
            (CommandVerdict::Deny, "it runs wherefore under another name, and may act in the person's place")
        }
        false if words().any(names_own) => {
            (CommandVerdict::Ask, "it names the program wherefore, and may give it another name or run it")
        }
        false => return judgement,
    };
    if judgement.verdict >= verdict {
        return judgement;
    }
    Judgement { verdict, rule: Some("own-program".to_owned()), why: Some(why.to_owned()), ..judgement }
}

/// The folders that words name: a command may be run in one of them (`cd`, `env -C`).
fn named_folders<'a>(judgement: &'a Judgement, here: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let words = judgement.commands.iter().flat_map(|command| command.argv.iter().skip(1)).take(WORDS);
    let parts = words.flat_map(|word| [Some(word.as_str()), word.split_once('=').map(|(_, value)| value)]);
    let parts = parts.flatten().filter(|part| !part.is_empty() && !part.contains('\0'));
    parts.map(|part| here.join(part)).filter(|path| path.is_dir())
}

/// Returns the files that an argument may name: all of it, or the part after a `=`.
fn candidate_paths<'a>(word: &'a str, folders: &'a [PathBuf]) -> impl Iterator<Item = PathBuf> + 'a {
    let parts = [Some(word), word.split_once('=').map(|(_, value)| value)].into_iter().flatten();
    let parts = parts.filter(|part| !part.is_empty() && !part.contains(['\0', '\n']));
    parts.flat_map(|part| folders.iter().map(move |folder| folder.join(part)))
}

fn on_path(word: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(word)).collect::<Vec<_>>().into_iter()
}

/// Returns whether a path leads to this program, or to a copy of it.
fn is_same(path: &Path, own: &Metadata) -> bool {
    let Ok(there) = fs::metadata(path) else { return false };
    if !there.is_file() || there.len() != own.len() {
        return false;
    }
    (there.dev(), there.ino()) == (own.dev(), own.ino()) || have_same_bytes(path)
}

/// Compares a file of this program's length with it, piece by piece.
fn have_same_bytes(path: &Path) -> bool {
    let (Ok(mut one), Ok(mut other)) = (File::open(path), File::open(OWN)) else { return false };
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let Ok(read) = one.read(&mut left) else { return false };
        let (Some(left), Some(right)) = (left.get(..read), right.get_mut(..read)) else { return false };
        match other.read_exact(right) {
            Ok(()) if left != right => return false,
            Ok(()) if read == 0 => return true,
            Ok(()) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::JudgedCommand;

    fn judgement(words: &[&str]) -> Judgement {
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        let command = JudgedCommand {
            command: words.join(" "),
            argv,
            via: Vec::new(),
            within: Vec::new(),
            verdict: CommandVerdict::Allow,
            rule: None,
            why: None,
        };
        Judgement { verdict: CommandVerdict::Allow, rule: None, why: None, commands: vec![command] }
    }

    #[test]
    fn a_link_and_a_copy_of_this_program_are_known_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(&own, at("link")).unwrap();
        std::fs::copy(&own, at("copy")).unwrap();
        std::fs::write(at("other"), "#!/bin/sh\n").unwrap();
        let long = File::create(at("as-long")).unwrap();
        long.set_len(std::fs::metadata(&own).unwrap().len()).unwrap();
        let root = folder.path().to_str().unwrap();
        let verdict = |words: &[&str]| tighten_judgement(judgement(words), root, None).verdict;
        for program in ["./link", "./copy", at("copy").to_str().unwrap(), "/proc/self/exe"] {
            assert_eq!(verdict(&[program, "undo"]), CommandVerdict::Deny, "{program}");
        }
        for words in [&["cp", "copy", "w"][..], &["ln", "-s", own.to_str().unwrap(), "w"], &["dd", "if=link"]]
        {
            assert_eq!(verdict(words), CommandVerdict::Ask, "{words:?}");
        }
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::hard_link(at("copy"), at("sub/w")).unwrap();
        let commands = [judgement(&["cd", "sub"]).commands, judgement(&["./w", "undo"]).commands].concat();
        let in_sub = Judgement { commands, ..judgement(&[]) };
        assert_eq!(tighten_judgement(in_sub, root, None).verdict, CommandVerdict::Deny);
        assert_eq!(verdict(&["env", "-C", "sub", "./w", "undo"]), CommandVerdict::Ask);
        let mut redirected = judgement(&["cat"]);
        redirected.commands[0].command = "cat <copy >x".to_owned();
        assert_eq!(tighten_judgement(redirected, root, None).verdict, CommandVerdict::Ask);
        for words in [&["./other", "undo"][..], &["./as-long"], &["cat", "other", "missing"], &["link"], &[]]
        {
            assert_eq!(verdict(words), CommandVerdict::Allow, "{words:?}");
        }
    }
}
