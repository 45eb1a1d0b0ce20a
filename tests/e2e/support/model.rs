//! Checks messages against the meta model of the Language Server Protocol, where it is at hand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

/// The meta model, by name.
pub(super) struct Model {
    requests: HashMap<String, Value>,
    notifications: HashMap<String, Value>,
    structures: HashMap<String, Value>,
    enumerations: HashMap<String, Value>,
    aliases: HashMap<String, Value>,
}

impl Model {
    /// The metamodel, if this machine has one: named by WHEREFORE_META_MODEL, next to the checkout, or in the npm
    /// package that ships it. Without it only the messages' structure is checked.
    pub(super) fn get() -> Option<&'static Self> {
        static MODEL: OnceLock<Option<Model>> = OnceLock::new();
        MODEL
            .get_or_init(|| places().into_iter().find(|path| path.is_file()).map(|path| Self::read(&path)))
            .as_ref()
    }

    fn read(path: &Path) -> Self {
        let model: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let by = |list: &str, key: &str| {
            let entries = model[list].as_array().unwrap().iter();
            entries.map(|entry| (entry[key].as_str().unwrap().to_owned(), entry.clone())).collect()
        };
        Self {
            requests: by("requests", "method"),
            notifications: by("notifications", "method"),
            structures: by("structures", "name"),
            enumerations: by("enumerations", "name"),
            aliases: by("typeAliases", "name"),
        }
    }

    /// The problems of a request or notification from the server.
    pub(super) fn check_sent(&self, method: &str, params: &Value, is_request: bool) -> Vec<String> {
        let known = if is_request { &self.requests } else { &self.notifications };
        let Some(entry) = known.get(method) else { return vec![format!("the protocol has no {method}")] };
        let mut wrong = Vec::new();
        if entry["messageDirection"] == "clientToServer" {
            wrong.push(format!("{method} is the client's to send"));
        }
        match &entry["params"] {
            Value::Null if params.is_null() => {}
            Value::Null => wrong.push(format!("{method} has no params")),
            schema => self.check(schema, params, "params", true, &mut wrong),
        }
        wrong
    }

    /// The problems of the result of a request from the client.
    pub(super) fn check_result(&self, method: &str, result: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        if let Some(entry) = self.requests.get(method) {
            self.check(&entry["result"], result, "result", true, &mut wrong);
        }
        wrong
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, strict: bool, wrong: &mut Vec<String>) {
        let mut expect = |good: bool, what: &str| {
            if !good {
                wrong.push(format!("{at}: {value} is no {what}"));
            }
        };
        match schema["kind"].as_str().unwrap() {
            "base" => {
                let name = schema["name"].as_str().unwrap();
                expect(is_base(name, value), name);
            }
            "reference" => self.check_named(schema["name"].as_str().unwrap(), value, at, strict, wrong),
            "array" => match value.as_array() {
                None => expect(false, "array"),
                Some(items) => {
                    for (index, item) in items.iter().enumerate() {
                        self.check(&schema["element"], item, &format!("{at}[{index}]"), strict, wrong);
                    }
                }
            },
            "map" => match value.as_object() {
                None => expect(false, "map"),
                Some(entries) => {
                    for (key, item) in entries {
                        self.check(&schema["value"], item, &format!("{at}.{key}"), strict, wrong);
                    }
                }
            },
            "tuple" => {
                let items = schema["items"].as_array().unwrap();
                let values = value.as_array().filter(|values| values.len() == items.len());
                match values {
                    None => expect(false, "tuple"),
                    Some(values) => {
                        for (item, value) in items.iter().zip(values) {
                            self.check(item, value, at, strict, wrong);
                        }
                    }
                }
            }
            "or" => self.check_or(schema["items"].as_array().unwrap(), value, at, strict, wrong),
            "and" => {
                for item in schema["items"].as_array().unwrap() {
                    self.check(item, value, at, false, wrong);
                }
            }
            "literal" => {
                let properties = schema["value"]["properties"].as_array().unwrap().iter().collect();
                self.check_properties(properties, value, at, strict, wrong);
            }
            "stringLiteral" | "integerLiteral" | "booleanLiteral" => {
                expect(*value == schema["value"], &schema["value"].to_string());
            }
            kind => panic!("the meta model has a kind {kind:?} of type that is not known here"),
        }
    }

    fn check_or(&self, items: &[Value], value: &Value, at: &str, strict: bool, wrong: &mut Vec<String>) {
        let mut least: Option<Vec<String>> = None;
        for item in items {
            let mut here = Vec::new();
            self.check(item, value, at, strict, &mut here);
            if least.as_ref().is_none_or(|least| here.len() < least.len()) {
                least = Some(here);
            }
        }
        wrong.extend(least.unwrap_or_default());
    }

    fn check_named(&self, name: &str, value: &Value, at: &str, strict: bool, wrong: &mut Vec<String>) {
        if matches!(name, "LSPAny" | "LSPObject" | "LSPArray") {
        } else if let Some(structure) = self.structures.get(name) {
            let mut properties = Vec::new();
            self.properties(structure, &mut properties);
            self.check_properties(properties, value, at, strict, wrong);
        } else if let Some(alias) = self.aliases.get(name) {
            self.check(&alias["type"], value, at, strict, wrong);
        } else if let Some(enumeration) = self.enumerations.get(name) {
            let listed =
                enumeration["values"].as_array().unwrap().iter().any(|entry| entry["value"] == *value);
            let custom = enumeration["supportsCustomValues"] == true
                && is_base(enumeration["type"]["name"].as_str().unwrap(), value);
            if !listed && !custom {
                wrong.push(format!("{at}: {value} is no {name}"));
            }
        } else {
            panic!("the meta model does not hold {name}");
        }
    }

    fn properties<'a>(&'a self, structure: &'a Value, all: &mut Vec<&'a Value>) {
        for list in ["extends", "mixins"] {
            for parent in structure[list].as_array().into_iter().flatten() {
                self.properties(&self.structures[parent["name"].as_str().unwrap()], all);
            }
        }
        for property in structure["properties"].as_array().unwrap() {
            all.retain(|known| known["name"] != property["name"]);
            all.push(property);
        }
    }

    fn check_properties(
        &self,
        all: Vec<&Value>,
        value: &Value,
        at: &str,
        strict: bool,
        wrong: &mut Vec<String>,
    ) {
        let Some(object) = value.as_object() else {
            return wrong.push(format!("{at}: {value} is no object"));
        };
        for property in &all {
            let name = property["name"].as_str().unwrap();
            match object.get(name) {
                Some(inner) => self.check(&property["type"], inner, &format!("{at}.{name}"), strict, wrong),
                None if property["optional"] == true => {}
                None => wrong.push(format!("{at}: {name} is missing")),
            }
        }
        for name in object.keys().filter(|_| strict) {
            if !all.iter().any(|property| property["name"] == name.as_str()) {
                wrong.push(format!("{at}: {name} is not known"));
            }
        }
    }
}

