//! What the README says is what the repository does.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{File, Finding, Tree};

/// The README's first block of commands: the one that plays the demo, the one that runs the tests.
fn two_commands(readme: &File) -> Vec<&str> {
    let after = readme.text.split_once("```sh\n").map_or("", |(_, after)| after);
    let block = after.split("```").next().unwrap_or_default();
    let command = |line: &'_ str| line.split(" #").next().unwrap_or_default().trim_end().len();
    block.lines().map(|line| &line[..command(line)]).filter(|line| !line.is_empty()).collect()
}

/// The first block holds two commands; CI runs the second, as it stands there.
pub fn commands(tree: &Tree) -> Vec<Finding> {
    let readme = tree.file("README.md");
    let ci = tree.file(".ci/run");
    let two = two_commands(readme);
    let mut findings = Vec::new();
    if two.len() != 2 {
        let rule = format!(
            "the first `sh` block holds {} commands: it must hold the demo's and the tests'",
            two.len()
        );
        findings.push(readme.finding(1, rule));
    }
    for command in two.iter().skip(1).filter(|command| !ci.text.lines().any(|line| line.contains(**command)))
    {
        findings.push(ci.finding(1, format!("does not run `{command}`, the README's test command: call it")));
    }
    findings
}

/// Each `wherefore SUB` in code is a subcommand of the binary.
pub fn subcommands(tree: &Tree) -> Vec<Finding> {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:`|^\s*|\$ |-- )wherefore ([a-z][a-z-]*)").expect("a pattern"));
    let known = subcommands_of_the_binary();
    let readme = tree.file("README.md");
    let mut findings = Vec::new();
    for (at, line) in readme.text.lines().enumerate() {
        for named in NAMED.captures_iter(line).filter(|named| !known.contains(&named[1])) {
            let rule = format!("`wherefore {}` is not in `wherefore --help`: name one that is", &named[1]);
            findings.push(readme.finding(at + 1, rule));
        }
    }
    findings
}

/// What `wherefore --help` lists under its commands.
fn subcommands_of_the_binary() -> BTreeSet<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_wherefore")).arg("--help").output().expect("the binary runs");
    let help = String::from_utf8(help.stdout).expect("help is UTF-8");
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let listed = listed.take_while(|line| line.is_empty() || line.starts_with(' '));
    listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(first_word).collect()
}

/// The first word of a line.
fn first_word(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_owned)
}

/// The README's table of tools has a row for each definition, and for nothing else.
pub fn tools(tree: &Tree) -> Vec<Finding> {
    let readme = tree.file("README.md");
    let rows =
        readme.text.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()));
    let rows: BTreeSet<String> = rows.filter(|name| !name.contains(' ')).collect();
    let definition = |path: &String| {
        let name = path.strip_prefix("schemas/tools/")?.strip_suffix(".yaml")?;
        Some(name.to_owned())
    };
    let defined: BTreeSet<String> = tree.paths.iter().filter_map(definition).collect();
    let row = |name: &String| readme.finding(1, format!("the table of tools lacks `{name}`: add its row"));
    let stray = |name: &String| {
        readme.finding(
            1,
            format!("the table names `{name}`, which schemas/tools does not define: take the row out"),
        )
    };
    defined.difference(&rows).map(row).chain(rows.difference(&defined).map(stray)).collect()
}

/// Links to files lead to files.
pub fn links(tree: &Tree) -> Vec<Finding> {
    static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\(([^)#\s]+)[^)]*\)").expect("a pattern"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut findings = Vec::new();
    for page in
        tree.files.iter().filter(|file| file.extension() == "md" && !file.path.starts_with("tests/cases/"))
    {
        let folder = root.join(&page.path).parent().map(Path::to_path_buf).unwrap_or_default();
        for (at, line) in page.text.lines().enumerate() {
            let local = LINK.captures_iter(line).filter(|link| !link[1].contains("://"));
            for link in local.filter(|link| !folder.join(&link[1]).exists()) {
                findings.push(
                    page.finding(
                        at + 1,
                        format!("links to `{}`, which is not there: mend the link", &link[1]),
                    ),
                );
            }
        }
    }
    findings
}
