//! A tool that a program runs: its command filled with the arguments of a call, confined as any other command.

mod answer;
mod consent;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use self::answer::{ProgramAnswerForm, ProgramError};
pub(super) use self::consent::ProgramConsent;
use self::template::CommandTemplate;
use crate::base::WorkspacePath;
use crate::catalogue::ToolDef;
use crate::execution::{CommandBounds, CommandExecutor, CommandKind, CommandOutcome, CommandRequest};
use crate::fetch::HostList;
use crate::protocol::{CallEffects, CommandEffects, Fault, NetworkTarget};
use crate::registry::{Activity, ActivityConsent, ActivityOutput, CallDraft, CheckedCall, PermittedCall};
use crate::session::CallScope;
use crate::tools::{AFTERWARDS, RunOutput};

/// The program behind a definition.
pub(super) struct ProgramTool {
    template: CommandTemplate,
    bounds: CommandBounds,
    limit: Duration,
    /// The definition's treatment of the files that the command changes.
    effects: Option<CommandEffects>,
    /// The hosts that the definition names.
    hosts: Vec<String>,
    /// True where the definition asks for all of the network.
    network: bool,
    /// The person's consent to it, where the project wrote the definition.
    consent: Option<Arc<ProgramConsent>>,
    form: ProgramAnswerForm,
    executor: Arc<CommandExecutor>,
}

impl ProgramTool {
    /// The program that a definition names; `consent` is there where that definition is the project's.
    pub(super) fn new(
        definition: &ToolDef,
        command: &[String],
        executor: Arc<CommandExecutor>,
        consent: Option<ProgramConsent>,
    ) -> Self {
        let (sandbox, own) = (&definition.sandbox, consent.is_none());
        Self {
            template: CommandTemplate::new(command, &definition.input_schema),
            bounds: CommandBounds::from_places(sandbox.filesystem.as_deref()),
            limit: Duration::from_millis(sandbox.timeout_ms),
            // A project's word loosens nothing.
            effects: sandbox.effects.filter(|effects| own || *effects == CommandEffects::Review),
            hosts: sandbox.hosts.clone(),
            network: sandbox.network,
            consent: consent.map(Arc::new),
            form: ProgramAnswerForm::from_schema(definition.output_schema.as_ref()),
            executor,
        }
    }

    fn command_request(&self, args: &Map<String, Value>) -> CommandRequest {
        CommandRequest {
            argv: self.template.fill_template(args),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: None,
            // The catalogue takes no definition with a host that is none.
            hosts: HostList::parse(self.hosts.iter().map(String::as_str))
                .unwrap_or_default()
                .with_every_public_host(self.network),
            limit: self.limit,
        }
    }

    fn is_own_or_consented(&self) -> bool {
        self.consent.as_ref().is_none_or(|consent| consent.is_given())
    }

    /// Returns whether what the command changed is applied.
    async fn applies_changes(&self, scope: &CallScope, kind: CommandKind, draft: &CallDraft) -> bool {
        match self.effects {
            Some(CommandEffects::Apply) => true,
            asked => self.executor.applies_changes(scope, kind, asked, draft).await,
        }
    }
}

impl Activity for ProgramTool {
    type Input = Map<String, Value>;
    type Output = Value;

    /// A project's command is asked about as one that is not confined, until the person consents to the tool: they did not
    /// write what it runs.
    fn call_effects(&self, args: &Map<String, Value>) -> CallEffects {
        let named = self.hosts.iter().cloned().map(NetworkTarget::Host);
        let (is_own, has_layers) = (self.is_own_or_consented(), self.executor.has_layers());
        CallEffects {
            command: Some(self.template.fill_template(args)),
            network: named.chain(self.network.then_some(NetworkTarget::Any)).collect(),
            confined: is_own && has_layers,
            of_project: !is_own && has_layers,
            unlayered: is_own && !has_layers,
            ..CallEffects::default()
        }
    }

    fn note_adopted(&self, call: &CheckedCall) {
        self.executor.in_place().forget_run(call.id());
    }

