//! The command line: one file a subcommand.

mod acp;
mod agent;
mod answer;
mod apparmor;
mod backend;
mod call;
mod completions;
mod consent;
mod context;
mod demo;
mod doctor;
mod env;
mod file;
mod frames;
mod git;
mod help;
mod hint;
mod hook;
mod init;
mod limits;
mod log;
mod lsp;
mod man;
mod mcp;
mod neovim_plugin;
mod palette;
mod patch;
mod print;
mod progress;
mod replay;
mod report;
mod review;
mod rule_questions;
mod rules;
mod sandbox;
mod search;
mod send;
mod serve;
mod show;
mod status;
mod syntax;
mod tools;
mod trace;
mod undo;
mod why;
mod words;
mod working_set;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::telemetry;
use crate::upstream::guard;

/// The tool layer between an editor and the language models that work in it: every tool call says why, is checked,
/// confined, shown, accepted hunk by hunk, undoable, and logged.
#[derive(Debug, Parser)]
#[command(name = "wherefore", version, about, arg_required_else_help = true, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Lsp(lsp::LspArgs),
    Mcp(mcp::McpArgs),
    Acp(acp::AcpArgs),
    Agent(agent::AgentArgs),
    Serve(serve::ServeArgs),
    Call(call::CallArgs),
    Tools(tools::ToolsArgs),
    Env(env::EnvArgs),
    Patch(patch::PatchArgs),
    Review(review::ReviewArgs),
    Rules(rules::RulesArgs),
    Sandbox(sandbox::SandboxArgs),
    Undo(undo::UndoArgs),
    Search(search::SearchArgs),
    Send(send::SendArgs),
    Why(why::WhyArgs),
    Git(git::GitArgs),
    Log(log::LogArgs),
    Report(report::ReportArgs),
    Replay(replay::ReplayArgs),
    WorkingSet(working_set::WorkingSetArgs),
    Hint(hint::HintArgs),
    Hook(hook::HookArgs),
    Context(context::ContextArgs),
    Status(status::StatusArgs),
    Init(init::InitArgs),
    Consent(consent::ConsentArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Parses the arguments and runs the subcommand they name. Exit codes: 0 done, 1 a fault, 2 wrong usage.
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == guard::ARGUMENT) {
        return guard::run_guard();
    }
    guard::offer_guard();
    completions::answer_shell::<Arguments>();
    let _trace = trace::start_trace();
    // The page of help is written for those alone who see it: a hook starts with each call of an agent.
    let parsed = Arguments::command()
        .try_get_matches()
        .or_else(|_| help::group_subcommands(Arguments::command()).try_get_matches());
    let arguments = match parsed {
        Ok(matches) => Arguments::from_arg_matches(&matches),
        Err(error) => Err(error),
    };
    let arguments = arguments.unwrap_or_else(|error| error.exit());
    limits::outlive_size_limit();
    let code = run_command(arguments.command);
    telemetry::close_all();
    code
}

/// Runs a subcommand.
fn run_command(command: Command) -> ExitCode {
    match command {
        Command::Demo(args) => demo::run_demo(&args),
        Command::Lsp(args) => lsp::run_lsp(&args),
        Command::Mcp(args) => mcp::run_mcp(&args),
        Command::Acp(args) => acp::run_acp(&args),
        Command::Agent(args) => agent::run_agent(&args),
        Command::Serve(args) => serve::run_serve(&args),
        Command::Call(args) => call::run_call(&args),
        Command::Tools(args) => tools::run_tools(&args),
        Command::Env(args) => env::run(&args),
        Command::Patch(args) => patch::run_patch(&args),
        Command::Review(args) => review::run_review(&args),
        Command::Rules(args) => rules::run_rules(&args),
        Command::Sandbox(args) => sandbox::run_sandbox(&args),
        Command::Undo(args) => undo::run_undo(&args),
        Command::Search(args) => search::run_search(&args),
        Command::Send(args) => send::run_send(&args),
        Command::Why(args) => why::run_why(&args),
        Command::Git(args) => git::run_git_command(&args),
        Command::Log(args) => log::run_log(args),
        Command::Report(args) => report::run_report(&args),
        Command::Replay(args) => replay::run_replay(&args),
        Command::WorkingSet(args) => working_set::run_working_set(&args),
        Command::Hint(args) => hint::run_hint(&args),
        Command::Hook(args) => hook::run_hook(&args),
        Command::Context(args) => context::run_context(&args),
        Command::Status(args) => status::run_status(&args),
        Command::Init(args) => init::run_init(&args),
        Command::Consent(args) => consent::run_consent(&args),
        Command::Doctor(args) => doctor::run_doctor(&args),
        Command::Completions(args) => completions::run_completions(&args),
        Command::Man(args) => man::run_man(&args, Arguments::command()),
    }
}
