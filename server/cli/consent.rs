//! `wherefore consent`: lists the servers, changed tools and commands of a project that need consent, and asks for it.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::answer;
use super::backend::RootArgs;
use super::print::{self, TerminalPage, TextLook};
use crate::base::person;
use crate::catalogue::ToolRunner;
use crate::hub::{Hub, HubOptions, ServedFolder};
use crate::ports::NoEditor;
use crate::protocol::{Code, Fault};
use crate::registry::ActivityConsent;
use crate::sandbox::SandboxLauncher;
use crate::upstream::trial::TriedServer;
use crate::upstream::waiting::{WaitingServer, WaitingTool};

/// Consent to the servers that a project names, to tools whose descriptions have changed, and to commands of its tools
///
/// Each server that you consent to is started once, and what comes of it is shown.
#[derive(Debug, Args)]
pub(super) struct ConsentArgs {
    /// Consent to this tool of the project, which runs a command, or to everything that waits for this server, or for the
    /// server of this tool, without asking
    #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "revoke"])]
    pub yes: Vec<String>,
    /// Let that server run as you, with no sandbox
    #[arg(long, requires = "yes")]
    pub unconfined: bool,
    /// Consent to everything that waits, without asking
    #[arg(long, conflicts_with = "revoke")]
    pub all: bool,
    /// Take back the consent to this server, or to this tool of the project
    #[arg(long, value_name = "NAME")]
    pub revoke: Option<String>,
    /// Print what waits as JSON, without asking
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub root: RootArgs,
}

/// Runs it.
pub(super) fn run_consent(args: &ConsentArgs) -> ExitCode {
    match update_consent(args) {
        Ok(done) => print::exit_with(done.map(|()| ExitCode::SUCCESS)),
        Err(fault) => answer::show_fault(&fault),
    }
}

fn update_consent(args: &ConsentArgs) -> Result<io::Result<()>, Fault> {
    // It outlives the servers that are tried in it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let hub = Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: true,
        state: person::state_dir(),
        launcher: SandboxLauncher::own(),
        environment: None,
    });
    hub.add_root(&args.root.find()?)?;
    let folder = hub.folder_at(None)?;
    let servers = folder.toolbox().upstreams();
    if let Some(server) = &args.revoke {
        servers.revoke_consent(server)?;
    }
    let tools = offered_tools(&folder);
    let mut consented_tools = Vec::new();
    let mut named = Vec::new();
    for name in &args.yes {
        match find_offered(&folder, &tools, name) {
            Some((tool, _)) if args.unconfined => {
                let message = format!("the command of {tool} runs in the sandbox, whatever you consent to");
                return Err(Fault::new(Code::InvalidArgs, message).with_suggestion("leave out --unconfined"));
            }
            Some(offered) => consented_tools.push(offered),
            None => named.push(server_of(&folder, name)),
        }
    }
    if args.all {
        consented_tools.extend(tools.iter().filter(|(_, consent)| !consent.is_given()));
    }
    for (_, consent) in &consented_tools {
        consent.keep_consent()?;
    }
    for server in &named {
        match args.unconfined {
            true => servers.consent_unconfined(server)?,
            false => servers.consent_as_set(server)?,
        }
    }
    // The consent is bound to the state that was shown.
    let granted = |waiting: &WaitingServer| servers.consent_to(&waiting.server, waiting.bound.clone());
    let waiting = servers.waiting_servers();
    if args.all {
        waiting.iter().try_for_each(granted)?;
    }
    let all = waiting.iter().filter(|_| args.all).map(|waiting| waiting.server.clone());
    let consented: Vec<String> = named.into_iter().chain(all).collect();
    let tried = runtime.block_on(servers.try_servers(Some(&consented)));
    let waiting_tools = || tools.iter().filter(|(_, consent)| !consent.is_given());
    if args.json {
        let tools = waiting_tools()
            .map(|(tool, consent)| json!({ "tool": tool, "describes": consent.describe_subject() }));
        answer::write_json(&json!({
            "waiting": servers.waiting_servers(), "waiting_tools": tools.collect::<Vec<_>>(),
            "consented": servers.consented_servers(), "consented_tools": servers.consented_tools(), "tried": tried,
        }));
        return Ok(Ok(()));
    }
    let quiet = args.all || args.revoke.is_some() || !args.yes.is_empty();
    if quiet {
        let of_tools = consented_tools.iter().map(|(tool, _)| tool.clone());
        return Ok(show_result(args, &of_tools.chain(consented).collect::<Vec<_>>(), &tried));
    }
    let grant = |waiting: &WaitingServer| {
        granted(waiting)?;
        Ok(runtime.block_on(servers.try_servers(Some(std::slice::from_ref(&waiting.server)))))
    };
    ask_each(&waiting, &waiting_tools().collect::<Vec<_>>(), grant)
}

/// A tool of the project with the consent that the person can give to its command.
type OfferedTool = (String, Arc<dyn ActivityConsent>);

/// Returns the tools that run commands which the project chose.
fn offered_tools(folder: &ServedFolder) -> Vec<OfferedTool> {
    folder.toolbox().registry().offered_consents()
}

