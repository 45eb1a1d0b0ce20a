//! A model behind one of the four interfaces: asked, tried again, read piece by piece.

use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;

use crate::adapt::RequestAdaptation;
use crate::answer::{AnswerBuilder, bad_answer};
use crate::base::surrogates;
use crate::lines::{AnswerLines, next_event};
use crate::protocol::ModelApi;
use crate::refusal::refusal_error;
use crate::server::ModelServer;
use crate::{
    LanguageModel, ModelError, ModelErrorKind, ModelFacts, ModelReply, ModelRequest, Pieces, ProviderState,
};
use crate::{chat, facts, messages, ollama, responses};

/// The longest time that a server may take to send its facts.
pub(crate) const FACTS: Duration = Duration::from_secs(5);

/// A model.
#[derive(Debug)]
pub(crate) struct ModelClient {
    pub(crate) server: ModelServer,
    pub(crate) api: ModelApi,
    pub(crate) name: String,
    pub(crate) facts: Mutex<ModelFacts>,
    /// The context that the person set.
    pub(crate) context: Option<u64>,
    /// The features that the server was found not to accept.
    pub(crate) adaptation: Mutex<RequestAdaptation>,
}

/// Reads the events of one answer.
pub(crate) trait EventReader: Send {
    /// Handles an event: its type if it has one, and its data.
    fn read_event(
        &mut self,
        name: &str,
        data: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError>;

    /// The stream ended.
    fn end_stream(&mut self, answer: &mut AnswerBuilder<'_>) {
        let _ = answer;
    }
}

impl ModelClient {
    pub(crate) fn new(server: ModelServer, api: ModelApi, name: String, provider: String) -> Self {
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
        let (facts, adaptation) = (Mutex::new(facts), Mutex::new(RequestAdaptation::default()));
        Self { server, api, name, facts, context: None, adaptation }
    }

    /// Whose a state is: no other model of no other server can read it.
    pub(crate) fn identity(&self) -> String {
        format!("{:?} {} {}", self.api, self.server.display_url(), self.name)
    }

    /// The items of a state, if it is this model's.
    pub(crate) fn own_items<'a>(&self, state: Option<&'a ProviderState>) -> Option<&'a [Value]> {
        state.filter(|state| state.of == self.identity()).map(|state| &*state.items)
    }

    fn api_path(&self) -> &'static str {
        match self.api {
            ModelApi::Chat => "chat/completions",
            ModelApi::Responses => "responses",
            ModelApi::Messages => "messages",
            ModelApi::Ollama => "api/chat",
        }
    }

    fn request_body(&self, request: &ModelRequest) -> Value {
        let mut body = match self.api {
            ModelApi::Chat => chat::request_body(self, request),
            ModelApi::Responses => responses::request_body(self, request),
            ModelApi::Messages => messages::request_body(self, request),
            ModelApi::Ollama => ollama::request_body(self, request),
        };
        self.adaptation.lock().apply_to(&mut body);
        body
    }

    fn event_reader(&self) -> Box<dyn EventReader> {
        match self.api {
            ModelApi::Chat => Box::new(chat::ChatReader::default()),
            ModelApi::Responses => Box::new(responses::ResponsesReader::new(self.identity())),
            ModelApi::Messages => Box::new(messages::MessagesReader::new(self.identity())),
            ModelApi::Ollama => Box::new(ollama::OllamaReader),
        }
    }

    /// Asks until there is an answer, an error that stays, or a piece was passed on.
    async fn ask_with_retries(
        &self,
        request: &ModelRequest,
        pieces: Pieces<'_>,
    ) -> Result<ModelReply, ModelError> {
        if self.api == ModelApi::Ollama && self.facts.lock().context_tokens.is_none() {
            // Ollama cuts a text that is longer than its own small default, without an error.
            facts::inspect_model(self).await?;
        }
        let (mut tries, mut waited) = (0, Duration::ZERO);
        loop {
            let mut answer = AnswerBuilder::new(&mut *pieces, self.server.bounds);
            let came = self.ask_once(request, &mut answer).await;
            let delivered = answer.passed > 0;
            let error = match came.and_then(|()| answer.finish()) {
                Ok(reply) => return Ok(reply),
                Err(error) if delivered => return Err(error),
                Err(error) => error,
            };
            if error.kind == ModelErrorKind::BadRequest
                && self.adaptation.lock().learn_from(self.api, &error.message)
            {
                continue;
            }
            tries += 1;
            let Some(pause) = self.server.retry_pause(&error, tries, waited) else { return Err(error) };
            tracing::debug!("{error}; asked again in {pause:?}");
            tokio::time::sleep(pause).await;
            waited += pause;
        }
    }

    async fn ask_once(
        &self,
        request: &ModelRequest,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        let (mut lines, kind) = self.server.post_body(self.api_path(), &self.request_body(request)).await?;
        if kind.starts_with("text/html") {
            return Err(web_page_error());
        }
        let mut reader = self.event_reader();
        match self.api {
            ModelApi::Ollama => {
                while let Some((line, replaced)) = lines.next_line().await? {
                    answer.replaced = replaced;
                    if !line.trim().is_empty() {
                        read_event_text(&mut *reader, "", &line, answer)?;
                    }
                    lines.note_progress(answer.passed);
                    if answer.complete {
                        break;
                    }
                }
            }
            _ if kind.starts_with("application/json") => {
                let (text, replaced) = lines.read_rest().await?;
                answer.replaced = replaced;
                read_event_text(&mut *reader, "", &text, answer)?;
            }
            _ => read_events(&mut *reader, &mut lines, answer).await?,
        }
        reader.end_stream(answer);
        if answer.reply.model.is_empty() {
            self.name.clone_into(&mut answer.reply.model);
        }
        Ok(())
    }
}

