//! What is to be written: a line a file, its diff where the person wants to see it, and a question for what belongs together.

use std::io::{self, IsTerminal};

use super::InitArgs;
use super::plan::FilePlan;
use crate::cli::print::{TerminalPage, TextLook};
use crate::cli::show;
use crate::patch;

/// Files that a person agrees to together.
#[derive(Debug)]
pub(super) struct PlanGroup {
    /// Whose they are.
    pub(super) name: String,
    pub(super) plans: Vec<FilePlan>,
}

/// What the person says to a group.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    Yes,
    No,
    /// Yes to this one and to those that follow.
    All,
    /// No to this one and to those that follow.
    Quit,
}

/// Shows the files of all groups, and gives the groups that the person agrees to; all of them with `--yes`. `act` is the
/// verb of the question.
pub(super) fn agreed(
    page: TerminalPage,
    args: &InitArgs,
    groups: Vec<PlanGroup>,
    act: &str,
) -> io::Result<Vec<PlanGroup>> {
    list(page, &groups)?;
    if args.diff {
        groups.iter().flat_map(|group| &group.plans).try_for_each(|plan| diff(page, plan))?;
    }
    if args.yes || !io::stdin().is_terminal() {
        return Ok(if args.yes { groups } else { Vec::new() });
    }
    let (mut kept, count, mut all) = (Vec::new(), groups.len(), false);
    for group in groups {
        let answer = if all { Answer::Yes } else { ask(page, &group, act, count > 1)? };
        all |= answer == Answer::All;
        match answer {
            Answer::Yes | Answer::All => kept.push(group),
            Answer::No => {}
            Answer::Quit => break,
        }
    }
    Ok(kept)
}

/// A line for each file: its name, how many lines come and go, and what it is for.
fn list(page: TerminalPage, groups: &[PlanGroup]) -> io::Result<()> {
    let plans: Vec<&FilePlan> = groups.iter().flat_map(|group| &group.plans).collect();
    let width = plans.iter().map(|plan| plan.name.chars().count()).max().unwrap_or_default();
    for plan in plans {
        let name = page.paint(TextLook::Bold, &format!("{:width$}", plan.name));
        page.line(format!(
            "  {name}  {} {}",
            page.paint(TextLook::Dim, &format!("{:6}", extent(plan))),
            page.hung(width + 11, None, &plan.purpose)
        ))?;
    }
    page.line("")
}

/// How far a file changes.
fn extent(plan: &FilePlan) -> String {
    let text = patch::unified("", plan.before.as_deref(), plan.after.as_deref());
    let count = |sign: char| {
        let hunks = text.lines().skip_while(|line| !line.starts_with("@@"));
        hunks.filter(|line| line.starts_with(sign)).count()
    };
    match (&plan.before, &plan.after) {
        (None, _) => "new".to_owned(),
        (_, None) => "goes".to_owned(),
        _ => format!("+{} -{}", count('+'), count('-')),
    }
}

/// Shows how a file changes, in whole lines: what is agreed to is seen.
pub(super) fn diff(page: TerminalPage, plan: &FilePlan) -> io::Result<()> {
    let diff = patch::unified(&plan.name, plan.before.as_deref(), plan.after.as_deref());
    diff.lines().try_for_each(|line| page.line(page.paint(show::diff_look(line), line)))?;
    page.line("")
}

fn ask(page: TerminalPage, group: &PlanGroup, act: &str, several: bool) -> io::Result<Answer> {
    let keys = if several { "y,n,d,a,q,?" } else { "y,n,d,?" };
    loop {
        page.prompt(&format!("{}: {act}? [{keys}] ", group.name))?;
        let mut said = String::new();
        // At the end of the input nothing more is agreed to.
        if io::stdin().read_line(&mut said)? == 0 {
            page.line("")?;
            return Ok(Answer::Quit);
        }
        match said.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Answer::Yes),
            "n" | "no" => return Ok(Answer::No),
            "a" | "all" => return Ok(Answer::All),
            "q" | "quit" => return Ok(Answer::Quit),
            "d" | "diff" => group.plans.iter().try_for_each(|plan| diff(page, plan))?,
            _ => {
                page.line("  y  yes\n  n  no\n  d  show the diff")?;
                if several {
                    page.line(
                        "  a  yes to this one and all that follow\n  q  no to this one and all that follow",
                    )?;
                }
            }
        }
    }
}
