//! Paths that a command names: in its arguments and in its redirections.

use super::CommandRules;
use super::located::Folders;
use crate::command::{RedirectKind, ShellCommand};
use crate::glob;
use crate::place::{HOLE, Zone};
use crate::programs::{self, PathUse};
use crate::verdict::Objection;
use crate::word::{Word, WordKind};

/// Parts of one argument that are looked at as paths.
const PARTS: usize = 16;

impl CommandRules<'_> {
    /// What speaks against the paths in the arguments.
    pub(super) fn of_paths(
        &self,
        program: &str,
        command: &ShellCommand,
        folders: &Folders,
    ) -> Vec<Objection> {
        let mut all = Vec::new();
        for (word, used) in programs::paths(program, command.arguments()) {
            for text in word.texts() {
                let parts = parts(text);
                for path in parts.iter().flat_map(|part| folders.absolute(part)) {
                    all.extend(self.closed(word, used, &path));
                }
                if used != PathUse::Read && (!text.starts_with('-') || text == "-") {
                    let zones = folders.zones(word, text);
                    all.extend(zones.into_iter().filter_map(|zone| written(zone, used)));
                }
            }
        }
        all
    }

    /// What speaks against the redirections.
    pub(super) fn of_redirects(&self, command: &ShellCommand, folders: &Folders) -> Vec<Objection> {
        let mut all = Vec::new();
        for redirect in &command.redirects {
            let used = match redirect.kind {
                RedirectKind::Duplicate => continue,
                RedirectKind::Read => PathUse::Read,
                RedirectKind::Write | RedirectKind::Append => PathUse::Write,
            };
            let word = &redirect.target;
            for text in word.texts() {
                if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
                    all.push(Objection::ask("network", "this redirection opens a connection"));
                }
                for path in folders.absolute(text) {
                    all.extend(self.closed(word, used, &path));
                }
                let zones = folders.zones(word, text);
                if used == PathUse::Write && !text.starts_with("/dev/tcp/") && !text.starts_with("/dev/udp/")
                {
                    all.extend(zones.iter().filter_map(|zone| written(*zone, used)));
                    all.extend(zones.contains(&Zone::Unknown).then(computed_target));
                }
            }
        }
        all
    }

    /// Whether a command writes outside of the workspace by a redirection.
    pub(super) fn leaves(&self, folders: &Folders, command: &ShellCommand) -> bool {
        let writes = |kind| !matches!(kind, RedirectKind::Duplicate | RedirectKind::Read);
        let stays = |zone: &Zone| matches!(zone, Zone::Inside | Zone::Stream | Zone::Temporary);
        let targets = command
            .redirects
            .iter()
            .filter(|redirect| writes(redirect.kind))
            .map(|redirect| &redirect.target);
        targets
            .flat_map(|word| word.texts().flat_map(|text| folders.zones(word, text)).collect::<Vec<_>>())
            .any(|zone| !stays(&zone))
    }

    /// What the rules of paths say of a path, which may hold wildcards.
    fn closed(&self, word: &Word, used: PathUse, path: &str) -> Vec<Objection> {
        let of_files = |path: &str| self.tables.iter().find_map(|table| table.of_file(path)).cloned();
        let mut all: Vec<Objection> = of_files(path).into_iter().collect();
        if word.kind == WordKind::Known && word.maybe.is_empty() {
            all.extend(self.paths.judge(used, path));
            return all;
        }
        let pattern = path.replace(HOLE, "*");
        all.extend(self.paths.judge(used, &pattern));
        let samples = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/self/environ", "/run/secrets"];
        let narrow =
            pattern.split('/').all(|part| part.is_empty() || part.chars().any(|c| !matches!(c, '*' | '?')));
        let hit = samples
            .iter()
            .find(|sample| narrow && pattern.contains(['*', '?', '[']) && glob::matches(&pattern, sample));
        all.extend(hit.and_then(|sample| of_files(sample)));
        all.extend(self.secrets_among(used, &pattern));
        all
    }

    /// What holds for the names of secrets that a pattern may stand for.
    fn secrets_among(&self, used: PathUse, pattern: &str) -> Vec<Objection> {
        let parts: Vec<&str> = pattern.split('/').collect();
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let narrow = part.contains(['*', '?', '[']) && part.chars().any(|c| !matches!(c, '*' | '?'));
            if !narrow {
                continue;
            }
            for name in self.paths.secret_names() {
                // A pattern finds names that begin with a dot only where it begins with one.
                let hidden = name.starts_with('.') && !part.starts_with(['.', '[', '*']);
                if !hidden && (!name.starts_with('.') || !part.starts_with('*')) && glob::matches(part, name)
                {
                    let mut path = parts.clone();
                    path[at] = name;
                    all.extend(self.paths.judge(used, &path.join("/")));
                }
            }
        }
        all
    }
}

/// What speaks against writing in a place.
fn written(zone: Zone, used: PathUse) -> Option<Objection> {
    match zone {
        Zone::Device => Some(Objection::deny("raw-device", "it writes to a device, past all files")),
        Zone::Vital if used == PathUse::Move => Some(Objection::deny(
            "destructive",
            "it moves away a folder that a machine or a person cannot do without",
        )),
        Zone::Vital | Zone::Outside => {
            Some(Objection::ask("outside-workspace", "it writes outside of the workspace"))
        }
        _ => None,
    }
}

fn computed_target() -> Objection {
    Objection::ask("computed-target", "which file is written is only known once the command runs")
}

/// The parts of an argument that may be paths: all of it, what follows `=`, `@`, `:` or a short option.
fn parts(text: &str) -> Vec<&str> {
    if text.contains("://") {
        return Vec::new();
    }
    let mut parts = Vec::new();
    if !text.starts_with('-') {
        parts.push(text);
    } else if !text.starts_with("--") {
        parts.extend(text.get(2..));
    }
    parts.extend(text.split(['=', ':', ',', '@']).skip(1).take(PARTS));
    parts.extend(
        text.split([':', ',']).next().filter(|part| part.len() < text.len() && !part.starts_with('-')),
    );
    parts.retain(|part| !part.is_empty());
    parts
}
