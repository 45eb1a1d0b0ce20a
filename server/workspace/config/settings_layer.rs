//! The settings of one party: its file, read whole where that can be done, else table by table.
//!
//! Invariant: what could not be read is named in [`UnreadableParts`]; nothing that loosens is taken from a file that is not TOML.

use serde_json::Value;
use toml::Table;

use crate::base::nearest::likely_name;
use crate::protocol::{Policy, RuleSettings, Settings};

/// Characters of what is wrong with a file in a message.
const SHOWN_CHARS: usize = 400;

/// The settings of one party as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SettingsLayer {
    /// Every setting; the default where the party sets none.
    pub settings: Settings,
    /// The review policy, where the party states one.
    pub policy: Option<Policy>,
    /// The parts that could not be read.
    pub unreadable: UnreadableParts,
    /// The location of the error, in words that hold nothing of the file: agents read them.
    pub error: Option<String>,
}

/// The parts of a layer of settings that could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnreadableParts {
    /// True where any setting was lost.
    pub any: bool,
    /// True where a setting of `[review]` was lost.
    pub review: bool,
    /// A list of `[rules]` that closes paths or has them asked for.
    pub rules: bool,
}

impl UnreadableParts {
    const ALL: Self = Self { any: true, review: true, rules: true };

    /// A key that nothing is set by: it may be a slip for one of those that matter.
    fn mark_unknown(&mut self, key: &str) {
        match likely_name(key, ["rules", "review"]) {
            Some("rules") => self.rules = true,
            Some(_) => self.review = true,
            None => {}
        }
    }

    /// A table that could not be read.
    fn mark_table(&mut self, key: &str) {
        self.any = true;
        match key {
            "rules" => self.rules = true,
            "review" => self.review = true,
            key => self.mark_unknown(key),
        }
    }
}

/// Reads a party's file; what is wrong with it goes to `problems`.
pub(super) fn read_layer(
    name: &str,
    bytes: Result<Option<Vec<u8>>, String>,
    problems: &mut Vec<String>,
) -> SettingsLayer {
    let text = match bytes {
        Ok(None) => return SettingsLayer::default(),
        Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        Err(wrong) => Err(wrong),
    };
    let text = match text {
        Ok(text) => text,
        Err(wrong) => {
            let wrong = format!("{name}: {wrong}");
            problems.push(wrong.clone());
            return SettingsLayer {
                unreadable: UnreadableParts::ALL,
                error: Some(wrong),
                ..SettingsLayer::default()
            };
        }
    };
    let wrong = match toml::from_str::<Settings>(&text) {
        Ok(settings) => {
            let table = toml::from_str::<Table>(&text).unwrap_or_default();
            return SettingsLayer { settings, policy: stated_policy(&table), ..SettingsLayer::default() };
        }
        Err(wrong) => wrong,
    };
    let message: String = wrong.message().replace('\n', " ").trim().chars().take(SHOWN_CHARS).collect();
    let line = wrong.span().and_then(|span| Some(text.get(..span.start)?.matches('\n').count() + 1));
    let at = line.map(|line| format!("line {line}")).unwrap_or_default();
    problems.push(format!("{name}: {}{message}", if at.is_empty() { at.clone() } else { format!("{at}: ") }));
    let place = if at.is_empty() { name.to_owned() } else { format!("{name}, {at}") };
    let mut lost = UnreadableParts { any: true, ..UnreadableParts::default() };
    let table = match toml::from_str::<Table>(&text) {
        Ok(table) => table,
        Err(_) => by_sections(&text, &mut lost),
    };
    SettingsLayer { error: Some(format!("{place}, cannot be read")), ..of_tables(table, lost) }
}

/// The settings of those tables that can be read.
fn of_tables(table: Table, mut lost: UnreadableParts) -> SettingsLayer {
    let mut good = Table::new();
    let mut rules = RuleSettings::default();
    for (key, value) in table {
        if key == "rules" {
            rules = rules_of(value, &mut lost);
            continue;
        }
        let alone = Table::from_iter([(key.clone(), value)]);
        match alone.clone().try_into::<Settings>() {
            Ok(_) => good.extend(alone),
            Err(_) => lost.mark_table(&key),
        }
    }
    let policy = stated_policy(&good);
    let settings = good.try_into::<Settings>().unwrap_or_default();
    SettingsLayer { settings: Settings { rules, ..settings }, policy, unreadable: lost, error: None }
}

