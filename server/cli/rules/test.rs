//! `wherefore rules test`: what the rules say of a command, and why. It is not run.

use std::process::ExitCode;

use super::super::answer;
use super::super::backend::{RequestTarget, RootArgs};
use super::super::print::{TerminalPage, TextLook, visible, wrap};
use crate::protocol::Fault;
use crate::requests::JudgeCommand;
use crate::requests::judge_command::JudgeCommandParams;
use crate::shell::{CommandVerdict, JudgedCommand, Judgement};

/// Columns before the text of a reason.
const MARGIN: usize = 9;

/// What `rules test` takes.
#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// The command: one argument is read as a script, several are a program and its arguments. Options of the program
    /// come after `--`
    #[arg(required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs it.
pub(super) fn run(args: &TestArgs, root: &RootArgs, json: bool) -> ExitCode {
    match judged(args, root) {
        Ok(judgement) if json => answer::json(&judgement),
        Ok(judgement) => show(&judgement),
        Err(fault) => return answer::fault(&fault),
    }
    ExitCode::SUCCESS
}

fn judged(args: &TestArgs, root: &RootArgs) -> Result<Judgement, Fault> {
    let params = match args.command.as_slice() {
        [script] => JudgeCommandParams { script: Some(script.clone()), ..JudgeCommandParams::default() },
        argv => JudgeCommandParams { argv: argv.to_vec(), ..JudgeCommandParams::default() },
    };
    RequestTarget::open(&root.find()?)?.ask::<JudgeCommand>(params)
}

fn show(judgement: &Judgement) {
    let page = TerminalPage::stdout();
    let Judgement { verdict, rule, why, commands } = judgement;
    let because = match (rule, why) {
        (Some(rule), Some(why)) => format!(", by the rule {}: {}", visible(rule), visible(why)),
        _ => ": no rule is against it; it runs confined".to_owned(),
    };
    answer::line(&format!("{}{because}", word(page, *verdict)));
    if !commands.is_empty() {
        answer::line(&format!("\n{}", page.paint(TextLook::Bold, "The commands in it:")));
    }
    commands.iter().for_each(|command| show_command(page, command));
}

fn show_command(page: TerminalPage, command: &JudgedCommand) {
    let verdict = word(page, command.verdict);
    let pad = " ".repeat(MARGIN.saturating_sub(2 + name(command.verdict).len()));
    let via = match command.via.is_empty() {
        true => String::new(),
        false => page.paint(TextLook::Dim, &format!("  (through {})", visible(&command.via.join(", ")))),
    };
    answer::line(&format!("  {verdict}{pad}{}{via}", visible(&command.command)));
    if let (Some(rule), Some(why)) = (&command.rule, &command.why) {
        for line in wrap(&visible(&format!("{rule}: {why}")), page.width().saturating_sub(MARGIN)) {
            answer::line(&format!("{}{}", " ".repeat(MARGIN), page.paint(TextLook::Dim, &line)));
        }
    }
}

fn word(page: TerminalPage, verdict: CommandVerdict) -> String {
    let look = match verdict {
        CommandVerdict::Allow => TextLook::Green,
        CommandVerdict::Ask => TextLook::Yellow,
        CommandVerdict::Deny => TextLook::Red,
    };
    page.paint(look, name(verdict))
}

fn name(verdict: CommandVerdict) -> &'static str {
    match verdict {
        CommandVerdict::Allow => "allow",
        CommandVerdict::Ask => "ask",
        CommandVerdict::Deny => "deny",
    }
}
