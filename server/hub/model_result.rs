//! The result of a call for a model: one object, in which tools have the names that they are listed under.

use serde_json::{Map, Value, json};

use crate::protocol::{Envelope, Fault};

/// The member that holds a result which is no object: earlier versions of the protocol take only objects.
pub const RESULT: &str = "result";

/// Under which name the person's words stand. No tool speaks by it.
pub const FROM_THE_PERSON: &str = "from_the_person";

/// The member which reports that no code ran. No tool uses this name.
const LATENT: &str = "latent";

/// Returns the result of a call as a model reads it. In advice on the next call, the tools in `names` go by the names
/// that they are listed under.
pub fn model_result(envelope: &Envelope, names: impl FnOnce() -> Vec<String>) -> Value {
    let mut content = match (&envelope.error, &envelope.result) {
        (Some(fault), _) => fault_object(fault),
        (None, Some(result)) => match &**result {
            Value::Object(members) => members.clone(),
            other => Map::from_iter([(RESULT.to_owned(), other.clone())]),
        },
        (None, None) => Map::new(),
    };
    // The agent's information in addition to the result. A member of the result with that name takes precedence.
    if envelope.truncated {
        content.entry("truncated").or_insert(json!(true));
    }
    if let Some(rest) = &envelope.rest {
        content.entry("rest").or_insert(json!(rest));
    }
    if !envelope.warnings.is_empty() {
        content.entry("warnings").or_insert(json!(envelope.warnings));
    }
    if !envelope.decisions.is_empty() {
        // They are delivered once: no result takes their place.
        content.insert("decisions".to_owned(), json!(envelope.decisions));
    }
    if envelope.latent {
        content.insert(LATENT.to_owned(), json!(true));
    }
    content.remove(FROM_THE_PERSON);
    if !envelope.messages.is_empty() {
        content.insert(FROM_THE_PERSON.to_owned(), json!(envelope.messages));
    }
    // The content of files is never touched: only the advice.
    let advice = ["/error/message", "/error/suggestion", "/error/hints", "/error/next_action/tool"];
    let advice = advice.into_iter().chain(["/next_action/tool", "/rest"]);
    let mut content = Value::Object(content);
    let mut names = Some(names);
    let mut known = Vec::new();
    for place in advice {
        let Some(value) = content.pointer_mut(place) else { continue };
        if let Some(names) = names.take() {
            known = names();
        }
        undot_names(value, &known);
    }
    content
}

/// Writes each name without its dots, in a text or a list of texts.
pub fn undot_names(value: &mut Value, names: &[String]) {
    match value {
        Value::String(text) => {
            for name in names.iter().filter(|name| name.contains('.')) {
                if text.contains(name.as_str()) {
                    *text = text.replace(name, &name.replace('.', "_"));
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| undot_names(item, names)),
        _ => {}
    }
}

/// A fault as an object of its own.
pub fn fault_object(fault: &Fault) -> Map<String, Value> {
    Map::from_iter([("error".to_owned(), json!(fault))])
}
