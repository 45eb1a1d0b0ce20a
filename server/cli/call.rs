//! `wherefore call`: one tool call, or a batch of them.

mod yaml;

use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Read};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::error::ErrorKind;
use serde_json::{Value, json};

use self::yaml::CommentedText;
use super::backend::{RequestTarget, RootArgs};
use super::env::EnvironmentArgs;
use super::print::visible_line;
use super::{answer, completions};
use crate::base::CallId;
use crate::hooks::message_texts;
use crate::hub::{CallLabel, read_call, read_message_calls};
use crate::protocol::{Code, Door, Envelope, Fault, Origin, Policy, RawCall, Status};
use crate::requests::call_all::CallAllParams;
use crate::requests::{Call, CallAll};

/// Call a tool and print its result (exit 0) or its fault (exit 1)
///
/// The result is JSON. The fault is JSON too where the output is read by a program; at a terminal it is in words.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// The tool's name, as `wherefore tools` lists it; by itself, a message in JSON: a call, or several, as {"calls": [ … ]},
    /// a list, or a model's answer as its API gives it, which prints one answer a line; `-` reads it from standard input
    #[arg(required_unless_present = "batch", add = completions::complete_tools())]
    tool: Option<String>,
    /// The arguments as a JSON object, with `why`; `-` reads them from standard input, as JSON or YAML, whose comments the
    /// log keeps
    #[arg(value_name = "ARGS")]
    arguments: Option<String>,
    #[command(flatten)]
    root: RootArgs,
    /// The policy for a change that the call makes
    #[arg(long, value_enum, default_value = "auto")]
    policy: PolicyArg,
    /// Read messages from standard input, one a line: {"tool", "arguments"}, or `args` as in the log, {"function": {"name",
    /// "arguments"}}, what `wherefore tools compose` describes, one call or several in `calls`, a list of calls, or a model's
    /// answer as its API gives it; print one answer a line, in the same order
    #[arg(long, conflicts_with_all = ["tool", "arguments"])]
    batch: bool,
    #[command(flatten)]
    environment: EnvironmentArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = AnswerForm::Json)]
    format: AnswerForm,
    /// The name of the agent in the log, as claude/1.2
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerForm {
    /// The result as JSON, or the fault; of a batch the whole envelope
    Json,
    /// A tool result as runtimes of the OpenAI API take it: {"tool_call_id", "output", "error", "success"}
    Openai,
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
pub(super) fn run_call(args: &CallArgs) -> ExitCode {
    let is_message = |text: &String| text == "-" || text.trim_start().starts_with(['{', '[']);
    if args.arguments.is_none() && !args.batch && !args.tool.as_ref().is_some_and(is_message) {
        let missing =
            "ARGS is missing: the arguments of the tool as a JSON object, or `-` for standard input\n";
        clap::Error::raw(ErrorKind::MissingRequiredArgument, missing).exit();
    }
    let opened = args.root.find().and_then(|root| Ok((RequestTarget::open(&root)?, root)));
    let (mut backend, root) = match opened {
        Ok(opened) => opened,
        Err(fault) => return show_fault(&fault),
    };
    if args.batch {
        return call_batch(args, &mut backend, &root);
    }
    let given = args.arguments.as_deref().or(args.tool.as_deref()).unwrap_or_default();
    let text = match read_text(given) {
        Ok(text) => text,
        Err(fault) => return show_fault(&fault),
    };
    if args.arguments.is_none() {
        return message(args, &mut backend, &root, &text);
    }
    let CommentedText { value: arguments, comments } = match commented(given, text) {
        Ok(read) => read,
        Err(fault) => return show_fault(&fault),
    };
    let comments = below_args(comments);
    let raw =
        RawCall { tool: args.tool.clone().unwrap_or_default(), arguments, comments, ..RawCall::default() };
    let envelope = send_call(args, &mut backend, &root, raw);
    show(args, CallAnswer { envelope, caller_id: None })
}

/// Prints a result or a fault, and the notices of the envelope on standard error.
fn show(args: &CallArgs, answer: CallAnswer) -> ExitCode {
    let envelope = &answer.envelope;
    for warning in &envelope.warnings {
        answer::write_note(&format!("wherefore: {}", visible_line(warning)));
    }
    if envelope.latent {
        answer::write_note("wherefore: no code ran: the result is what the caller filled, or is to fill");
    }
    if let Some(rest) = &envelope.rest {
        answer::write_note(&format!("wherefore: the output is cut: {}", visible_line(rest)));
    }
    for decision in &envelope.decisions {
        answer::write_note(&format!(
            "wherefore: {} of {} is {} now",
            decision.proposal,
            decision.call_id,
            decision.status.as_str()
        ));
    }
    for words in message_texts(&envelope.messages) {
        answer::write_note(&words);
    }
    if args.format == AnswerForm::Openai {
        answer::write_json_line(&tool_result(&answer));
        return if envelope.error.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    match answer.envelope.error {
        Some(fault) => show_fault(&fault),
        None => {
            answer::write_json(&answer.envelope.result.unwrap_or_default());
            ExitCode::SUCCESS
        }
    }
}

/// Arguments as they came, or read from standard input as YAML with their comments.
///
/// # Errors
/// INVALID_ARGS for what cannot be read.
fn commented(given: &str, text: String) -> Result<CommentedText, Fault> {
    // All problems of a JSON text are reported by the reader of the call.
    if given != "-" || text.trim().is_empty() || text.trim_start().starts_with(['{', '[', '"']) {
        return Ok(CommentedText { value: Value::String(text), ..CommentedText::default() });
    }
    yaml::read(&text).map_err(|wrong| {
        Fault::new(Code::InvalidArgs, format!("the arguments cannot be read: {wrong}")).with_suggestion(
            "write them as JSON, or as YAML: `path: src/main.rs`, and `why: …` on a line of its own",
        )
    })
}

/// Comments of arguments by the paths that they have in the log.
fn below_args(comments: BTreeMap<String, String>) -> BTreeMap<String, String> {
    comments.into_iter().map(|(path, text)| (format!("args.{path}"), text)).collect()
}

/// The text given, or that of standard input for `-`.
fn read_text(given: &str) -> Result<String, Fault> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| unreadable_input(&error))?;
    Ok(text)
}

