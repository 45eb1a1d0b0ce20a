//! `[mcp_servers.NAME]`: servers of the Model Context Protocol whose tools are called like built-in ones.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Risk;

/// The import of all tools of a server, and the node that they belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Import {
    /// `true`: under `Custom/NAME`. `false`: only the tools that definitions name.
    Whole(bool),
    /// Under this node, its names with `/` between. One that the tree lacks is made under `Custom`.
    Under(String),
}

impl Default for Import {
    fn default() -> Self {
        Self::Whole(false)
    }
}

/// The treatment of a call's `why`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForwardWhy {
    /// The server does not see it.
    Strip,
    /// It goes to the server with the other arguments.
    Forward,
}

/// A server: a program that is started, or a URL that is connected to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// The program, addressed over its standard input and output. It starts when first needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its environment, in addition to PATH, HOME, LANG and TMPDIR; `${NAME}` is a variable of this process.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The folder it starts in, from the workspace's root; the root itself when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The endpoint of the streamable HTTP transport, instead of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of each request to it; `${NAME}` is a variable of this process.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The import of all its tools, and the node that they belong to.
    pub import: Import,
    /// The prefix of the names of its tools; the server's own name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The risk of all its tools, instead of the risk that it states itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The treatment of `why`; stripped when absent, but for a tool that has a `why` of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<ForwardWhy>,
    /// True if its program runs in a sandbox; when absent, a server that a project names does. A project cannot turn
    /// it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// True if it may write the workspace when it runs in a sandbox; else it only reads it.
    #[serde(skip_serializing_if = "is_false")]
    pub writes: bool,
    /// The hosts that it reaches if it runs in a sandbox; none when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Milliseconds that a start, or a call of a tool taken in, may take.
    pub timeout_ms: u64,
    /// False if it is not used at all.
    pub enabled: bool,
    /// True if the project named it, so that it waits for the person's consent.
    #[serde(skip)]
    pub of_project: bool,
}

impl Default for McpServer {
    fn default() -> Self {
        Self {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            url: None,
            headers: BTreeMap::new(),
            import: Import::default(),
            prefix: None,
            risk: None,
            why: None,
            sandbox: None,
            writes: false,
            hosts: Vec::new(),
            timeout_ms: 60_000,
            enabled: true,
            of_project: false,
        }
    }
}

/// Characters of the longest server name.
const LONGEST: usize = 32;

impl McpServer {
    /// Checks a server of that name.
    ///
    /// # Errors
    /// The problem, as a sentence.
    pub fn check(&self, name: &str) -> Result<(), String> {
        let plain = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text.len() <= LONGEST
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        if !plain(name) {
            let shown: String = name.chars().take(60).collect();
            return Err(format!(
                "{shown:?} is no server's name: it has at most {LONGEST} letters, digits, `_` and `-`, a letter first"
            ));
        }
        let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
        match (blank(&self.command), blank(&self.url)) {
            (true, true) => return Err("it names neither a `command` nor a `url`".to_owned()),
            (false, false) => return Err("it names both a `command` and a `url`: keep one".to_owned()),
            (true, false) if !self.url.iter().all(|url| is_http(url)) => {
                return Err(format!(
                    "its url {:?} is neither http nor https",
                    self.url.clone().unwrap_or_default()
                ));
            }
            _ => {}
        }
        let dotted = |prefix: &String| prefix.is_empty() || prefix.split('.').all(plain);
        if !self.prefix.iter().all(dotted) {
            return Err(
                "its `prefix` is no name: letters, digits, `_` and `-`, in parts between dots".to_owned()
            );
        }
        if let Import::Under(path) = &self.import
            && path.split('/').any(|part| part.trim().is_empty())
        {
            return Err("its `import` is no node: names with `/` between, as \"Custom/Video\"".to_owned());
        }
        if !(1..=86_400_000).contains(&self.timeout_ms) {
            return Err("its `timeout_ms` is from 1 to 86400000".to_owned());
        }
        Ok(())
    }

    /// Returns whether all its tools are imported.
    pub fn imports_all_tools(&self) -> bool {
        self.enabled && self.import != Import::Whole(false)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_http(url: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_server_is_said() {
        let read = |text: &str| toml::from_str::<McpServer>(text).unwrap();
        let cases = [
            ("a", "command = \"x\"", ""),
            (
                "a",
                "url = \"HTTPS://x/mcp\"\nimport = \"Custom/Video\"\nrisk = \"network\"\nwhy = \"forward\"",
                "",
            ),
            ("a b", "command = \"x\"", "no server's name"),
            ("../x", "command = \"x\"", "no server's name"),
            ("a", "", "neither"),
            ("a", "command = \"x\"\nurl = \"http://x\"", "both"),
            ("a", "url = \"file:///x\"", "neither http nor https"),
            ("a", "command = \"x\"\nprefix = \"1.x\"", "prefix"),
            ("a", "command = \"x\"\nprefix = \"\"", ""),
            ("a", "command = \"x\"\nimport = \"a//b\"", "import"),
            ("a", "command = \"x\"\ntimeout_ms = 0", "timeout_ms"),
        ];
        for (name, text, expected) in cases {
            let said = read(text).check(name).err().unwrap_or_default();
            assert_eq!(said.is_empty(), expected.is_empty(), "{text}: {said}");
            assert!(said.contains(expected), "{text}: {said}");
        }
        assert!(read("command = \"x\"\nimport = true").imports_all_tools());
        assert!(!read("command = \"x\"\nimport = true\nenabled = false").imports_all_tools());
    }
}
