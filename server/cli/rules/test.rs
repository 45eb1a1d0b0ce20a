//! `wherefore rules test`: the verdict of the rules on a command, and its reason. The command is not run.

use std::io::BufRead;
use std::process::ExitCode;

use super::super::answer;
use super::super::backend::{RequestTarget, RootArgs};
use super::super::print::{TerminalPage, TextLook, visible_line, wrap_text};
use crate::protocol::Fault;
use crate::requests::JudgeCommand;
use crate::requests::judge_command::JudgeCommandParams;
use crate::shell::{CommandVerdict, JudgedCommand, Judgement};

/// Columns before the text of a reason.
const MARGIN: usize = 9;

/// The arguments of `rules test`.
#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// The command: one argument is read as a script, several are a program and its arguments. Options of the program
    /// come after `--`
    #[arg(required_unless_present = "batch", value_name = "COMMAND")]
    command: Vec<String>,
    /// Judge each line of the standard input as a script, all in one process; the answer is a line each
    #[arg(long, conflicts_with = "command")]
    batch: bool,
}

/// Runs it.
pub(super) fn run_rules_test(args: &TestArgs, root: &RootArgs, json: bool) -> ExitCode {
    if args.batch {
        return match judge_lines(root, json) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => answer::show_fault(&fault),
        };
    }
    match request_judgement(args, root) {
        Ok(judgement) if json => answer::write_json(&judgement),
        Ok(judgement) => show_judgement(&judgement),
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn request_judgement(args: &TestArgs, root: &RootArgs) -> Result<Judgement, Fault> {
    let params = match args.command.as_slice() {
        [script] => JudgeCommandParams { script: Some(script.clone()), ..JudgeCommandParams::default() },
        argv => JudgeCommandParams { argv: argv.to_vec(), ..JudgeCommandParams::default() },
    };
    RequestTarget::open(&root.find()?)?.ask::<JudgeCommand>(params)
}

/// Judges the lines of the standard input, and writes a line for each: the verdict and the rule, or JSON.
fn judge_lines(root: &RootArgs, json: bool) -> Result<(), Fault> {
    let mut target = RequestTarget::open(&root.find()?)?;
    for line in std::io::stdin().lock().split(b'\n') {
        let line =
            line.map_err(|error| Fault::internal(format!("the standard input cannot be read: {error}")))?;
        let script = Some(String::from_utf8_lossy(&line).into_owned());
        let judgement: Judgement =
            target.ask::<JudgeCommand>(JudgeCommandParams { script, ..JudgeCommandParams::default() })?;
        match json {
            true => answer::write_json_line(&judgement),
            false => {
                let rule = judgement.rule.map(|rule| format!(" {rule}")).unwrap_or_default();
                answer::write_line(&format!("{}{}", verdict_name(judgement.verdict), visible_line(&rule)));
            }
        }
    }
    Ok(())
}

fn show_judgement(judgement: &Judgement) {
    let page = TerminalPage::stdout();
    let Judgement { verdict, rule, why, commands } = judgement;
    let because = match (rule, why) {
        (Some(rule), Some(why)) => format!(", by the rule {}: {}", visible_line(rule), visible_line(why)),
        _ => ": no rule is against it; it runs confined".to_owned(),
    };
    answer::write_line(&format!("{}{because}", painted_verdict(page, *verdict)));
    if !commands.is_empty() {
        answer::write_line(&format!("\n{}", page.paint(TextLook::Bold, "The commands in it:")));
    }
    commands.iter().for_each(|command| show_command(page, command));
}

fn show_command(page: TerminalPage, command: &JudgedCommand) {
    let verdict = painted_verdict(page, command.verdict);
    let pad = " ".repeat(MARGIN.saturating_sub(2 + verdict_name(command.verdict).len()));
    let via = match command.via.is_empty() {
        true => String::new(),
        false => page.paint(TextLook::Dim, &format!("  (through {})", visible_line(&command.via.join(", ")))),
    };
    answer::write_line(&format!("  {verdict}{pad}{}{via}", visible_line(&command.command)));
    if let (Some(rule), Some(why)) = (&command.rule, &command.why) {
        for line in wrap_text(&visible_line(&format!("{rule}: {why}")), page.width().saturating_sub(MARGIN)) {
            answer::write_line(&format!("{}{}", " ".repeat(MARGIN), page.paint(TextLook::Dim, &line)));
        }
    }
}

fn painted_verdict(page: TerminalPage, verdict: CommandVerdict) -> String {
    let look = match verdict {
        CommandVerdict::Allow => TextLook::Green,
        CommandVerdict::Ask => TextLook::Yellow,
        CommandVerdict::Deny => TextLook::Red,
    };
    page.paint(look, verdict_name(verdict))
}

fn verdict_name(verdict: CommandVerdict) -> &'static str {
    match verdict {
        CommandVerdict::Allow => "allow",
        CommandVerdict::Ask => "ask",
        CommandVerdict::Deny => "deny",
    }
}
