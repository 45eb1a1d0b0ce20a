//! Members of a request that a server does not take, learnt from its refusals: servers that speak OpenAI's interface
//! know different parts of it.

use serde_json::{Value, json};

use crate::protocol::ModelApi;

/// Members that a request may go without: the answer is the same in kind.
const SPARE: [&str; 6] = ["stream_options", "temperature", "seed", "include", "parallel_tool_calls", "store"];

/// The changes that are made to each request.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestAdaptation {
    left_out: Vec<&'static str>,
    /// The other name of the limit of tokens is used.
    other_limit: bool,
    /// A schema is sent as llama-cpp-python takes it.
    json_object: bool,
}

impl RequestAdaptation {
    /// Learns from a refusal. Whether the next request will be another one.
    pub(crate) fn learn_from(&mut self, api: ModelApi, refusal: &str) -> bool {
        if !matches!(api, ModelApi::Chat | ModelApi::Responses) {
            return false;
        }
        if refusal.contains("response_format") && !self.json_object {
            self.json_object = true;
            return true;
        }
        if api == ModelApi::Chat
            && (refusal.contains("max_tokens") || refusal.contains("max_completion_tokens"))
            && !self.other_limit
        {
            self.other_limit = true;
            return true;
        }
        let named = |name: &&&str| {
            refusal.contains(**name)
                || (**name == "include" && refusal.to_lowercase().contains("encrypted content"))
        };
        match SPARE.iter().filter(|name| !self.left_out.contains(name)).find(named) {
            Some(name) => {
                self.left_out.push(name);
                true
            }
            None => false,
        }
    }

    /// Changes a request.
    pub(crate) fn apply_to(&self, body: &mut Value) {
        let Some(body) = body.as_object_mut() else { return };
        for name in &self.left_out {
            body.shift_remove(*name);
        }
        if self.other_limit {
            for (from, to) in
                [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")]
            {
                if let Some(limit) = body.shift_remove(from) {
                    body.insert(to.to_owned(), limit);
                    break;
                }
            }
        }
        if self.json_object
            && let Some(format) = body.get_mut("response_format")
        {
            let schema = format.pointer("/json_schema/schema").cloned().unwrap_or_default();
            *format = json!({ "type": "json_object", "schema": schema });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_is_learnt_once() {
        let mut adaptation = RequestAdaptation::default();
        for (refusal, expected) in [
            ("Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'", true),
            ("Unknown field stream_options", true),
            ("Unknown field stream_options", false),
            ("Encrypted content is not supported with this model", true),
            ("body response_format type: json_schema is none of text, json_object", true),
            ("messages must not be empty", false),
        ] {
            assert_eq!(adaptation.learn_from(ModelApi::Chat, refusal), expected, "{refusal}");
        }
        let mut body = json!({ "max_tokens": 1, "stream_options": {}, "include": [], "stop": [],
            "response_format": { "type": "json_schema", "json_schema": { "schema": { "type": "object" } } } });
        adaptation.apply_to(&mut body);
        let expected = json!({ "max_completion_tokens": 1, "stop": [],
            "response_format": { "type": "json_object", "schema": { "type": "object" } } });
        assert_eq!(body, expected);
    }
}
