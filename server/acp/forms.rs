//! The forms of an agent's requests for its editor's files and terminals, exactly as in the protocol: other forms are
//! not interpreted, and not passed to an editor that might interpret them.

use serde_json::Value;

use super::message::{RpcRequest, refusal_error};

/// The handling of an agent's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MethodHandling {
    /// The proxy answers or judges it.
    Judge,
    /// It may ask for a change.
    Permission,
    /// The editor answers it.
    PassOn,
    /// The method reaches the editor's files or terminals by a name that the protocol does not have.
    Refuse,
}

/// The handling of a method.
pub(super) fn method_handling(method: &str) -> MethodHandling {
    match method {
        "fs/write_text_file" | "fs/read_text_file" | "terminal/create" => MethodHandling::Judge,
        "session/request_permission" => MethodHandling::Permission,
        "terminal/output" | "terminal/release" | "terminal/wait_for_exit" | "terminal/kill" => {
            MethodHandling::PassOn
        }
        _ if reaches_editor(method) => MethodHandling::Refuse,
        _ => MethodHandling::PassOn,
    }
}

/// Returns whether a method is about the editor's files or terminals, or has a similar name.
pub(super) fn reaches_editor(method: &str) -> bool {
    let plain: String = method.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let plain = plain.to_ascii_lowercase();
    ["fs/", "terminal/", "session/request_permission"].iter().any(|family| plain.starts_with(family))
}

/// Checks the form of a request's params.
///
/// # Errors
/// The error to answer, which names the problem.
pub(super) fn check_form(asked: &RpcRequest) -> Result<(), Value> {
    let params = &asked.params;
    let wrong = |what: &str| {
        Err(refusal_error(&format!("wherefore: {} needs {what}; nothing was done", asked.method)))
    };
    let is_text = |name: &str| params.get(name).is_some_and(Value::is_string);
    let is_absent = |name: &str| params.get(name).is_none_or(Value::is_null);
    if !is_text("sessionId") {
        return wrong("a sessionId that is a string");
    }
    match asked.method.as_str() {
        "fs/write_text_file" if !is_text("path") || !is_text("content") => {
            wrong("a path and a content that are strings")
        }
        "fs/read_text_file" if !is_text("path") => wrong("a path that is a string"),
        "fs/read_text_file" => {
            let is_count = |name: &&str| is_absent(name) || params.get(*name).is_some_and(Value::is_u64);
            if ["line", "limit"].iter().all(is_count) {
                Ok(())
            } else {
                wrong("a line and a limit that are numbers")
            }
        }
        "terminal/create" if !is_text("command") => wrong("a command that is a string"),
        "terminal/create" if !is_absent("cwd") && !is_text("cwd") => wrong("a cwd that is a string"),
        "terminal/create" if !is_absent("args") && !is_list(params.get("args"), Value::is_string) => {
            wrong("args that are a list of strings")
        }
        "terminal/create" if !is_absent("env") && !is_list(params.get("env"), is_variable) => {
            wrong("an env that is a list of names with values")
        }
        _ => Ok(()),
    }
}

fn is_list(value: Option<&Value>, is_item: impl Fn(&Value) -> bool) -> bool {
    value.and_then(Value::as_array).is_some_and(|items| items.iter().all(is_item))
}

fn is_variable(value: &Value) -> bool {
    ["name", "value"].iter().all(|member| value.get(member).is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_another_form_is_refused_with_what_it_needs() {
        let check = |method: &str, params: Value| {
            let asked = RpcRequest { id: json!(1), method: method.to_owned(), params };
            check_form(&asked).err().map(|error| error["message"].as_str().unwrap_or_default().to_owned())
        };
        let right = [
            ("fs/read_text_file", json!({ "sessionId": "s", "path": "/a", "line": 1, "limit": null })),
            ("fs/write_text_file", json!({ "sessionId": "s", "path": "/a", "content": "" })),
            (
                "terminal/create",
                json!({ "sessionId": "s", "command": "ls", "args": ["-l"], "cwd": null,
                "env": [{ "name": "A", "value": "b" }] }),
            ),
        ];
        for (method, params) in right {
            assert_eq!(check(method, params.clone()), None, "{method} {params}");
        }
        let wrong = [
            ("fs/read_text_file", json!({ "path": "/ws/.env" }), "sessionId"),
            ("fs/read_text_file", json!({ "sessionId": ["s"], "path": "/ws/.env" }), "sessionId"),
            ("fs/read_text_file", json!({ "sessionId": "s", "path": ["/ws/.env"] }), "path"),
            ("fs/read_text_file", json!({ "sessionId": "s", "path": "/a", "line": "1" }), "line"),
            ("fs/write_text_file", json!({ "sessionId": "s", "path": "/a", "content": null }), "content"),
            ("fs/write_text_file", json!(["s", "/a", "x"]), "sessionId"),
            ("terminal/create", json!({ "sessionId": "s", "command": ["ls"] }), "command"),
            ("terminal/create", json!({ "sessionId": "s", "command": "ls", "args": ["-l", 7] }), "args"),
            ("terminal/create", json!({ "sessionId": "s", "command": "ls", "args": "-l" }), "args"),
            ("terminal/create", json!({ "sessionId": "s", "command": "ls", "env": { "A": "b" } }), "env"),
            ("terminal/create", json!({ "sessionId": "s", "command": "ls", "cwd": 7 }), "cwd"),
        ];
        for (method, params, named) in wrong {
            assert!(
                check(method, params.clone()).is_some_and(|words| words.contains(named)),
                "{method} {params}"
            );
        }
    }

    #[test]
    fn no_spelling_of_a_method_reaches_the_editors_files() {
        for method in [
            "fs/writeTextFile",
            "FS/write_text_file",
            "fs/write_text_file ",
            " fs/read_text_file",
            "terminal/spawn",
        ] {
            assert_eq!(method_handling(method), MethodHandling::Refuse, "{method}");
        }
        assert_eq!(method_handling("terminal/output"), MethodHandling::PassOn);
        assert_eq!(method_handling("_zed/something"), MethodHandling::PassOn);
    }
}
