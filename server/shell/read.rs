//! Reads a script: tree-sitter finds its statements, `scan` reads its words, and `wrapper` finds what a command runs in
//! turn. Where two readings differ the script is in doubt.

mod document;
mod simple;
mod statement;
mod tree;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tree_sitter::Node;

use crate::command::{Assignment, Doubt, Input, Reading, Redirect, ShellCommand, Within};
use crate::place::Place;
use crate::scan::{self, Scanned, Unclear};
use crate::variables::Variables;
use crate::word::Word;
use crate::wrapper::{self, Inner};
use crate::{expand, output};

/// Scripts in scripts that are followed.
const DEEPEST: usize = 24;
/// Statements in statements that are followed.
const DEEPEST_STATEMENT: usize = 200;
/// Bytes of scripts that are read, nested ones counted each time.
const MOST: usize = 8 << 20;
/// How long one reading may take.
const TIME: Duration = Duration::from_secs(5);

/// Every command of a script, at every depth.
pub fn read_script(text: &str, place: &Place) -> Reading {
    let mut reader = Reader::new(place);
    reader.script(text, &Around { surely: true, ..Around::default() });
    reader.finished()
}

/// Every command that an argument vector runs, at every depth. It is not read as a script.
pub fn read_argv(argv: &[String], place: &Place) -> Reading {
    let mut reader = Reader::new(place);
    if argv.iter().any(|word| word.contains('\0')) {
        reader.doubt(Doubt::Syntax);
    }
    let words = argv.iter().map(Word::known).collect();
    reader.emit(ShellCommand { words, ..ShellCommand::default() }, &Around::default());
    reader.finished()
}

/// What stands around a command.
#[derive(Clone, Debug, Default)]
struct Around {
    via: Vec<String>,
    within: Vec<Within>,
    input: Input,
    /// Whether no condition, loop or subshell is around it.
    surely: bool,
}

impl Around {
    fn within(&self, within: Within) -> Self {
        let within = self.within.iter().copied().chain([within]).collect();
        Self { within, surely: false, input: Input::Inherited, ..self.clone() }
    }

    fn via(&self, name: &str) -> Self {
        let via = self.via.iter().cloned().chain([name.to_owned()]).collect();
        Self { via, surely: false, ..self.clone() }
    }

    fn with(&self, input: Input) -> Self {
        Self { input, ..self.clone() }
    }

    fn perhaps(&self) -> Self {
        Self { surely: false, ..self.clone() }
    }
}

/// What a statement around a command adds to it.
#[derive(Clone, Debug, Default)]
struct Tail {
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    input: Option<Input>,
}

struct Reader {
    variables: Variables,
    reading: Reading,
    /// What belongs to a command that is not read yet, by its node.
    tails: HashMap<usize, Tail>,
    until: Instant,
    depth: usize,
    statements: usize,
    bytes: usize,
    calculates: bool,
    /// The variables that the command uses which is being read.
    uses: Vec<String>,
}

impl Reader {
    fn new(place: &Place) -> Self {
        Self {
            variables: Variables::new(place),
            reading: Reading::default(),
            tails: HashMap::new(),
            until: Instant::now() + TIME,
            depth: 0,
            statements: 0,
            bytes: 0,
            calculates: false,
            uses: Vec::new(),
        }
    }

    fn finished(mut self) -> Reading {
        // Bash evaluates the value of a variable again where it calculates, substitutions included.
        if self.calculates && self.variables.hold_scripts() {
            self.doubt(Doubt::ComputedScript);
        }
        self.reading
    }

    fn doubt(&mut self, doubt: Doubt) {
        if !self.reading.doubts.contains(&doubt) {
            self.reading.doubts.push(doubt);
        }
    }

    /// Reads a script that stands in another one, or is run by a command.
    fn script(&mut self, text: &str, around: &Around) {
        self.bytes += text.len();
        if self.depth >= DEEPEST || self.bytes > MOST || Instant::now() > self.until {
            return self.doubt(Doubt::TooMuch);
        }
        let Some(tree) = tree::parsed(text, self.until) else { return self.doubt(Doubt::TooMuch) };
        let root = tree.root_node();
        if root.has_error() || text.contains('\0') || !tree::covers(root, text) {
            self.doubt(Doubt::Syntax);
        }
        let (tails, uses) = (std::mem::take(&mut self.tails), std::mem::take(&mut self.uses));
        let statements = std::mem::take(&mut self.statements);
        self.depth += 1;
        self.statement(root, text, around);
        self.depth -= 1;
        (self.tails, self.uses, self.statements) = (tails, uses, statements);
    }

