//! From a raw call to a checked one: the tool, the arguments, the reason, the schema, the activity.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::{Map, Value};

use super::arguments::{self, CallMeta};
use super::call_judgement::{AskedCall, CallJudgement};
use super::unfit_call::{NoTool, UnfitCall};
use super::{Activities, ActivityConsent, CheckedCall, CompiledTool, DefinitionChanges};
use crate::base::CallId;
use crate::base::nearest::nearest_names;
use crate::catalogue::{DefinitionProblem, ToolAlias, ToolDef, folded_name};
use crate::model::arguments::{ArgumentRepair, fit_arguments};
use crate::protocol::{CallContext, Door, Fault, Origin, RawCall, ToolSummary, WhySettings};

/// A call that was refused before it ran, with its record for the log.
#[derive(Debug)]
pub struct RefusedCall {
    /// Its id.
    pub call_id: CallId,
    /// The tool's dotted name, or the name asked for where there is no such tool.
    pub tool: String,
    /// The arguments that were understood; arguments that are no object are under `arguments`.
    pub args: Map<String, Value>,
    /// The caller.
    pub origin: Origin,
    /// The model's comments on its own arguments, by path.
    pub comments: BTreeMap<String, String>,
    /// The call whose answer led to it.
    pub follows: Option<CallId>,
    /// The reason why it was refused.
    pub fault: Fault,
}

/// The number of tools that a fault names.
const NEAR: usize = 3;

/// A name that a tool answers to.
#[derive(Debug)]
struct ToolName {
    tool: usize,
    /// The index of the alias that it was named by.
    alias: Option<usize>,
}

/// The tools at one time, by name.
#[derive(Debug, Default)]
struct NamedTools {
    list: Vec<Arc<CompiledTool>>,
    names: HashMap<String, ToolName>,
}

/// Every tool, and every activity. The tools may be swapped for others while it is in use.
pub struct ToolRegistry {
    tools: RwLock<Arc<NamedTools>>,
    activities: Arc<Activities>,
    /// The problems of definitions that were refused, by their folded names.
    refused: RwLock<HashMap<String, DefinitionProblem>>,
    changes: DefinitionChanges,
    /// The reasons why tools of servers are missing, by the folded prefix of a server's tools.
    absent: RwLock<Vec<(String, Fault)>>,
}

impl NamedTools {
    /// Of definitions with one name the first counts; the loader refuses the others. What is as it was in `before`
    /// keeps its compiled schemas.
    fn new(definitions: Vec<ToolDef>, before: &Self) -> Self {
        let tool = |def: ToolDef| match before.find_named(&def.name) {
            Some((known, None)) if *known.def() == def => known.clone(),
            _ => Arc::new(CompiledTool::new(def)),
        };
        let mut names = HashMap::new();
        let tools: Vec<_> = definitions.into_iter().map(tool).collect();
        for (tool, def) in tools.iter().map(|tool| tool.def()).enumerate() {
            names.entry(def.name.clone()).or_insert(ToolName { tool, alias: None });
        }
        for (tool, def) in tools.iter().map(|tool| tool.def()).enumerate() {
            for (at, alias) in def.aliases.iter().enumerate() {
                names.entry(alias.name.clone()).or_insert(ToolName { tool, alias: Some(at) });
            }
            names.entry(folded_name(&def.name)).or_insert(ToolName { tool, alias: None });
        }
        Self { list: tools, names }
    }

    fn find_named(&self, name: &str) -> Option<(&Arc<CompiledTool>, Option<&ToolAlias>)> {
        let found = self.names.get(name)?;
        let tool = self.list.get(found.tool)?;
        Some((tool, found.alias.and_then(|alias| tool.def().aliases.get(alias))))
    }
}

impl ToolRegistry {
    /// Brings definitions and activities together. Of definitions with one name the first counts; the loader
    /// refuses the others.
    pub fn new(definitions: Vec<ToolDef>, activities: Arc<Activities>) -> Self {
        let tools = Arc::new(NamedTools::new(definitions, &NamedTools::default()));
        let (refused, absent, changes) = (RwLock::default(), RwLock::default(), DefinitionChanges::default());
        Self { tools: RwLock::new(tools), activities, refused, changes, absent }
    }

    /// Puts other definitions in place of all; calls already resolved keep theirs. Returns whether that changes
    /// anything.
    pub fn replace_tools(&self, definitions: Vec<ToolDef>) -> bool {
        let before = self.current_tools();
        let same = before.list.iter().map(|tool| tool.def()).eq(&definitions);
        if !same {
            let now = NamedTools::new(definitions, &before);
            *self.tools.write() = Arc::new(now);
        }
        !same
    }

    /// Remembers which tools are missing since their definitions were refused, and why.
    pub fn set_refused(&self, refused: HashMap<String, DefinitionProblem>) {
        *self.refused.write() = refused;
    }

    /// Remembers why all tools of some servers are missing, by the prefix of the tools' names.
    pub fn set_absent(&self, servers: impl IntoIterator<Item = (String, Fault)>) {
        *self.absent.write() =
            servers.into_iter().map(|(prefix, fault)| (folded_name(&prefix), fault)).collect();
    }

