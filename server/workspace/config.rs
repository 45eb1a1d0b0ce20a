//! The settings files: the person's, and the project's, which may only tighten.

mod allowing;
mod party;

pub(crate) use allowing::allow_always;

use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use serde_json::Value;

use crate::base::person;
use crate::embed;
use crate::fetch::Permits;
use crate::protocol::{IdeSlot, McpServer, PolicyRule, Settings, WhenAway};
use crate::telemetry;
use crate::workspace::{Root, State, Store};
pub(crate) use party::Party;

/// Bytes of the largest settings file.
pub(crate) const LARGEST: u64 = 1 << 20;

/// How long a file stands still before it is taken for written to its end.
const STILL: Duration = Duration::from_millis(40);
/// The same for a file that lost all its text: most programs empty a file and then write it, and on a busy machine the two
/// are far apart.
const EMPTY_STILL: Duration = Duration::from_millis(400);

/// Settings as they hold, and what was wrong with the files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    /// The person's, tightened by the project's. `rules` are the person's alone.
    pub settings: Settings,
    /// The person's file alone.
    of_file: Party,
    /// The person's own, with what the editor holds.
    pub person: Party,
    /// The project's own.
    pub project: Party,
    /// What was not taken, a sentence each.
    pub problems: Vec<String>,
    /// What makes calls stricter than the files say, as something in them could not be read; a sentence each.
    pub warnings: Vec<String>,
    /// The one of the problems for which there is no model: the person may have set one.
    pub no_model: Option<String>,
}

/// Reads both files; one that is missing counts as empty. Where one cannot be read, that party's settings of `before`
/// stay as they were; with none of before, what can be read of it counts and the rest is taken for as strict as
/// possible. What the editor holds (`client`) counts as the person's and before the person's file.
pub(crate) fn load(store: &Store, client: Option<&Value>, before: Option<&Loaded>) -> Loaded {
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    let mut of_file = party::read(PERSON, read_person(), &mut problems);
    let unread = problems.first().cloned();
    if of_file.lost.any {
        of_file = kept(of_file, before.map(|before| &before.of_file), &mut warnings);
    }
    let mut person = of_file.clone();
    if let Some(client) = client {
        person = person.overlaid(client, &mut problems);
        if person.lost != of_file.lost {
            warnings.push(stricter(&person));
        }
    }
    let mut project = party::read(PROJECT, read_project(store), &mut problems);
    if project.lost.rules || project.lost.review {
        project = kept(project, before.map(|before| &before.project), &mut warnings);
    }
    let mut settings = tighten(person.settings.clone(), &project, &mut problems);
    let wrong = drop_wrong(&mut settings, &mut problems);
    let no_model = wrong.or(unread.filter(|_| settings.embeddings.is_none()));
    Loaded { settings, of_file, person, project, problems, warnings, no_model }
}

/// Reads the person's file alone: what counts outside of every workspace.
pub(crate) fn of_person() -> Loaded {
    let mut problems = Vec::new();
    let person = party::read(PERSON, read_person(), &mut problems);
    let mut settings = person.settings.clone();
    let unread = problems.first().cloned();
    let mut warnings = Vec::new();
    if person.lost.any {
        kept(person.clone(), None, &mut warnings);
    }
    let no_model = drop_wrong(&mut settings, &mut problems).or(unread);
    Loaded { settings, person, problems, warnings, no_model, ..Loaded::default() }
}

/// The settings that hold in the workspace at `root`, for a process that does not serve it; the person's alone where there
/// is none.
pub(crate) fn at(root: Option<&Path>) -> Settings {
    match root.and_then(|root| Root::open(root).ok()) {
        Some(root) => {
            let state = State::new(Arc::new(root), person::state());
            load(&Store::new(Arc::new(state)), None, None).settings
        }
        None => of_person().settings,
    }
}

/// The person's file, for a reader.
pub(crate) const PERSON: &str = "config.toml of the person";
/// The project's file, for a reader.
pub(crate) const PROJECT: &str = ".wherefore/config.toml";

