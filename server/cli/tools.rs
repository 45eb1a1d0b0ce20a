//! `wherefore tools`: the tools of a workspace, one in full, and several composed for a model.

mod find;
mod list;

use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};

use self::find::SearchPlace;
use super::backend::RootArgs;
use super::print::visible;
use super::{answer, completions};
use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{ComposeForm, Door, ExpandToolParams, Fault};
use crate::registry::{Format, render};
use crate::requests::compose::ComposeParams;
use crate::requests::{Asker, Compose, ExpandTool, Request};
use crate::sandbox::Launcher;

/// List, find and show the tools of a workspace, or compose several for a model
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    act: Option<ToolsAction>,
    #[command(flatten)]
    root: RootArgs,
}

#[derive(Debug, Subcommand)]
enum ToolsAction {
    /// List the tools: all of them, or those under a node of the catalogue, with a tag, or that answer a request
    List(list::ListRequest),
    /// Show one tool in full
    Show {
        /// The tool's name or an alias
        #[arg(add = completions::tools())]
        tool: String,
        /// The format of the output
        #[arg(long, value_enum, default_value = "definition")]
        format: FormatArg,
    },
    /// Find the tools that answer a request, best first
    Search {
        #[command(flatten)]
        request: find::FindRequest,
        /// Search only below this node of the catalogue, as `Files`; `/` separates names
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
    },
    /// Find the nodes of the catalogue whose tools may answer a request
    SearchNodes(find::FindRequest),
    /// Show what a call of a tool needs, as JSON: schemas, examples, sandbox and risk
    Expand {
        /// The tool's name or an alias
        #[arg(add = completions::tools())]
        tool: String,
    },
    /// Compose several tools into one schema that a model fills, or into the list that a model's API takes
    Compose {
        /// The tools' names, separated by commas [default: all tools]
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        tools: Vec<String>,
        /// The format of the output
        #[arg(long, value_enum, default_value = "calls")]
        format: FormArg,
    },
}

/// The format of several tools.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormArg {
    /// One schema whose `calls` a model fills, as the Tool Protocol has it
    Calls,
    /// The `tools` of OpenAI's API
    Openai,
    /// The `tools` of Ollama's API
    Ollama,
    /// The `tools` of Anthropic's API
    Anthropic,
    /// The answer to tools/list of the Model Context Protocol
    Mcp,
}

impl From<FormArg> for ComposeForm {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Calls => Self::Calls,
            FormArg::Openai => Self::Openai,
            FormArg::Ollama => Self::Ollama,
            FormArg::Anthropic => Self::Anthropic,
            FormArg::Mcp => Self::Mcp,
        }
    }
}

/// The format of one tool.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    /// The definition as wherefore has it
    Definition,
    /// A function of OpenAI's or Ollama's API
    Function,
    /// A tool of Anthropic's API
    Anthropic,
    /// A tool of the Model Context Protocol
    Mcp,
    /// A schema of the Tool Protocol
    ToolProtocol,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Definition => Self::Definition,
            FormatArg::Function => Self::Function,
            FormatArg::Anthropic => Self::Anthropic,
            FormatArg::Mcp => Self::Mcp,
            FormatArg::ToolProtocol => Self::ToolProtocol,
        }
    }
}

/// Runs it.
pub(super) fn run(args: &Args) -> ExitCode {
    match show(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::fault(&fault),
    }
}

fn show(args: &Args) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let shown = match file(args) {
        Some(path) => runtime.block_on(found(args, &SearchPlace::catalogue(path)?)),
        None => {
            let hub = Hub::new(HubOptions {
                editor: std::sync::Arc::new(NoEditor),
                shared_log: true,
                state: person::state(),
                launcher: Launcher::own(),
            });
            hub.add_root(&args.root.find()?)?;
            runtime.block_on(in_workspace(args, hub))
        }
    };
    // A model that does not answer does not hold up the end.
    runtime.shutdown_background();
    shown
}

/// The file whose tools are meant, instead of a workspace's.
fn file(args: &Args) -> Option<&Path> {
    match &args.act {
        Some(ToolsAction::Search { request, .. } | ToolsAction::SearchNodes(request)) => {
            request.catalogue.as_deref()
        }
        _ => None,
    }
}

/// Finds what is looked for; does nothing where nothing is.
async fn found(args: &Args, place: &SearchPlace) -> Result<(), Fault> {
    match &args.act {
        Some(ToolsAction::Search { request, under }) => find::tools(request, under.as_deref(), place).await,
        Some(ToolsAction::SearchNodes(request)) => find::nodes(request, place).await,
        _ => Ok(()),
    }
}

async fn in_workspace(args: &Args, hub: Hub) -> Result<(), Fault> {
    hub.settle().await;
    match &args.act {
        Some(ToolsAction::Show { tool, format }) => {
            let folder = hub.folder(None)?;
            let registry = folder.registry();
            let found = registry.find(tool).ok_or_else(|| registry.not_found(tool))?;
            answer::json(&render(found.def(), (*format).into(), &registry.activity_of(&found)));
        }
        Some(ToolsAction::Search { .. } | ToolsAction::SearchNodes(_)) => {
            found(args, &SearchPlace::Workspace(hub.clone())).await?;
        }
        Some(ToolsAction::Expand { tool }) => {
            let params = ExpandToolParams { tool_id: tool.clone(), root: None };
            answer::json(&ExpandTool::answer(&hub, params, Asker::door(Door::Cli)).await?);
        }
        Some(ToolsAction::Compose { tools, format }) => {
            let params = ComposeParams { tools: tools.clone(), form: (*format).into(), root: None };
            answer::json(&Compose::answer(&hub, params, Asker::door(Door::Cli)).await?.composed);
        }
        Some(ToolsAction::List(listing)) => list::show(listing, &hub).await?,
        None => list::show(&list::ListRequest::default(), &hub).await?,
    }
    for problem in hub.problems() {
        let (path, message) = (visible(&problem.path), visible(&problem.message));
        answer::note(&format!("{path}:{}: {message} ({})", problem.line, problem.rule));
    }
    Ok(())
}
