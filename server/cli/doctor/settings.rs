//! Checks that the person's settings can be read, and what they make of this folder.

use std::path::Path;

use super::DoctorCheck;
use crate::protocol::WatchBackend;
use crate::watch::probe_backend;
use crate::workspace::config;

const NAME: &str = "settings";

/// The check of the person's settings file.
pub(super) fn check_settings() -> DoctorCheck {
    let loaded = config::of_person();
    let file = config::person_folder().map(|folder| folder.join("config.toml").display().to_string());
    let file = file.unwrap_or_else(|| config::PERSON.to_owned());
    match (loaded.warnings.first(), loaded.problems.is_empty()) {
        (Some(warning), _) => {
            let found = format!("{}; {warning}", loaded.problems.join("; "));
            DoctorCheck::broken(NAME, found, format!("Correct {file}."))
        }
        (None, false) => DoctorCheck::lacking(NAME, loaded.problems.join("; "), format!("Correct {file}.")),
        (None, true) => DoctorCheck::well(NAME, format!("{file} can be read")),
    }
}

/// Checks which back end would watch the files of this folder.
pub(super) fn check_watch() -> DoctorCheck {
    let name = "watching files";
    let chosen = config::of_person().settings.watch.backend;
    match probe_backend(Path::new("."), chosen) {
        Ok(probe) => match (probe.backend, probe.fallback) {
            (_, Some(reason)) => DoctorCheck::lacking(
                name,
                format!("this folder is polled, since {reason}"),
                "Nothing has to be mended: questions take longer, since they look at all files.",
            ),
            (WatchBackend::Poll, None) => {
                DoctorCheck::well(name, "this folder is polled, by `[watch] backend` in your settings")
            }
            (WatchBackend::Notify, None) => DoctorCheck::well(name, "this folder is watched, by notify"),
            (_, None) => DoctorCheck::well(name, "this folder is watched, by inotify"),
        },
        Err(error) => DoctorCheck::broken(
            name,
            format!("this folder cannot be read: {error}"),
            "Run wherefore in a folder that you can read.",
        ),
    }
}
