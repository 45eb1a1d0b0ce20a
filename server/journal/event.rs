//! An event as a block: its heading, its reason, and its fields, redacted and sealed.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::asked::AskedTexts;
use super::block::PreparedEvent;
use super::error::JournalError;
use super::heading::BlockHeading;
use super::layout;
use super::observer::{LogObserver, LoggedEvent};
use super::seal::{EventSealer, ValueStore};
use super::yaml::{self, KeyComments};
use crate::base::markdown;
use crate::protocol::{Event, LogEvent, LogSettings, Verbosity};
use crate::redact::redact;

/// Bytes of a value that stand in the log with the most verbosity, as a multiple of the setting.
const VERBOSE: usize = 16;
/// Characters of a reason.
const REASON: usize = 400;
/// Lines that a result may have in the document; of a longer one the longest parts are stored.
const LINES: usize = 16;

/// Prepares the blocks of events, according to the settings.
#[derive(Debug)]
pub(super) struct EventPreparer {
    settings: LogSettings,
    store: Arc<ValueStore>,
    asked: AskedTexts,
    observer: OnceLock<Arc<dyn LogObserver>>,
}

impl EventPreparer {
    /// A preparer that stores large values in `store`.
    pub(super) fn new(settings: LogSettings, store: Arc<ValueStore>) -> Self {
        Self { settings, store, asked: AskedTexts::default(), observer: OnceLock::new() }
    }

    /// The store of large values.
    pub(super) fn store(&self) -> &ValueStore {
        &self.store
    }

    /// Sets the observer that receives each event from now on. The first one stays.
    pub(super) fn set_observer(&self, observer: Arc<dyn LogObserver>) {
        // Only one observer is ever set.
        let _ = self.observer.set(observer);
    }

    /// The observer of events.
    pub(super) fn observer(&self) -> Option<&dyn LogObserver> {
        self.observer.get().map(AsRef::as_ref)
    }

    /// The settings.
    pub(super) fn settings(&self) -> &LogSettings {
        &self.settings
    }

    /// Redacts, seals and lays out an event, and gives the hashes of the values that it stored, which are to be
    /// synced before the event counts as durable.
    ///
    /// # Errors
    /// Errors of storing a large value.
    pub(super) fn prepare_event(
        &self,
        event: LogEvent,
    ) -> Result<(PreparedEvent, Vec<String>), JournalError> {
        let verbosity = self.settings.verbosity;
        let factor = if verbosity == Verbosity::Verbose { VERBOSE } else { 1 };
        let inline = self.settings.inline_bytes.saturating_mul(factor);
        let mut sealer = EventSealer::new(&self.store, inline);
        let repeats = match &event.event {
            Event::ToolCall { call_id, args, .. } => {
                self.asked.note(call_id, args, inline);
                false
            }
            Event::Proposal { call_id, files, .. } => {
                self.asked.shows(call_id, files) && verbosity != Verbosity::Verbose
            }
            _ => false,
        };
        let prepared = self.lay_out(event, repeats, &mut sealer)?;
        Ok((prepared, sealer.fresh))
    }

    /// Lays out an event. Where its diff `repeats` its call's arguments, the diff is stored outside of the log file.
    fn lay_out(
        &self,
        event: LogEvent,
        repeats: bool,
        sealer: &mut EventSealer<'_>,
    ) -> Result<PreparedEvent, JournalError> {
        let LogEvent { mut event, comments } = event;
        let heading = BlockHeading::of(&event);
        let reason = markdown::escape_markdown(&redact(&event_reason(&event)), REASON);
        // A result can be large: it is taken over by itself, so that what is stored elsewhere is never copied.
        let result = match &mut event {
            Event::ToolResult { result, .. } => Some(std::mem::take(result)),
            _ => None,
        };
        let whole = serde_json::to_value(&event).map_err(Arc::new)?;
        let mut body = match whole {
            Value::Object(body) => body,
            _ => Map::new(),
        };
        for (key, value) in &mut body {
            let given = result.as_deref().filter(|_| key == "result").unwrap_or(value);
            match (self.settings.verbosity, key.as_str()) {
                (Verbosity::Minimal, "result") => *value = sealer.omit_value(given),
                (_, "type" | "call_id") => {}
                (_, "files") if repeats => *value = sealer.store_each(given)?,
                (Verbosity::Standard, "result") => {
                    *value = sealer.seal_value(given)?;
                    sealer.shorten(value, LINES)?;
                }
                _ => *value = sealer.seal_value(given)?,
            }
        }
        let kind = body.shift_remove("type");
        let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let heard = self.observer().map(|observer| (observer, body.clone()));
        let (shown, mut facts) = layout::split(&event, body);
        let comments = comments.into_iter().map(|(path, text)| (path, redact(&text).into_owned()));
        let (comments, rest): (KeyComments, KeyComments) =
            comments.partition(|(path, text)| yaml::takes_comment(&shown, path, text));
        if !rest.is_empty() {
            let rest = rest.into_iter().map(|(path, text)| (path, Value::String(text)));
            facts.insert("comments".to_owned(), sealer.seal_value(&Value::Object(rest.collect()))?);
        }
        let prepared = PreparedEvent::new(heading, reason, kind, &shown, &facts, comments);
        if let Some((observer, fields)) = heard {
            let (kind, bytes) = (prepared.kind.clone(), prepared.shown.len() + prepared.facts.len());
            observer.observe_event(LoggedEvent { kind, fields, bytes });
        }
        Ok(prepared)
    }
}

/// Returns the line for people: the `why` of a call, or the words of an event.
fn event_reason(event: &Event) -> String {
    let text = match event {
        Event::ToolCall { args, .. } => args.get("why").and_then(Value::as_str).unwrap_or_default(),
        Event::Hint { why, .. }
        | Event::ContextAssembly { why, .. }
        | Event::NativeRefusal { why, .. }
        | Event::OutsideChanges { why, .. } => why,
        Event::PersonMessage { message, .. } => &message.text,
        Event::ModelOutput { error: Some(error), .. } => &error.message,
        Event::ModelOutput { text, .. } | Event::AgentEnd { text, .. } => text,
        Event::Recovery { reason, .. } => reason,
        Event::Decision { hunks, .. } => {
            let said =
                hunks.iter().filter_map(|hunk| Some(format!("{}: {}", hunk.id, hunk.reason.as_ref()?)));
            return said.collect::<Vec<_>>().join("; ");
        }
        _ => "",
    };
    text.to_owned()
}
