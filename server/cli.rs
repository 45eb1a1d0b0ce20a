//! The command line: one file a subcommand.

mod acp;
mod agent;
mod answer;
mod backend;
mod call;
mod completions;
mod consent;
mod context;
mod demo;
mod doctor;
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
mod palette;
mod patch;
mod print;
mod progress;
mod replay;
mod report;
mod review;
mod rules;
mod sandbox;
mod search;
mod send;
mod serve;
mod show;
mod status;
mod syntax;
mod tools;
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
    Lsp(lsp::Args),
    Mcp(mcp::Args),
    Acp(acp::AcpArgs),
    Agent(agent::AgentArgs),
    Serve(serve::Args),
    Call(call::Args),
    Tools(tools::Args),
    Patch(patch::PatchArgs),
    Review(review::Args),
    Rules(rules::RulesArgs),
    Sandbox(sandbox::SandboxArgs),
    Undo(undo::Args),
    Search(search::SearchArgs),
    Send(send::SendArgs),
    Why(why::Args),
    Git(git::GitArgs),
    Log(log::LogArgs),
    Report(report::ReportArgs),
    Replay(replay::ReplayArgs),
    WorkingSet(working_set::WorkingSetArgs),
    Hint(hint::HintArgs),
    Hook(hook::HookArgs),
    Context(context::ContextArgs),
    Status(status::Args),
    Init(init::InitArgs),
    Consent(consent::ConsentArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// What the server says of itself goes to standard error, as `WHEREFORE_LOG` asks for (`info`, `wherefore=debug`).
fn trace() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("WHEREFORE_LOG");
    if let Ok(filter) = filter {
        let lines = || print::LineWriter::new(std::io::stderr());
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines).init();
    }
}

/// Parses the arguments and runs the subcommand they name. Exit codes: 0 done, 1 a fault, 2 wrong usage.
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == guard::ARGUMENT) {
        return guard::run();
    }
    guard::offer();
    completions::answer::<Arguments>();
    trace();
    let arguments = match help::grouped(Arguments::command()).try_get_matches() {
        Ok(matches) => Arguments::from_arg_matches(&matches),
        Err(error) => Err(error),
    };
    let arguments = arguments.unwrap_or_else(|error| error.exit());
    limits::outlive_size_limit();
    let code = run(arguments.command);
    telemetry::close_all();
    code
}

/// Runs a subcommand.
fn run(command: Command) -> ExitCode {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Acp(args) => acp::run(&args),
        Command::Agent(args) => agent::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Call(args) => call::run(&args),
        Command::Tools(args) => tools::run(&args),
        Command::Patch(args) => patch::run(&args),
        Command::Review(args) => review::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Sandbox(args) => sandbox::run(&args),
        Command::Undo(args) => undo::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Send(args) => send::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Git(args) => git::run(&args),
        Command::Log(args) => log::run(args),
        Command::Report(args) => report::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::WorkingSet(args) => working_set::run(&args),
        Command::Hint(args) => hint::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Context(args) => context::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Consent(args) => consent::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, Arguments::command()),
    }
}
