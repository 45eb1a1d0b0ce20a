//! Paths that a command names: in its arguments and in its redirections.

use super::CommandRules;
use super::reach::is_loopback_address;
use super::script_folders::ScriptFolders;
use crate::command::{RedirectKind, ShellCommand};
use crate::glob;
use crate::place::{self, HOLE, PathZone, TMP};
use crate::programs::{self, PathUse};
use crate::verdict::{CommandVerdict, RuleObjection};
use crate::word::{ShellWord, WordKind};

/// Parts of one argument that are looked at as paths.
const PARTS: usize = 16;

impl CommandRules<'_> {
    /// Returns the objections to the paths in the arguments.
    pub(super) fn of_paths(
        &self,
        program: &str,
        command: &ShellCommand,
        folders: &ScriptFolders,
    ) -> Vec<RuleObjection> {
        let mut all = Vec::new();
        let words = command.arguments();
        let only_names = programs::only_names(program, words);
        let root = &self.place.root;
        let is_missing = |path: &str| place::is_below(path, root) && !self.paths.path_exists(path);
        for (word, used) in programs::argument_paths(program, words) {
            for text in word.possible_texts() {
                let parts = path_parts(text);
                for path in parts.iter().flat_map(|part| folders.absolute_paths(part)) {
                    let closed = self.path_objections(word, used, &path);
                    // In the sandbox a closed file is empty, and its name no secret.
                    let is_text = || is_missing(&path) && programs::may_be_subcommand(program, word, words);
                    let is_shown = used == PathUse::Read && !closed.is_empty() && (only_names || is_text());
                    all.extend(closed.into_iter().map(|objection| match is_shown {
                        true => objection.as_unseen(),
                        false => objection,
                    }));
                }
                let is_shelf = used == PathUse::Write
                    && programs::has_target(program)
                    && folders.absolute_paths(text).iter().all(|path| path == TMP);
                if used != PathUse::Read && !is_shelf && (!text.starts_with('-') || text == "-") {
                    let zones = folders.zones(word, text);
                    all.extend(zones.into_iter().filter_map(|zone| write_objection(zone, used)));
                }
            }
        }
        all
    }

    /// Returns the objections to the redirections.
    pub(super) fn of_redirects(&self, command: &ShellCommand, folders: &ScriptFolders) -> Vec<RuleObjection> {
        let mut all = Vec::new();
        for redirect in &command.redirects {
            let used = match redirect.kind {
                RedirectKind::Duplicate => continue,
                RedirectKind::Read => PathUse::Read,
                RedirectKind::Write | RedirectKind::Append => PathUse::Write,
            };
            let word = &redirect.target;
            for text in word.possible_texts() {
                let connects = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"));
                if connects.is_some_and(|address| !is_loopback_address(address)) {
                    all.push(RuleObjection::ask("network", "this redirection opens a connection"));
                }
                for path in folders.absolute_paths(text) {
                    all.extend(self.path_objections(word, used, &path));
                }
                let zones = folders.zones(word, text);
                if used == PathUse::Write && connects.is_none() {
                    all.extend(zones.iter().filter_map(|zone| write_objection(*zone, used)));
                    all.extend(zones.contains(&PathZone::Unknown).then(computed_target));
                }
            }
        }
        all
    }

    /// Returns whether a command writes outside of the workspace by a redirection.
    pub(super) fn leaves_workspace(&self, folders: &ScriptFolders, command: &ShellCommand) -> bool {
        let writes = |kind| !matches!(kind, RedirectKind::Duplicate | RedirectKind::Read);
        let stays =
            |zone: &PathZone| matches!(zone, PathZone::Inside | PathZone::Stream | PathZone::Temporary);
        let targets = command
            .redirects
            .iter()
            .filter(|redirect| writes(redirect.kind))
            .map(|redirect| &redirect.target);
        targets
            .flat_map(|word| {
                word.possible_texts().flat_map(|text| folders.zones(word, text)).collect::<Vec<_>>()
            })
            .any(|zone| !stays(&zone))
    }

    /// Returns the objection of the path rules to a path, which may hold wildcards.
    fn path_objections(&self, word: &ShellWord, used: PathUse, path: &str) -> Vec<RuleObjection> {
        let of_files = |path: &str| self.tables.iter().find_map(|table| table.of_file(path)).cloned();
        let mut all: Vec<RuleObjection> = of_files(path).into_iter().collect();
        if word.kind == WordKind::Known && word.maybe.is_empty() {
            all.extend(self.paths.judge(used, path));
            return all;
        }
        let pattern = path.replace(HOLE, "*");
        all.extend(self.paths.judge(used, &pattern));
        let samples = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/self/environ", "/run/secrets"];
        let narrow =
            pattern.split('/').all(|part| part.is_empty() || part.chars().any(|c| !matches!(c, '*' | '?')));
        let hit = samples.iter().find(|sample| {
            narrow && pattern.contains(['*', '?', '[']) && glob::matches_pattern(&pattern, sample)
        });
        all.extend(hit.and_then(|sample| of_files(sample)));
        all.extend(self.secrets_among(used, &pattern));
        all
    }

    /// Returns the objections to the names of secrets that a pattern may match. It does not name them, so a person decides
    /// where such a file may be there; in the sandbox a closed file is empty, and one that is not there no reason to ask.
    fn secrets_among(&self, used: PathUse, pattern: &str) -> Vec<RuleObjection> {
        let parts: Vec<&str> = pattern.split('/').collect();
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let narrow = part.contains(['*', '?', '[']) && part.chars().any(|c| !matches!(c, '*' | '?'));
            if !narrow {
                continue;
            }
            for name in self.paths.secret_names() {
                // A pattern finds names that begin with a dot only if it begins with one.
                let hidden = name.starts_with('.') && !part.starts_with(['.', '[', '*']);
                if !hidden
                    && (!name.starts_with('.') || !part.starts_with('*'))
                    && glob::matches_pattern(part, name)
                {
                    let mut path = parts.clone();
                    path[at] = name;
                    let path = path.join("/");
                    let is_exact =
                        place::is_below(&path, &self.place.root) && !path.contains(['*', '?', '[']);
                    let is_there = self.paths.path_exists(&path);
                    all.extend(self.paths.judge(used, &path).map(|objection| match (is_exact, is_there) {
                        (true, true) if used != PathUse::Read => objection,
                        (true, false) => as_guess(objection).as_unseen(),
                        _ => as_guess(objection),
                    }));
                }
            }
        }
        all
    }
}