/// Finds the one that a name or an alias means; none for a server's name.
fn find_offered<'a>(folder: &ServedFolder, tools: &'a [OfferedTool], name: &str) -> Option<&'a OfferedTool> {
    let tool = folder.toolbox().registry().find_tool(name)?;
    let is_server = folder.toolbox().upstreams().has_server(name);
    tools.iter().find(|(own, _)| !is_server && own == tool.name())
}

/// The server that a name means: the one of that name, or the one behind the tool of that name.
fn server_of(folder: &ServedFolder, name: &str) -> String {
    let tool = folder
        .toolbox()
        .registry()
        .find_tool(name)
        .filter(|_| !folder.toolbox().upstreams().has_server(name));
    match tool.as_ref().and_then(|tool| tool.def().runs.as_ref()) {
        Some(ToolRunner::Remote { mcp_server, .. }) => mcp_server.clone(),
        _ => name.to_owned(),
    }
}

/// Shows the outcome of a server's trial.
fn show_tried(page: TerminalPage, tried: &[TriedServer]) -> io::Result<()> {
    for tried in tried {
        page.write_line(print::visible_line(&tried.outcome()))?;
        let way = tried.fault.as_ref().and_then(|fault| fault.suggestion.as_ref());
        for more in tried.problems.iter().chain(way) {
            page.write_line(format!("  {}", print::visible_line(more)))?;
        }
    }
    Ok(())
}

fn show_result(args: &ConsentArgs, consented: &[String], tried: &[TriedServer]) -> io::Result<()> {
    let page = TerminalPage::stdout();
    if let Some(server) = &args.revoke {
        return page.write_line(format!("The consent to {} is taken back.", print::visible_line(server)));
    }
    for server in consented {
        page.write_line(format!("You consented to {}.", print::visible_line(server)))?;
    }
    if args.all && consented.is_empty() {
        page.write_line("Nothing waits for your consent.")?;
    }
    show_tried(page, tried)
}

/// Shows each item that waits for consent, and asks about it at a terminal. A fault stops the loop; earlier consents stay.
fn ask_each(
    waiting: &[WaitingServer],
    tools: &[&OfferedTool],
    grant: impl Fn(&WaitingServer) -> Result<Vec<TriedServer>, Fault>,
) -> Result<io::Result<()>, Fault> {
    let page = TerminalPage::stdout();
    if waiting.is_empty() && tools.is_empty() {
        return Ok(page.write_line("Nothing waits for your consent."));
    }
    let asks = io::stdin().is_terminal() && io::stdout().is_terminal();
    for server in waiting {
        if let Err(error) = show_waiting(page, server) {
            return Ok(Err(error));
        }
        if !asks {
            continue;
        }
        match confirm_consent(page) {
            Ok(true) => {
                if let Err(error) = show_tried(page, &grant(server)?) {
                    return Ok(Err(error));
                }
            }
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    for (tool, consent) in tools {
        if let Err(error) = show_offered(page, tool, &**consent) {
            return Ok(Err(error));
        }
        match asks.then(|| confirm_consent(page)) {
            Some(Ok(true)) => consent.keep_consent()?,
            Some(Err(error)) => return Ok(Err(error)),
            Some(Ok(false)) | None => {}
        }
    }
    let hint = "Nobody was asked: `wherefore consent --yes NAME` consents to one, `--all` to all.";
    Ok(if asks { Ok(()) } else { page.write_line(hint) })
}

fn show_offered(page: TerminalPage, tool: &str, consent: &dyn ActivityConsent) -> io::Result<()> {
    page.write_line(page.paint(TextLook::Bold, tool))?;
    page.write_line(
        "  This project defines this tool. Without your consent each call of it is asked about.",
    )?;
    page.write_line(format!("  {}\n", print::visible_line(&consent.describe_subject())))
}

fn show_waiting(page: TerminalPage, waiting: &WaitingServer) -> io::Result<()> {
    page.write_line(page.paint(TextLook::Bold, &waiting.server))?;
    if waiting.start {
        page.write_line(format!("  This project wants to use this server. {}", waiting.confinement))?;
    }
    page.write_line(format!("  {}", print::visible_line(&waiting.describes)))?;
    if waiting.start && !waiting.binds.is_empty() {
        page.write_line(format!("  {}", print::visible_line(&waiting.binds)))?;
    }
    for WaitingTool { name, new, diff } in &waiting.tools {
        let what = if *new { "is new" } else { "has changed since you consented to it" };
        page.write_line(format!("\n  The tool {} {what}. Agents would be told:", print::visible_line(name)))?;
        for line in diff.lines() {
            let look = match line.as_bytes().first() {
                Some(b'+') => TextLook::Green,
                Some(b'-') => TextLook::Red,
                _ => TextLook::Dim,
            };
            page.write_line(format!("    {}", page.paint(look, line)))?;
        }
    }
    for definition in &waiting.definitions {
        page.write_line("\n  This project defines a tool over it. Agents are told what the project says:")?;
        for line in definition.lines() {
            page.write_line(format!("    {}", page.paint(TextLook::Dim, line)))?;
        }
    }
    page.write_line("")
}

/// Asks for a yes or no, and returns whether the person said yes.
fn confirm_consent(page: TerminalPage) -> io::Result<bool> {
    page.write_prompt("Consent to this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