/// A party whose settings could not be read: as they were before, where they were read then.
fn kept(now: Party, before: Option<&Party>, warnings: &mut Vec<String>) -> Party {
    match before.filter(|before| !before.lost.any) {
        Some(before) => {
            let wrong = now.wrong.unwrap_or_default();
            warnings.push(format!("{wrong}; the settings that held before count until that is mended"));
            before.clone()
        }
        None => {
            warnings.push(stricter(&now));
            now
        }
    }
}

/// Says what holds in place of settings that could not be read.
fn stricter(party: &Party) -> String {
    let reads = if party.lost.rules { ", and the person is asked before any file is read" } else { "" };
    let wrong = party.wrong.as_deref().unwrap_or_default();
    format!("{wrong}; until that is mended every change is held for the person to decide{reads}")
}

/// Takes out what cannot be used, and says why; once more where that is the model.
fn drop_wrong(settings: &mut Settings, problems: &mut Vec<String>) -> Option<String> {
    settings.mcp_servers.retain(|name, server| match server.check(name) {
        Ok(()) => true,
        Err(wrong) => {
            problems.push(format!("mcp_servers.{}: {wrong}", crate::base::hidden::shown(name)));
            false
        }
    });
    settings.fetch.local.retain(|entry| match Permits::parse([entry.as_str()]) {
        Ok(_) => true,
        Err(wrong) => {
            problems.push(format!("fetch.local: {wrong}"));
            false
        }
    });
    if let Some(wrong) = settings.telemetry.as_ref().and_then(|settings| telemetry::check(settings).err()) {
        settings.telemetry = None;
        problems.push(format!("telemetry: {wrong}"));
    }
    let wrong = settings.embeddings.as_ref().and_then(|embeddings| embed::check(embeddings).err())?;
    settings.embeddings = None;
    problems.push(format!("embeddings: {wrong}"));
    problems.last().cloned()
}

/// Where the person's settings are: `$XDG_CONFIG_HOME/wherefore`, else `~/.config/wherefore`.
pub(crate) fn person_folder() -> Option<PathBuf> {
    person::settings()
}

fn person_file() -> Option<PathBuf> {
    person_folder().map(|folder| folder.join("config.toml"))
}

fn read_person() -> Result<Option<Vec<u8>>, String> {
    let Some(path) = person_file() else { return Ok(None) };
    let mut options = std::fs::OpenOptions::new();
    // A pipe in its place is not waited for.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    match options.read(true).custom_flags(flags).open(&path) {
        Ok(file) => bounded(file).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err("it is a symlink that leads to no file".to_owned())
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(format!("it cannot be opened: {error}")),
    }
}

fn read_project(store: &Store) -> Result<Option<Vec<u8>>, String> {
    store.read_up_to("config.toml", LARGEST).map_err(|error| error.to_string())
}

