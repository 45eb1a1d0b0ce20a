//! Whether the person lets a server start and a tool be called: what they consented to, and what they are asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bound;
use super::consents::Consent;
use super::error::{UpstreamError, words};
use super::known::{ToolStanding, difference};
use super::remote::{RemoteTool, cut};
use super::server::Server;
use crate::base::hidden::shown;
use crate::base::{CallId, WorkspacePath};
use crate::protocol::{AskParams, Event};

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";
/// Bytes of a question.
const QUESTION: usize = 4000;

impl Server {
    /// Lets it start, where the person consented to it as it is set now, or does so when asked.
    ///
    /// # Errors
    /// NOT_AUTHORIZED.
    pub(super) async fn let_start(self: &Arc<Self>, call: Option<&CallId>) -> Result<(), UpstreamError> {
        if self.may_start() {
            return Ok(());
        }
        let bound = self.bound();
        let before = match self.changed() {
            Some(files) => format!("What it runs has changed since you consented: {files}. "),
            None => String::new(),
        };
        let text = format!(
            "This project wants to use the server {}: {}. {before}{} {}",
            self.name,
            words(&self.describe()),
            self.confinement(),
            shown(&bound::told(&bound)),
        );
        if self.asked(self.start_key(&bound), text, call).await {
            self.grant(|consent| Consent { bound, ..consent });
            // Somebody may have changed it while the person was asked.
            return if self.may_start() { Ok(()) } else { Err(self.unconsented()) };
        }
        Err(self.unconsented())
    }

    /// The person has not consented to the server as it is now.
    pub(super) fn unconsented(&self) -> UpstreamError {
        let server = self.name.clone();
        match self.changed() {
            Some(files) => UpstreamError::FilesChanged { server, files },
            None => UpstreamError::Unconsented { server },
        }
    }

    /// Lets a tool be called, where its words are those that the person consented to, or they do so when asked.
    ///
    /// # Errors
    /// NOT_AUTHORIZED. The new words are not in it: they may be meant to mislead whoever reads it.
    pub(super) async fn let_call(
        self: &Arc<Self>,
        tool: &RemoteTool,
        call: Option<&CallId>,
    ) -> Result<(), UpstreamError> {
        let known = self.known().unwrap_or_default();
        let consent = self.consent();
        let (former, what) = match known.standing(tool, consent.as_ref()) {
            ToolStanding::Granted => return Ok(()),
            ToolStanding::Changed(former) => (former, "has changed since the person consented to it"),
            ToolStanding::New => (None, "has come after the person's consent"),
        };
        let name = shown(&tool.name).into_owned();
        let text = format!(
            "The tool {name} of {} {what}. Agents would be told:\n{}",
            self.name,
            difference(former.as_deref(), tool),
        );
        if self.asked(format!("tool {} {}", tool.name, tool.hash()), text, call).await {
            self.grant(|mut consent| {
                consent.tools.insert(tool.name.clone(), tool.hash());
                consent
            });
            return Ok(());
        }
        Err(UpstreamError::ToolChanged { server: self.name.clone(), tool: name, change: what })
    }

    /// Lets a definition of the project's call a server of the person's, where they consented to what it says.
    ///
    /// # Errors
    /// NOT_AUTHORIZED.
    pub(super) async fn let_define(
        self: &Arc<Self>,
        tool: &str,
        call: Option<&CallId>,
    ) -> Result<(), UpstreamError> {
        let Some((hash, definition)) = self.undefined_as(tool) else { return Ok(()) };
        let text = format!(
            "This project defines {tool} over your server {}. Agents are told what the project says of it:\n{}",
            self.name,
            shown(&definition),
        );
        if self.asked(format!("define {tool} {hash}"), text, call).await {
            self.grant(|mut consent| {
                consent.definitions.insert(tool.to_owned(), hash.clone());
                consent
            });
            return Ok(());
        }
        Err(UpstreamError::DefinedOver { server: self.name.clone(), tool: tool.to_owned() })
    }

    /// The person has said no already.
    pub(super) fn denied(&self) {
        if let Ok(mut asked) = self.asked.try_lock() {
            asked.insert(self.start_key(&self.bound()), false);
        }
    }

    fn start_key(&self, bound: &bound::Files) -> String {
        format!("start {} {bound:?}", self.definition)
    }

    fn grant(&self, add: impl FnOnce(Consent) -> Consent) {
        let kept = self.consents.change(self.session.workspace().root(), &self.name, |before| {
            let mut consent =
                before.filter(|consent| consent.definition == self.definition).unwrap_or_default();
            consent.definition.clone_from(&self.definition);
            Some(add(consent))
        });
        if let Err(error) = kept {
            // It holds for this process.
            tracing::warn!(server = self.name, "{error}");
        }
        self.news();
    }

    /// Asks the person, once; the answer counts even where the call that needs it does not wait any more.
    async fn asked(self: &Arc<Self>, key: String, text: String, call: Option<&CallId>) -> bool {
        if !self.session.editor().attached() {
            return false;
        }
        let (server, call) = (self.clone(), call.cloned());
        let asking = tokio::spawn(async move {
            let mut asked = server.asked.lock().await;
            if let Some(answer) = asked.get(&key) {
                return *answer;
            }
            let answers = vec![ALLOW.to_owned(), DENY.to_owned()];
            let question = AskParams {
                root: server.session.workspace().uri(&WorkspacePath::root()),
                session: server.session.log().id().to_owned(),
                call_id: call.clone().unwrap_or_default(),
                tool: server.name.clone(),
                text: cut(&text, QUESTION),
                answers,
                ..AskParams::default()
            };
            let granted = server.session.editor().ask(question).await.as_deref() == Some(ALLOW);
            asked.insert(key, granted);
            if let Some(call_id) = call {
                let rule = format!("mcp_servers.{}", server.name);
                if let Err(error) = server.session.log().write(Event::UserApproval { call_id, rule, granted })
                {
                    tracing::warn!(server = server.name, "{error}");
                }
            }
            granted
        });
        asking.await.unwrap_or(false)
    }

    /// What it is, in a line: its program with its arguments, or its URL.
    pub(super) fn describe(&self) -> String {
        let settings = &self.settings;
        match &settings.url {
            Some(url) => format!("at {}{}", shown(url), listed(", sending ", &settings.headers)),
            None => {
                let words = settings.command.iter().chain(&settings.args);
                let line = words.map(|word| format!("{:?}", shown(word))).collect::<Vec<_>>().join(" ");
                let place =
                    settings.cwd.as_ref().map(|cwd| format!(" in {:?}", shown(cwd))).unwrap_or_default();
                format!("the program {line}{place}{}", listed(", with ", &settings.env))
            }
        }
    }
}

/// Names with their values as the settings have them: where a variable of ours is meant, by its name.
fn listed(before: &str, pairs: &BTreeMap<String, String>) -> String {
    let pair = |(name, value): (&String, &String)| format!("{}={:?}", shown(name), shown(value));
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    if pairs.is_empty() { String::new() } else { format!("{before}{}", pairs.join(", ")) }
}
