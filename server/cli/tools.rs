//! `wherefore tools`: the tools of a workspace, and one in full.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};

use super::answer;
use super::backend::RootArgs;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::Fault;
use crate::registry::Format;

/// List the tools of a workspace, or show one with its schema
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    #[command(flatten)]
    root: RootArgs,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// List them: name, risk, summary
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one in full
    Show {
        /// Its name or an alias
        tool: String,
        /// The form it is shown in
        #[arg(long, value_enum, default_value = "definition")]
        format: FormatArg,
    },
}

/// The form a tool is shown in.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    /// Our own
    Definition,
    /// An OpenAI or Ollama function
    Function,
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
            FormatArg::Mcp => Self::Mcp,
            FormatArg::ToolProtocol => Self::ToolProtocol,
        }
    }
}

/// Runs it.
pub fn run(args: &Args) -> ExitCode {
    match show(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::fault(&fault),
    }
}

fn show(args: &Args) -> Result<(), Fault> {
    let hub = Hub::new(HubOptions { editor: std::sync::Arc::new(NoEditor), shared_log: true });
    hub.add_root(&args.root.find()?)?;
    match &args.act {
        Some(Act::Show { tool, format }) => answer::json(&hub.tool(tool, (*format).into())?),
        Some(Act::List { json: true }) => answer::json(&hub.tools(None)),
        Some(Act::List { json: false }) | None => {
            for tool in hub.tools(None) {
                let latent = if tool.activity.is_empty() { " (latent)" } else { "" };
                answer::line(&format!("{:<16} {:<8} {}{latent}", tool.name, tool.risk, tool.summary));
            }
        }
    }
    for problem in hub.problems() {
        answer::note(&format!("{}:{}: {} ({})", problem.path, problem.line, problem.message, problem.rule));
    }
    Ok(())
}
