//! `wherefore tools`: the tools of a workspace, one in full, and several composed for a model.

mod find;
mod list;

use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use self::find::SearchPlace;
use super::backend::RootArgs;
use super::env::EnvironmentArgs;
use super::print::visible_line;
use super::{answer, completions};
use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{ComposeForm, Door, ExpandToolParams, Fault};
use crate::registry::{CompiledTool, DefinitionFormat, ToolRegistry, render_definition};
use crate::requests::compose::ComposeParams;
use crate::requests::{Asker, Compose, ExpandTool, Request};
use crate::sandbox::SandboxLauncher;

/// List, find and show the tools of a workspace, or compose several for a model
#[derive(Debug, clap::Args)]
pub(super) struct ToolsArgs {
    #[command(subcommand)]
    act: Option<ToolsAction>,
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

#[derive(Debug, Subcommand)]
enum ToolsAction {
    /// List the tools: all of them, or those under a node of the catalogue, with a tag, or that answer a request
    List(list::ListRequest),
    /// Show one tool in full
    Show {
        /// The tool's name or an alias
        #[arg(add = completions::complete_tools())]
        tool: String,
        /// The format of the output
        #[arg(long, value_enum, default_value = "definition")]
        format: ToolFormatArg,
    },
    /// Find the tools that answer a request, best first
    Search {
        #[command(flatten)]
        request: find::FindRequest,
        /// Search only below this node of the catalogue, as `Files`; `/` separates names
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
        /// The cursor that the previous page ended with
        #[arg(long, conflicts_with = "batch")]
        cursor: Option<String>,
    },
    /// Find the nodes of the catalogue whose tools may answer a request
    SearchNodes(find::FindRequest),
    /// Show what a call of a tool needs, as JSON: schemas, examples, sandbox and risk
    Expand {
        /// The tool's name or an alias
        #[arg(add = completions::complete_tools())]
        tool: String,
    },
    /// Compose several tools into one schema that a model fills, or into the list that a model's API takes
    Compose {
        /// The tools' names, separated by commas [default: all tools]
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        tools: Vec<String>,
        /// The format of the output
        #[arg(long, value_enum, default_value = "calls")]
        format: ComposeFormArg,
    },
}

/// The format of several tools.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ComposeFormArg {
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

impl From<ComposeFormArg> for ComposeForm {
    fn from(form: ComposeFormArg) -> Self {
        match form {
            ComposeFormArg::Calls => Self::Calls,
            ComposeFormArg::Openai => Self::Openai,
            ComposeFormArg::Ollama => Self::Ollama,
            ComposeFormArg::Anthropic => Self::Anthropic,
            ComposeFormArg::Mcp => Self::Mcp,
        }
    }
}

/// The format of one tool.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ToolFormatArg {
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

impl From<ToolFormatArg> for DefinitionFormat {
    fn from(format: ToolFormatArg) -> Self {
        match format {
            ToolFormatArg::Definition => Self::Definition,
            ToolFormatArg::Function => Self::Function,
            ToolFormatArg::Anthropic => Self::Anthropic,
            ToolFormatArg::Mcp => Self::Mcp,
            ToolFormatArg::ToolProtocol => Self::ToolProtocol,
        }
    }
}

/// Runs it.
pub(super) fn run_tools(args: &ToolsArgs) -> ExitCode {
    match show_tools(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) if prints_json(args) => {
            answer::write_json(&fault);
            ExitCode::from(answer::FAULT)
        }
        Err(fault) => answer::show_fault(&fault),
    }
}

/// Returns whether a program asked, by `--json`.
fn prints_json(args: &ToolsArgs) -> bool {
    match &args.act {
        Some(ToolsAction::List(listing)) => listing.json,
        Some(ToolsAction::Search { request, .. } | ToolsAction::SearchNodes(request)) => request.json,
        _ => false,
    }
}

fn show_tools(args: &ToolsArgs) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let shown = match catalogue_file(args) {
        Some(path) => runtime.block_on(find_in_place(args, &SearchPlace::open_catalogue(path)?)),
        None => {
            let hub = Hub::new(HubOptions {
                editor: std::sync::Arc::new(NoEditor),
                shared_log: true,
                state: person::state_dir(),
                launcher: SandboxLauncher::own(),
                environment: args.environment.chosen(),
            });
            hub.add_root(&args.root.find()?)?;
            runtime.block_on(in_workspace(args, hub))
        }
    };
    // A model that does not answer does not hold up the end.
    runtime.shutdown_background();
    shown
}

/// The catalogue file to search, instead of a workspace.
fn catalogue_file(args: &ToolsArgs) -> Option<&Path> {
    match &args.act {
        Some(ToolsAction::Search { request, .. } | ToolsAction::SearchNodes(request)) => {
            request.catalogue.as_deref()
        }
        _ => None,
    }
}

/// Runs the search that the arguments describe; does nothing for other subcommands.
async fn find_in_place(args: &ToolsArgs, place: &SearchPlace) -> Result<(), Fault> {
    match &args.act {
        Some(ToolsAction::Search { request, under, cursor }) => {
            find::find_tools(request, under.as_deref(), cursor.clone(), place).await
        }
        Some(ToolsAction::SearchNodes(request)) => find::find_nodes(request, place).await,
        _ => Ok(()),
    }
}

/// A tool in a format; its definition with the environment and what runs it there.
fn shown(registry: &ToolRegistry, tool: &CompiledTool, format: ToolFormatArg) -> Value {
    let mut shown = render_definition(tool.def(), format.into(), &registry.activity_of(tool, None));
    if matches!(format, ToolFormatArg::Definition) {
        shown["tool"]["_environment"] = json!(registry.activities().active_set());
        shown["tool"]["_runs"] = json!(registry.runner_of(tool));
    }
    shown
}

async fn in_workspace(args: &ToolsArgs, hub: Hub) -> Result<(), Fault> {
    hub.settle_servers().await;
    match &args.act {
        Some(ToolsAction::Show { tool, format }) => {
            let folder = hub.folder_at(None)?;
            let registry = folder.toolbox().registry();
            let found = registry.find_tool(tool).ok_or_else(|| registry.not_found(tool))?;
            answer::write_json(&shown(registry, &found, *format));
        }
        Some(ToolsAction::Search { .. } | ToolsAction::SearchNodes(_)) => {
            find_in_place(args, &SearchPlace::Workspace(hub.clone())).await?;
        }
        Some(ToolsAction::Expand { tool }) => {
            let params = ExpandToolParams { tool_id: tool.clone(), why: None, root: None };
            answer::write_json(&ExpandTool::answer_request(&hub, params, Asker::from_door(Door::Cli)).await?);
        }
        Some(ToolsAction::Compose { tools, format }) => {
            let params = ComposeParams { tools: tools.clone(), form: (*format).into(), root: None };
            answer::write_json(
                &Compose::answer_request(&hub, params, Asker::from_door(Door::Cli)).await?.composed,
            );
        }
        Some(ToolsAction::List(listing)) => list::show_list(listing, &hub).await?,
        None => list::show_list(&list::ListRequest::default(), &hub).await?,
    }
    for problem in hub.definition_problems() {
        let (path, message) = (visible_line(&problem.path), visible_line(&problem.message));
        answer::write_note(&format!("{path}:{}: {message} ({})", problem.line, problem.rule));
    }
    Ok(())
}
