//! The environments of tools: the activities that settings and definitions name, made ready to run.

use std::sync::Arc;

use serde_json::Value;

use super::definition_files::with_absolute_path;
use crate::base::OWN_DIR;
use crate::base::nearest::nearest_names;
use crate::catalogue::{
    self, DefinitionProblem, Risk, StandIn, ToolCatalogue, ToolDef, ToolRunner, folded_name, is_of_project,
};
use crate::protocol::{ActivitySettings, CallEffects, Code, Fault, Settings};
use crate::registry::{
    Activities, Activity, ActivityOutput, AnyInput, CheckedCall, EnvironmentActivity, Environments,
    PermittedCall,
};
use crate::session::{CallScope, WorkspaceSession};
use crate::upstream::Upstreams;

/// The environments, and the problems of their settings and definitions.
#[derive(Debug, Default)]
pub(super) struct BuiltEnvironments {
    pub(super) environments: Environments,
    /// A sentence for each problem of the settings.
    pub(super) problems: Vec<String>,
}

/// The activity of one tool in one environment, as the settings or a definition name it.
struct NamedActivity<'a> {
    environment: &'a str,
    tool: &'a str,
    runs: Result<ActivityKind<'a>, String>,
    is_of_project: bool,
    /// The definition file with the line; none if the settings name the activity.
    place: Option<&'a (String, u32)>,
}

enum ActivityKind<'a> {
    Runs(ToolRunner),
    BuiltIn(&'a str),
    Latent,
}

/// Makes the activities that environments name. The person's choice precedes the project's, and settings precede
/// definitions. A tool runs at the highest risk of its activities, in any environment.
pub(super) fn build(
    session: &WorkspaceSession,
    catalogue: &mut ToolCatalogue,
    upstreams: &Upstreams,
    activities: &Activities,
    projects: Option<&str>,
) -> BuiltEnvironments {
    let settings = session.workspace().settings();
    let stand_ins = catalogue.stand_ins.clone();
    let mut named: Vec<NamedActivity<'_>> =
        of_settings(&settings).chain(of_definitions(&stand_ins)).collect();
    named.sort_by_key(|one| (one.is_of_project, one.place.is_some()));
    let mut built = BuiltEnvironments::default();
    for environment in settings.activities.keys() {
        built.environments.entry(environment.clone()).or_default();
    }
    for one in &named {
        let made = make(one, catalogue, upstreams, activities, projects);
        let wrong = match made {
            Ok((at, activity, risk)) => {
                let def = &mut catalogue.tools[at];
                def.risk = def.risk.max(risk);
                let own = built.environments.entry(one.environment.to_owned()).or_default();
                match own.get(&def.name) {
                    Some(before) => Some(format!("{} runs it there already", before.words)),
                    None => {
                        let wrong = activity.wrong.clone();
                        own.insert(def.name.clone(), activity.into());
                        wrong
                    }
                }
            }
            Err(wrong) => Some(wrong),
        };
        let Some(wrong) = wrong else { continue };
        let message = format!("{} in the environment {}: {wrong}", one.tool, one.environment);
        match one.place {
            None => built.problems.push(format!("activities: {message}")),
            Some((path, line)) => {
                let (path, line, rule) = (path.clone(), *line, "stand-in");
                let problem = DefinitionProblem { path, line, rule, message, is_warning: false };
                catalogue.problems.push(with_absolute_path(session, problem));
            }
        }
    }
    built
}

fn of_settings(settings: &Settings) -> impl Iterator<Item = NamedActivity<'_>> {
    settings.activities.iter().flat_map(|(environment, tools)| {
        tools.iter().map(|(tool, activity)| NamedActivity {
            environment,
            tool,
            runs: activity.check().map(|()| kind(activity)),
            is_of_project: activity.of_project,
            place: None,
        })
    })
}

fn kind(settings: &ActivitySettings) -> ActivityKind<'_> {
    let ActivitySettings { command, mcp_server, remote_tool, activity, answer, .. } = settings;
    if let Some(command) = command.clone() {
        ActivityKind::Runs(ToolRunner::Command { command })
    } else if let Some(mcp_server) = mcp_server.clone() {
        ActivityKind::Runs(ToolRunner::Remote { mcp_server, remote_tool: remote_tool.clone() })
    } else if let Some(answer) = answer.clone() {
        ActivityKind::Runs(ToolRunner::Answer { answer })
    } else {
        activity.as_deref().map_or(ActivityKind::Latent, ActivityKind::BuiltIn)
    }
}

fn of_definitions(stand_ins: &[StandIn]) -> impl Iterator<Item = NamedActivity<'_>> {
    stand_ins.iter().flat_map(|one| {
        one.environments.iter().map(|environment| NamedActivity {
            environment,
            tool: &one.tool,
            runs: Ok(match (&one.runs, one.activity.as_deref()) {
                (Some(runs), _) => ActivityKind::Runs(runs.clone()),
                (None, Some(name)) if !name.is_empty() => ActivityKind::BuiltIn(name),
                (None, _) => ActivityKind::Latent,
            }),
            is_of_project: is_of_project(&one.place.0),
            place: Some(&one.place),
        })
    })
}

/// An activity, with the problem that prevents it from running.
struct MadeActivity {
    activity: EnvironmentActivity,
    wrong: Option<String>,
}

impl From<MadeActivity> for EnvironmentActivity {
    fn from(made: MadeActivity) -> Self {
        made.activity
    }
}