fn call_batch(args: &CallArgs, backend: &mut RequestTarget, root: &str) -> ExitCode {
    for line in std::io::stdin().lock().split(b'\n') {
        let line = match line {
            Ok(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(line) => line,
            Err(error) => return show_fault(&unreadable_input(&error)),
        };
        let read = serde_json::from_slice(&line).map_err(|error| error.to_string());
        for answer in read_line(args, backend, root, read) {
            print_line(args.format, &answer);
        }
    }
    ExitCode::SUCCESS
}

/// The answer to a call, with the caller's own id of it.
struct CallAnswer {
    envelope: Envelope,
    caller_id: Option<String>,
}

impl CallAnswer {
    fn from_fault(fault: Fault) -> Self {
        Self { envelope: fault_envelope(fault), caller_id: None }
    }
}

/// Prints an answer in a line of its own.
fn print_line(format: AnswerForm, answer: &CallAnswer) {
    match format {
        AnswerForm::Json => answer::write_json_line(&answer.envelope),
        AnswerForm::Openai => answer::write_json_line(&tool_result(answer)),
    }
}

/// The answers to a line: one, or one for each call of a message of several.
fn read_line(
    args: &CallArgs,
    backend: &mut RequestTarget,
    root: &str,
    message: Result<Value, String>,
) -> Vec<CallAnswer> {
    let message = match message {
        Ok(message) => message,
        Err(error) => return vec![CallAnswer::from_fault(no_call(&error))],
    };
    match read_message_calls(&message) {
        Ok(None) => {
            let caller_id = CallLabel::of_call(&message).id;
            let envelope = match read_call(message) {
                Ok(raw) => send_call(args, backend, root, raw),
                Err(error) => fault_envelope(no_call(&error)),
            };
            vec![CallAnswer { envelope, caller_id }]
        }
        Ok(Some(calls)) => match send_all(args, backend, root, message) {
            // An answer each, in the order of the calls.
            Ok(envelopes) => {
                let ids = calls.iter().map(|call| CallLabel::of_call(call).id);
                let answer = |(envelope, caller_id)| CallAnswer { envelope, caller_id };
                envelopes.into_iter().zip(ids).map(answer).collect()
            }
            Err(fault) => vec![CallAnswer::from_fault(fault)],
        },
        Err(fault) => vec![CallAnswer::from_fault(fault)],
    }
}

fn no_call(error: &str) -> Fault {
    Fault::new(Code::InvalidArgs, format!("the line is not a call: {error}")).with_suggestion(
        "write {\"tool\": \"fs.read\", \"arguments\": {\"path\": \"…\", \"why\": \"…\"}} on one line",
    )
}

/// Makes the calls of a message, an answer each.
///
/// # Errors
/// The problem of the message as a whole.
fn send_all(
    args: &CallArgs,
    backend: &mut RequestTarget,
    root: &str,
    message: Value,
) -> Result<Vec<Envelope>, Fault> {
    let origin = Origin { agent: args.agent.clone(), ..Origin::from_door(Door::Cli) };
    let params = CallAllParams {
        message,
        origin,
        environment: args.environment.chosen(),
        policy: Some(args.policy.into()),
        root: Some(root.to_owned()),
    };
    Ok(backend.ask::<CallAll>(params)?.answers)
}

/// Comments of a message by the paths that they have in the log.
fn of_message(comments: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let in_log = |path: String| match path.strip_prefix("arguments.") {
        Some(rest) => format!("args.{rest}"),
        None => path,
    };
    comments.into_iter().map(|(path, text)| (in_log(path), text)).collect()
}

/// Prints the answers to a message: the envelope of a single call is printed as that call's is.
fn message(args: &CallArgs, backend: &mut RequestTarget, root: &str, text: &str) -> ExitCode {
    let (read, comments) = match yaml::read(text) {
        Ok(CommentedText { value, comments }) => (Ok(value), comments),
        Err(wrong) => (Err(wrong), BTreeMap::new()),
    };
    match read {
        Ok(value) if matches!(read_message_calls(&value), Ok(None)) => match read_call(value) {
            Ok(mut raw) => {
                raw.comments.extend(of_message(comments));
                let caller_id = raw.origin.call.clone();
                let envelope = send_call(args, backend, root, raw);
                show(args, CallAnswer { envelope, caller_id })
            }
            Err(error) => show_fault(&no_call(&error)),
        },
        read => {
            let answers = read_line(args, backend, root, read);
            answers.iter().for_each(|answer| print_line(args.format, answer));
            match answers.iter().any(|answer| answer.envelope.error.is_some()) {
                true => ExitCode::from(answer::FAULT),
                false => ExitCode::SUCCESS,
            }
        }
    }
}

/// An answer as the tool result of a runtime of the OpenAI API: the output is a text, as its messages hold it, and the id is
/// the caller's, else ours.
fn tool_result(CallAnswer { envelope, caller_id }: &CallAnswer) -> Value {
    let output = match envelope.result.as_deref() {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let error = envelope.error.as_ref().map(|fault| {
        let way_out = fault.suggestion.as_ref().map(|act| format!("; {act}")).unwrap_or_default();
        format!("{}: {}{way_out}", fault.code.word(), fault.message)
    });
    let error = error.or_else(|| failure_in_result(envelope));
    let id = caller_id.as_deref().unwrap_or(envelope.call_id.as_str());
    json!({ "tool_call_id": id, "output": output, "error": error, "success": error.is_none() })
}

/// The failure that a result holds though the call was made: an error of the program that ran, an exit code, or an output that
/// the model has yet to fill.
fn failure_in_result(envelope: &Envelope) -> Option<String> {
    if envelope.status == Status::Latent {
        return Some("LATENT: no activity runs the tool; call it again with `_output` filled".to_owned());
    }
    let result = envelope.result.as_deref()?;
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let error = result.get("error").filter(|error| error.is_object()).map(|error| {
        let code = text(error, "code").or_else(|| text(error, "name")).unwrap_or_else(|| "ERROR".to_owned());
        format!("{code}: {}", text(error, "message").unwrap_or_default())
    });
    let exit = result.get("exit_code").and_then(Value::as_i64).filter(|code| *code != 0);
    error.or_else(|| exit.map(|code| format!("exit {code}")))
}

fn send_call(args: &CallArgs, backend: &mut RequestTarget, root: &str, raw: RawCall) -> Envelope {
    let mut raw =
        RawCall { policy: raw.policy.or(Some(args.policy.into())), root: Some(root.to_owned()), ..raw };
    raw.environment = raw.environment.or_else(|| args.environment.chosen());
    raw.origin.agent = raw.origin.agent.or_else(|| args.agent.clone());
    backend.ask::<Call>(raw).unwrap_or_else(fault_envelope)
}

fn fault_envelope(fault: Fault) -> Envelope {
    crate::pipeline::fault_envelope(CallId::default(), fault)
}

fn unreadable_input(error: &std::io::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("standard input cannot be read: {error}"))
}

/// A person at a terminal reads the fault in words, a program as JSON.
fn show_fault(fault: &Fault) -> ExitCode {
    if std::io::stdout().is_terminal() {
        return answer::show_fault(fault);
    }
    answer::write_json(fault);
    ExitCode::from(answer::FAULT)
}
