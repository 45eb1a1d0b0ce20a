//! Requests whose params have unknown members.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::ALL;
use crate::catalogue::exact_params::read_exactly;
use crate::protocol::{DecideParams, RawCall};

fn refused<T: DeserializeOwned + JsonSchema>(params: Value) -> String {
    read_exactly::<T>(params).err().unwrap_or_else(|| panic!("it was read"))
}

#[test]
fn a_member_that_is_not_known_is_named_with_the_nearest_one() {
    let slip = json!({ "proposal": "p-1", "hunk": ["h1"], "act": "accept" });
    assert_eq!(refused::<DecideParams>(slip), "`hunk` is no member: did you mean `hunks`?");
    let both = json!({ "proposal": "p-1", "decision": "accept" });
    let said = refused::<DecideParams>(both);
    assert!(said.starts_with("`decision` is no member: it takes only "), "{said}");
    assert!(said.ends_with("; missing field `act`"), "{said}");
    let nested = json!({ "tool": "fs.read", "origin": { "agnet": "a" } });
    let said = refused::<RawCall>(nested);
    assert_eq!(said, "`agnet` is no member of `origin`: did you mean `agent`?");
    let free = json!({ "tool": "fs.read", "arguments": { "anything": { "at": ["all"] } } });
    assert_eq!(read_exactly::<RawCall>(free).unwrap().tool, "fs.read", "arguments are the tool's to judge");
}

#[test]
fn no_list_of_hunks_is_empty() {
    let none = json!({ "proposal": "p-1", "hunks": [], "act": "accept" });
    assert!(refused::<DecideParams>(none).contains("`hunks` names none"));
    assert!(read_exactly::<DecideParams>(json!({ "act": "reject" })).unwrap().hunks.is_empty());
}

/// Each object of the schema of a request's params, and each object in it, by the places that a member can be put at.
fn objects(root: &Value, schema: &Value, place: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    if place.len() > 6 {
        return;
    }
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(&name[1..]));
    let forms = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    for form in named.into_iter().chain(forms) {
        objects(root, form, place, found);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    found.push(place.clone());
    for (name, inner) in properties {
        place.push(name.clone());
        objects(root, inner, place, found);
        if let Some(items) = inner.get("items") {
            place.push("0".to_owned());
            objects(root, items, place, found);
            place.pop();
        }
        place.pop();
    }
}

/// Returns a value that satisfies a schema, for the schemas of these params.
fn sample(root: &Value, schema: &Value, wanted: &[String]) -> Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return sample(root, root.pointer(&name[1..]).unwrap(), wanted);
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|all| all.get(0)) {
        return first.clone();
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        let Some(forms) = schema.get(key).and_then(Value::as_array) else { continue };
        let has = |form: &&Value| wanted.first().is_none_or(|name| takes(root, form, name));
        return sample(root, forms.iter().find(has).unwrap_or(&forms[0]), wanted);
    }
    let kind = schema.get("type").map(|kind| kind.get(0).unwrap_or(kind)).and_then(Value::as_str);
    match kind {
        Some("object") => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let names = required.filter_map(Value::as_str).chain(wanted.first().map(String::as_str));
            let mut object = Map::new();
            for name in names {
                let Some(inner) = schema.pointer(&format!("/properties/{name}")) else { continue };
                let rest = if wanted.first().is_some_and(|one| one == name) { &wanted[1..] } else { &[] };
                object.insert(name.to_owned(), sample(root, inner, rest));
            }
            Value::Object(object)
        }
        Some("array") => json!([sample(root, &schema["items"], wanted.get(1..).unwrap_or_default())]),
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(1),
        Some("string") => json!("a"),
        _ => Value::Null,
    }
}

fn takes(root: &Value, schema: &Value, name: &str) -> bool {
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(&name[1..]));
    let schema = named.unwrap_or(schema);
    schema.pointer(&format!("/properties/{name}")).is_some()
}

#[tokio::test]
async fn every_request_refuses_a_member_that_it_does_not_know_wherever_it_stands() {
    let hub = crate::hub::Hub::new(crate::hub::HubOptions {
        editor: std::sync::Arc::new(crate::ports::NoEditor),
        shared_log: false,
        state: None,
        launcher: crate::sandbox::SandboxLauncher::own(),
        environment: None,
    });
    let mut tried = 0;
    for entry in ALL {
        let mut generator = schemars::SchemaGenerator::default();
        let mut schema = (entry.message.params)(&mut generator).to_value();
        schema["$defs"] = Value::Object(generator.take_definitions(true));
        let mut places = Vec::new();
        objects(&schema, &schema, &mut Vec::new(), &mut places);
        if places.is_empty() {
            places.push(Vec::new());
        }
        for place in places {
            let mut params = sample(&schema, &schema, &place);
            if params.is_null() {
                params = json!({});
            }
            let pointer: String = place.iter().map(|step| format!("/{step}")).collect();
            let Some(Value::Object(object)) = params.pointer_mut(&pointer) else {
                panic!("{}: no sample at {place:?} of {schema}", entry.message.method)
            };
            object.insert("unknown_member".to_owned(), json!(true));
            let said = format!("{} at {place:?}: {params}", entry.message.method);
            match entry.answer_json(&hub, params, crate::requests::Asker::default()).await {
                Err(crate::requests::RequestRefusal::Params(wrong)) => {
                    assert!(wrong.contains("unknown_member"), "{said}: {wrong}");
                }
                other => panic!("{said}: {other:?}"),
            }
            tried += 1;
        }
    }
    assert!(tried > ALL.len(), "nested objects are among them");
}
