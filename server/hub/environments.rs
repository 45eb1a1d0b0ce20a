//! The environments of tools: the activities that settings and definitions name, made ready to run.

use std::sync::Arc;

use serde_json::Value;

use super::definition_files::with_absolute_path;
use super::unusable_activity::UnusableActivity;
use crate::base::OWN_DIR;
use crate::base::nearest::{likely_name, nearest_names};
use crate::catalogue::{
    self, DefinitionProblem, Risk, StandIn, ToolCatalogue, ToolDef, ToolRunner, folded_name, is_of_project,
};
use crate::protocol::{ActivitySettings, Settings};
use crate::registry::{Activities, EnvironmentActivity, Environments, RefusedActivities, RefusedActivity};
use crate::session::WorkspaceSession;
use crate::upstream::Upstreams;

/// The environments, and the problems of their settings and definitions.
#[derive(Debug, Default)]
pub(super) struct BuiltEnvironments {
    pub(super) environments: Environments,
    /// The activities that may not run the tools that they name, or seem to mean.
    pub(super) refused: RefusedActivities,
    /// A sentence for each problem of the settings.
    pub(super) problems: Vec<String>,
}

impl BuiltEnvironments {
    /// Notes that a named activity may not run the tool that it is meant for. A key that is none of an activity's spoils the
    /// activity that it stands in.
    fn refuse(&mut self, named: &NamedActivity<'_>, def: &ToolDef, wrong: &str) {
        let refused = named.refused_activity(&def.name, wrong);
        let is_key = named.tool.strip_prefix(&def.name).is_some_and(|rest| rest.starts_with('.'));
        let counts = !named.is_of_project || def.is_of_project();
        let own = self.environments.get_mut(named.environment).and_then(|all| all.get_mut(&def.name));
        if let Some(own) = own.filter(|_| is_key && counts) {
            *own = refused.refusing.clone();
        }
        let all = self.refused.entry(named.environment.to_owned()).or_default();
        all.entry(def.name.clone()).or_insert(refused);
    }
}

/// The activity of one tool in one environment, as the settings or a definition name it.
struct NamedActivity<'a> {
    environment: &'a str,
    tool: &'a str,
    runs: Result<ActivityKind<'a>, String>,
    is_of_project: bool,
    /// The definition file with the line; none if the settings name the activity.
    place: Option<&'a (String, u32)>,
    /// True if the problem of its definition is reported already.
    is_reported: bool,
}

impl NamedActivity<'_> {
    /// Describes the place that names it.
    fn describe_place(&self) -> String {
        let whose = if self.is_of_project { "the project's" } else { "the person's" };
        match self.place {
            Some((path, line)) => format!("{path}, line {line},"),
            None => format!("[activities.{}] in {whose} settings", self.environment),
        }
    }

    /// Returns the activity that refuses each call of `tool`, for the reason `wrong`.
    fn refusing_activity(&self, tool: &str, wrong: &str) -> EnvironmentActivity {
        let refusing = UnusableActivity {
            environment: self.environment.to_owned(),
            wrong: wrong.to_owned(),
            place: self.describe_place(),
        };
        let words = "nothing that can run".to_owned();
        EnvironmentActivity { name: tool.to_owned(), code: Some(Arc::new(refusing)), words }
    }

    /// Returns what becomes of the calls of `tool`, which it may not run for the reason `wrong`.
    fn refused_activity(&self, tool: &str, wrong: &str) -> RefusedActivity {
        let wrong = if tool == self.tool { wrong.to_owned() } else { format!("{}: {wrong}", self.tool) };
        let (place, environment) = (self.describe_place(), self.environment);
        RefusedActivity {
            refusing: self.refusing_activity(tool, &wrong),
            warning: format!(
                "{place} names another activity for {tool} in the environment {environment}, which is not used: {wrong}"
            ),
        }
    }
}

