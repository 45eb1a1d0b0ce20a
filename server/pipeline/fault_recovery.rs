//! Completes the fault of a call: an act to take next in words, and one that a program can follow wherever there is one.
//! What a fault already says stays.

use serde_json::{Map, Value, json};

use crate::protocol::{Code, Fault};

/// Arguments that name a path of the workspace, the most telling one first.
const PATHS: [&str; 4] = ["path", "src", "scope", "cwd"];
/// Characters of an argument that is repeated.
const REPEATED: usize = 1000;

/// The parts of a call that a way out repeats.
#[derive(Clone, Debug, Default)]
pub(super) struct FaultSubject {
    tool: String,
    path: Option<String>,
    why: Option<String>,
}

impl FaultSubject {
    /// Returns those of a call of a tool with these arguments.
    pub(super) fn of_call(tool: &str, args: &Map<String, Value>) -> Self {
        let text = |name: &str| args.get(name).and_then(Value::as_str).filter(|text| text.len() <= REPEATED);
        Self {
            tool: tool.to_owned(),
            path: PATHS.iter().find_map(|name| text(name)).map(str::to_owned),
            why: text("why").map(str::to_owned),
        }
    }

    /// Adds what a fault of the call lacks.
    pub(super) fn complete_fault(&self, fault: Fault) -> Fault {
        let suggestion = fault.suggestion.or_else(|| Some(general_suggestion(fault.code).to_owned()));
        let next_action = fault.next_action.or_else(|| self.next_action(fault.code));
        Fault { suggestion, next_action, ..fault }
    }

    /// The act that a program can take next; nothing where it takes a person, or another plan.
    fn next_action(&self, code: Code) -> Option<Value> {
        let act = |tool: &str, mut arguments: Value| {
            if let Some(why) = &self.why {
                arguments["why"] = json!(why);
            }
            json!({ "tool": tool, "arguments": arguments })
        };
        match code {
            Code::InvalidArgs | Code::MissingWhy => {
                Some(json!({ "tool": "expand_tool", "arguments": { "tool_id": self.tool } }))
            }
            Code::NotFound => match (&self.path, self.tool.as_str()) {
                (_, "terminal.output" | "terminal.kill") => Some(act("process.list", json!({}))),
                (Some(path), _) => Some(act("fs.ls", json!({ "path": folder_above(path)? }))),
                (None, _) => None,
            },
            // What only the person can do, in the form of an answer that waits for them.
            Code::NotAuthorized => Some(json!({ "person": "wherefore consent" })),
            Code::SandboxUnavailable => Some(json!({ "person": "wherefore doctor" })),
            Code::Stale | Code::PatchMismatch | Code::NoMatch => {
                Some(act("fs.read", json!({ "path": self.path.as_ref()? })))
            }
            _ => None,
        }
    }
}

/// The folder above a path of the workspace; nothing for the root and for what leads out of it.
fn folder_above(path: &str) -> Option<&str> {
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    if path.is_empty() || path == "." || path.starts_with('/') || path.split('/').any(|part| part == "..") {
        return None;
    }
    Some(path.rsplit_once('/').map_or(".", |(above, _)| above))
}

/// The act to take next where the fault itself names none.
fn general_suggestion(code: Code) -> &'static str {
    match code {
        Code::NotFound => "check the name: list what is there, then call again",
        Code::PermissionDenied => "go on without it, or ask the person to allow it",
        Code::Timeout => "ask for less at a time, or call again in a moment",
        Code::InvalidArgs => "mend the arguments by the tool's schema (expand_tool), then call again",
        Code::MissingWhy => "add `why`: one sentence that says what you want to reach",
        Code::QuotaExceeded => "ask for less at a time",
        Code::ToolNotFound => "search for a tool by what it is to do (search_tool_by_category)",
        Code::UnknownPath => "list the root of the catalogue (list), then go down",
        Code::NoMatchInCategory => "search in all categories (search_tool_by_category without category_path)",
        Code::NoMatch => "send an address that is there; the hints name the nearest",
        Code::NotAuthorized => "go on without it, or ask the person to consent: `wherefore consent`",
        Code::PatchMismatch | Code::Stale => "read the file again and redo the change on what it holds now",
        Code::Rejected => "read the reason, and change the plan or ask the person",
        Code::Cancelled => "make the call again if it is still needed",
        Code::Unsupported => "take another way to the same end",
        Code::SandboxUnavailable => "ask the person to run `wherefore doctor`, which says how to mend it",
        Code::Internal => "go on without it, and tell the person: `wherefore log` has the call",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [Code; 18] = [
        Code::NotFound,
        Code::PermissionDenied,
        Code::Timeout,
        Code::InvalidArgs,
        Code::MissingWhy,
        Code::QuotaExceeded,
        Code::ToolNotFound,
        Code::UnknownPath,
        Code::NoMatchInCategory,
        Code::NoMatch,
        Code::NotAuthorized,
        Code::PatchMismatch,
        Code::Stale,
        Code::Rejected,
        Code::Cancelled,
        Code::Unsupported,
        Code::SandboxUnavailable,
        Code::Internal,
    ];

    fn subject(tool: &str, args: Value) -> FaultSubject {
        FaultSubject::of_call(tool, args.as_object().unwrap())
    }

    #[test]
    fn every_fault_says_what_to_do_next() {
        let read = subject("fs.read", json!({ "path": "src/absent.rs", "why": "Learn it" }));
        for code in CODES {
            let fault = read.complete_fault(Fault::new(code, "it failed"));
            assert!(fault.suggestion.is_some(), "{code:?}");
            let own = Fault::new(code, "it failed").with_suggestion("own").with_next_action(json!(1));
            let kept = read.complete_fault(own);
            assert_eq!((kept.suggestion.as_deref(), kept.next_action), (Some("own"), Some(json!(1))));
        }
        let unconsented = read.complete_fault(Fault::new(Code::NotAuthorized, "it waits")).next_action;
        assert_eq!(unconsented, Some(json!({ "person": "wherefore consent" })));
        let missing = read.complete_fault(Fault::new(Code::NotFound, "gone")).next_action;
        let list = json!({ "tool": "fs.ls", "arguments": { "path": "src", "why": "Learn it" } });
        assert_eq!(missing, Some(list));
    }

    #[test]
    fn no_way_out_leads_out_of_the_workspace() {
        for path in ["/etc/absent", "../absent", "a/../../b", ".", ""] {
            let missing = subject("fs.read", json!({ "path": path })).next_action(Code::NotFound);
            assert_eq!(missing, None, "{path:?}");
        }
        assert_eq!(folder_above("absent"), Some("."));
        assert_eq!(folder_above("./a/b/c"), Some("a/b"));
    }
}
