//! From a raw call to a checked one: the tool, the arguments, the reason, the schema, the activity.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::{Map, Value};

use super::arguments::{self, Meta};
use super::judge::{AskedCall, Judged};
use super::unfit::{NoTool, Unfit};
use super::{Activities, Call, Tool};
use crate::base::CallId;
use crate::base::nearest::nearest;
use crate::catalogue::{Alias, Problem, ToolDef, folded};
use crate::protocol::{Fault, Lead, Origin, RawCall, ToolSummary, WhySettings};

/// A call that was refused before it ran, with what the log says of it.
#[derive(Debug)]
pub struct Refused {
    /// Its id.
    pub call_id: CallId,
    /// The tool's dotted name, or the name asked for where there is no such tool.
    pub tool: String,
    /// The arguments as far as they were understood; what is no object stands under `arguments`.
    pub args: Map<String, Value>,
    /// Who called.
    pub origin: Origin,
    /// The model's comments on its own arguments, by path.
    pub comments: BTreeMap<String, String>,
    /// The call whose answer led to it.
    pub follows: Option<CallId>,
    /// Why it was refused.
    pub fault: Fault,
}

/// How many tools a fault names.
const NAMED: usize = 40;

/// A name that a tool answers to.
#[derive(Debug)]
struct Name {
    tool: usize,
    /// Which of its aliases it is.
    alias: Option<usize>,
}

/// The tools at one time, by name.
#[derive(Debug, Default)]
struct Tools {
    list: Vec<Arc<Tool>>,
    names: HashMap<String, Name>,
}

/// Every tool, and every activity. The tools may be swapped for others while it is in use.
pub struct Registry {
    tools: RwLock<Arc<Tools>>,
    activities: Arc<Activities>,
    /// What is wrong with definitions that were refused, by the folded names that they give.
    refused: RwLock<HashMap<String, Problem>>,
}

impl Tools {
    /// Of definitions with one name the first counts; the loader refuses the others. What is as it was in `before`
    /// keeps its compiled schemas.
    fn new(definitions: Vec<ToolDef>, before: &Self) -> Self {
        let tool = |def: ToolDef| match before.named(&def.name) {
            Some((known, None)) if *known.def() == def => known.clone(),
            _ => Arc::new(Tool::new(def)),
        };
        let mut names = HashMap::new();
        let tools: Vec<_> = definitions.into_iter().map(tool).collect();
        for (tool, def) in tools.iter().map(|tool| tool.def()).enumerate() {
            names.entry(def.name.clone()).or_insert(Name { tool, alias: None });
        }
        for (tool, def) in tools.iter().map(|tool| tool.def()).enumerate() {
            for (at, alias) in def.aliases.iter().enumerate() {
                names.entry(alias.name.clone()).or_insert(Name { tool, alias: Some(at) });
            }
            names.entry(folded(&def.name)).or_insert(Name { tool, alias: None });
        }
        Self { list: tools, names }
    }

    fn named(&self, name: &str) -> Option<(&Arc<Tool>, Option<&Alias>)> {
        let found = self.names.get(name)?;
        let tool = self.list.get(found.tool)?;
        Some((tool, found.alias.and_then(|alias| tool.def().aliases.get(alias))))
    }
}

impl Registry {
    /// Brings definitions and activities together. Of definitions with one name the first counts; the loader
    /// refuses the others.
    pub fn new(definitions: Vec<ToolDef>, activities: Arc<Activities>) -> Self {
        let tools = Arc::new(Tools::new(definitions, &Tools::default()));
        Self { tools: RwLock::new(tools), activities, refused: RwLock::default() }
    }

    /// Puts other definitions in place of all; calls already resolved keep theirs. Says whether that changes
    /// anything.
    pub fn replace(&self, definitions: Vec<ToolDef>) -> bool {
        let before = self.now();
        let same = before.list.iter().map(|tool| tool.def()).eq(&definitions);
        if !same {
            let now = Tools::new(definitions, &before);
            *self.tools.write() = Arc::new(now);
        }
        !same
    }

    /// Remembers which tools are missing since their definitions were refused, and why.
    pub fn set_refused(&self, refused: HashMap<String, Problem>) {
        *self.refused.write() = refused;
    }

    fn now(&self) -> Arc<Tools> {
        self.tools.read().clone()
    }

    /// Every tool, in the order of the definitions.
    pub fn tools(&self) -> Vec<Arc<Tool>> {
        self.now().list.clone()
    }

    /// The tool of that name or alias.
    pub fn find(&self, name: &str) -> Option<Arc<Tool>> {
        self.now().named(name).map(|(tool, _)| tool.clone())
    }

    /// The activities, to swap them.
    pub fn activities(&self) -> &Arc<Activities> {
        &self.activities
    }

    /// The name of the activity that runs a tool; empty means latent.
    pub fn activity_of(&self, tool: &Tool) -> String {
        let name = tool.def().activity.as_deref().unwrap_or(tool.name());
        if self.activities.get(name).is_some() { name.to_owned() } else { String::new() }
    }

    /// Every tool in a line, for lists.
    pub fn summaries(&self) -> Vec<ToolSummary> {
        let summary = |tool: &Arc<Tool>| ToolSummary {
            name: tool.name().to_owned(),
            category: tool.def().category.clone(),
            summary: tool.def().summary.clone(),
            risk: tool.def().risk,
            activity: self.activity_of(tool),
            aliases: tool.def().aliases.iter().map(|alias| alias.name.clone()).collect(),
        };
        self.now().list.iter().map(summary).collect()
    }