/// Returns the objection to writing in a zone.
fn write_objection(zone: PathZone, used: PathUse) -> Option<RuleObjection> {
    match zone {
        PathZone::Device => Some(RuleObjection::deny("raw-device", "it writes to a device, past all files")),
        PathZone::Vital if used == PathUse::Move => Some(RuleObjection::deny(
            "destructive",
            "it moves away a folder that a machine or a person cannot do without",
        )),
        PathZone::Vital | PathZone::Outside => {
            Some(RuleObjection::ask("outside-workspace", "it writes outside of the workspace"))
        }
        PathZone::Cache => Some(
            RuleObjection::ask("outside-workspace", "it writes outside of the workspace").as_unconfined(),
        ),
        _ => None,
    }
}

/// Returns an objection to a file that a pattern may match: it asks where the rule refuses.
fn as_guess(objection: RuleObjection) -> RuleObjection {
    let verdict = objection.verdict.min(CommandVerdict::Ask);
    RuleObjection { verdict, ..objection }
}

fn computed_target() -> RuleObjection {
    RuleObjection::ask("computed-target", "which file is written is only known once the command runs")
        .as_unseen()
}

/// The parts of an argument that may be paths: all of it, what follows `=`, `@`, `:` or a short option.
fn path_parts(text: &str) -> Vec<&str> {
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
