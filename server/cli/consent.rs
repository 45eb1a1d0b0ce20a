//! `wherefore consent`: what a project's servers and changed tools wait for, shown and answered.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::answer;
use super::backend::RootArgs;
use super::print::{self, TerminalPage, TextLook};
use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::Fault;
use crate::sandbox::Launcher;
use crate::upstream::waiting::{Waiting, WaitingTool};

/// Consent to the servers that a project names, and to tools whose descriptions have changed
#[derive(Debug, Args)]
pub(super) struct ConsentArgs {
    /// Consent to everything that waits for this server, without asking
    #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "revoke"])]
    pub yes: Vec<String>,
    /// Let that server run as you, with no sandbox
    #[arg(long, requires = "yes")]
    pub unconfined: bool,
    /// Consent to everything that waits, without asking
    #[arg(long, conflicts_with = "revoke")]
    pub all: bool,
    /// Take back the consent to this server
    #[arg(long, value_name = "NAME")]
    pub revoke: Option<String>,
    /// Print what waits as JSON, without asking
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &ConsentArgs) -> ExitCode {
    match consent(args) {
        Ok(done) => print::exit(done.map(|()| ExitCode::SUCCESS)),
        Err(fault) => answer::fault(&fault),
    }
}

fn consent(args: &ConsentArgs) -> Result<io::Result<()>, Fault> {
    let hub = Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: true,
        state: person::state(),
        launcher: Launcher::own(),
    });
    hub.add_root(&args.root.find()?)?;
    let folder = hub.folder(None)?;
    let servers = folder.toolbox().upstreams();
    if let Some(server) = &args.revoke {
        servers.revoke(server)?;
    }
    for server in &args.yes {
        match args.unconfined {
            true => servers.consent_unconfined(server)?,
            false => servers.consent(server)?,
        }
    }
    // As it was shown.
    let granted = |waiting: &Waiting| servers.consent_to(&waiting.server, waiting.bound.clone());
    let waiting = servers.waiting();
    if args.all {
        waiting.iter().try_for_each(granted)?;
    }
    if args.json {
        answer::json(&json!({ "waiting": servers.waiting(), "consented": servers.consented() }));
        return Ok(Ok(()));
    }
    let quiet = args.all || args.revoke.is_some() || !args.yes.is_empty();
    Ok(if quiet { told(args, &waiting) } else { ask_each(&waiting, granted)? })
}

fn told(args: &ConsentArgs, waiting: &[Waiting]) -> io::Result<()> {
    let page = TerminalPage::stdout();
    if let Some(server) = &args.revoke {
        return page.line(format!("The consent to {} is taken back.", print::visible(server)));
    }
    let all = waiting.iter().filter(|_| args.all).map(|waiting| &waiting.server);
    for server in args.yes.iter().chain(all) {
        page.line(format!("You consented to {}.", print::visible(server)))?;
    }
    if args.all && waiting.is_empty() {
        page.line("Nothing waits for your consent.")?;
    }
    Ok(())
}

/// Shows what waits; at a terminal each is asked for. A fault ends it, what was consented to before stays.
fn ask_each(
    waiting: &[Waiting],
    grant: impl Fn(&Waiting) -> Result<(), Fault>,
) -> Result<io::Result<()>, Fault> {
    let page = TerminalPage::stdout();
    if waiting.is_empty() {
        return Ok(page.line("Nothing waits for your consent."));
    }
    let asks = io::stdin().is_terminal() && io::stdout().is_terminal();
    for server in waiting {
        if let Err(error) = show(page, server) {
            return Ok(Err(error));
        }
        if !asks {
            continue;
        }
        match agreed(page) {
            Ok(true) => grant(server)?,
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    let hint = "Nobody was asked: `wherefore consent --yes NAME` consents to one, `--all` to all.";
    Ok(if asks { Ok(()) } else { page.line(hint) })
}

fn show(page: TerminalPage, waiting: &Waiting) -> io::Result<()> {
    page.line(page.paint(TextLook::Bold, &waiting.server))?;
    if waiting.start {
        page.line(format!("  This project wants to use this server. {}", waiting.confinement))?;
    }
    page.line(format!("  {}", print::visible(&waiting.describes)))?;
    if waiting.start && !waiting.binds.is_empty() {
        page.line(format!("  {}", print::visible(&waiting.binds)))?;
    }
    for WaitingTool { name, new, diff } in &waiting.tools {
        let what = if *new { "is new" } else { "has changed since you consented to it" };
        page.line(format!("\n  The tool {} {what}. Agents would be told:", print::visible(name)))?;
        for line in diff.lines() {
            let look = match line.as_bytes().first() {
                Some(b'+') => TextLook::Green,
                Some(b'-') => TextLook::Red,
                _ => TextLook::Dim,
            };
            page.line(format!("    {}", page.paint(look, line)))?;
        }
    }
    for definition in &waiting.definitions {
        page.line("\n  This project defines a tool over it. Agents are told what the project says:")?;
        for line in definition.lines() {
            page.line(format!("    {}", page.paint(TextLook::Dim, line)))?;
        }
    }
    page.line("")
}

/// Whether the person says yes.
fn agreed(page: TerminalPage) -> io::Result<bool> {
    page.prompt("Consent to this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
