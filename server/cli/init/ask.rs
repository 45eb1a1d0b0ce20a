//! The list of files to write, with their diffs if the person wants them, and a question for each group.

use std::io::{self, IsTerminal};

use super::InitArgs;
use super::plan::FilePlan;
use crate::cli::print::{TerminalPage, TextLook};
use crate::cli::show;
use crate::patch;

/// Files that a person agrees to together.
#[derive(Debug)]
pub(super) struct PlanGroup {
    /// The owner of the files.
    pub(super) name: String,
    pub(super) plans: Vec<FilePlan>,
}

/// The person's answer for a group.
#[derive(Clone, Copy, PartialEq)]
enum GroupAnswer {
    Yes,
    No,
    /// Yes to this one and to those that follow.
    All,
    /// No to this one and to those that follow.
    Quit,
}

/// Shows the files of all groups, and returns the groups that the person agrees to; all of them with `--yes`. `act` is
/// the verb of the question.
pub(super) fn ask_about_groups(
    page: TerminalPage,
    args: &InitArgs,
    groups: Vec<PlanGroup>,
    act: &str,
) -> io::Result<Vec<PlanGroup>> {
    list_files(page, &groups)?;
    if args.diff {
        groups.iter().flat_map(|group| &group.plans).try_for_each(|plan| show_diff(page, plan))?;
    }
    if args.yes || !io::stdin().is_terminal() {
        return Ok(if args.yes { groups } else { Vec::new() });
    }
    let (mut kept, count, mut all) = (Vec::new(), groups.len(), false);
    for group in groups {
        let answer = if all { GroupAnswer::Yes } else { ask_about_group(page, &group, act, count > 1)? };
        all |= answer == GroupAnswer::All;
        match answer {
            GroupAnswer::Yes | GroupAnswer::All => kept.push(group),
            GroupAnswer::No => {}
            GroupAnswer::Quit => break,
        }
    }
    Ok(kept)
}

/// Prints a line for each file: its name, the numbers of added and removed lines, and its purpose.
fn list_files(page: TerminalPage, groups: &[PlanGroup]) -> io::Result<()> {
    let plans: Vec<&FilePlan> = groups.iter().flat_map(|group| &group.plans).collect();
    let width = plans.iter().map(|plan| plan.name.chars().count()).max().unwrap_or_default();
    for plan in plans {
        let name = page.paint(TextLook::Bold, &format!("{:width$}", plan.name));
        page.write_line(format!(
            "  {name}  {} {}",
            page.paint(TextLook::Dim, &format!("{:6}", change_extent(plan))),
            page.hang_text(width + 11, None, &plan.purpose)
        ))?;
    }
    page.write_line("")
}

/// The size of a file's change.
fn change_extent(plan: &FilePlan) -> String {
    let text = patch::unified_diff("", plan.before.as_deref(), plan.after.as_deref());
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

/// Shows the diff of a file in whole lines, so that the person sees everything that they agree to.
pub(super) fn show_diff(page: TerminalPage, plan: &FilePlan) -> io::Result<()> {
    let diff = patch::unified_diff(&plan.name, plan.before.as_deref(), plan.after.as_deref());
    diff.lines().try_for_each(|line| page.write_line(page.paint(show::diff_look(line), line)))?;
    page.write_line("")
}

fn ask_about_group(
    page: TerminalPage,
    group: &PlanGroup,
    act: &str,
    several: bool,
) -> io::Result<GroupAnswer> {
    let keys = if several { "y,n,d,a,q,?" } else { "y,n,d,?" };
    loop {
        page.write_prompt(&format!("{}: {act}? [{keys}] ", group.name))?;
        let mut said = String::new();
        // At the end of the input nothing more is agreed to.
        if io::stdin().read_line(&mut said)? == 0 {
            page.write_line("")?;
            return Ok(GroupAnswer::Quit);
        }
        match said.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(GroupAnswer::Yes),
            "n" | "no" => return Ok(GroupAnswer::No),
            "a" | "all" => return Ok(GroupAnswer::All),
            "q" | "quit" => return Ok(GroupAnswer::Quit),
            "d" | "diff" => group.plans.iter().try_for_each(|plan| show_diff(page, plan))?,
            _ => {
                page.write_line("  y  yes\n  n  no\n  d  show the diff")?;
                if several {
                    page.write_line(
                        "  a  yes to this one and all that follow\n  q  no to this one and all that follow",
                    )?;
                }
            }
        }
    }
}
