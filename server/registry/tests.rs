//! Raw calls against the built-in tools: faults are compared whole.

mod renderings;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::base::CallId;
use crate::catalogue::load_catalogue;
use crate::protocol::{CallEffects, Door, Fault, Origin, RawCall, WhySettings};
use crate::session::CallScope;
use crate::tools::DEFINITIONS;

/// An activity that only differs from others by its name.
struct Named(&'static str);

impl Activity for Named {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        CallEffects::read(self.0)
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        _: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        Ok(ActivityOutput::from_value(Value::Null))
    }
}

const WHY: &str = "Find where the retry limit is set";

fn sentiment() -> (String, String) {
    let text = "tool:\n  name: sentiment\n  description: Says how a text sounds.\n  input_schema:\n    type: object\n    \
                properties:\n      text: { type: string, description: The text }\n      why: { type: string, \
                description: Why }\n    required: [text, why]\n    additionalProperties: false\n  \
                output_schema: { type: object, properties: { mood: { type: string } }, required: [mood] }\n";
    ("sentiment.yaml".to_owned(), text.to_owned())
}

fn cached() -> (String, String) {
    let text = "tool:\n  name: cached\n  description: Reads a file.\n  _activity: fs.read@cached\n  input_schema:\n    type: \
                object\n    properties:\n      path: { type: string, description: The file }\n      why: { type: string, \
                description: Why }\n    required: [path, why]\n";
    ("cached.yaml".to_owned(), text.to_owned())
}

/// Environments of which one replaces a tool.
fn environments() -> Environments {
    let fake = EnvironmentActivity {
        name: "fs.read".to_owned(),
        code: Some(Arc::new(Named("fake"))),
        words: "a fake".to_owned(),
    };
    Environments::from([("test".to_owned(), [("fs.read".to_owned(), fake)].into())])
}

pub(super) fn registry() -> ToolRegistry {
    let activities = Activities::default();
    for name in ["fs.read", "fs.ls", "search.lexical", "fs.read@cached"] {
        activities.register(name, Arc::new(Named(name)));
    }
    activities.set_environments(environments(), PROD);
    let catalogue =
        load_catalogue(DEFINITIONS, &[sentiment(), cached()], &|name| activities.has_activity(name));
    assert_eq!(catalogue.problems, []);
    ToolRegistry::new(catalogue.tools, Arc::new(activities))
}

fn raw(tool: &str, arguments: Value) -> RawCall {
    RawCall { tool: tool.to_owned(), arguments, origin: Origin::from_door(Door::Lsp), ..RawCall::default() }
}

fn call(tool: &str, arguments: Value) -> CheckedCall {
    resolve(raw(tool, arguments)).unwrap()
}

fn resolve(raw: RawCall) -> Result<CheckedCall, Box<RefusedCall>> {
    registry().resolve_call(raw, || "c-0001".into(), &WhySettings::default())
}

fn fault(tool: &str, arguments: Value) -> Value {
    serde_json::to_value(resolve(raw(tool, arguments)).unwrap_err().fault).unwrap()
}

#[track_caller]
fn check(tool: &str, arguments: Value, expected: Value) {
    assert_eq!(fault(tool, arguments), expected);
}

#[track_caller]
fn check_args(tool: &str, arguments: Value, expected: Value) {
    assert_eq!(Value::Object(call(tool, arguments).args().clone()), expected);
}

#[test]
fn arguments_come_as_an_object_or_as_text() {
    let args = json!({ "path": "a", "why": WHY });
    let text = args.to_string();
    check_args("fs.read", args.clone(), args.clone());
    check_args("fs.read", json!(text), args.clone());
    check_args("fs.read", json!(json!(text).to_string()), args.clone());
    check_args("fs_read", args.clone(), args.clone());
    check_args("", json!({ "_tool": "fs.read", "path": "a", "why": WHY }), args);
}