async fn read_events(
    reader: &mut dyn EventReader,
    lines: &mut AnswerLines,
    answer: &mut AnswerBuilder<'_>,
) -> Result<(), ModelError> {
    let mut any = false;
    while let Some(event) = next_event(lines).await? {
        any = true;
        if event.data.trim() == "[DONE]" {
            answer.complete = true;
            break;
        }
        answer.replaced = event.replaced;
        read_event_text(reader, &event.name, &event.data, answer)?;
        lines.note_progress(answer.passed);
        if answer.complete {
            break;
        }
    }
    match any {
        true => Ok(()),
        false => Err(bad_answer("its answer holds nothing of the interface")),
    }
}

/// A server of web pages has no model: another try cannot succeed.
fn web_page_error() -> ModelError {
    let advice = "look at the URL in `--model`, or under [model]: it may lack `/v1`";
    ModelError::new(ModelErrorKind::Unsupported, "it answered with a web page", advice)
}

/// Reads one event's text.
fn read_event_text(
    reader: &mut dyn EventReader,
    name: &str,
    text: &str,
    answer: &mut AnswerBuilder<'_>,
) -> Result<(), ModelError> {
    let data = match serde_json::from_str::<Value>(text) {
        Ok(data) => data,
        Err(_) => match surrogates::replace_halves(text).and_then(|text| serde_json::from_str(&text).ok()) {
            Some(data) => {
                answer.replaced = true;
                data
            }
            None if text.trim_start().starts_with('<') => return Err(web_page_error()),
            None => return Err(bad_answer("it sent an event that is no JSON")),
        },
    };
    let is_error = data.get("error").is_some_and(|error| !error.is_null());
    if is_error && data.get("choices").is_none() && data.get("type").is_none_or(|kind| kind == "error") {
        return Err(refusal_error(None, None, text));
    }
    reader.read_event(name, &data, answer)
}

impl LanguageModel for ModelClient {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: Pieces<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            self.ask_with_retries(request, pieces).await.map_err(|error| self.server.with_server_name(error))
        })
    }

    fn facts(&self) -> ModelFacts {
        self.facts.lock().clone()
    }

    fn inspect(&self) -> BoxFuture<'_, Result<ModelFacts, ModelError>> {
        Box::pin(facts::inspect_model(self))
    }
}