/// The lists of `[rules]` that can be read. A text in place of a list is a list of that one glob.
fn rules_of(value: toml::Value, lost: &mut UnreadableParts) -> RuleSettings {
    let mut rules = RuleSettings::default();
    let toml::Value::Table(table) = value else {
        lost.rules = true;
        return rules;
    };
    for (key, value) in table {
        let (list, matters) = match key.as_str() {
            "deny" => (&mut rules.deny, true),
            "ask" => (&mut rules.ask, true),
            // Without it changes are held for the person; without `allow` less is open.
            "read_only" => (&mut rules.read_only, false),
            "allow" => (&mut rules.allow, false),
            "commands" => {
                match value.try_into() {
                    Ok(commands) => rules.commands = commands,
                    Err(_) => lost.rules = true,
                }
                continue;
            }
            _ => {
                lost.rules = true;
                continue;
            }
        };
        let items = match value {
            toml::Value::Array(items) => items,
            item => vec![item],
        };
        for item in items {
            match item {
                toml::Value::String(glob) => list.push(glob),
                _ => lost.rules |= matters,
            }
        }
    }
    rules
}

fn stated_policy(table: &Table) -> Option<Policy> {
    table.get("review")?.get("policy")?.clone().try_into().ok()
}

/// Reads a text that is not valid TOML as a whole, from header to header. A section that cannot be read is lost. Only
/// stricter settings are taken: one stray quote may have turned other parts into text, or text into settings.
fn by_sections(text: &str, lost: &mut UnreadableParts) -> Table {
    let mut sections: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim_start().starts_with('[') {
            sections.push(Vec::new());
        }
        if let Some(section) = sections.last_mut() {
            section.push(line);
        }
    }
    let mut all = Table::new();
    for section in sections {
        match toml::from_str::<Table>(&section.join("\n")) {
            Ok(table) => overlay_value(&mut all, table),
            Err(_) => lost_section(&section, lost),
        }
    }
    all.retain(|key, _| matches!(key, "rules" | "review" | "why"));
    if let Some(toml::Value::Table(rules)) = all.get_mut("rules") {
        rules.remove("allow");
        if let Some(toml::Value::Table(commands)) = rules.get_mut("commands") {
            commands.remove("allow");
        }
    }
    all
}

fn lost_section(section: &[&str], lost: &mut UnreadableParts) {
    let header = section.first().filter(|line| line.trim_start().starts_with('['));
    let named = header.and_then(|header| toml::from_str::<Table>(header).ok());
    match named.as_ref().and_then(|table| table.keys().next()) {
        Some(key) => lost.mark_table(key),
        None => lost.rules = true,
    }
    let body = &section[usize::from(named.is_some())..];
    let speaks_of_rules = |line: &&str| {
        let line = line.trim_start().to_lowercase();
        line.contains("rules") || ["deny", "ask", "read_only"].iter().any(|key| line.starts_with(key))
    };
    lost.rules |= body.iter().any(speaks_of_rules);
}

fn overlay_value(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(into)), toml::Value::Table(from)) => overlay_value(into, from),
            (Some(toml::Value::Array(into)), toml::Value::Array(from)) => into.extend(from),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

impl SettingsLayer {
    /// Returns the settings with the members that the editor holds in place of theirs; an invalid table of it is
    /// reported, and the others are taken.
    pub(super) fn with_overlay(mut self, client: &Value, problems: &mut Vec<String>) -> Self {
        if let Some(policy) = client.pointer("/review/policy") {
            self.policy = serde_json::from_value(policy.clone()).ok().or(self.policy);
        }
        let whole = overlay_settings(&self.settings, client);
        let error = match whole {
            Ok(settings) => return Self { settings, ..self },
            Err(error) => error,
        };
        problems.push(format!("the editor's settings: {error}"));
        let before = self.unreadable;
        let known = serde_json::to_value(Settings::default()).unwrap_or_default();
        for (key, value) in client.as_object().into_iter().flatten() {
            match overlay_settings(
                &self.settings,
                &Value::Object([(key.clone(), value.clone())].into_iter().collect()),
            ) {
                Ok(settings) => self.settings = settings,
                Err(_) if known.get(key).is_some() => self.unreadable.mark_table(key),
                Err(_) => {
                    let before = self.unreadable;
                    self.unreadable.mark_unknown(key);
                    self.unreadable.any |= self.unreadable != before;
                }
            }
        }
        if self.unreadable != before {
            self.error = Some("the editor's settings cannot be read".to_owned());
        }
        self
    }
}

