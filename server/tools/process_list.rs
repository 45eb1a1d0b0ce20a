//! process.list: the commands in the background, and with the person's yes the processes of the machine.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::background::ProcessStatus;
use super::machine_processes;
use super::off_thread;
use crate::execution::CommandExecutor;
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Lists the commands in the background.
pub(super) struct ListProcesses(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ProcessListInput {
    /// Only commands that hold this text.
    filter: Option<String>,
    /// Lists the processes of the machine too.
    #[serde(default)]
    machine: bool,
}

/// A command in the background, or a process of the machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedProcess {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    cmd: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(flatten)]
    status: ProcessStatus,
}

impl Activity for ListProcesses {
    type Input = ProcessListInput;
    type Output = Vec<ListedProcess>;

    fn call_effects(&self, input: &ProcessListInput) -> CallEffects {
        CallEffects { processes: input.machine, ..CallEffects::default() }
    }

    async fn run_call(
        &self,
        input: Arc<ProcessListInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Vec<ListedProcess>>, Fault> {
        let holds = |argv: &[String]| {
            input
                .filter
                .as_ref()
                .is_none_or(|text| argv.join(" ").to_lowercase().contains(&text.to_lowercase()))
        };
        let all = self.0.background_commands().all().into_iter();
        let started = all.filter(|(_, process)| holds(&process.argv)).map(|(id, process)| ListedProcess {
            status: ProcessStatus::from_process(&process, self.0.ports_of(&id)),
            id: Some(id.to_string()),
            pid: None,
            cmd: process.argv.clone(),
            why: Some(process.why.clone()),
        });
        let mut listed: Vec<ListedProcess> = started.collect();
        if input.machine {
            let of_machine = off_thread(scope, |_| machine_processes::list_processes()).await?;
            let of_machine = of_machine.into_iter().filter(|process| holds(&process.argv));
            listed.extend(of_machine.map(|process| ListedProcess {
                id: None,
                pid: Some(process.pid),
                cmd: process.argv,
                why: None,
                status: ProcessStatus::of_running(process.age_ms, Vec::new()),
            }));
        }
        let limit = scope.settings().limits.output_items;
        let truncated = listed.len() > limit;
        listed.truncate(limit);
        let warnings = describe_empty_list(&input, listed.is_empty()).into_iter().collect();
        Ok(ActivityOutput { truncated, warnings, ..ActivityOutput::from_value(listed) })
    }
}

/// Says what an empty list was taken from, and how to see more.
fn describe_empty_list(input: &ProcessListInput, is_empty: bool) -> Option<String> {
    let holds = |text: &String| format!(" that holds {text:?}");
    let held = input.filter.as_ref().map(holds).unwrap_or_default();
    is_empty.then(|| match input.machine {
        false => format!(
            "no command{held} was started by terminal.run with `background`; `machine: true` lists the processes of the \
             machine, once the person says yes"
        ),
        true => format!("no command in the background and no process of the machine{held} is there"),
    })
}