#[test]
fn arguments_that_are_no_object() {
    let refused = |got: &str| {
        json!({
            "code": "INVALID_ARGS",
            "message": format!("the arguments must be an object, or JSON text that holds one; got {got}"),
            "recoverable": true,
            "suggestion": "send the arguments as a JSON object, as {\"path\": \"src/main.rs\", \"why\": \"…\"}",
        })
    };
    check("fs.read", json!([1, 2]), refused("an array of 2 items"));
    check("fs.read", json!(7), refused("the number 7"));
    check("fs.read", json!("[1]"), refused("text that holds an array of 1 items"));
    check(
        "fs.read",
        json!("{\"path\": "),
        refused(
            "the string \"{\\\"path\\\": \", which is not JSON: EOF while parsing a value at line 1 column 9",
        ),
    );
    let refused = resolve(raw("read_file", json!([1]))).unwrap_err();
    assert_eq!((refused.tool.as_str(), json!(refused.args)), ("fs.read", json!({ "arguments": [1] })));
}

#[test]
fn bounds_hold() {
    let mut deep = json!(1);
    (0..70).for_each(|_| deep = json!([deep.take()]));
    let limit = |what: &str| {
        json!({
            "code": "QUOTA_EXCEEDED",
            "message": format!("the arguments hold more than {what}"),
            "recoverable": true,
            "suggestion": "make several smaller calls",
        })
    };
    check("fs.read", json!({ "path": deep, "why": WHY }), limit("64 levels"));
    check("fs.read", json!({ "path": vec![0; 100_001], "why": WHY }), limit("100000 values"));
}

#[test]
fn a_tool_that_is_not_there() {
    check(
        "fs.raed",
        json!({ "why": WHY }),
        json!({
            "code": "TOOL_NOT_FOUND",
            "message": "there is no tool named \"fs.raed\"",
            "recoverable": true,
            "suggestion": "call fs.read, or another of the names in `hints`",
            "hints": ["fs.read", "fs.append", "fs.patch"],
            "near": true,
            "next_action": { "tool": "expand_tool", "arguments": { "tool_id": "fs.read" } },
        }),
    );
    let refused = resolve(raw("fs.raed", json!({ "path": "a" }))).unwrap_err();
    assert_eq!((refused.call_id.as_str(), json!(refused.args)), ("c-0001", json!({ "path": "a" })));
    let far = fault("order.pizza", json!({}));
    let next = json!({ "tool": "search_tool_by_category", "arguments": { "query": "order pizza" } });
    assert_eq!((&far["hints"], &far["next_action"]), (&Value::Null, &next));
}

#[test]
fn a_missing_why() {
    let missing = |lack: &str| {
        json!({
            "code": "MISSING_WHY",
            "message": format!("the call of fs.ls {lack}"),
            "recoverable": true,
            "suggestion": "send the call again with a `why`: one sentence on what you want to accomplish, as \
                           \"Find out which source files the parser is made of\"",
        })
    };
    check("fs.ls", json!({ "path": "a" }), missing("has no `why`"));
    check("fs.ls", json!({ "path": "a", "why": null }), missing("has no `why`"));
    for blank in ["", "  \n", "\u{200b}\u{feff}"] {
        check("fs.ls", json!({ "path": "a", "why": blank }), missing("has a `why` that says nothing"));
    }
    let mut both = missing("has no `why`");
    both["details"] = json!({ "violations": [{
        "pointer": "/path", "expected": "a string", "got": "nothing",
        "message": "`path` is missing: expected a string",
    }] });
    check("fs.ls", Value::Null, both);
}

#[test]
fn a_why_that_is_no_text() {
    check(
        "fs.ls",
        json!({ "path": "a", "why": 5 }),
        json!({
            "code": "INVALID_ARGS",
            "message": "fs.ls: `why`: expected a string, got the number 5",
            "recoverable": true,
            "suggestion": "send the call again; it must have path, why",
            "details": { "violations": [{
                "pointer": "/why", "expected": "a string", "got": "the number 5",
                "message": "`why`: expected a string, got the number 5",
            }] },
        }),
    );
}