    /// Why a tool is missing whose server lists none.
    fn absence(&self, name: &str) -> Option<Fault> {
        let name = folded_name(name);
        let absent = self.absent.read();
        let of_server = |prefix: &str| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
        };
        absent.iter().find(|(prefix, _)| of_server(prefix)).map(|(_, fault)| fault.clone())
    }

    fn current_tools(&self) -> Arc<NamedTools> {
        self.tools.read().clone()
    }

    /// Every tool, in the order of the definitions.
    pub fn tools(&self) -> Vec<Arc<CompiledTool>> {
        self.current_tools().list.clone()
    }

    /// The tool of that name or alias.
    pub fn find_tool(&self, name: &str) -> Option<Arc<CompiledTool>> {
        self.current_tools().find_named(name).map(|(tool, _)| tool.clone())
    }

    /// The changes of the files that define tools.
    pub fn changes(&self) -> &DefinitionChanges {
        &self.changes
    }

    /// The activities, to swap them.
    pub fn activities(&self) -> &Arc<Activities> {
        &self.activities
    }

    /// The name of the activity that runs a tool in an environment, the active one where none is named; empty means latent.
    pub fn activity_of(&self, tool: &CompiledTool, environment: Option<&str>) -> String {
        let chosen = self.activities.choose(tool, environment);
        // No call of it goes through where there is no such environment.
        chosen.map_or_else(|_| tool.name().to_owned(), |chosen| chosen.name)
    }

    /// Describes the activity of a tool in the active environment.
    pub fn runner_of(&self, tool: &CompiledTool) -> String {
        let chosen = match self.activities.choose(tool, None) {
            Ok(chosen) => chosen,
            Err(unknown) => return format!("nothing: {unknown}"),
        };
        match (chosen.environment, &tool.def().runs) {
            (Some(words), _) => words,
            (None, Some(runs)) => runs.words(),
            (None, None) if chosen.code.is_none() => "latent".to_owned(),
            (None, None) => format!("the code of {}", chosen.name),
        }
    }

    /// The active environment with its activity in words, if that activity replaces the one of the tool's definition.
    pub fn environment_of(&self, tool: &CompiledTool) -> Option<String> {
        self.activities.choose(tool, None).ok()?.environment
    }

    /// The consents that the person can give to tools whose code the project chose, each with its tool's name.
    pub fn offered_consents(&self) -> Vec<(String, Arc<dyn ActivityConsent>)> {
        let offered = |tool: &Arc<CompiledTool>| {
            let consent = self.activities.choose(tool, None).ok()?.code?.offered_consent()?;
            Some((tool.name().to_owned(), consent))
        };
        self.current_tools().list.iter().filter_map(offered).collect()
    }

    /// Every tool in a line, for lists.
    pub fn tool_summaries(&self) -> Vec<ToolSummary> {
        let summary = |tool: &Arc<CompiledTool>| ToolSummary {
            name: tool.name().to_owned(),
            category: tool.def().category.clone(),
            summary: tool.def().summary.clone(),
            risk: tool.def().risk,
            activity: self.activity_of(tool, None),
            environment: self.environment_of(tool),
            aliases: tool.def().aliases.iter().map(|alias| alias.name.clone()).collect(),
        };
        self.current_tools().list.iter().map(summary).collect()
    }

    /// The fault for a name that no tool has, with the nearest ones that there are; or with what is wrong with its
    /// definition, where that was refused.
    pub fn not_found(&self, name: &str) -> Fault {
        self.absence(name).unwrap_or_else(|| self.no_tool(name).into())
    }

    fn no_tool(&self, name: &str) -> NoTool {
        let asked: String = name.chars().take(100).collect();
        if let Some(problem) = self.refused.read().get(&folded_name(&asked)) {
            return NoTool::Refused { asked, problem: problem.clone() };
        }
        let tools = self.current_tools();
        let known = tools.list.iter().flat_map(|tool| {
            let aliases = tool.def().aliases.iter().map(|alias| alias.name.as_str());
            std::iter::once(tool.name()).chain(aliases)
        });
        let near = nearest_names(&asked, known, NEAR).into_iter().map(str::to_owned).collect();
        let missing = self.absent.read().iter().map(|(_, fault)| fault.message.clone()).collect();
        NoTool::Unknown { asked, near, missing }
    }

    /// Checks a raw call. `call_id` is asked for once, whatever the outcome, since a refused call is logged too.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, MISSING_WHY, INVALID_ARGS (every violation at once, in `details.violations`) or
    /// QUOTA_EXCEEDED, with what the log needs.
    pub fn resolve_call(
        &self,
        raw: RawCall,
        call_id: impl FnOnce() -> CallId,
        settings: &WhySettings,
    ) -> Result<CheckedCall, Box<RefusedCall>> {
        let RawCall { tool: asked, arguments, origin, comments, activity, environment, policy, root, lead } =
            raw;
        let CallContext { follows, warning, refusal: bar } = lead;
        let call_id = call_id();
        let (is_native, is_fitted) = (origin.door.is_native(), origin.door == Door::Mcp);
        let args = Map::new();
        let mut came = ReceivedCall { tool: asked, args, comments, environment, bar, is_native, is_fitted };
        match self.fit_call(&mut came, arguments, activity, settings) {
            Ok(FittedCall { tool, args, mut judged }) => {
                judged.warnings.extend(warning);
                let comments = came.comments;
                Ok(CheckedCall { id: call_id, tool, args, judged, origin, comments, follows, policy, root })
            }
            Err(unfit) => {
                let ReceivedCall { tool, args, comments, .. } = came;
                Err(RefusedCall { call_id, tool, args, origin, comments, follows, fault: unfit.into() }
                    .into())
            }
        }
    }

    /// Resolves the received parts to a call, or leaves the record for the log in `came`.
    fn fit_call(
        &self,
        came: &mut ReceivedCall,
        arguments: Value,
        activity: Option<String>,
        settings: &WhySettings,
    ) -> Result<FittedCall, UnfitCall> {
        let mut args = match arguments::read_object(arguments) {
            Ok(args) => args,
            Err(bad) => {
                let (args, unfit) = *bad;
                came.args = Map::from_iter([("arguments".to_owned(), args)]);
                if let Some(tool) = self.find_tool(&came.tool) {
                    came.tool = tool.name().to_owned();
                }
                return Err(unfit);
            }
        };
        let mut meta = arguments::split_meta(&mut args);
        meta.activity = activity.map(Value::String).or(meta.activity);
        match arguments::read_comments(meta.comments.take()) {
            Ok(comments) => came.comments.extend(comments),
            Err(unfit) => {
                came.args = args;
                return Err(unfit);
            }
        }
        let tools = self.current_tools();
        let (tool, alias) = match self.find_called(&tools, &came.tool, &meta) {
            Ok(found) => found,
            Err(unfit) => {
                came.args = args;
                return Err(unfit);
            }
        };
        came.tool = tool.name().to_owned();
        if let Some(alias) = alias {
            args = arguments::translate_alias(args, alias);
        }
        if let Some(second) = arguments::place_why(&mut args, meta.reasoning.take()) {
            came.comments.entry("args.why".to_owned()).or_insert(second);
        }
        if came.is_native {
            arguments::state_no_why(&mut args);
        }
        let mut repairs = Vec::new();
        if came.is_fitted {
            let fitted = fit_arguments(args, &tool.def().input_schema);
            // A null means the same as its absence, and some clients send it with each call.
            let is_told = |repair: &ArgumentRepair| *repair != ArgumentRepair::NullForAbsent;
            repairs = fitted.repairs.into_iter().filter(is_told).map(|repair| repair.to_string()).collect();
            args = fitted.value;
        }
        let args = Value::Object(args);
        let judged = match came.bar.take() {
            Some(fault) => Err(UnfitCall::Barred(fault)),
            None => {
                let environment = came.environment.as_deref();
                AskedCall { tool, alias, args: &args, meta, environment, is_native: came.is_native }
                    .judge_arguments(&self.activities, settings)
                    .map_err(|error| UnfitCall::Call { tool: tool.clone(), error })
            }
        };
        match judged {
            Ok(mut judged) => {
                judged.warnings.extend(repairs);
                Ok(FittedCall { tool: tool.clone(), args, judged })
            }
            Err(unfit) => {
                came.args = if let Value::Object(args) = args { args } else { Map::new() };
                Err(unfit)
            }
        }
    }

    /// Finds the tool by the call's name, or by `_tool` where the call has none.
    fn find_called<'a>(
        &self,
        tools: &'a NamedTools,
        asked: &str,
        meta: &CallMeta,
    ) -> Result<(&'a Arc<CompiledTool>, Option<&'a ToolAlias>), UnfitCall> {
        let inner = meta.tool.as_ref().and_then(Value::as_str);
        let name = if asked.is_empty() { inner.unwrap_or_default() } else { asked };
        let found = tools.find_named(name).ok_or_else(|| match self.absence(name) {
            Some(fault) => UnfitCall::Barred(fault),
            None => self.no_tool(name).into(),
        })?;
        match inner.and_then(|inner| tools.find_named(inner)) {
            Some((other, _)) if !Arc::ptr_eq(other, found.0) => {
                let (called, inner) = (found.0.name().to_owned(), other.name().to_owned());
                Err(UnfitCall::TwoTools { called, inner })
            }
            _ => Ok(found),
        }
    }
}

/// A received call, for the log where it does not resolve.
struct ReceivedCall {
    /// The name asked for, then that of the tool.
    tool: String,
    args: Map<String, Value>,
    comments: BTreeMap<String, String>,
    /// The environment that it names.
    environment: Option<String>,
    /// The fault for which the hub or the door refuses the call.
    bar: Option<Fault>,
    /// True where it is an act of an agent's own tool, which need not give a reason.
    is_native: bool,
    /// True where its arguments are fitted to the schema: clients of MCP fill optional ones with null, or write all as
    /// text.
    is_fitted: bool,
}

/// The parts of a resolved call.
struct FittedCall {
    tool: Arc<CompiledTool>,
    args: Value,
    judged: CallJudgement,
}