/// Makes an activity, and returns it with the index of its tool and the risk of running it. An activity that cannot run refuses
/// each call: the code that it was to replace does not run either.
///
/// # Errors
/// The reason why it replaces no tool.
fn make(
    named: &NamedActivity<'_>,
    catalogue: &ToolCatalogue,
    upstreams: &Upstreams,
    activities: &Activities,
    projects: Option<&str>,
) -> Result<(usize, MadeActivity, Risk), String> {
    let at = find(catalogue, named.tool)?;
    let def = &catalogue.tools[at];
    if named.is_of_project && !def.is_of_project() {
        if def.source.is_none() && def.runs.is_none() {
            return Err("it is a built-in tool, which only the person's settings replace".to_owned());
        }
        if projects == Some(named.environment) {
            return Err("it is a tool of the person's, and the environment is one that the project chose: it is replaced \
                        where the person chooses the environment"
                .to_owned());
        }
    }
    let activity = |code, words: String| EnvironmentActivity { name: def.name.clone(), code, words };
    let made = match &named.runs {
        Err(wrong) => Err(wrong.clone()),
        Ok(ActivityKind::Latent) => {
            let latent = EnvironmentActivity { name: String::new(), code: None, words: "latent".to_owned() };
            Ok((latent, Risk::Read))
        }
        Ok(ActivityKind::BuiltIn(name)) => {
            match activities.get(name).filter(|_| activities.has_activity(name)) {
                None => Err(format!("there is no built-in tool {name:?} whose code could run it")),
                Some(code) => {
                    let risk = catalogue
                        .tools
                        .iter()
                        .find(|tool| tool.name == *name)
                        .map_or(Risk::Network, |tool| tool.risk);
                    let words = format!("the code of {name}");
                    Ok((EnvironmentActivity { name: (*name).to_owned(), code: Some(code), words }, risk))
                }
            }
        }
        Ok(ActivityKind::Runs(runs)) => runnable(named, def, runs, upstreams).and_then(|(runner, risk)| {
            let code = upstreams.remote_activity(&runner).ok_or("nothing runs it")?;
            Ok((activity(Some(code), runs.words()), risk))
        }),
    };
    Ok(match made {
        Ok((activity, risk)) => (at, MadeActivity { activity, wrong: None }, risk),
        Err(wrong) => {
            let refused =
                UnusableActivity { environment: named.environment.to_owned(), wrong: wrong.clone() };
            let activity = activity(Some(Arc::new(refused)), "nothing that can run".to_owned());
            (at, MadeActivity { activity, wrong: Some(wrong) }, Risk::Read)
        }
    })
}

/// Returns the index of the tool of that name or alias.
fn find(catalogue: &ToolCatalogue, name: &str) -> Result<usize, String> {
    let is_named = |def: &ToolDef| def.all_names().iter().any(|own| folded_name(own) == folded_name(name));
    catalogue.tools.iter().position(is_named).ok_or_else(|| {
        let names = catalogue.tools.iter().map(|tool| tool.name.as_str());
        match nearest_names(name, names, 1).first() {
            Some(near) => format!("there is no such tool; did you mean {near}?"),
            None => "there is no such tool".to_owned(),
        }
    })
}

/// Returns the tool's definition with its runner in the environment, and the risk of running it.
fn runnable(
    named: &NamedActivity<'_>,
    def: &ToolDef,
    runs: &ToolRunner,
    upstreams: &Upstreams,
) -> Result<(ToolDef, Risk), String> {
    let risk = match runs {
        ToolRunner::Command { command } => {
            let is_argument = |name: &str| def.argument_names().any(|own| own == name);
            if command.first().is_none_or(|program| program.trim().is_empty() || program.contains("{{")) {
                return Err("the first text of `command` is the program, as it is called".to_owned());
            }
            catalogue::find_placeholder_problem(command, &is_argument).map_or(Ok(Risk::Execute), Err)?
        }
        ToolRunner::Remote { mcp_server, .. } if named.is_of_project && upstreams.is_persons(mcp_server) => {
            return Err(format!(
                "{mcp_server} is a server of the person's: only their settings put a tool of it here"
            ));
        }
        ToolRunner::Remote { mcp_server, remote_tool } => {
            let last = def.name.rsplit('.').next().unwrap_or(&def.name);
            upstreams.tool_risk(mcp_server, remote_tool.as_deref().unwrap_or(last))
        }
        ToolRunner::Answer { answer } => check_answer(def, answer).map(|()| Risk::Read)?,
    };
    let source = named.is_of_project.then(|| format!("{OWN_DIR}/config.toml"));
    Ok((ToolDef { runs: Some(runs.clone()), activity: None, source, ..def.clone() }, risk))
}

/// Refuses an answer that breaks the tool's output schema.
fn check_answer(def: &ToolDef, answer: &Value) -> Result<(), String> {
    let Some(schema) = &def.output_schema else { return Ok(()) };
    // A schema that does not compile is refused when it is read.
    let Ok(validator) = catalogue::compile_schema(schema) else { return Ok(()) };
    match validator.validate(answer) {
        Ok(()) => Ok(()),
        Err(error) => {
            let message: String = error.masked_with("it").to_string().chars().take(200).collect();
            let at = error.instance_path().as_str().to_owned();
            let place = if at.is_empty() { String::new() } else { format!(" at {at}") };
            Err(format!("the answer breaks the tool's `output_schema`{place}: {message}"))
        }
    }
}

/// The activity in place of a named one that cannot run.
struct UnusableActivity {
    environment: String,
    wrong: String,
}

impl Activity for UnusableActivity {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        CallEffects::default()
    }

    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault> {
        let (tool, Self { environment, wrong }) = (call.tool().name(), self);
        let message = format!("nothing runs {tool} in the environment {environment}: {wrong}");
        Err(Fault::new(Code::Unsupported, message)
            .with_suggestion("ask the person to mend what the settings or the definitions say of it"))
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        call: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        Err(self.ensure_ready(call.call()).err().unwrap_or_else(|| Fault::internal("nothing runs the tool")))
    }
}
