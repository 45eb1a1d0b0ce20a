//! `[rules.network]`: the hosts that are reached without a question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[rules.network]`: hosts that a person has allowed for always.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkRuleSettings {
    /// Reached without asking: `docs.rs`, `.crates.example` for every host below a domain. Has no effect in a project's file.
    pub allow: Vec<AllowedHost>,
}

/// A host that a person has allowed for always.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AllowedHost {
    /// Its name.
    Name(String),
    /// Its name, and the reason.
    Explained {
        /// Its name.
        host: String,
        /// Why it is allowed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

impl AllowedHost {
    /// Returns whether this entry allows a host, which may be followed by its port.
    pub fn allows(&self, asked: &str) -> bool {
        let (Self::Name(name) | Self::Explained { host: name, .. }) = self;
        let (name, asked) = (name.trim().to_ascii_lowercase(), asked.to_ascii_lowercase());
        let below =
            name.len() > 1 && name.starts_with('.') && asked.len() > name.len() && asked.ends_with(&name);
        !name.is_empty() && (asked == name || below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_allows_its_host_or_the_hosts_below_its_domain_and_no_other() {
        let cases = [
            ("docs.rs", "docs.rs", true),
            ("Docs.rs", "docs.RS", true),
            ("docs.rs", "evil-docs.rs", false),
            ("docs.rs", "docs.rs.evil.org", false),
            (".crates.example", "index.crates.example", true),
            (".crates.example", "crates.example", false),
            (".crates.example", "evilcrates.example", false),
            ("localhost:3000", "localhost:3000", true),
            ("localhost:3000", "localhost:3001", false),
            ("", "docs.rs", false),
            (".", "docs.rs.", false),
        ];
        for (entry, asked, allowed) in cases {
            assert_eq!(AllowedHost::Name(entry.to_owned()).allows(asked), allowed, "{entry} {asked}");
        }
    }
}
