//! The settings files: the person's, and the project's, which may only tighten.

mod allow_always;
mod environments;
mod settings_layer;

pub(crate) use allow_always::allow_always;

use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use serde_json::Value;

use crate::base::person;
use crate::embed;
use crate::fetch::HostPermits;
use crate::protocol::{McpServer, PolicyRule, SandboxSettings, Settings, WhenAway};
use crate::telemetry;
use crate::workspace::{LinkedTree, WorkspaceRoot, WorkspaceState, WorkspaceStore};
pub(crate) use settings_layer::SettingsLayer;

/// Bytes of the largest settings file.
pub(crate) const LARGEST: u64 = 1 << 20;

/// The time that a file has to stay unchanged before it counts as completely written.
const STILL: Duration = Duration::from_millis(40);
/// The time that a file without text has to stay unchanged: most programs empty a file and then write it, and on a busy
/// machine the two are far apart.
const EMPTY_STILL: Duration = Duration::from_millis(400);

/// Settings as they hold, and what was wrong with the files.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadedSettings {
    /// The person's, tightened by the project's. `rules` are the person's alone.
    pub settings: Settings,
    /// The person's file alone.
    of_file: SettingsLayer,
    /// The person's own, with what the editor holds.
    pub person: SettingsLayer,
    /// The project's own.
    pub project: SettingsLayer,
    /// The settings that were not taken, a sentence each.
    pub problems: Vec<String>,
    /// The reasons for which calls are judged more strictly than the files state, as a part of them could not be read;
    /// a sentence each.
    pub warnings: Vec<String>,
    /// The one of the problems for which there is no model: the person may have set one.
    pub no_model: Option<String>,
}

/// Reads both files; one that is missing counts as empty. Where one cannot be read, that party's settings of `before`
/// stay as they were; with none of before, what can be read of it counts and the rest is taken for as strict as
/// possible. What the editor holds (`client`) counts as the person's and before the person's file.
pub(crate) fn load_settings(
    store: &WorkspaceStore,
    client: Option<&Value>,
    before: Option<&LoadedSettings>,
) -> LoadedSettings {
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    let mut of_file = settings_layer::read_layer(PERSON, read_person(), &mut problems);
    let unread = problems.first().cloned();
    if of_file.unreadable.any {
        of_file = kept_layer(of_file, before.map(|before| &before.of_file), &mut warnings);
    }
    let mut person = of_file.clone();
    if let Some(client) = client {
        person = person.with_overlay(client, &mut problems);
        if person.unreadable != of_file.unreadable {
            warnings.push(stricter_warning(&person));
        }
    }
    let mut project = settings_layer::read_layer(PROJECT, read_project(store), &mut problems);
    if project.unreadable.rules || project.unreadable.review {
        project = kept_layer(project, before.map(|before| &before.project), &mut warnings);
    }
    let mut settings = tighten_settings(person.settings.clone(), &project, &mut problems);
    let wrong = drop_wrong(&mut settings, &mut problems);
    let no_model = wrong.or(unread.filter(|_| settings.embeddings.is_none()));
    LoadedSettings { settings, of_file, person, project, problems, warnings, no_model }
}

/// Reads the person's file alone: what counts outside of every workspace.
pub(crate) fn of_person() -> LoadedSettings {
    let mut problems = Vec::new();
    let person = settings_layer::read_layer(PERSON, read_person(), &mut problems);
    let mut settings = person.settings.clone();
    let unread = problems.first().cloned();
    let mut warnings = Vec::new();
    if person.unreadable.any {
        kept_layer(person.clone(), None, &mut warnings);
    }
    let no_model = drop_wrong(&mut settings, &mut problems).or(unread);
    LoadedSettings { settings, person, problems, warnings, no_model, ..LoadedSettings::default() }
}

/// The settings that hold in the workspace at `root`, for a process that does not serve it; the person's alone where there
/// is none.
pub(crate) fn settings_at(root: Option<&Path>) -> Settings {
    match root.and_then(|root| WorkspaceRoot::open(root).ok()) {
        Some(root) => {
            let state = WorkspaceState::new(Arc::new(root), person::state_dir());
            load_settings(&WorkspaceStore::new(Arc::new(state)), None, None).settings
        }
        None => of_person().settings,
    }
}

/// The person's file, for a reader.
pub(crate) const PERSON: &str = "config.toml of the person";
/// The project's file, for a reader.
pub(crate) const PROJECT: &str = ".wherefore/config.toml";

/// A party whose settings could not be read: as they were before, where they were read then.
fn kept_layer(
    now: SettingsLayer,
    before: Option<&SettingsLayer>,
    warnings: &mut Vec<String>,
) -> SettingsLayer {
    match before.filter(|before| !before.unreadable.any) {
        Some(before) => {
            let wrong = now.error.unwrap_or_default();
            warnings.push(format!("{wrong}; the settings that held before count until that is mended"));
            before.clone()
        }
        None => {
            warnings.push(stricter_warning(&now));
            now
        }
    }
}

