//! The person's consent to the start of a server and to the call of a tool: the consents given, and the questions asked.
//!
//! # Invariants
//!
//! - No server that a project names starts before the person consents. No description or schema of a tool that
//!   changed since the person consented reaches an agent before they consent again.
//!   Test: `a_projects_server_waits_for_the_person`, `changed_words_wait_for_consent`
//! - No server of a project starts where a file of the project that its command line names changed since the consent,
//!   and no tool writes such a file.
//!   Test: `a_consent_binds_the_files_that_a_server_runs`

mod consent_state;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use super::bound;
use super::consents::{self, Consents, ServerConsent};
use super::error::{UpstreamError, server_words};
use super::known::{ServerTools, ToolStanding, describe_difference};
use super::remote::{RemoteTool, cut_text};
use crate::base::hidden::escape_hidden;
use crate::base::{CallId, WorkspacePath};
use crate::protocol::{AskParams, Event, McpServer};
use crate::session::WorkspaceSession;

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";
/// Bytes of a question.
const QUESTION: usize = 4000;

/// Called where the tools of a server, or what is known of it, became others.
pub(crate) type ChangeCallback = Arc<dyn Fn() + Send + Sync>;

/// The settings of a server, and the person's consent to start it and to call its tools.
pub(super) struct ServerGate {
    pub(super) name: String,
    pub(super) settings: McpServer,
    /// The hash of its settings.
    pub(super) definition: String,
    pub(super) session: Arc<WorkspaceSession>,
    pub(super) consents: Arc<Consents>,
    /// The questions that a person was asked, with their answers, so that they are not asked again.
    asked: tokio::sync::Mutex<BTreeMap<String, bool>>,
    /// The project's definitions over it that need consent: by name, a hash and what they say.
    definitions: RwLock<BTreeMap<String, (String, String)>>,
    hashes: bound::FileHashes,
    change_callback: ChangeCallback,
}

