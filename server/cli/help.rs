//! The help of the whole command line: subcommands in groups, those of every day first, and examples below each.

use std::fmt::Write;

use anstyle::Style;
use clap::Command;

use super::print::{TerminalPage, wrap_text};

/// The subcommands by purpose, the most common ones first.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Every day", &["agent", "review", "undo", "why", "log", "report", "replay", "status", "search", "send"]),
    ("Set-up", &["demo", "init", "doctor", "consent", "completions", "man"]),
    (
        "Tools and contexts",
        &["call", "tools", "env", "patch", "sandbox", "rules", "working-set", "hint", "context", "git"],
    ),
    ("What editors and agents start", &["lsp", "mcp", "acp", "serve", "hook"]),
];

/// Examples of subcommands: a command line, and what it does.
const EXAMPLES: [(&str, &[(&str, &str)]); 18] = [
    (
        "env",
        &[
            ("wherefore env", "show which environment tools run in, and what each one replaces"),
            ("wherefore env dev", "have tools run as [activities.dev] in the settings says"),
            ("wherefore env --reset", "let the settings choose again"),
        ],
    ),
    (
        "review",
        &[
            ("wherefore review", "go through what waits, hunk by hunk"),
            ("wherefore review --full-screen", "the same, with a list of the hunks beside them"),
            ("wherefore review --watch", "stay open, and take what agents propose as it comes"),
            ("wherefore review p-0003 --accept h1,h3", "accept two hunks of a proposal"),
            (
                "wherefore review --reject all --reason \"Keep the old names\"",
                "reject everything, and say why",
            ),
        ],
    ),
    (
        "undo",
        &[
            ("wherefore undo", "take the last change back"),
            ("wherefore undo c-0007", "take back what a call changed"),
        ],
    ),
    (
        "why",
        &[
            ("wherefore why src/main.rs:40-60", "say why some lines are as they are"),
            ("wherefore why src/main.rs --agent claude", "show the lines of one agent"),
        ],
    ),
    (
        "log",
        &[
            ("wherefore log --last 10", "show the last ten calls"),
            ("wherefore log --path 'src/**' --since 2h", "show what touched src in the last two hours"),
            ("wherefore log --full --tool 'fs.*'", "show each change whole"),
            ("wherefore log verify", "check that nobody altered the log"),
        ],
    ),
    (
        "replay",
        &[
            ("wherefore replay", "make the calls of the last session again, and see what differs"),
            ("wherefore replay 20261124-1 --model ollama/qwen3", "see what another model would have called"),
        ],
    ),
    (
        "report",
        &[
            ("wherefore report main..HEAD", "write what stands in a branch as Markdown for its pull request"),
            (
                "wherefore report --since 2h --format html --out report.html",
                "write a page to read in a browser",
            ),
        ],
    ),
    ("status", &[("wherefore status --root ~/project", "show how things stand in another folder")]),
    (
        "search",
        &[
            ("wherefore search \"where is the limit set\"", "find files by what they are about"),
            ("wherefore search --lexical 'fn \\w+_limit' -g '*.rs'", "find lines by a regular expression"),
        ],
    ),
    (
        "send",
        &[(
            "wherefore send \"Use the new parser\" --path src/parser.rs:10-20",
            "say something about some lines",
        )],
    ),
    (
        "demo",
        &[
            ("wherefore demo", "decide in this terminal"),
            ("wherefore demo --editor nvim", "decide in Neovim"),
        ],
    ),
    (
        "init",
        &[
            ("wherefore init", "show what would be written, and ask"),
            ("wherefore init --guard --agents claude,codex", "send their own edits through wherefore"),
            ("wherefore init --remove", "take wherefore out of the agents' settings"),
        ],
    ),
    ("doctor", &[("wherefore doctor --root ~/project", "check this machine and that folder")]),
    (
        "completions",
        &[("wherefore completions bash > ~/.local/share/bash-completion/completions/wherefore", "for bash")],
    ),
    (
        "call",
        &[
            (
                "wherefore call fs.read '{\"path\": \"README.md\", \"why\": \"Learn how to build it\"}'",
                "call a tool",
            ),
            ("wherefore call --batch", "read calls from standard input, one a line"),
        ],
    ),
    (
        "tools",
        &[
            ("wherefore tools", "list all of them"),
            ("wherefore tools show fs.edit", "show one in full"),
            ("wherefore tools search \"replace a text in a file\"", "find the tools that fit a request"),
        ],
    ),
    (
        "sandbox",
        &[
            ("wherefore sandbox -- npm test", "run a command as agents' commands are run"),
            ("wherefore sandbox --net github.com -- git fetch", "let it reach one host"),
        ],
    ),
    (
        "hint",
        &[
            ("wherefore hint pin docs/design.md --why \"It decides\"", "keep a file in the working set"),
            ("wherefore hint cold src/old.rs", "say that a file no longer matters"),
        ],
    ),
];

/// Columns before the description of a subcommand.
const MARGIN: usize = 15;

/// The command line with its subcommands in groups and examples below each.
pub(super) fn group_subcommands(mut command: Command) -> Command {
    let template = help_template(&command, TerminalPage::stdout().width());
    for (name, examples) in EXAMPLES {
        command = command.mut_subcommand(name, |subcommand| subcommand.after_help(format_examples(examples)));
    }
    command.help_template(template)
}

/// The page of the whole program: clap replaces the names in braces.
fn help_template(command: &Command, width: usize) -> String {
    let (heading, name) = (Style::new().bold().underline(), Style::new().bold());
    let mut page = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let _ = writeln!(page, "\n{heading}{title}:{heading:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let mut lines = wrap_text(&about, width.saturating_sub(MARGIN)).into_iter();
            let first = lines.next().unwrap_or_default();
            let padded = format!("{:<11}", subcommand.get_name());
            let _ = writeln!(page, "  {name}{padded}{name:#}  {first}");
            for line in lines {
                let _ = writeln!(page, "{:MARGIN$}{line}", "");
            }
        }
    }
    page.push_str(
        "\n{options-heading}\n{options}\n\n`wherefore help SUBCOMMAND` shows its options, with examples.",
    );
    page.replace("{options-heading}", &format!("{heading}Options:{heading:#}"))
}

/// The examples below the help of a subcommand.
fn format_examples(examples: &[(&str, &str)]) -> String {
    let (heading, line) = (Style::new().bold().underline(), Style::new().bold());
    let shown = examples.iter().map(|(command, does)| format!("\n  {line}{command}{line:#}\n      {does}"));
    format!("{heading}Examples:{heading:#}{}", shown.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn each_subcommand_stands_in_one_group() {
        let command = Arguments::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let all: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped, all.into_iter().collect::<Vec<_>>());
        let page = help_template(&command, 64);
        assert!(
            page.lines().all(|line| anstream::adapter::strip_str(line).to_string().chars().count() <= 64),
            "{page}"
        );
    }

    #[test]
    fn each_example_is_a_command_line() {
        for (name, examples) in EXAMPLES {
            for (line, _) in examples {
                let line = line.split(" > ").next().unwrap_or_default();
                let words = shlex::split(line).unwrap();
                assert_eq!(words[1], name, "{line}");
                let parsed = Arguments::command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
            }
        }
    }
}