#[test]
fn all_violations_at_once() {
    check(
        "fs.read",
        json!({ "pth": "a", "range": { "start": "5", "end": 0, "step": 2 }, "why": WHY }),
        json!({
            "code": "INVALID_ARGS",
            "message": "fs.read: 5 things are wrong: `path` is missing: expected a string; `pth` is not an argument; \
                        did you mean `path`?; `range.end`: expected at least 1, got the number 0; `range.start`: \
                        expected an integer, got the string \"5\"; `range.step` is not an argument; expected only \
                        start, end",
            "recoverable": true,
            "suggestion": "send the call again; it must have path, why, and may have at, range, bytes, numbers",
            "details": { "violations": [
                { "pointer": "/path", "expected": "a string", "got": "nothing",
                  "message": "`path` is missing: expected a string" },
                { "pointer": "/pth", "expected": "only path, at, range, bytes, numbers, why", "got": "the string \"a\"",
                  "message": "`pth` is not an argument; did you mean `path`?" },
                { "pointer": "/range/end", "expected": "at least 1", "got": "the number 0",
                  "message": "`range.end`: expected at least 1, got the number 0" },
                { "pointer": "/range/start", "expected": "an integer", "got": "the string \"5\"",
                  "message": "`range.start`: expected an integer, got the string \"5\"" },
                { "pointer": "/range/step", "expected": "only start, end", "got": "the number 2",
                  "message": "`range.step` is not an argument; expected only start, end" },
            ] },
        }),
    );
}

#[test]
fn aliases_map_their_arguments() {
    check_args("list_files", json!({ "why": WHY }), json!({ "why": WHY, "path": "." }));
    check_args("list_files", json!({ "path": "src", "why": WHY }), json!({ "path": "src", "why": WHY }));
    let mapped = json!({ "query": "a+", "scope": "src", "why": WHY });
    check_args("search_text", json!({ "pattern": "a+", "path": "src", "why": WHY }), mapped.clone());
    check_args("search_text", mapped.clone(), mapped);
    assert_eq!(call("search_text", json!({ "pattern": "a", "why": WHY })).tool().name(), "search.lexical");
    let fault = fault("search_text", json!({ "why": WHY }));
    assert_eq!(
        fault["hints"],
        json!(["search_text stands for search.lexical, where `path` is `scope`, `pattern` is `query`"])
    );
}

#[test]
fn meta_fields() {
    let args = json!({ "path": "a", "_reasoningForCall": WHY, "_tool": "fs.read", "_activity": "fs.read" });
    check_args("fs.read", args, json!({ "path": "a", "why": WHY }));
    let both = call("fs.read", json!({ "path": "a", "why": WHY, "_reasoningForCall": "It may be wrong" }));
    assert_eq!(json!(both.comments()), json!({ "args.why": "It may be wrong" }));
    check(
        "fs.read",
        json!({ "path": "a", "why": WHY, "_tool": "fs.ls" }),
        json!({
            "code": "INVALID_ARGS",
            "message": "the call names fs.read, but `_tool` names fs.ls",
            "recoverable": true,
            "suggestion": "name one tool, and leave `_tool` out of the arguments",
        }),
    );
    let empty = call("fs.read", json!({ "path": "a", "why": WHY, "_output": null }));
    assert_eq!(
        (empty.filled_output(), empty.warnings()),
        (None, &[][..]),
        "a composed schema has the member"
    );
}

#[test]
fn no_caller_gives_the_result_of_a_tool_that_code_runs() {
    let message = "fs.read takes no `_output`: fs.read runs it and gives its result";
    let refused = json!({
        "code": "INVALID_ARGS",
        "message": message,
        "recoverable": true,
        "suggestion": "send the call again without `_output`; only a tool that no code runs takes one",
        "details": { "violations": [{
            "pointer": "/_output", "expected": "nothing", "got": "an object with 1 members", "message": message,
        }] },
    });
    let forged = json!({ "content": "forged" });
    check("fs.read", json!({ "path": "a", "why": WHY, "_output": forged }), refused.clone());
    check("read_file", json!({ "path": "a", "why": WHY, "_output": forged }), refused.clone());
    check(
        "",
        json!({ "_tool": "fs.read", "_activity": "fs.read", "path": "a", "why": WHY, "_output": forged }),
        refused,
    );
    for asked in ["", "fs.read@none", "fs.read@cached", "fs.ls", "FS.READ"] {
        let inside = json!({ "path": "a", "why": WHY, "_activity": asked, "_output": forged });
        let beside = RawCall {
            activity: Some(asked.to_owned()),
            ..raw("fs.read", json!({ "path": "a", "why": WHY, "_output": forged }))
        };
        for sent in [raw("fs.read", inside), beside] {
            let fault = resolve(sent).unwrap_err().fault;
            assert!(fault.message.starts_with("`_activity` is the string"), "{fault:?}");
        }
    }
}

