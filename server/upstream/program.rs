//! A tool that a program runs: its command filled with the arguments of a call, confined as any other command.

mod answer;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use self::answer::{AnswerForm, ProgramError};
use self::template::CommandTemplate;
use crate::base::WorkspacePath;
use crate::catalogue::ToolDef;
use crate::execution::{CommandBounds, CommandOutcome, CommandRequest, Executor};
use crate::fetch::HostList;
use crate::protocol::{CommandEffects, Effects, Fault, Network};
use crate::registry::{Activity, Call, Draft, Output, Permitted};
use crate::session::Scope;
use crate::tools::{AFTERWARDS, RunOutput};

/// The program behind a definition.
pub(super) struct Program {
    template: CommandTemplate,
    bounds: CommandBounds,
    limit: Duration,
    /// What the definition says of the files that the command changes.
    effects: Option<CommandEffects>,
    /// The hosts that the definition names.
    hosts: Vec<String>,
    /// Whether the definition asks for all of the network.
    network: bool,
    /// Whether the person wrote the definition.
    own: bool,
    form: AnswerForm,
    executor: Arc<Executor>,
}

impl Program {
    /// The program that a definition names.
    pub(super) fn new(definition: &ToolDef, command: &[String], executor: Arc<Executor>) -> Self {
        let (sandbox, own) = (&definition.sandbox, !definition.is_of_project());
        Self {
            template: CommandTemplate::new(command, &definition.input_schema),
            bounds: CommandBounds::of(&sandbox.filesystem),
            limit: Duration::from_millis(sandbox.timeout_ms),
            // A project's word loosens nothing.
            effects: sandbox.effects.filter(|effects| own || *effects == CommandEffects::Review),
            hosts: sandbox.hosts.clone(),
            network: sandbox.network,
            own,
            form: AnswerForm::of(definition.output_schema.as_ref()),
            executor,
        }
    }

    fn request(&self, args: &Map<String, Value>) -> CommandRequest {
        CommandRequest {
            argv: self.template.filled(args),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: None,
            // The catalogue takes no definition with a host that is none.
            hosts: HostList::parse(self.hosts.iter().map(String::as_str)).unwrap_or_default(),
            limit: self.limit,
        }
    }

    /// Whether what the command changed is applied.
    fn applies(&self, scope: &Scope, argv: &[String]) -> bool {
        let effects = match self.effects {
            Some(CommandEffects::Apply) => CommandEffects::Apply,
            asked => self.executor.effects(scope, argv, asked),
        };
        effects == CommandEffects::Apply
    }
}

impl Activity for Program {
    type Input = Map<String, Value>;
    type Output = Value;

    /// A project's command is asked about as one that is not confined: the person did not write what it runs.
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        let named = self.hosts.iter().cloned().map(Network::Host);
        Effects {
            command: Some(self.template.filled(args)),
            network: named.chain(self.network.then_some(Network::Any)).collect(),
            confined: self.own && self.executor.has_layers(),
            ..Effects::default()
        }
    }

    fn limit(&self, _: &Map<String, Value>) -> Option<Duration> {
        Some(self.limit + AFTERWARDS)
    }

    fn ready(&self, call: &Call) -> Result<(), Fault> {
        self.executor.ready()?;
        let tool = || call.tool().name().to_owned();
        if self.network {
            return Err(ProgramError::Network { tool: tool() }.into());
        }
        match self.template.option_like(call.args()) {
            None => Ok(()),
            Some(argument) => Err(ProgramError::OptionLike { tool: tool(), argument }.into()),
        }
    }

    async fn run(
        &self,
        args: Arc<Map<String, Value>>,
        call: &Permitted,
        scope: &Scope,
    ) -> Result<Output, Fault> {
        let request = self.request(&args);
        let applies = self.applies(scope, &request.argv);
        let CommandOutcome { run, draft, left_out } =
            self.executor.run_within(scope, call.call(), request, &self.bounds).await?;
        scope.check()?;
        let draft = Draft { applies, ..draft };
        let (value, truncated, warnings) = match self.form {
            AnswerForm::Streams => {
                let (answer, truncated) = RunOutput::of_run(scope, run, left_out)?;
                let value =
                    serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))?;
                (value, truncated, Vec::new())
            }
            AnswerForm::Json => (answer::json(call.call().tool(), &run)?, false, left_out),
        };
        // An answer by the definition's own schema says nothing of a change where there is none.
        let is_plain = self.form == AnswerForm::Json && draft.changes.is_empty();
        let output = if is_plain { Output::value(value) } else { Output::change(draft, value) };
        Ok(Output { truncated, warnings, ..output })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::{Runs, load};
    use crate::sandbox::{Launcher, Level};

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
        let Some(Runs::Command { command }) = &def.runs else { panic!("no command") };
        let executor = Arc::new(Executor::new(Launcher::own().taking(Level::Namespaces)));
        Program::new(def, command, executor).effects(args.as_object().unwrap())
    }

    #[test]
    fn a_definition_names_what_it_runs_and_reaches() {
        let args = json!({ "path": "a b; rm -rf {{seconds}}", "seconds": 2.5 });
        let command = ["ffmpeg", "-i", "a b; rm -rf {{seconds}}", "-t2.5s"].map(str::to_owned);
        let expected = Effects { command: Some(command.to_vec()), ..Effects::default() };
        assert_eq!(effects(".wherefore/tools/a.yaml", "risk: execute", args.clone()), expected);
        let network = vec![Network::Host("crates.io".to_owned()), Network::Any];
        assert_eq!(
            effects("/settings/tools/a.yaml", "sandbox: { network: true, hosts: [crates.io] }", args),
            Effects { network, confined: true, ..expected }
        );
    }
}