/// The bytes of a settings file, where it is one.
fn bounded(file: std::fs::File) -> Result<Vec<u8>, String> {
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

/// Which state of both files settings were read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps([Option<Stamp>; 2]);

/// One state of a file: device, inode, size, and when its content and its entry changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64, i64),
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamps {
    /// The state of both files now.
    pub(crate) fn now(store: &Store) -> Self {
        let project = PathBuf::from(store.root().path()).join(PROJECT);
        Self([person_file(), Some(project)].map(|path| Stamp::of(&path?)))
    }

    /// Whether a file may still be written just now, or was there in `before` and may be about to be replaced.
    pub(crate) fn may_change(&self, before: &Self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let young = |stamp: &Stamp, still: Duration| {
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

impl Stamp {
    fn is_empty(&self) -> bool {
        self.file.2 == 0
    }

    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the widths differ by platform")]
    fn of(path: &std::path::Path) -> Option<Self> {
        let stat = rustix::fs::stat(path).ok()?;
        Some(Self {
            file: (stat.st_dev as u64, stat.st_ino as u64, stat.st_size as i64),
            written: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }
}

/// The person's settings with what the project's make stricter. What they would loosen is named, not taken.
fn tighten(person: Settings, party: &Party, problems: &mut Vec<String>) -> Settings {
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
            false => {
                loose(&format!("the review rule for {} is looser than the person's policy", describe(rule)))
            }
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
    settings.why.strict |= project.why.strict;
    settings.native.require_why |= project.native.require_why;
    if project.native.ide == Some(IdeSlot::Off) {
        settings.native.ide = Some(IdeSlot::Off);
    }
    if project.native.when_away == WhenAway::Deny {
        settings.native.when_away = WhenAway::Deny;
    }
    settings.log.verbosity = settings.log.verbosity.max(project.log.verbosity);
    if !project.rules.allow.is_empty() {
        loose("rules.allow opens sensitive paths");
    }
    if !project.rules.commands.allow.is_empty() {
        loose("rules.commands.allow allows commands");
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
        ("[storage]", project.storage != default.storage),
        ("[sandbox]", project.sandbox != default.sandbox),
        ("[notify]", project.notify != default.notify),
        ("[discovery]", project.discovery != default.discovery),
        ("native.when_away", project.native.when_away == WhenAway::Allow),
        ("native.confine", !project.native.confine),
        ("native.outside", !project.native.outside),
        ("native.ide", project.native.slot() != IdeSlot::Off),
        ("review.wait_s", project.review.wait_s.is_some()),
        ("log.durability", project.log.durability != default.log.durability),
        ("log.rotate_bytes", project.log.rotate_bytes != default.log.rotate_bytes),
        ("log.inline_bytes", project.log.inline_bytes != default.log.inline_bytes),
        ("limits.running", project.limits.running != default.limits.running),
        ("limits.waiting", project.limits.waiting != default.limits.waiting),
    ];
    persons.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
}

fn describe(rule: &PolicyRule) -> String {
    let part = |name: &str, glob: &Option<String>| glob.as_ref().map(|glob| format!("{name} {glob:?}"));
    let parts: Vec<_> = part("tool", &rule.tool).into_iter().chain(part("path", &rule.path)).collect();
    if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Policy, Verbosity};

    fn of_project(text: &str) -> Party {
        let mut problems = Vec::new();
        let party = party::read(PROJECT, Ok(Some(text.as_bytes().to_vec())), &mut problems);
        assert_eq!(problems, [""; 0]);
        party
    }

    #[test]
    fn a_project_only_tightens() {
        let person: Settings = toml::from_str("[review]\npolicy = \"hold\"").unwrap();
        let project = of_project(
            "[review]\npolicy = \"auto\"\n[[review.rules]]\npath = \"a/**\"\npolicy = \"auto\"\n[[review.rules]]\npath = \"b/**\"\npolicy = \"deny\"\n[why]\nstrict = true\n[rules]\nallow = [\".env\"]\n[limits]\noutput_bytes = 10",
        );
        let mut problems = Vec::new();
        let settings = tighten(person, &project, &mut problems);
        assert_eq!(settings.review.policy, Policy::Hold);
        assert_eq!(settings.review.rules.len(), 1);
        assert!(settings.why.strict);
        assert_eq!(settings.limits.output_bytes, 10);
        assert_eq!(problems.len(), 3, "{problems:?}");

        // That it asks is a word of the project's too, though it is what counts without one.
        let person: Settings = toml::from_str("[review]\npolicy = \"auto\"").unwrap();
        let settings = tighten(person.clone(), &of_project("[review]\npolicy = \"ask\""), &mut problems);
        assert_eq!(settings.review.policy, Policy::Ask);
        let mut problems = Vec::new();
        let settings = tighten(person, &of_project("[review]\nwait_s = 3"), &mut problems);
        assert_eq!((settings.review.policy, settings.review.wait_s), (Policy::Auto, None));
        assert!(problems.len() == 1 && problems[0].contains("review.wait_s"), "{problems:?}");
    }

    #[test]
    fn what_the_template_of_a_project_offers_counts() {
        let template = include_str!("../cli/init/config.toml");
        let is_setting = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        let offered = template.lines().map(|line| match line.strip_prefix("# ") {
            Some(setting) if is_setting(setting) => {
                setting.replace("\"standard\"", "\"verbose\"").replace("false", "true")
            }
            _ => line.to_owned(),
        });
        let text = offered.collect::<Vec<_>>().join("\n");
        assert!(text.contains("\nheld = 1000\n"), "{text}");
        let mut problems = Vec::new();
        let settings = tighten(Settings::default(), &of_project(&text), &mut problems);
        assert_eq!(problems, [""; 0]);
        assert!(settings.why.strict && settings.log.verbosity == Verbosity::Verbose);
        for other in ["wait_s", "durability", "running", "[notify]", "[discovery]", "[storage]"] {
            assert!(!text.contains(other), "{other} is for the person to set");
        }
    }

    #[test]
    fn the_model_is_the_persons_alone() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let mut problems = Vec::new();
        let project = of_project("[model]\nname = \"openai/m\"\nurl = \"https://elsewhere/v1\"");
        assert_eq!(tighten(Settings::default(), &project, &mut problems).model, None);
        assert!(problems.len() == 1 && problems[0].contains("[model]"), "{problems:?}");
        let person = read("[model]\nname = \"ollama/mine\"");
        let settings = tighten(person.clone(), &project, &mut Vec::new());
        assert!(settings.model.is_some() && settings.model == person.model);
    }

    #[test]
    fn telemetry_is_the_persons_alone_and_sound() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let mut problems = Vec::new();
        let project = of_project("[telemetry]\nendpoint = \"https://elsewhere\"");
        assert_eq!(tighten(Settings::default(), &project, &mut problems).telemetry, None);
        assert!(problems.len() == 1 && problems[0].contains("[telemetry]"), "{problems:?}");
        let person = read("[telemetry]\nendpoint = \"http://127.0.0.1:4318\"");
        assert_eq!(tighten(person.clone(), &project, &mut problems).telemetry, person.telemetry);
        let mut plain = read("[telemetry]\nendpoint = \"http://collector.example:4318\"");
        problems.clear();
        drop_wrong(&mut plain, &mut problems);
        assert_eq!(plain.telemetry, None);
        assert!(problems[0].starts_with("telemetry: ") && problems[0].contains("plain http"), "{problems:?}");
    }

    #[test]
    fn embeddings_are_the_persons_alone_and_sound() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let project = of_project("[embeddings]\nurl = \"https://elsewhere/v1\"\nmodel = \"m\"");
        let mut problems = Vec::new();
        assert_eq!(tighten(Settings::default(), &project, &mut problems).embeddings, None);
        assert!(problems.len() == 1 && problems[0].contains("[embeddings]"), "{problems:?}");
        let person = read("[embeddings]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"mine\"");
        let settings = tighten(person.clone(), &project, &mut problems);
        assert_eq!(settings.embeddings, person.embeddings);

        let mut plain = read("[embeddings]\nurl = \"http://models.example/v1\"\nmodel = \"m\"");
        let mut problems = Vec::new();
        drop_wrong(&mut plain, &mut problems);
        assert_eq!(plain.embeddings, None);
        assert!(
            problems[0].starts_with("embeddings: ") && problems[0].contains("plain http"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_project_adds_servers_that_are_known_as_its_own() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let person = read("[mcp_servers.a]\ncommand = \"mine\"");
        let project =
            of_project("[mcp_servers.a]\ncommand = \"theirs\"\n[mcp_servers.b]\ncommand = \"theirs\"");
        let mut problems = Vec::new();
        let servers = tighten(person, &project, &mut problems).mcp_servers;
        let seen: Vec<_> = servers
            .iter()
            .map(|(name, server)| (name.as_str(), server.command.as_deref(), server.of_project))
            .collect();
        assert_eq!(seen, [("a", Some("mine"), false), ("b", Some("theirs"), true)]);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