    /// The fault for a name that no tool has, with the nearest ones that there are; or with what is wrong with its
    /// definition, where that was refused.
    pub fn not_found(&self, name: &str) -> Fault {
        self.no_tool(name).into()
    }

    fn no_tool(&self, name: &str) -> NoTool {
        let asked: String = name.chars().take(100).collect();
        if let Some(problem) = self.refused.read().get(&folded(&asked)) {
            return NoTool::Refused { asked, problem: problem.clone() };
        }
        let tools = self.now();
        let known = tools.list.iter().flat_map(|tool| {
            let aliases = tool.def().aliases.iter().map(|alias| alias.name.as_str());
            std::iter::once(tool.name()).chain(aliases)
        });
        let near = nearest(&asked, known, 3).into_iter().map(str::to_owned).collect();
        let known = tools.list.iter().take(NAMED).map(|tool| tool.name().to_owned()).collect();
        NoTool::Unknown { asked, near, known, more: tools.list.len() > NAMED }
    }

    /// Checks a raw call. `call_id` is asked for once, whatever the outcome, since a refused call is logged too.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, MISSING_WHY, INVALID_ARGS (every violation at once, in `details.violations`) or
    /// QUOTA_EXCEEDED, with what the log needs.
    pub fn resolve(
        &self,
        raw: RawCall,
        call_id: impl FnOnce() -> CallId,
        settings: &WhySettings,
    ) -> Result<Call, Box<Refused>> {
        let RawCall { tool: asked, arguments, origin, comments, activity, policy, root, lead } = raw;
        let Lead { follows, warning, bar } = lead;
        let call_id = call_id();
        let is_native = origin.door.is_native();
        let mut came = Came { tool: asked, args: Map::new(), comments, bar, is_native };
        match self.fit(&mut came, arguments, activity, settings) {
            Ok(Fit { tool, args, mut judged }) => {
                judged.warnings.extend(warning);
                let comments = came.comments;
                Ok(Call { id: call_id, tool, args, judged, origin, comments, follows, policy, root })
            }
            Err(unfit) => {
                let Came { tool, args, comments, .. } = came;
                Err(Refused { call_id, tool, args, origin, comments, follows, fault: unfit.into() }.into())
            }
        }
    }

    /// Makes a call of what came, or leaves in `came` what the log says of it.
    fn fit(
        &self,
        came: &mut Came,
        arguments: Value,
        activity: Option<String>,
        settings: &WhySettings,
    ) -> Result<Fit, Unfit> {
        let mut args = match arguments::object(arguments) {
            Ok(args) => args,
            Err(bad) => {
                let (args, unfit) = *bad;
                came.args = Map::from_iter([("arguments".to_owned(), args)]);
                if let Some(tool) = self.find(&came.tool) {
                    came.tool = tool.name().to_owned();
                }
                return Err(unfit);
            }
        };
        let mut meta = arguments::split_meta(&mut args);
        meta.activity = activity.map(Value::String).or(meta.activity);
        let tools = self.now();
        let (tool, alias) = match self.meant(&tools, &came.tool, &meta) {
            Ok(found) => found,
            Err(unfit) => {
                came.args = args;
                return Err(unfit);
            }
        };
        came.tool = tool.name().to_owned();
        if let Some(alias) = alias {
            args = arguments::translate(args, alias);
        }
        if let Some(second) = arguments::place_why(&mut args, meta.reasoning.take()) {
            came.comments.entry("args.why".to_owned()).or_insert(second);
        }
        if came.is_native {
            arguments::state_no_why(&mut args);
        }
        let args = Value::Object(args);
        let judged = match came.bar.take() {
            Some(fault) => Err(Unfit::Barred(fault)),
            None => AskedCall { tool, alias, args: &args, meta, is_native: came.is_native }
                .judge(&self.activities, settings)
                .map_err(|error| Unfit::Call { tool: tool.clone(), error }),
        };
        match judged {
            Ok(judged) => Ok(Fit { tool: tool.clone(), args, judged }),
            Err(unfit) => {
                came.args = if let Value::Object(args) = args { args } else { Map::new() };
                Err(unfit)
            }
        }
    }

    /// The tool meant by the call's name, or by `_tool` where the call has none.
    fn meant<'a>(
        &self,
        tools: &'a Tools,
        asked: &str,
        meta: &Meta,
    ) -> Result<(&'a Arc<Tool>, Option<&'a Alias>), Unfit> {
        let inner = meta.tool.as_ref().and_then(Value::as_str);
        let name = if asked.is_empty() { inner.unwrap_or_default() } else { asked };
        let found = tools.named(name).ok_or_else(|| self.no_tool(name))?;
        match inner.and_then(|inner| tools.named(inner)) {
            Some((other, _)) if !Arc::ptr_eq(other, found.0) => {
                let (called, inner) = (found.0.name().to_owned(), other.name().to_owned());
                Err(Unfit::TwoTools { called, inner })
            }
            _ => Ok(found),
        }
    }
}

/// What came, as the log says it where no call is made of it.
struct Came {
    /// The name asked for, then that of the tool.
    tool: String,
    args: Map<String, Value>,
    comments: BTreeMap<String, String>,
    /// What is held against the call from outside.
    bar: Option<Fault>,
    /// Whether it is an act of an agent's own tool, which need not give a reason.
    is_native: bool,
}

/// What a call is made of.
struct Fit {
    tool: Arc<Tool>,
    args: Value,
    judged: Judged,
}