/// Describes the rules in place of settings that could not be read.
fn stricter_warning(party: &SettingsLayer) -> String {
    let reads = if party.unreadable.rules { ", and the person is asked before any file is read" } else { "" };
    let wrong = party.error.as_deref().unwrap_or_default();
    format!("{wrong}; until that is mended every change is held for the person to decide{reads}")
}

/// Removes unusable settings, and reports why; returns the report where that is the model.
fn drop_wrong(settings: &mut Settings, problems: &mut Vec<String>) -> Option<String> {
    settings.mcp_servers.retain(|name, server| match server.check(name) {
        Ok(()) => true,
        Err(wrong) => {
            problems.push(format!("mcp_servers.{}: {wrong}", crate::base::hidden::escape_hidden(name)));
            false
        }
    });
    environments::drop_misnamed(settings, problems);
    settings.fetch.local.retain(|entry| match HostPermits::parse([entry.as_str()]) {
        Ok(_) => true,
        Err(wrong) => {
            problems.push(format!("fetch.local: {wrong}"));
            false
        }
    });
    if let Some(wrong) =
        settings.telemetry.as_ref().and_then(|settings| telemetry::check_endpoint(settings).err())
    {
        settings.telemetry = None;
        problems.push(format!("telemetry: {wrong}"));
    }
    let wrong =
        settings.embeddings.as_ref().and_then(|embeddings| embed::check_settings(embeddings).err())?;
    settings.embeddings = None;
    problems.push(format!("embeddings: {wrong}"));
    problems.last().cloned()
}

/// Returns the folder of the person's settings: `$XDG_CONFIG_HOME/wherefore`, else `~/.config/wherefore`.
pub(crate) fn person_folder() -> Option<PathBuf> {
    person::settings_dir()
}

fn person_file() -> Option<PathBuf> {
    person_folder().map(|folder| folder.join("config.toml"))
}

fn read_person() -> Result<Option<Vec<u8>>, String> {
    person_file().map_or(Ok(None), |path| read_file(&path))
}

fn read_file(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let mut options = std::fs::OpenOptions::new();
    // A pipe in its place is not waited for.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    match options.read(true).custom_flags(flags).open(path) {
        Ok(file) => read_bounded(file).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err("it is a symlink that leads to no file".to_owned())
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(format!("it cannot be opened: {error}")),
    }
}

/// The project's file. A linked working tree that has none of its own is held to that of the main working tree.
fn read_project(store: &WorkspaceStore) -> Result<Option<Vec<u8>>, String> {
    let own = store.read_up_to("config.toml", LARGEST).map_err(|error| error.to_string())?;
    match (own, main_file(store)) {
        (None, Some(main)) => read_file(&main),
        (own, _) => Ok(own),
    }
}

/// The file of the main working tree's settings, for a workspace that is a linked one.
fn main_file(store: &WorkspaceStore) -> Option<PathBuf> {
    let tree = LinkedTree::at_folder(Path::new(store.root().real_path()))?;
    tree.main_tree().map(|main| main.join(PROJECT))
}

/// The bytes of a settings file, where it is one.
fn read_bounded(file: std::fs::File) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("it cannot be read: {error}");
    let stat = file.metadata().map_err(cannot)?;
    if !stat.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let too_large = || format!("it is larger than the {LARGEST} bytes that settings may have");
    if stat.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

/// The states of the files that settings were read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsStamps([Option<SettingsFileStamp>; 3]);

/// The state of a file: device, inode, size, and the times at which its content and its entry changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SettingsFileStamp {
    file: (u64, u64, i64),
    written: (i64, i64),
    changed: (i64, i64),
}

impl SettingsStamps {
    /// The state of the files now.
    pub(crate) fn now(store: &WorkspaceStore) -> Self {
        let project = PathBuf::from(store.root().path()).join(PROJECT);
        Self(
            [person_file(), Some(project), main_file(store)]
                .map(|path| SettingsFileStamp::read_stamp(&path?)),
        )
    }

    /// Returns whether a file may still be written just now, or was there in `before` and may be about to be replaced.
    pub(crate) fn may_change(&self, before: &Self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let young = |stamp: &SettingsFileStamp, still: Duration| {
            let at = |part: i64| u64::try_from(part).unwrap_or_default();
            let changed =
                Duration::from_secs(at(stamp.changed.0)) + Duration::from_nanos(at(stamp.changed.1));
            now < changed + still
        };
        self.0.iter().zip(&before.0).any(|(now, before)| match (now, before) {
            (Some(now), Some(before)) if now.is_empty() && !before.is_empty() => young(now, EMPTY_STILL),
            (Some(now), _) => young(now, STILL),
            (None, before) => before.is_some(),
        })
    }
}

