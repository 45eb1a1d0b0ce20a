//! The variables of a script, as far as they are known before it runs.

use std::collections::HashMap;

use crate::place::Place;

/// Values that are remembered of one variable.
const MOST: usize = 16;

/// The values that a script gives its variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    home: String,
    cwd: Option<String>,
    values: HashMap<String, Values>,
}

#[derive(Clone, Debug, Default)]
struct Values {
    texts: Vec<String>,
    /// Whether the script sets it more than once, or under a condition.
    unsure: bool,
    /// Whether it may hold something else.
    open: bool,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The script sets it once, to this.
    Known(String),
    /// A folder that everybody has.
    Place(String),
    /// One of these, and whether it can be nothing else.
    Maybe(Vec<String>, bool),
}

impl Variables {
    pub(crate) fn new(place: &Place) -> Self {
        let mut variables =
            Self { home: place.home.clone(), cwd: Some(place.cwd.clone()), ..Self::default() };
        variables.set("IFS", Some(" "), true);
        variables
    }

    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// The script goes to another folder.
    pub(crate) fn moved(&mut self) {
        self.cwd = None;
    }

    /// The script sets a variable; `surely` says that no condition, loop or subshell is around it.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>, surely: bool) {
        self.add(name, value);
        if let Some(values) = self.values.get_mut(name) {
            values.unsure |= !surely || values.texts.len() != 1;
            values.open |= !surely;
        }
    }

    /// A loop sets a variable to one value after the other.
    pub(crate) fn list<'v>(&mut self, name: &str, all: impl Iterator<Item = Option<&'v str>>) {
        all.for_each(|value| self.add(name, value));
        if let Some(values) = self.values.get_mut(name) {
            values.unsure = true;
        }
    }

    fn add(&mut self, name: &str, value: Option<&str>) {
        let values = self.values.entry(name.to_owned()).or_default();
        match value.filter(|_| values.texts.len() < MOST) {
            Some(value) => values.texts.push(value.to_owned()),
            None => (values.unsure, values.open) = (true, true),
        }
    }

    /// Whether a value holds what looks like a substitution.
    pub(crate) fn hold_scripts(&self) -> bool {
        self.values
            .values()
            .flat_map(|values| &values.texts)
            .any(|text| text.contains("$(") || text.contains('`'))
    }

    pub(crate) fn value(&self, name: &str) -> Lookup {
        match (name, self.values.get(name)) {
            ("HOME", None) => Lookup::Place(self.home.clone()),
            ("PWD", None) => self.cwd.clone().map_or(Lookup::Maybe(Vec::new(), false), Lookup::Place),
            (_, Some(Values { texts, unsure: false, .. })) if texts.len() == 1 => {
                Lookup::Known(texts[0].clone())
            }
            (_, Some(values)) => Lookup::Maybe(values.texts.clone(), !values.open),
            (_, None) => Lookup::Maybe(Vec::new(), false),
        }
    }
}