fn is_base(name: &str, value: &Value) -> bool {
    match name {
        "string" | "RegExp" => value.is_string(),
        "URI" | "DocumentUri" => value.as_str().is_some_and(|uri| uri.contains(':')),
        "integer" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        "uinteger" => value.as_i64().is_some_and(|number| (0..=i64::from(i32::MAX)).contains(&number)),
        "decimal" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        name => panic!("the meta model has a base type {name:?} that is not known here"),
    }
}

fn places() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("WHEREFORE_META_MODEL").map(PathBuf::from);
    let beside = root.join("../shared/dev/protocol/metaModel.json");
    let shipped = root.join(".e2e/node_modules/vscode-languageserver-protocol/metaModel.json");
    named.into_iter().chain([beside, shipped]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Model;

    #[test]
    fn the_model_tells_right_from_wrong() {
        let Some(model) = Model::get() else { return };
        let show = |params| model.check_sent("window/showMessage", &params, false);
        assert_eq!(show(json!({ "type": 3, "message": "x" })), [""; 0]);
        assert_eq!(show(json!({ "type": 9, "message": "x" })), ["params.type: 9 is no MessageType"]);
        assert_eq!(show(json!({ "type": 3 })), ["params: message is missing"]);
        assert_eq!(show(json!({ "type": 3, "message": "x", "y": 1 })), ["params: y is not known"]);
        assert_eq!(model.check_sent("wherefore/x", &json!({}), false), ["the protocol has no wherefore/x"]);
        assert_eq!(model.check_sent("shutdown", &json!(null), true), ["shutdown is the client's to send"]);
        assert_eq!(model.check_result("textDocument/codeLens", &json!([{ "range": 1 }])).len(), 1);
    }
}
