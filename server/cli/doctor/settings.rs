//! The person's settings: whether all of them can be read.

use super::Check;
use crate::workspace::config;

const NAME: &str = "settings";

/// The check of the person's settings file.
pub(super) fn check() -> Check {
    let loaded = config::of_person();
    let file = config::person_folder().map(|folder| folder.join("config.toml").display().to_string());
    let file = file.unwrap_or_else(|| config::PERSON.to_owned());
    match (loaded.warnings.first(), loaded.problems.is_empty()) {
        (Some(warning), _) => {
            let found = format!("{}; {warning}", loaded.problems.join("; "));
            Check::broken(NAME, found, format!("Correct {file}."))
        }
        (None, false) => Check::lacking(NAME, loaded.problems.join("; "), format!("Correct {file}.")),
        (None, true) => Check::well(NAME, format!("{file} can be read")),
    }
}
