//! Reads a script: tree-sitter finds its statements, `scan` reads its words, and `wrapper` finds what a command runs in
//! turn. Where two readings differ the script is in doubt.

mod document;
mod plain;
mod simple;
mod statement;
mod texts;
mod tree;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tree_sitter::Node;

use crate::command::{CommandInput, ScriptDoubt, ScriptReading, ShellCommand, StreamRedirect, Within};
use crate::expand;
use crate::place::CommandPlace;
use crate::scan::{self, ScannedText, UnclearScript};
use crate::variables::ScriptVariables;
use crate::word::ShellWord;
use crate::wrapper::{self, InnerCommand};
pub use plain::plain_commands;
pub use texts::command_texts;

/// Scripts in scripts that are followed.
const DEEPEST: usize = 24;
/// Statements in statements that are followed.
const DEEPEST_STATEMENT: usize = 200;
/// Bytes of scripts that are read, nested ones counted each time.
const MOST: usize = 8 << 20;
/// The longest time that one reading may take.
const TIME: Duration = Duration::from_secs(5);

/// Returns every command of a script, at every depth.
pub fn read_script(text: &str, place: &CommandPlace) -> ScriptReading {
    let mut reader = ScriptReader::new(place);
    reader.read_nested_script(text, &CommandContext { surely: true, ..CommandContext::default() });
    reader.finish_reading()
}

/// Returns every command that an argument vector runs, at every depth. It is not read as a script.
pub fn read_argv(argv: &[String], place: &CommandPlace) -> ScriptReading {
    let mut reader = ScriptReader::new(place);
    if argv.iter().any(|word| word.contains('\0')) {
        reader.reading.add_doubt(ScriptDoubt::Syntax);
    }
    let words = argv.iter().map(ShellWord::from_text).collect();
    reader.emit_command(ShellCommand { words, ..ShellCommand::default() }, &CommandContext::default());
    reader.finish_reading()
}

/// The context of a command.
#[derive(Clone, Debug, Default)]
struct CommandContext {
    via: Vec<String>,
    within: Vec<Within>,
    input: CommandInput,
    /// True if there is no condition, loop or subshell around it.
    surely: bool,
}

impl CommandContext {
    fn with_construct(&self, within: Within) -> Self {
        let within = self.within.iter().copied().chain([within]).collect();
        Self { within, surely: false, input: CommandInput::Inherited, ..self.clone() }
    }

    fn with_wrapper(&self, name: &str) -> Self {
        let via = self.via.iter().cloned().chain([name.to_owned()]).collect();
        Self { via, surely: false, ..self.clone() }
    }

    fn with_input(&self, input: CommandInput) -> Self {
        Self { input, ..self.clone() }
    }

    fn as_unsure(&self) -> Self {
        Self { surely: false, ..self.clone() }
    }

    /// Returns a command as one that was read here.
    fn place_command(&self, command: ShellCommand) -> ShellCommand {
        ShellCommand { via: self.via.clone(), within: self.within.clone(), ..command }
    }
}

/// The limits of one reading, and how much of them is used.
struct ReadingBudget {
    until: Instant,
    depth: usize,
    statements: usize,
    bytes: usize,
}

impl ReadingBudget {
    /// Starts with all of it left.
    fn start() -> Self {
        Self { until: Instant::now() + TIME, depth: 0, statements: 0, bytes: 0 }
    }

    /// Uses the bytes of a script; returns false if that is more than is left.
    fn take_bytes(&mut self, length: usize) -> bool {
        self.bytes += length;
        self.bytes <= MOST && !self.is_used_up()
    }

    /// Returns whether neither a deeper script nor more time is left.
    fn is_used_up(&self) -> bool {
        self.depth >= DEEPEST || Instant::now() > self.until
    }

    /// Goes into a statement; returns false if it is too deep. [`Self::leave_statement`] follows in either case.
    fn enter_statement(&mut self) -> bool {
        self.statements += 1;
        self.statements <= DEEPEST_STATEMENT
    }

    fn leave_statement(&mut self) {
        self.statements -= 1;
    }
}

/// The parts of a command that come from a statement around it.
#[derive(Clone, Debug, Default)]
struct CommandTail {
    words: Vec<ShellWord>,
    redirects: Vec<StreamRedirect>,
    input: Option<CommandInput>,
}

struct ScriptReader {
    variables: ScriptVariables,
    reading: ScriptReading,
    /// The parts of commands that are not read yet, by their nodes.
    tails: HashMap<usize, CommandTail>,
    budget: ReadingBudget,
    /// The variables that the command uses which is being read.
    uses: Vec<String>,
}

impl ScriptReader {
    fn new(place: &CommandPlace) -> Self {
        Self {
            variables: ScriptVariables::new(place),
            reading: ScriptReading::default(),
            tails: HashMap::new(),
            budget: ReadingBudget::start(),
            uses: Vec::new(),
        }
    }

    fn finish_reading(mut self) -> ScriptReading {
        if self.variables.may_run_scripts() {
            self.reading.add_doubt(ScriptDoubt::ComputedScript);
        }
        self.reading
    }