impl SettingsFileStamp {
    fn is_empty(&self) -> bool {
        self.file.2 == 0
    }

    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the widths differ by platform")]
    fn read_stamp(path: &std::path::Path) -> Option<Self> {
        let stat = rustix::fs::stat(path).ok()?;
        Some(Self {
            file: (stat.st_dev as u64, stat.st_ino as u64, stat.st_size as i64),
            written: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }
}

/// The person's settings with what the project's make stricter. What they would loosen is named, not taken.
fn tighten_settings(person: Settings, party: &SettingsLayer, problems: &mut Vec<String>) -> Settings {
    let (mut settings, project) = (person, &party.settings);
    let mut loose = |what: &str| {
        problems.push(format!(".wherefore/config.toml: {what}; not taken, a project may only tighten"))
    };
    let default = Settings::default();
    if let Some(policy) = party.policy {
        if policy < settings.review.policy {
            loose("review.policy is looser than the person's");
        }
        settings.review.policy = settings.review.policy.max(policy);
    }
    for rule in &project.review.rules {
        match rule.policy >= settings.review.policy {
            true => settings.review.rules.push(rule.clone()),
            false => loose(&format!(
                "the review rule for {} is looser than the person's policy",
                describe_rule(rule)
            )),
        }
    }
    for (name, server) in &project.mcp_servers {
        match settings.mcp_servers.contains_key(name) {
            true => loose(&format!("mcp_servers.{name} is a server of the person's too")),
            // It waits for consent where it would start.
            false => {
                if server.sandbox == Some(false) {
                    loose(&format!("mcp_servers.{name}.sandbox = false would let it run as you"));
                }
                let server = McpServer { of_project: true, sandbox: None, ..server.clone() };
                settings.mcp_servers.insert(name.clone(), server);
            }
        }
    }
    environments::tighten(&mut settings, project, &mut loose);
    settings.why.strict |= project.why.strict;
    settings.native.require_why |= project.native.require_why;
    if project.native.when_away == WhenAway::Deny {
        settings.native.when_away = WhenAway::Deny;
    }
    if project.sandbox.ignored > settings.sandbox.ignored {
        settings.sandbox.ignored = project.sandbox.ignored;
    }
    settings.sandbox.ports = settings.sandbox.ports.max(project.sandbox.ports);
    settings.sandbox.without_overlay = settings.sandbox.without_overlay.max(project.sandbox.without_overlay);
    settings.git.commit = settings.git.commit.max(project.git.commit);
    settings.log.verbosity = settings.log.verbosity.max(project.log.verbosity);
    if !project.rules.allow.is_empty() {
        loose("rules.allow opens sensitive paths");
    }
    if !project.rules.commands.allow.is_empty() || !project.rules.network.allow.is_empty() {
        loose("rules.commands.allow and rules.network.allow open commands and hosts");
    }
    if project.telemetry.is_some() {
        loose("[telemetry] would send what agents do to where it says");
    }
    if project.notes.is_some() {
        loose("[notes] would write more into the repository");
    }
    if project.embeddings.is_some() {
        loose("[embeddings] would send requests and texts of tools and files to where it says");
    }
    if project.model.is_some() {
        loose("[model] would send the agent's conversation to where it says");
    }
    if project.memory != default.memory {
        loose("[memory] is for you to set; .wherefore/working-set.yml holds the project's budget");
    }
    set_in_vain(project).for_each(|name| loose(&format!("{name} is for you to set")));
    let (limits, asked) = (&mut settings.limits, &project.limits);
    limits.output_bytes = limits.output_bytes.min(asked.output_bytes);
    limits.output_items = limits.output_items.min(asked.output_items);
    limits.edit_bytes = limits.edit_bytes.min(asked.edit_bytes);
    limits.held = limits.held.min(asked.held);
    settings
}

/// The settings of a project that only a person may set.
fn set_in_vain(project: &Settings) -> impl Iterator<Item = &'static str> {
    let default = Settings::default();
    let persons = [
        ("[fetch]", project.fetch != default.fetch),
        ("[watch]", project.watch != default.watch),
        ("[storage]", project.storage != default.storage),
        ("[sandbox] but for stricter `ignored`, `ports` and `without_overlay`", {
            let SandboxSettings { ignored, ports, without_overlay, .. } = default.sandbox;
            let rest = project.sandbox.clone();
            SandboxSettings { ignored, ports, without_overlay, ..rest } != default.sandbox
        }),
        ("[notify]", project.notify != default.notify),
        ("[discovery]", project.discovery != default.discovery),
        ("native.when_away", project.native.when_away == WhenAway::Allow),
        ("native.confine", !project.native.confine),
        ("native.outside", !project.native.outside),
        ("review.wait_s", project.review.wait_s.is_some()),
        ("log.durability", project.log.durability != default.log.durability),
        ("log.rotate_bytes", project.log.rotate_bytes != default.log.rotate_bytes),
        ("log.inline_bytes", project.log.inline_bytes != default.log.inline_bytes),
        ("limits.running", project.limits.running != default.limits.running),
        ("limits.waiting", project.limits.waiting != default.limits.waiting),
    ];
    persons.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
}

fn describe_rule(rule: &PolicyRule) -> String {
    let part = |name: &str, glob: &Option<String>| glob.as_ref().map(|glob| format!("{name} {glob:?}"));
    let parts: Vec<_> = part("tool", &rule.tool).into_iter().chain(part("path", &rule.path)).collect();
    if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests;