fn overlay_settings(settings: &Settings, client: &Value) -> serde_json::Result<Settings> {
    /// Puts `over` on `under`, key by key in tables; a `null` leaves the value that is there.
    fn overlay_value(under: &mut Value, over: &Value) {
        match (under, over) {
            (Value::Object(under), Value::Object(over)) => {
                for (key, value) in over {
                    overlay_value(under.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
            (_, Value::Null) => {}
            (under, over) => *under = over.clone(),
        }
    }
    let mut merged = serde_json::to_value(settings)?;
    overlay_value(&mut merged, client);
    serde_json::from_value(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (SettingsLayer, Vec<String>) {
        let mut problems = Vec::new();
        let party = read_layer("config.toml", Ok(Some(text.as_bytes().to_vec())), &mut problems);
        (party, problems)
    }

    #[test]
    fn a_slip_in_one_table_keeps_the_rules_of_another() {
        const RULES: &str = "[rules]\ndeny = [\"private/**\"]\nask = [\"db\"]\nallow = [\".env\"]\n";
        for (slip, is_toml) in [
            ("[limits]\noutput_bytes = \"many\"\n", true),
            ("[limits]\noutput_bytes = \n", false),
            ("[notify]\nshow = \"all\n", false),
            ("[why\nstrict = true\n", false),
            ("[log]\nverbosity = \"\"\"\n", false),
        ] {
            for text in [format!("{slip}{RULES}"), format!("{RULES}{slip}")] {
                let (party, problems) = read_text(&text);
                assert_eq!(party.settings.rules.deny, ["private/**"], "{text}");
                assert_eq!(party.settings.rules.ask, ["db"], "{text}");
                assert_eq!(party.settings.rules.allow.is_empty(), !is_toml, "{text}");
                assert!(party.unreadable.any, "{text}");
                // A header that cannot be read may have been that of the rules.
                assert_eq!(party.unreadable.rules, slip.starts_with("[why\n"), "{text}");
                assert_eq!(problems.len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn rules_that_cannot_be_read_are_known_to_be_lost() {
        for (text, rules, any) in [
            ("[rules]\ndeny = [\"a\"\n", true, true),
            ("[rules]\ndeny = [1]\n", true, true),
            ("[rules]\ndenny = [\"a\"]\n", true, true),
            ("[ruls]\ndeny = [\"a\"]\n", true, true),
            ("rules = 3\n", true, true),
            ("x[rules]\ndeny = [\"a\"]\n", true, true),
            ("[limits] x [rules]\ndeny = [\"a\"]\n", true, true),
            ("\u{0}", true, true),
            ("[rules]\nread_only = 3\n", false, true),
            ("[rules]\nallow = 3\n", false, true),
            ("[review]\npolicy = \"autoo\"\n", false, true),
            ("[rules]\ndeny = [\"a\"]\n", false, false),
            ("", false, false),
        ] {
            let (party, problems) = read_text(text);
            assert_eq!((party.unreadable.rules, party.unreadable.any), (rules, any), "{text}");
            assert_eq!(problems.is_empty(), !any, "{text}");
        }
        let (party, _) = read_text("[rules]\ndeny = \"private/**\"\n");
        assert_eq!((party.settings.rules.deny.len(), party.unreadable.rules), (1, false));
    }

    #[test]
    fn an_editors_table_that_is_wrong_costs_only_itself() {
        let party = SettingsLayer::default();
        let mut problems = Vec::new();
        let client =
            serde_json::json!({ "rules": { "deny": ["a"] }, "limits": { "output_bytes": "x" }, "trace": 1 });
        let party = party.with_overlay(&client, &mut problems);
        assert_eq!(party.settings.rules.deny, ["a"]);
        assert_eq!((party.unreadable.any, party.unreadable.rules, problems.len()), (true, false, 1));
    }
}