impl ServerGate {
    /// The gate of a server of which nobody was asked yet.
    pub(super) fn new(
        name: &str,
        settings: McpServer,
        (session, consents): (Arc<WorkspaceSession>, Arc<Consents>),
        news: ChangeCallback,
    ) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            definition: consents::definition_hash(name, &settings),
            settings,
            session,
            consents,
            asked: tokio::sync::Mutex::default(),
            definitions: RwLock::default(),
            hashes: bound::FileHashes::default(),
            change_callback: news,
        })
    }

    /// Notifies the users of its tools that they, or their consent state, may have changed.
    pub(super) fn notify_changed(&self) {
        self.close_bound();
        (self.change_callback)();
    }

    /// Lets it start, where the person consented to it as it is set now, or does so when asked.
    ///
    /// # Errors
    /// NOT_AUTHORIZED.
    pub(super) async fn let_start(self: &Arc<Self>, call: Option<&CallId>) -> Result<(), UpstreamError> {
        if self.may_start() {
            return Ok(());
        }
        let bound = self.bound_files();
        let before = match self.changed_files() {
            Some(files) => format!("What it runs has changed since you consented: {files}. "),
            None => String::new(),
        };
        let text = format!(
            "This project wants to use the server {}: {}. {before}{} {}",
            self.name,
            server_words(&self.describe_server()),
            self.describe_confinement(),
            escape_hidden(&bound::describe_bound(&bound)),
        );
        if self.ask_person(self.start_key(&bound), text, call).await {
            self.keep_grant(|consent| ServerConsent { bound, ..consent });
            // Somebody may have changed it while the person was asked.
            return if self.may_start() { Ok(()) } else { Err(self.unconsented_error()) };
        }
        Err(self.unconsented_error())
    }

    /// The person has not consented to the server as it is now.
    pub(super) fn unconsented_error(&self) -> UpstreamError {
        let server = self.name.clone();
        match self.changed_files() {
            Some(files) => UpstreamError::FilesChanged { server, files },
            None => UpstreamError::Unconsented { server },
        }
    }

    /// Lets a tool be called, where its words are those that the person consented to, or they consent when asked.
    ///
    /// # Errors
    /// NOT_AUTHORIZED. The new words are not in it: they may be intended to mislead their reader.
    pub(super) async fn let_call(
        self: &Arc<Self>,
        known: &ServerTools,
        tool: &RemoteTool,
        call: Option<&CallId>,
    ) -> Result<(), UpstreamError> {
        let consent = self.current_consent();
        let (former, what) = match known.tool_standing(tool, consent.as_ref()) {
            ToolStanding::Granted => return Ok(()),
            ToolStanding::Changed(former) => (former, "has changed since the person consented to it"),
            ToolStanding::New => (None, "has come after the person's consent"),
        };
        let name = escape_hidden(&tool.name).into_owned();
        let text = format!(
            "The tool {name} of {} {what}. Agents would be told:\n{}",
            self.name,
            describe_difference(former.as_deref(), tool),
        );
        if self.ask_person(format!("tool {} {}", tool.name, tool.hash()), text, call).await {
            self.keep_grant(|mut consent| {
                consent.tools.insert(tool.name.clone(), tool.hash());
                consent
            });
            return Ok(());
        }
        Err(UpstreamError::ToolChanged { server: self.name.clone(), tool: name, change: what })
    }

    /// Lets a definition of the project's call a server of the person's, where they consented to its text.
    ///
    /// # Errors
    /// NOT_AUTHORIZED.
    pub(super) async fn let_define(
        self: &Arc<Self>,
        tool: &str,
        call: Option<&CallId>,
    ) -> Result<(), UpstreamError> {
        let Some((hash, definition)) = self.unconsented_definition(tool) else { return Ok(()) };
        let text = format!(
            "This project defines {tool} over your server {}. Agents are told what the project says of it:\n{}",
            self.name,
            escape_hidden(&definition),
        );
        if self.ask_person(format!("define {tool} {hash}"), text, call).await {
            self.keep_grant(|mut consent| {
                consent.definitions.insert(tool.to_owned(), hash.clone());
                consent
            });
            return Ok(());
        }
        Err(UpstreamError::DefinedOver { server: self.name.clone(), tool: tool.to_owned() })
    }

    /// The person has said no already.
    pub(super) fn note_denial(&self) {
        if let Ok(mut asked) = self.asked.try_lock() {
            asked.insert(self.start_key(&self.bound_files()), false);
        }
    }

    fn start_key(&self, bound: &bound::BoundFiles) -> String {
        format!("start {} {bound:?}", self.definition)
    }

    fn keep_grant(&self, add: impl FnOnce(ServerConsent) -> ServerConsent) {
        let kept = self.consents.change_consent(self.session.workspace().root(), &self.name, |before| {
            let mut consent =
                before.filter(|consent| consent.definition == self.definition).unwrap_or_default();
            consent.definition.clone_from(&self.definition);
            Some(add(consent))
        });
        if let Err(error) = kept {
            // It holds for this process.
            tracing::warn!(server = self.name, "{error}");
        }
        self.notify_changed();
    }

    /// Asks the person, once; the answer counts even where the call that needs it does not wait any more.
    async fn ask_person(self: &Arc<Self>, key: String, text: String, call: Option<&CallId>) -> bool {
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
                text: cut_text(&text, QUESTION),
                answers,
                ..AskParams::default()
            };
            let answer = server.session.editor().ask(question).await;
            let granted = answer.as_deref() == Ok(ALLOW);
            asked.insert(key, granted);
            if let Some(call_id) = call {
                let rule = format!("mcp_servers.{}", server.name);
                let event = Event::UserApproval {
                    call_id,
                    rule,
                    granted,
                    unanswered: answer.err(),
                    by_client: false,
                };
                if let Err(error) = server.session.log().write_event(event) {
                    tracing::warn!(server = server.name, "{error}");
                }
            }
            granted
        });
        asking.await.unwrap_or(false)
    }

    /// Describes the server in a line: its program with its arguments, or its URL.
    pub(super) fn describe_server(&self) -> String {
        let settings = &self.settings;
        match &settings.url {
            Some(url) => format!("at {}{}", escape_hidden(url), list_pairs(", sending ", &settings.headers)),
            None => {
                let words = settings.command.iter().chain(&settings.args);
                let line =
                    words.map(|word| format!("{:?}", escape_hidden(word))).collect::<Vec<_>>().join(" ");
                let place = settings
                    .cwd
                    .as_ref()
                    .map(|cwd| format!(" in {:?}", escape_hidden(cwd)))
                    .unwrap_or_default();
                format!("the program {line}{place}{}", list_pairs(", with ", &settings.env))
            }
        }
    }
}

/// Lists names with their values as the settings have them: a variable of our environment by its name.
fn list_pairs(before: &str, pairs: &BTreeMap<String, String>) -> String {
    let pair =
        |(name, value): (&String, &String)| format!("{}={:?}", escape_hidden(name), escape_hidden(value));
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    if pairs.is_empty() { String::new() } else { format!("{before}{}", pairs.join(", ")) }
}