    /// Takes a command into the list.
    fn note(&mut self, mut command: ShellCommand, around: &Around) {
        command.via.clone_from(&around.via);
        command.within.clone_from(&around.within);
        self.reading.commands.push(command);
    }

    /// Takes a command into the list, and reads what it runs in turn.
    fn emit(&mut self, mut command: ShellCommand, around: &Around) {
        command.uses = std::mem::take(&mut self.uses);
        self.remember(&command, around);
        self.note(command.clone(), around);
        if self.depth >= DEEPEST || Instant::now() > self.until {
            return self.doubt(Doubt::TooMuch);
        }
        for inner in wrapper::inner(&command) {
            self.depth += 1;
            match inner {
                Inner::Command { via, command } => self.emit(*command, &around.via(&via)),
                Inner::Script { via, text } => self.script(&text, &around.via(&via).with(Input::Inherited)),
                Inner::Doubt(doubt) => self.doubt(doubt),
            }
            self.depth -= 1;
        }
    }

    /// What a command changes for those after it.
    fn remember(&mut self, command: &ShellCommand, around: &Around) {
        let surely = around.surely && command.words.is_empty();
        for Assignment { name, value } in &command.assignments {
            self.variables.set(name, value.plain(), surely);
            value.maybe.iter().for_each(|text| self.variables.set(name, Some(text), false));
        }
        match command.program() {
            Some("cd" | "pushd" | "popd") => self.variables.moved(),
            Some("let") => self.calculates = true,
            Some("read" | "mapfile" | "readarray" | "getopts" | "unset" | "printf" | "wait") => {
                let names = command.arguments().iter().filter_map(Word::plain).map(str::to_owned);
                names.for_each(|name| self.variables.set(&name, None, false));
            }
            _ => {}
        }
    }

    /// The words that a piece of script becomes.
    fn words(&mut self, text: &str, around: &Around) -> Vec<Word> {
        let scanned = scan::word(text, &self.variables);
        let Some(scanned) = self.scanned(scanned, around) else { return vec![Word::computed()] };
        match expand::words(scanned.units, &self.variables) {
            Ok(words) => words,
            Err(doubt) => {
                self.doubt(doubt);
                vec![Word::computed()]
            }
        }
    }

    /// The one word that a value or a target becomes.
    fn value(&mut self, text: &str, around: &Around) -> Word {
        let scanned = scan::word(text, &self.variables);
        match self.scanned(scanned, around) {
            Some(scanned) => expand::one(scanned.units, &self.variables),
            None => Word::computed(),
        }
    }

    /// Reads a piece whose words do not matter for what it runs.
    fn loose(&mut self, text: &str, around: &Around) {
        self.calculates = true;
        let scanned = scan::loose(text, &self.variables);
        self.scanned(scanned, around);
    }

    /// Reads the scripts in a text, and notes what it sets.
    fn scanned(&mut self, scanned: Result<Scanned, Unclear>, around: &Around) -> Option<Scanned> {
        let Ok(mut scanned) = scanned else {
            self.doubt(Doubt::Syntax);
            return None;
        };
        if scanned.expands_twice {
            self.doubt(Doubt::ComputedScript);
        }
        self.calculates |= scanned.calculates;
        self.uses.append(&mut scanned.names);
        for (within, script) in std::mem::take(&mut scanned.scripts) {
            self.script(&script, &around.within(within));
        }
        let assignments = std::mem::take(&mut scanned.sets);
        if !assignments.is_empty() {
            self.emit(ShellCommand { assignments, ..ShellCommand::default() }, &around.perhaps());
        }
        Some(scanned)
    }

    /// What the command before writes into a pipeline, where it is known.
    fn piped(&self, before: usize) -> Input {
        let written = match self.reading.commands.get(before..) {
            Some([command]) => output::of(command),
            _ => None,
        };
        Input::Pipe(written)
    }
}

/// The text of a node.
fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}
