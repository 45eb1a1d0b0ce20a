//! The side of the attempt: its knowledge of the place it is in, and its reports.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::table;

/// The place of an attempt.
pub(crate) struct Inside {
    /// Folder of the arena: the workspace is in it, and what is outside of the workspace.
    pub arena: PathBuf,
    /// The word that the attempt leaves behind or prints, so that it is recognized.
    pub word: String,
    /// True if it runs under the launcher. Only for actions that must not be tried on a real host.
    pub confined: bool,
    facts: HashMap<String, String>,
}

impl Inside {
    pub(crate) fn ws(&self, path: &str) -> PathBuf {
        self.arena.join("ws").join(path)
    }

    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.arena.join("outside").join(path)
    }

    /// A fact of the host, such as a port.
    pub(crate) fn fact(&self, name: &str) -> &str {
        self.facts.get(name).map_or("", String::as_str)
    }

    /// Returns a number from the host; without one nothing is tried, since -1 would address all processes.
    pub(crate) fn number(&self, name: &str) -> i32 {
        self.fact(name).parse().ok().filter(|number| *number > 1).expect("the host tells it")
    }

    /// Returns processes that are not the attempt's own: the victim, or process 1 inside.
    pub(crate) fn victims(&self) -> Vec<i32> {
        let first = if self.confined { vec![1] } else { vec![] };
        first.into_iter().chain([self.number("victim")]).collect()
    }

    /// Reports that the attempt got through, if the host cannot see it.
    pub(crate) fn say(&self, what: &str) {
        println!("said {} {what}", self.word);
    }
}

/// Writes what was read, so that the host can look for its secrets in it.
pub(crate) fn show(bytes: impl AsRef<[u8]>) {
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_ref()).ok();
    out.write_all(b"\n").ok();
    out.flush().ok();
}

/// Shows a file's content.
pub(crate) fn show_file(path: impl AsRef<Path>) -> io::Result<()> {
    show(std::fs::read(path)?);
    Ok(())
}

/// The first success of several ways, or the last refusal.
pub(crate) fn any<T>(ways: impl IntoIterator<Item = io::Result<T>>) -> io::Result<T> {
    let mut last = Err(io::Error::other("no way"));
    for way in ways {
        last = way;
        if last.is_ok() {
            break;
        }
    }
    last
}

/// `attempt NAME ARENA WORD FACT=VALUE...`: makes the attempt of that name.
pub(crate) fn main(args: &[String]) -> ExitCode {
    let [name, arena, word, facts @ ..] = args else { return ExitCode::from(2) };
    let pairs = facts.iter().filter_map(|fact| fact.split_once('='));
    let facts: HashMap<String, String> = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    let confined = facts.contains_key("confined");
    let inside = Inside { arena: arena.into(), word: word.clone(), confined, facts };
    let Some((_, row)) = table::all().into_iter().find(|(_, row)| row.name == name) else {
        eprintln!("no attempt is called {name}");
        return ExitCode::from(2);
    };
    show(format!("began {word}"));
    match (row.act)(&inside) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("refused: {error}");
            ExitCode::FAILURE
        }
    }
}