    /// Reads a script that is part of another one, or is run by a command.
    fn read_nested_script(&mut self, text: &str, around: &CommandContext) {
        if !self.budget.take_bytes(text.len()) {
            return self.reading.add_doubt(ScriptDoubt::TooMuch);
        }
        let Some(tree) = tree::parse_tree(text, self.budget.until) else {
            return self.reading.add_doubt(ScriptDoubt::TooMuch);
        };
        let root = tree.root_node();
        if root.has_error() || text.contains('\0') || !tree::covers_text(root, text) {
            self.reading.doubt_piece(tree::broken_line(root, text));
        }
        let (tails, uses) = (std::mem::take(&mut self.tails), std::mem::take(&mut self.uses));
        let statements = std::mem::take(&mut self.budget.statements);
        self.budget.depth += 1;
        self.read_statement(root, text, around);
        self.budget.depth -= 1;
        (self.tails, self.uses, self.budget.statements) = (tails, uses, statements);
    }

    /// Takes a command into the list, and reads what it runs in turn.
    fn emit_command(&mut self, mut command: ShellCommand, around: &CommandContext) {
        command.uses = std::mem::take(&mut self.uses);
        self.variables.apply_command(&command, around.surely);
        self.reading.commands.push(around.place_command(command.clone()));
        if self.budget.is_used_up() {
            return self.reading.add_doubt(ScriptDoubt::TooMuch);
        }
        for inner in wrapper::inner_commands(&command) {
            self.budget.depth += 1;
            match inner {
                InnerCommand::Command { via, command } => {
                    self.emit_command(*command, &around.with_wrapper(&via))
                }
                InnerCommand::Expression { via, text } => {
                    self.variables.calculates = true;
                    let scanned = scan::scan_expanding(&text, &self.variables);
                    self.take_scanned(scanned, &text, &around.with_wrapper(&via));
                }
                InnerCommand::Script { via, text } => self.read_nested_script(
                    &text,
                    &around.with_wrapper(&via).with_input(CommandInput::Inherited),
                ),
                InnerCommand::PartialScript { via, texts } => {
                    self.reading.add_doubt(ScriptDoubt::ComputedScript);
                    let around = around.with_wrapper(&via).with_input(CommandInput::Inherited);
                    let was_partial = std::mem::replace(&mut self.variables.is_partial, true);
                    texts.iter().for_each(|text| self.read_nested_script(text, &around));
                    self.variables.is_partial = was_partial;
                }
                InnerCommand::Doubt(doubt) => self.reading.add_doubt(doubt),
            }
            self.budget.depth -= 1;
        }
    }

    /// The words that a piece of script becomes.
    fn expand_text(&mut self, text: &str, around: &CommandContext) -> Vec<ShellWord> {
        let scanned = scan::scan_word(text, &self.variables);
        let Some(scanned) = self.take_scanned(scanned, text, around) else {
            return vec![ShellWord::unknown_text()];
        };
        match expand::expand_words(scanned.units, &self.variables) {
            Ok(words) => words,
            Err(doubt) => {
                self.reading.add_doubt(doubt);
                vec![ShellWord::unknown_text()]
            }
        }
    }

    /// The one word that a value or a target becomes.
    fn read_value(&mut self, text: &str, around: &CommandContext) -> ShellWord {
        let scanned = scan::scan_word(text, &self.variables);
        match self.take_scanned(scanned, text, around) {
            Some(scanned) => expand::expand_value(scanned.units, &self.variables),
            None => ShellWord::unknown_text(),
        }
    }

    /// Reads a piece whose words do not matter for what it runs.
    fn read_loose(&mut self, text: &str, around: &CommandContext) {
        self.variables.calculates = true;
        let scanned = scan::scan_loose(text, &self.variables);
        self.take_scanned(scanned, text, around);
    }

    /// Reads a piece that bash calculates.
    fn read_calculated(&mut self, text: &str, around: &CommandContext) {
        self.variables.calculates = true;
        let scanned = scan::scan_calculated(text, &self.variables);
        self.take_scanned(scanned, text, around);
    }

    /// Reads the scripts in a text, and notes what it sets.
    fn take_scanned(
        &mut self,
        scanned: Result<ScannedText, UnclearScript>,
        text: &str,
        around: &CommandContext,
    ) -> Option<ScannedText> {
        let Ok(mut scanned) = scanned else {
            self.reading.doubt_piece(text);
            return None;
        };
        if scanned.expands_twice {
            self.reading.add_doubt(ScriptDoubt::ComputedScript);
        }
        self.variables.calculates |= scanned.calculates;
        self.uses.append(&mut scanned.names);
        for (within, script) in std::mem::take(&mut scanned.scripts) {
            self.read_nested_script(&script, &around.with_construct(within));
        }
        let assignments = std::mem::take(&mut scanned.sets);
        if !assignments.is_empty() {
            self.emit_command(ShellCommand { assignments, ..ShellCommand::default() }, &around.as_unsure());
        }
        Some(scanned)
    }
}

/// The text of a node.
fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}
