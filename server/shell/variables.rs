//! The variables of a script that are known before it runs.

use std::collections::HashMap;

use crate::command::{ShellCommand, VariableAssignment};
use crate::place::CommandPlace;
use crate::word::ShellWord;

/// Values that are remembered of one variable.
const MOST: usize = 16;

/// The values that a script gives its variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptVariables {
    home: String,
    cwd: Option<String>,
    values: HashMap<String, VariableValues>,
    /// True while a script is read of which only parts are known.
    pub(crate) is_partial: bool,
    /// True if the script has bash calculate.
    pub(crate) calculates: bool,
}

#[derive(Clone, Debug, Default)]
struct VariableValues {
    texts: Vec<String>,
    /// True if the script sets it more than once, or under a condition.
    unsure: bool,
    /// True if it may have another value.
    open: bool,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VariableLookup {
    /// The script sets it once, to this.
    Known(String),
    /// A folder that everybody has.
    Place(String),
    /// Any of these values, and whether the list is complete.
    Maybe(Vec<String>, bool),
}

impl ScriptVariables {
    pub(crate) fn new(place: &CommandPlace) -> Self {
        let mut variables =
            Self { home: place.home.clone(), cwd: Some(place.cwd.clone()), ..Self::default() };
        variables.set_value("IFS", Some(" "), true);
        variables
    }

    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// Records that the script sets a variable; `surely` is true if no condition, loop or subshell is around it.
    pub(crate) fn set_value(&mut self, name: &str, value: Option<&str>, surely: bool) {
        self.add_value(name, value);
        if let Some(values) = self.values.get_mut(name) {
            values.unsure |= !surely || values.texts.len() != 1;
            values.open |= !surely;
        }
    }

    /// A loop sets a variable to one value after the other.
    pub(crate) fn set_each<'v>(&mut self, name: &str, all: impl Iterator<Item = Option<&'v str>>) {
        all.for_each(|value| self.add_value(name, value));
        if let Some(values) = self.values.get_mut(name) {
            values.unsure = true;
        }
    }

    fn add_value(&mut self, name: &str, value: Option<&str>) {
        let values = self.values.entry(name.to_owned()).or_default();
        match value.filter(|_| values.texts.len() < MOST) {
            Some(value) => values.texts.push(value.to_owned()),
            None => (values.unsure, values.open) = (true, true),
        }
    }

    /// Records the changes of a command that later commands see; `surely` as in [`Self::set_value`].
    pub(crate) fn apply_command(&mut self, command: &ShellCommand, surely: bool) {
        let surely = surely && command.words.is_empty();
        for VariableAssignment { name, value } in &command.assignments {
            self.set_value(name, value.plain_text(), surely);
            value.maybe.iter().for_each(|text| self.set_value(name, Some(text), false));
        }
        match command.program() {
            Some("cd" | "pushd" | "popd") => self.cwd = None,
            Some("let") => self.calculates = true,
            Some("read" | "mapfile" | "readarray" | "getopts" | "unset" | "printf" | "wait") => {
                let names = command.arguments().iter().filter_map(ShellWord::plain_text).map(str::to_owned);
                names.for_each(|name| self.set_value(&name, None, false));
            }
            _ => {}
        }
    }

    /// Returns whether a value may be run as a script: bash evaluates it again where it calculates, substitutions
    /// included.
    pub(crate) fn may_run_scripts(&self) -> bool {
        let mut texts = self.values.values().flat_map(|values| &values.texts);
        self.calculates && texts.any(|text| text.contains("$(") || text.contains('`'))
    }

    pub(crate) fn look_up(&self, name: &str) -> VariableLookup {
        match (name, self.values.get(name)) {
            ("HOME", None) => VariableLookup::Place(self.home.clone()),
            ("TMPDIR", None) => VariableLookup::Place("/tmp".to_owned()),
            ("PWD", None) => {
                self.cwd.clone().map_or(VariableLookup::Maybe(Vec::new(), false), VariableLookup::Place)
            }
            (_, Some(VariableValues { texts, unsure: false, .. })) if texts.len() == 1 => {
                VariableLookup::Known(texts[0].clone())
            }
            (_, Some(values)) => VariableLookup::Maybe(values.texts.clone(), !values.open),
            (_, None) => VariableLookup::Maybe(Vec::new(), false),
        }
    }
}
