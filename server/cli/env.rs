//! `wherefore env`: the environment that tools run in.

use std::process::ExitCode;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use crate::base::person;
use crate::protocol::{EnvironmentAnswer, EnvironmentParams, Fault};
use crate::requests::Environment;

/// The environment of a command's calls.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct EnvironmentArgs {
    /// The environment that tools run in, as dev, test or prod [default: WHEREFORE_ENV, else as `wherefore env` and the
    /// settings say]
    #[arg(long, value_name = "NAME", global = true)]
    env: Option<String>,
}

impl EnvironmentArgs {
    /// The environment named, here or by WHEREFORE_ENV.
    pub(super) fn chosen(&self) -> Option<String> {
        self.env.clone().or_else(person::environment)
    }
}

/// Show which environment tools run in and what it replaces, or switch to another
///
/// `[activities.NAME]` in the settings says what runs a tool in an environment. The choice holds for this workspace until
/// another is made; it is kept outside of the project.
#[derive(Debug, clap::Args)]
pub(super) struct EnvArgs {
    /// The environment to switch to
    #[arg(conflicts_with = "reset")]
    name: Option<String>,
    /// Take the choice back: the settings choose again
    #[arg(long)]
    reset: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &EnvArgs) -> ExitCode {
    match ask(args) {
        Ok(told) if args.json => answer::write_json(&told),
        Ok(told) => show(&told),
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn ask(args: &EnvArgs) -> Result<EnvironmentAnswer, Fault> {
    let root = args.root.find()?;
    let params = EnvironmentParams { name: args.name.clone(), reset: args.reset, root: Some(root.clone()) };
    RequestTarget::open(&root)?.ask::<Environment>(params)
}

fn show(told: &EnvironmentAnswer) {
    answer::write_line(&format!("{}: {}", visible_line(&told.environment), told.chosen_by.words()));
    for (name, activities) in &told.environments {
        let is_active = if *name == told.environment { "*" } else { " " };
        if activities.is_empty() {
            answer::write_line(&format!(
                "{is_active} {:<10} each tool as its definition says",
                visible_line(name)
            ));
        }
        for (at, (tool, words)) in activities.iter().enumerate() {
            let name =
                if at == 0 { format!("{is_active} {:<10}", visible_line(name)) } else { " ".repeat(12) };
            answer::write_line(&format!("{name} {}: {}", visible_line(tool), visible_line(words)));
        }
    }
    for problem in &told.problems {
        answer::write_note(&format!("wherefore: {}", visible_line(problem)));
    }
}
