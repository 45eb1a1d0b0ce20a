//! A model behind one of the four interfaces: asked, tried again, read piece by piece.

use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;

use crate::adapt::Adaptation;
use crate::answer::{Answer, bad};
use crate::lines::{Lines, event};
use crate::protocol::ModelApi;
use crate::refusal::refusal;
use crate::server::Server;
use crate::{Model, ModelError, ModelErrorKind, ModelFacts, ModelReply, ModelRequest, Pieces, ProviderState};
use crate::{chat, facts, messages, ollama, responses, surrogates};

/// How long a server may take to tell its facts.
pub(crate) const FACTS: Duration = Duration::from_secs(5);

/// A model.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) server: Server,
    pub(crate) api: ModelApi,
    pub(crate) name: String,
    pub(crate) facts: Mutex<ModelFacts>,
    /// The context that the person set.
    pub(crate) context: Option<u64>,
    /// What the server was found not to take.
    pub(crate) adaptation: Mutex<Adaptation>,
}

/// Reads the events of one answer.
pub(crate) trait Reader: Send {
    /// One event: its type where it has one, and its data.
    fn event(&mut self, name: &str, data: &Value, answer: &mut Answer<'_>) -> Result<(), ModelError>;

    /// The stream ended.
    fn end(&mut self, answer: &mut Answer<'_>) {
        let _ = answer;
    }
}

impl Client {
    pub(crate) fn new(server: Server, api: ModelApi, name: String, provider: String) -> Self {
        let local = server.is_local();
        let native = matches!(api, ModelApi::Responses | ModelApi::Messages).then_some(true);
        let facts = ModelFacts {
            name: name.clone(),
            provider,
            native_calls: native,
            constrained: (api != ModelApi::Chat).then_some(true),
            local,
            ..ModelFacts::default()
        };
        let (facts, adaptation) = (Mutex::new(facts), Mutex::new(Adaptation::default()));
        Self { server, api, name, facts, context: None, adaptation }
    }

    /// Whose a state is: no other model of no other server can read it.
    pub(crate) fn identity(&self) -> String {
        format!("{:?} {} {}", self.api, self.server.place(), self.name)
    }

    /// The items of a state, where it is this model's.
    pub(crate) fn own<'a>(&self, state: Option<&'a ProviderState>) -> Option<&'a [Value]> {
        state.filter(|state| state.of == self.identity()).map(|state| &*state.items)
    }

    fn path(&self) -> &'static str {
        match self.api {
            ModelApi::Chat => "chat/completions",
            ModelApi::Responses => "responses",
            ModelApi::Messages => "messages",
            ModelApi::Ollama => "api/chat",
        }
    }

    fn body(&self, request: &ModelRequest) -> Value {
        let mut body = match self.api {
            ModelApi::Chat => chat::body(self, request),
            ModelApi::Responses => responses::body(self, request),
            ModelApi::Messages => messages::body(self, request),
            ModelApi::Ollama => ollama::body(self, request),
        };
        self.adaptation.lock().apply(&mut body);
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        match self.api {
            ModelApi::Chat => Box::new(chat::ChatReader::default()),
            ModelApi::Responses => Box::new(responses::ResponsesReader::new(self.identity())),
            ModelApi::Messages => Box::new(messages::MessagesReader::new(self.identity())),
            ModelApi::Ollama => Box::new(ollama::OllamaReader),
        }
    }

    /// Asks until there is an answer, an error that stays, or a piece was passed on.
    async fn ask(&self, request: &ModelRequest, pieces: Pieces<'_>) -> Result<ModelReply, ModelError> {
        if self.api == ModelApi::Ollama && self.facts.lock().context_tokens.is_none() {
            // Ollama cuts what is longer than its own small default, and says nothing.
            facts::inspect(self).await?;
        }
        let (mut tries, mut waited) = (0, Duration::ZERO);
        loop {
            let mut answer = Answer::new(&mut *pieces, self.server.bounds);
            let came = self.once(request, &mut answer).await;
            let delivered = answer.delivered;
            let error = match came.and_then(|()| answer.finish()) {
                Ok(reply) => return Ok(reply),
                Err(error) if delivered => return Err(error),
                Err(error) => error,
            };
            if error.kind == ModelErrorKind::BadRequest
                && self.adaptation.lock().learn(self.api, &error.message)
            {
                continue;
            }
            tries += 1;
            let Some(pause) = self.server.pause(&error, tries, waited) else { return Err(error) };
            tracing::debug!("{error}; asked again in {pause:?}");
            tokio::time::sleep(pause).await;
            waited += pause;
        }
    }

    async fn once(&self, request: &ModelRequest, answer: &mut Answer<'_>) -> Result<(), ModelError> {
        let (mut lines, kind) = self.server.post(self.path(), &self.body(request)).await?;
        if kind.starts_with("text/html") {
            return Err(web_page());
        }
        let mut reader = self.reader();
        match self.api {
            ModelApi::Ollama => {
                while let Some((line, replaced)) = lines.next().await? {
                    answer.replaced = replaced;
                    if !line.trim().is_empty() {
                        read(&mut *reader, "", &line, answer)?;
                    }
                    if answer.complete {
                        break;
                    }
                }
            }
            _ if kind.starts_with("application/json") => {
                let (text, replaced) = lines.rest().await?;
                answer.replaced = replaced;
                read(&mut *reader, "", &text, answer)?;
            }
            _ => events(&mut *reader, &mut lines, answer).await?,
        }
        reader.end(answer);
        if answer.reply.model.is_empty() {
            self.name.clone_into(&mut answer.reply.model);
        }
        Ok(())
    }
}

async fn events(
    reader: &mut dyn Reader,
    lines: &mut Lines,
    answer: &mut Answer<'_>,
) -> Result<(), ModelError> {
    let mut any = false;
    while let Some(event) = event(lines).await? {
        any = true;
        if event.data.trim() == "[DONE]" {
            answer.complete = true;
            break;
        }
        answer.replaced = event.replaced;
        read(reader, &event.name, &event.data, answer)?;
        if answer.complete {
            break;
        }
    }
    match any {
        true => Ok(()),
        false => Err(bad("its answer holds nothing of the interface")),
    }
}

/// What serves pages serves no model: to ask again helps nobody.
fn web_page() -> ModelError {
    let advice = "look at the URL in `--model`, or under [model]: it may lack `/v1`";
    ModelError::new(ModelErrorKind::Unsupported, "it answered with a web page", advice)
}

/// Reads one event's text.
fn read(reader: &mut dyn Reader, name: &str, text: &str, answer: &mut Answer<'_>) -> Result<(), ModelError> {
    let data = match serde_json::from_str::<Value>(text) {
        Ok(data) => data,
        Err(_) => match surrogates::mended(text).and_then(|text| serde_json::from_str(&text).ok()) {
            Some(data) => {
                answer.replaced = true;
                data
            }
            None if text.trim_start().starts_with('<') => return Err(web_page()),
            None => return Err(bad("it sent an event that is no JSON")),
        },
    };
    let is_error = data.get("error").is_some_and(|error| !error.is_null());
    if is_error && data.get("choices").is_none() && data.get("type").is_none_or(|kind| kind == "error") {
        return Err(refusal(None, None, text));
    }
    reader.event(name, &data, answer)
}

impl Model for Client {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: Pieces<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move { self.ask(request, pieces).await.map_err(|error| self.server.named(error)) })
    }

    fn facts(&self) -> ModelFacts {
        self.facts.lock().clone()
    }

    fn inspect(&self) -> BoxFuture<'_, Result<ModelFacts, ModelError>> {
        Box::pin(facts::inspect(self))
    }
}