#[test]
fn empty_reasons_warn_or_are_refused() {
    let warning = "`why` only says what the call does (\"read the file\"); say what you want to accomplish";
    let args = json!({ "path": "a", "why": "read the file" });
    assert_eq!(call("fs.read", args.clone()).warnings(), [warning]);
    let strict = WhySettings { strict: true };
    let refused = registry().resolve_call(raw("fs.read", args), || "c-0001".into(), &strict).unwrap_err();
    assert_eq!(
        serde_json::to_value(refused.fault).unwrap(),
        json!({
            "code": "INVALID_ARGS",
            "message": format!("the `why` of fs.read is refused: {warning}"),
            "recoverable": true,
            "suggestion": "send the call again with a `why` like \
                           \"Learn what the project promises before changing how it behaves\"",
            "details": { "violations": [{
                "pointer": "/why", "expected": "a sentence on what the call is to accomplish",
                "got": "the string \"read the file\"", "message": warning,
            }] },
        })
    );
    let long = "word ".repeat(70);
    let args = json!({ "path": "a", "why": long });
    let lengthy = ["`why` has 350 characters; one sentence of at most 300 is enough"];
    assert_eq!(call("fs.read", args).warnings(), lengthy);
    let two = json!({ "path": "a", "why": "Find the retry limit. Then raise it." });
    assert_eq!(call("fs.read", two).warnings(), ["`why` has 2 sentences; one is enough"]);
}

#[test]
fn activities_by_name_set_and_definition() {
    let registry = registry();
    let resolve = |tool: &str, asked: Option<&str>| {
        let mut raw = raw(tool, json!({ "path": "a", "text": "b", "why": WHY }));
        if tool != "sentiment" {
            raw.arguments.as_object_mut().unwrap().remove("text");
        } else {
            raw.arguments.as_object_mut().unwrap().remove("path");
        }
        raw.activity = asked.map(str::to_owned);
        registry.resolve_call(raw, CallId::default, &WhySettings::default())
    };
    let runs = |tool, asked| {
        let call = resolve(tool, asked).unwrap();
        let reads = call.effects().reads.first().cloned().unwrap_or_default();
        (call.activity_name().to_owned(), reads)
    };
    let is = |name: &str, reads: &str| (name.to_owned(), reads.to_owned());
    assert_eq!(runs("fs.read", None), is("fs.read", "fs.read"));
    assert_eq!(runs("fs.read", Some("fs.read")), is("fs.read", "fs.read"));
    assert_eq!(runs("cached", None), is("fs.read@cached", "fs.read@cached"));
    assert_eq!(runs("cached", Some("fs.read@cached")), is("fs.read@cached", "fs.read@cached"));
    assert_eq!((runs("sentiment", None), runs("sentiment", Some(""))), (is("", ""), is("", "")));
    assert!(registry.activities().set_environments(environments(), "test"), "tools run otherwise");
    assert!(!registry.activities().set_environments(environments(), "test"), "they run as before");
    assert_eq!(runs("fs.read", None), is("fs.read", "fake"));
    assert_eq!(resolve("fs.read", None).unwrap().environment(), Some("test: a fake"));
    assert_eq!(runs("cached", None), is("fs.read@cached", "fs.read@cached"), "it replaces no other");
    registry.activities().set_environments(environments(), "dev");
    assert_eq!(runs("fs.read", None), is("fs.read", "fs.read"));
    assert_eq!(
        serde_json::to_value(Fault::from(registry.activities().check("none").unwrap_err())).unwrap(),
        json!({
            "code": "NOT_FOUND", "message": "there is no environment named \"none\"", "recoverable": true,
            "suggestion": "name one of dev, prod, test, or define it: [activities.NAME] in the settings",
        })
    );
    // Where no such environment is, nothing runs that an environment replaces, and all else runs as ever.
    registry.activities().set_environments(environments(), "none");
    assert_eq!(resolve("fs.read", None).unwrap_err().fault.code, crate::protocol::Code::NotFound);
    assert_eq!(runs("cached", None), is("fs.read@cached", "fs.read@cached"));
    registry.activities().set_environments(environments(), PROD);
    // The definition says what runs a tool; `cached` is also what its own name would run, were there such code.
    for (tool, other, own) in [
        ("fs.read", "fs.ls", "fs.read runs it"),
        ("fs.read", "fs.read@cached", "fs.read runs it"),
        ("fs.read", "", "fs.read runs it"),
        ("cached", "cached", "fs.read@cached runs it"),
        ("cached", "", "fs.read@cached runs it"),
        ("sentiment", "fs.read", "no code runs it"),
        ("sentiment", "sentiment", "no code runs it"),
    ] {
        assert_eq!(
            serde_json::to_value(resolve(tool, Some(other)).unwrap_err().fault).unwrap(),
            json!({
                "code": "INVALID_ARGS",
                "message": format!("`_activity` is the string \"{other}\", and {tool} says otherwise: {own}"),
                "recoverable": true,
                "suggestion": "leave `_activity` out; the tool's definition says what runs it, and no call does",
            })
        );
    }
}