/// The reason why a named activity replaces no tool, with the index of the tool that it is meant for.
struct MisplacedActivity {
    tool: Option<usize>,
    wrong: String,
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
        for made in make_all(one, catalogue, upstreams, activities, projects) {
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
                Err(MisplacedActivity { tool, wrong }) => {
                    if let Some(def) = tool.map(|at| &catalogue.tools[at]) {
                        built.refuse(one, def, &wrong);
                    }
                    Some(wrong)
                }
            };
            let Some(wrong) = wrong.filter(|_| !one.is_reported) else { continue };
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
            is_reported: false,
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
            runs: match (&one.wrong, &one.runs, one.activity.as_deref()) {
                (Some(wrong), ..) => Err(wrong.clone()),
                (None, Some(runs), _) => Ok(ActivityKind::Runs(runs.clone())),
                (None, None, Some(name)) if !name.is_empty() => Ok(ActivityKind::BuiltIn(name)),
                (None, None, _) => Ok(ActivityKind::Latent),
            },
            is_of_project: is_of_project(&one.place.0),
            place: Some(&one.place),
            is_reported: one.wrong.is_some(),
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

/// An activity that is made, with the index of its tool and the risk of running it.
type PlacedActivity = (usize, MadeActivity, Risk);

/// Makes an activity for each tool that it is named for, or says why it replaces none.
fn make_all(
    named: &NamedActivity<'_>,
    catalogue: &ToolCatalogue,
    upstreams: &Upstreams,
    activities: &Activities,
    projects: Option<&str>,
) -> Vec<Result<PlacedActivity, MisplacedActivity>> {
    match find(catalogue, upstreams, named.tool) {
        Ok(all) => {
            all.into_iter().map(|at| make((named, at), catalogue, upstreams, activities, projects)).collect()
        }
        Err(misplaced) => vec![Err(misplaced)],
    }
}

/// Makes an activity for the tool at an index. An activity that cannot run refuses each call: the code that it was to replace
/// does not run either.
///
/// # Errors
/// The reason why it replaces no tool, with the tool that it is meant for.
fn make(
    (named, at): (&NamedActivity<'_>, usize),
    catalogue: &ToolCatalogue,
    upstreams: &Upstreams,
    activities: &Activities,
    projects: Option<&str>,
) -> Result<PlacedActivity, MisplacedActivity> {
    let misplaced = |wrong: &str| MisplacedActivity { tool: Some(at), wrong: wrong.to_owned() };
    let def = &catalogue.tools[at];
    if named.is_of_project && !def.is_of_project() {
        if def.source.is_none() && def.runs.is_none() {
            return Err(misplaced("it is a built-in tool, which only the person's settings replace"));
        }
        if projects == Some(named.environment) {
            return Err(misplaced(
                "it is a tool of the person's, and the environment is one that the project chose: it is replaced where the \
                 person chooses the environment",
            ));
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
            let activity = named.refusing_activity(&def.name, &wrong);
            (at, MadeActivity { activity, wrong: Some(wrong) }, Risk::Read)
        }
    })
}

/// Returns the index of the tool of that name or alias; else those of the tools whose definitions name such an `_activity`.
///
/// # Errors
/// There is no such tool; the one that the name is most likely meant for comes with it.
fn find(
    catalogue: &ToolCatalogue,
    upstreams: &Upstreams,
    name: &str,
) -> Result<Vec<usize>, MisplacedActivity> {
    let is_named =
        |def: &ToolDef, name: &str| def.all_names().iter().any(|own| folded_name(own) == folded_name(name));
    let position = |name: &str| catalogue.tools.iter().position(|def| is_named(def, name));
    if let Some(at) = position(name) {
        return Ok(vec![at]);
    }
    let all = catalogue.tools.iter().enumerate();
    let users: Vec<usize> =
        all.filter(|(_, def)| def.activity.as_deref() == Some(name)).map(|(at, _)| at).collect();
    if !users.is_empty() {
        return Ok(users);
    }
    // A key that is none of an activity's has become a part of the name.
    let above =
        name.match_indices('.').rev().find_map(|(at, _)| Some((position(&name[..at])?, &name[at + 1..])));
    if let Some((at, rest)) = above {
        let key = rest.split('.').next().unwrap_or(rest);
        let (tool, kinds) = (&catalogue.tools[at].name, ActivitySettings::KINDS.join(", "));
        let wrong = format!("there is no such tool; if it is meant for {tool}, `{key}` is none of {kinds}");
        return Err(MisplacedActivity { tool: Some(at), wrong });
    }
    let names = || catalogue.tools.iter().map(|tool| tool.name.as_str());
    // A server lists its tools once it runs.
    let is_servers = name.split('.').next().is_some_and(|server| upstreams.has_server(server));
    let tool = likely_name(name, names()).filter(|_| !is_servers).and_then(position);
    let wrong = match nearest_names(name, names(), 1).first() {
        Some(near) => format!("there is no such tool; did you mean {near}?"),
        None => "there is no such tool".to_owned(),
    };
    Err(MisplacedActivity { tool, wrong })
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
