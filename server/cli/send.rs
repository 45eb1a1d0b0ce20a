//! `wherefore send`: sends a message of the person to an agent.

use std::process::ExitCode;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use crate::base::{HunkId, ProposalId};
use crate::protocol::{Code, Fault, LineSpan, SendAnswer, SendParams};
use crate::requests::SendMessage;

/// Tell an agent something: its next result brings your words
#[derive(Debug, clap::Args)]
pub(super) struct SendArgs {
    /// Your words; they may be left out where --path names lines
    #[arg(required_unless_present = "path")]
    text: Option<String>,
    /// The file, and the lines that are quoted: `src/a.rs`, `src/a.rs:12` or `src/a.rs:12-20`
    #[arg(long, value_name = "FILE[:LINES]")]
    path: Option<String>,
    /// The proposal that you comment on; you decide nothing by it
    #[arg(long, value_name = "ID")]
    proposal: Option<ProposalId>,
    /// The hunk of the proposal
    #[arg(long, value_name = "ID", requires = "proposal")]
    hunk: Option<HunkId>,
    /// The agent, by its name [default: the one that made the proposal, or did something last]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_send(args: &SendArgs) -> ExitCode {
    match send_message(args) {
        Ok(sent) if args.json => answer::write_json(&sent),
        Ok(sent) => {
            sent.problems
                .iter()
                .for_each(|problem| answer::write_note(&format!("wherefore: {}", visible_line(problem))));
            let agent =
                sent.agent.as_deref().map_or_else(|| "the next agent that calls".to_owned(), visible_line);
            answer::write_line(&format!("{agent} gets it with its next result"));
        }
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn send_message(args: &SendArgs) -> Result<SendAnswer, Fault> {
    let (path, lines) = args.path.as_deref().map(parse_place).transpose()?.unzip();
    let root = args.root.find()?;
    let path = path.map(|path| relative_to_root(&root, path));
    let params = SendParams {
        text: args.text.clone().unwrap_or_default(),
        path,
        lines: lines.flatten(),
        proposal: args.proposal.clone(),
        hunk: args.hunk.clone(),
        agent: args.agent.clone(),
        ..SendParams::default()
    };
    RequestTarget::open(&root)?.ask::<SendMessage>(params)
}

/// A path relative to the current folder, made absolute if it is in the workspace.
fn relative_to_root(root: &str, path: String) -> String {
    let here = std::path::absolute(&path).ok().filter(|absolute| absolute.starts_with(root));
    here.and_then(|absolute| absolute.to_str().map(str::to_owned)).unwrap_or(path)
}

/// A file, and the lines after its last colon.
fn parse_place(text: &str) -> Result<(String, Option<LineSpan>), Fault> {
    let whole = || Ok((text.to_owned(), None));
    let Some((path, lines)) = text.rsplit_once(':') else { return whole() };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first >= 1 && last >= first => {
            Ok((path.to_owned(), Some(LineSpan { first, last })))
        }
        (Ok(_), Ok(_)) => {
            let message = format!("{lines} are no lines; they are counted from 1, as in {path}:3-7");
            Err(Fault::new(Code::InvalidArgs, message))
        }
        _ => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_behind_the_last_colon() {
        let read = |text| parse_place(text).ok();
        let lines = |first, last| Some(LineSpan { first, last });
        for (text, path, span) in [
            ("a.rs", "a.rs", None),
            ("a.rs:3", "a.rs", lines(3, 3)),
            ("a:b/c.rs:3-9", "a:b/c.rs", lines(3, 9)),
            ("a:b", "a:b", None),
        ] {
            assert_eq!(read(text), Some((path.to_owned(), span)), "{text}");
        }
        assert_eq!([read("a:0"), read("a:9-3")], [None, None]);
    }
}