    fn time_limit(&self, _: &Map<String, Value>) -> Option<Duration> {
        Some(self.limit + AFTERWARDS)
    }

    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault> {
        self.executor.ensure_confined()?;
        let tool = || call.tool().name().to_owned();
        match self.template.option_like(call.args()) {
            None => Ok(()),
            Some(argument) => Err(ProgramError::OptionLike { tool: tool(), argument }.into()),
        }
    }

    fn consent(&self) -> Option<Arc<dyn ActivityConsent>> {
        self.consent.as_ref().map(ProgramConsent::offer)
    }

    async fn run_call(
        &self,
        args: Arc<Map<String, Value>>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        let request = self.command_request(&args);
        let CommandOutcome { run, draft, left_out, written, kind } =
            self.executor.run_within(scope, call.call(), request, &self.bounds).await?;
        if !draft.stands {
            scope.check_cancelled()?;
        }
        let draft = CallDraft { applies: self.applies_changes(scope, kind, &draft).await, ..draft };
        let (value, truncated, warnings) = match self.form {
            ProgramAnswerForm::Streams => {
                let (answer, truncated) = RunOutput::of_run(scope, run, left_out, written)?;
                let answer = answer.with_defined_limit(self.limit, scope);
                let value =
                    serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))?;
                (value, truncated, Vec::new())
            }
            ProgramAnswerForm::Json => {
                let written = written.iter().map(|writes| format!("written without a review: {writes}"));
                let warnings = left_out.into_iter().chain(written).collect();
                (answer::read_json(call.call().tool(), &run)?, false, warnings)
            }
        };
        // An answer by the definition's own schema describes no change where there is none.
        let is_plain = self.form == ProgramAnswerForm::Json && draft.changes.is_empty();
        let output = if is_plain {
            ActivityOutput::from_value(value)
        } else {
            ActivityOutput::from_change(draft, value)
        };
        Ok(ActivityOutput { truncated, warnings, ..output })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::{ToolRunner, load_catalogue};
    use crate::sandbox::{SandboxLauncher, SandboxLevel};
    use crate::upstream::consents::Consents;

    fn effects(path: &str, sandbox: &str, args: Value) -> CallEffects {
        let text = format!(
            "tool:\n  name: mine.cut\n  description: Cuts.\n  command: [ffmpeg, -i, \"{{{{ path }}}}\", \"-t{{{{seconds}}}}s\", \
             \"{{{{none}}}}\"]\n  {sandbox}\n  input_schema:\n    type: object\n    properties:\n      path: {{ type: \
             string, description: It }}\n      seconds: {{ type: number, description: It }}\n      none: {{ type: string, \
             description: It }}\n      why: {{ type: string, description: Why }}\n    required: [path, why]\n"
        );
        let loaded = load_catalogue(&[], &[(path.to_owned(), text)], &|_| true);
        assert_eq!(loaded.problems, []);
        let def = loaded.tools.last().unwrap();
        let Some(ToolRunner::Command { command }) = &def.runs else { panic!("no command") };
        let executor =
            Arc::new(CommandExecutor::new(SandboxLauncher::own().assume_level(SandboxLevel::Namespaces)));
        let consents = Arc::new(Consents::in_file(None));
        let consent =
            def.is_of_project().then(|| ProgramConsent::new(def, command, consents, "/nonexistent"));
        ProgramTool::new(def, command, executor, consent).call_effects(args.as_object().unwrap())
    }

    #[test]
    fn a_definition_names_what_it_runs_and_reaches() {
        let args = json!({ "path": "a b; rm -rf {{seconds}}", "seconds": 2.5 });
        let command = ["ffmpeg", "-i", "a b; rm -rf {{seconds}}", "-t2.5s"].map(str::to_owned);
        let expected =
            CallEffects { command: Some(command.to_vec()), of_project: true, ..CallEffects::default() };
        assert_eq!(effects(".wherefore/tools/a.yaml", "sandbox: { timeout_ms: 9 }", args.clone()), expected);
        let network = vec![NetworkTarget::Host("crates.io".to_owned()), NetworkTarget::Any];
        assert_eq!(
            effects("/settings/tools/a.yaml", "sandbox: { network: true, hosts: [crates.io] }", args),
            CallEffects { network, confined: true, of_project: false, ..expected }
        );
    }
}
