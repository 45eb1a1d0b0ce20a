//! `wherefore call`: one tool call, or a batch of them.

use std::io::{BufRead, IsTerminal, Read};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::Value;

use super::backend::{RequestTarget, RootArgs};
use super::print::visible;
use super::{answer, completions};
use crate::base::CallId;
use crate::native::said;
use crate::protocol::{Code, Envelope, Fault, Policy, RawCall};
use crate::requests::Call;

/// Call a tool and print its result (exit 0) or its fault (exit 1)
///
/// The result is JSON. The fault is JSON too where the output is read by a program; at a terminal it is in words.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The tool's name, as `wherefore tools` lists it
    #[arg(required_unless_present = "batch", add = completions::tools())]
    tool: Option<String>,
    /// The arguments as a JSON object, with `why`; `-` reads them from standard input
    #[arg(required_unless_present = "batch", value_name = "ARGS")]
    arguments: Option<String>,
    #[command(flatten)]
    root: RootArgs,
    /// The policy for a change that the call makes
    #[arg(long, value_enum, default_value = "auto")]
    policy: PolicyArg,
    /// Read calls from standard input, one a line: {"tool", "arguments"}, or a call in the form that `wherefore tools
    /// compose` describes; print one answer a line, in the same order
    #[arg(long, conflicts_with_all = ["tool", "arguments"])]
    batch: bool,
    /// The name of the agent in the log, as claude/1.2
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// The policy for a change.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PolicyArg {
    /// Apply the change at once
    Auto,
    /// Refuse the change
    Deny,
    /// Keep the change for `wherefore review`
    Hold,
    /// Show the change in the editor that has the folder open; keep it for later where none has
    Ask,
}

impl From<PolicyArg> for Policy {
    fn from(policy: PolicyArg) -> Self {
        match policy {
            PolicyArg::Auto => Self::Auto,
            PolicyArg::Deny => Self::Deny,
            PolicyArg::Hold => Self::Hold,
            PolicyArg::Ask => Self::Ask,
        }
    }
}

/// Runs it.
pub(super) fn run(args: &Args) -> ExitCode {
    let opened = args.root.find().and_then(|root| Ok((RequestTarget::open(&root)?, root)));
    let (mut backend, root) = match opened {
        Ok(opened) => opened,
        Err(fault) => return show_fault(&fault),
    };
    if args.batch {
        return batch(args, &mut backend, &root);
    }
    let given = args.arguments.as_deref().unwrap_or_default();
    let arguments = match given {
        "-" => {
            let mut text = String::new();
            match std::io::stdin().read_to_string(&mut text) {
                Ok(_) => Value::String(text),
                Err(error) => return show_fault(&unreadable(&error)),
            }
        }
        given => Value::String(given.to_owned()),
    };
    let raw = RawCall { tool: args.tool.clone().unwrap_or_default(), arguments, ..RawCall::default() };
    let envelope = send(args, &mut backend, &root, raw);
    for warning in &envelope.warnings {
        answer::note(&format!("wherefore: {}", visible(warning)));
    }
    if let Some(rest) = &envelope.rest {
        answer::note(&format!("wherefore: the output is cut: {}", visible(rest)));
    }
    for decision in &envelope.decisions {
        answer::note(&format!(
            "wherefore: {} of {} is {} now",
            decision.proposal,
            decision.call_id,
            decision.status.word()
        ));
    }
    for words in said(&envelope.messages) {
        answer::note(&words);
    }
    match envelope.error {
        Some(fault) => show_fault(&fault),
        None => {
            answer::json(&envelope.result.unwrap_or_default());
            ExitCode::SUCCESS
        }
    }
}

fn batch(args: &Args, backend: &mut RequestTarget, root: &str) -> ExitCode {
    for line in std::io::stdin().lock().split(b'\n') {
        let line = match line {
            Ok(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(line) => line,
            Err(error) => return show_fault(&unreadable(&error)),
        };
        let read = serde_json::from_slice(&line).map_err(|error| error.to_string()).and_then(RawCall::read);
        let envelope = match read {
            Ok(raw) => send(args, backend, root, raw),
            Err(error) => refused(
                Fault::new(Code::InvalidArgs, format!("the line is not a call: {error}"))
                    .suggest("write {\"tool\": \"fs.read\", \"arguments\": {\"path\": \"…\", \"why\": \"…\"}} on one line"),
            ),
        };
        answer::json_line(&envelope);
    }
    ExitCode::SUCCESS
}

fn send(args: &Args, backend: &mut RequestTarget, root: &str, raw: RawCall) -> Envelope {
    let mut raw =
        RawCall { policy: raw.policy.or(Some(args.policy.into())), root: Some(root.to_owned()), ..raw };
    raw.origin.agent = raw.origin.agent.or_else(|| args.agent.clone());
    backend.ask::<Call>(raw).unwrap_or_else(refused)
}

fn refused(fault: Fault) -> Envelope {
    crate::pipeline::fault_envelope(CallId::default(), fault)
}

fn unreadable(error: &std::io::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("standard input cannot be read: {error}"))
}

/// A person at a terminal reads the fault in words, a program as JSON.
fn show_fault(fault: &Fault) -> ExitCode {
    if std::io::stdout().is_terminal() {
        return answer::fault(fault);
    }
    answer::json(fault);
    ExitCode::from(answer::FAULT)
}