#[test]
fn latent_calls_answer_the_schema_and_take_the_output() {
    let args = json!({ "text": "well", "why": "Sort the feedback by how it sounds" });
    let open = call("sentiment", args.clone());
    assert!(open.activity().is_none() && open.filled_output().is_none());
    assert_eq!(
        open.latent_answer(),
        json!({
            "_tool": "sentiment",
            "_activity": "",
            "_output": { "type": "object", "properties": { "mood": { "type": "string" } }, "required": ["mood"] },
            "instruction": "No code runs sentiment: work out its result yourself, then call sentiment again with the \
                            same arguments and the result in `_output`, valid by the schema given here.",
        })
    );
    let with = |output: Value| {
        let mut args = args.clone();
        args["_output"] = output;
        raw("sentiment", args)
    };
    assert_eq!(
        resolve(with(json!({ "mood": "good" }))).unwrap().filled_output(),
        Some(&json!({ "mood": "good" }))
    );
    let fault = resolve(with(json!({ "mood": 1 }))).unwrap_err().fault;
    assert_eq!(
        serde_json::to_value(fault).unwrap(),
        json!({
            "code": "INVALID_ARGS",
            "message": "the `_output` of sentiment: `mood`: expected a string, got the number 1",
            "recoverable": true,
            "suggestion": "send the call again with an `_output` that is valid by the schema in `details.schema`",
            "details": {
                "violations": [{ "pointer": "/_output/mood", "expected": "a string", "got": "the number 1",
                                 "message": "`mood`: expected a string, got the number 1" }],
                "schema": open.tool().def().output_schema,
            },
        })
    );
}

#[test]
fn outputs_are_checked_and_lists_are_made() {
    let registry = registry();
    let read = registry.find_tool("read_file").unwrap();
    assert_eq!(read.check_output(&json!({ "content": "", "lines": 0, "truncated": false })).unwrap(), []);
    assert_eq!(read.check_output(&json!({ "content": "" })).unwrap().len(), 2);
    let list = registry.tool_summaries();
    let ls = list.iter().find(|tool| tool.name == "fs.ls").unwrap();
    assert_eq!(
        json!(ls),
        json!({ "name": "fs.ls", "category": "fs", "summary": "List a folder", "risk": "read", "activity": "fs.ls",
                "aliases": ["list_files"] })
    );
    assert_eq!(list.iter().find(|tool| tool.name == "sentiment").unwrap().activity, "");
}
