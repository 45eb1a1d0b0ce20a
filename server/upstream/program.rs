//! A tool that a program runs: accepted, and not run before there is a sandbox to run it in.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::catalogue::ToolDef;
use crate::protocol::{Code, Effects, Fault, Network};
use crate::registry::{Activity, Call, Output, Permitted};
use crate::session::Scope;

/// The program behind a definition.
pub(super) struct Program {
    /// It and its arguments, with `{{name}}` where an argument of the call stands.
    command: Vec<String>,
    /// Whether its definition lets it reach the network.
    network: bool,
    /// Whether the person wrote the definition.
    own: bool,
}

impl Program {
    /// The program that a definition names.
    pub(super) fn new(definition: &ToolDef, command: &[String]) -> Self {
        let (network, own) = (definition.sandbox.network, !definition.is_of_project());
        Self { command: command.to_vec(), network, own }
    }
}

impl Activity for Program {
    type Input = Map<String, Value>;
    type Output = Value;

    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects {
            command: Some(self.command.iter().map(|text| filled(text, args)).collect()),
            network: self.network.then_some(Network::Any).into_iter().collect(),
            consented: self.own,
            ..Effects::default()
        }
    }

    fn ready(&self, call: &Call) -> Result<(), Fault> {
        Err(no_sandbox(call))
    }

    async fn run(&self, _: Arc<Map<String, Value>>, call: &Permitted, _: &Scope) -> Result<Output, Fault> {
        Err(no_sandbox(call.call()))
    }
}

fn no_sandbox(call: &Call) -> Fault {
    let name = call.tool().name();
    let message = format!("{name} runs a program, and this version has no sandbox to run one in");
    Fault::new(Code::Unsupported, message)
        .suggest("do without it, or ask the person to run it; a tool of an `mcp_server` works today")
}

/// A text of a command with the call's arguments in the place of their names. It stays one word, whatever they hold.
fn filled(text: &str, args: &Map<String, Value>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        filled.push_str(before);
        match args.get(name.trim()) {
            Some(Value::String(text)) => filled.push_str(text),
            Some(value) => filled.push_str(&value.to_string()),
            None => {}
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::load;

    fn effects(path: &str, sandbox: &str, args: Value) -> Effects {
        let text = format!(
            "tool:\n  name: mine.cut\n  description: Cuts.\n  command: [ffmpeg, -i, \"{{{{ path }}}}\", \"-t{{{{seconds}}}}s\", \
             \"{{{{none}}}}\"]\n  {sandbox}\n  input_schema:\n    type: object\n    properties:\n      path: {{ type: \
             string, description: It }}\n      seconds: {{ type: number, description: It }}\n      none: {{ type: string, \
             description: It }}\n      why: {{ type: string, description: Why }}\n    required: [path, why]\n"
        );
        let loaded = load(&[], &[(path.to_owned(), text)], &|_| true);
        assert_eq!(loaded.problems, []);
        let def = loaded.tools.last().unwrap();
        let Some(crate::catalogue::Runs::Command { command }) = &def.runs else { panic!("no command") };
        Program::new(def, command).effects(args.as_object().unwrap())
    }

    #[test]
    fn a_definition_names_what_it_runs_and_reaches() {
        let args = json!({ "path": "a b; rm -rf {{seconds}}", "seconds": 2.5 });
        let command = ["ffmpeg", "-i", "a b; rm -rf {{seconds}}", "-t2.5s", ""].map(str::to_owned);
        let expected = Effects { command: Some(command.to_vec()), ..Effects::default() };
        assert_eq!(effects(".wherefore/tools/a.yaml", "risk: execute", args.clone()), expected);
        let network = vec![Network::Any];
        assert_eq!(
            effects("/settings/tools/a.yaml", "sandbox: { network: true }", args),
            Effects { network, consented: true, ..expected }
        );
    }
}
