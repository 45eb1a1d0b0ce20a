//! The statements of the README and the pages of `docs` match the repository.

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

/// The first block holds two commands; CI runs the second one unchanged.
pub(crate) fn commands(tree: &Tree) -> Vec<Finding> {
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

/// Lines of the longest README: it sells, and the pages of `docs` tell.
const LONGEST_README: usize = 200;

/// The README stays short.
pub(crate) fn length(tree: &Tree) -> Vec<Finding> {
    let readme = tree.file("README.md");
    let lines = readme.text.lines().count();
    let rule = format!("{lines} lines, {LONGEST_README} is the limit: move details to a page of docs");
    (lines > LONGEST_README).then(|| readme.finding(lines, rule)).into_iter().collect()
}

/// The pages that tell people how to use and change the program.
fn pages(tree: &Tree) -> impl Iterator<Item = &File> {
    let guide = |path: &str| ["README.md", "CONTRIBUTING.md"].contains(&path) || path.starts_with("docs/");
    tree.files.iter().filter(move |file| file.extension() == "md" && guide(&file.path))
}

/// The lines of a page with their numbers, from 1, and whether each is in a code block.
fn lines(page: &File) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut fenced = false;
    page.text.lines().enumerate().map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (at + 1, line, fenced || fence || line.starts_with("    "))
    })
}

/// Each `wherefore SUB` in code is a subcommand of the binary.
pub(crate) fn subcommands(tree: &Tree) -> Vec<Finding> {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:`|\$ |-- )wherefore ([a-z][a-z-]*)").expect("a pattern"));
    static BEGINS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*wherefore ([a-z][a-z-]*)").expect("a pattern"));
    let known = subcommands_of_the_binary();
    let mut findings = Vec::new();
    for page in pages(tree) {
        for (at, line, code) in lines(page) {
            let begins = BEGINS.captures_iter(line).filter(|_| code);
            for named in NAMED.captures_iter(line).chain(begins).filter(|named| !known.contains(&named[1])) {
                let rule =
                    format!("`wherefore {}` is not in `wherefore --help`: name one that is", &named[1]);
                findings.push(page.finding(at, rule));
            }
        }
    }
    findings
}

/// Each subcommand of the binary has a row in the page on the command line.
pub(crate) fn commands_have_rows(tree: &Tree) -> Vec<Finding> {
    let page = tree.file("docs/command-line.md");
    let row = |name: &String| page.text.lines().any(|line| begins_row(line, name));
    let lacking = subcommands_of_the_binary().into_iter().filter(|name| name != "help" && !row(name));
    lacking.map(|name| page.finding(1, format!("the table lacks `wherefore {name}`: add its row"))).collect()
}

/// Returns whether a line of a table is that subcommand's.
fn begins_row(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix("| `wherefore ").and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with([' ', '`']))
}

/// The subcommands that `wherefore --help` lists in its groups.
fn subcommands_of_the_binary() -> BTreeSet<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_wherefore")).arg("--help").output().expect("the binary runs");
    let help = String::from_utf8(help.stdout).expect("help is UTF-8");
    let listed = help.lines().skip_while(|line| *line != "Every day:").take_while(|line| *line != "Options:");
    listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(first_word).collect()
}

/// The first word of a line.
fn first_word(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_owned)
}

/// The first table of the page on tools has a row for each definition, and for nothing else.
pub(crate) fn tools(tree: &Tree) -> Vec<Finding> {
    let page = tree.file("docs/tools.md");
    let table = page.text.lines().skip_while(|line| !line.starts_with("| tool |"));
    let table = table.take_while(|line| line.starts_with('|'));
    let rows: BTreeSet<String> =
        table.filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned())).collect();
    let definition = |path: &String| {
        let name = path.strip_prefix("schemas/tools/")?.strip_suffix(".yaml")?;
        Some(name.to_owned())
    };
    let defined: BTreeSet<String> = tree.paths.iter().filter_map(definition).collect();
    let row = |name: &String| page.finding(1, format!("the table of tools lacks `{name}`: add its row"));
    let stray = |name: &String| {
        page.finding(
            1,
            format!("the table names `{name}`, which schemas/tools does not define: take the row out"),
        )
    };
    defined.difference(&rows).map(row).chain(rows.difference(&defined).map(stray)).collect()
}

/// A heading's anchor, as GitHub makes it: lower case, spaces as hyphens, no other signs.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns whether a page has a heading with that anchor.
fn has_heading(page: &File, wanted: &str) -> bool {
    let heading = |line: &str| line.starts_with('#').then(|| anchor(line.trim_start_matches('#')));
    lines(page).any(|(_, line, code)| !code && heading(line).is_some_and(|found| found == wanted))
}

/// Links to files lead to files, and those to headings lead to headings.
pub(crate) fn links(tree: &Tree) -> Vec<Finding> {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\]\(([^)#\s]*)(?:#([^)\s]*))?[^)]*\)").expect("a pattern"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut findings = Vec::new();
    for page in
        tree.files.iter().filter(|file| file.extension() == "md" && !file.path.starts_with("tests/cases/"))
    {
        let folder = root.join(&page.path).parent().map(Path::to_path_buf).unwrap_or_default();
        for (at, line, _) in lines(page).filter(|(_, _, code)| !code) {
            let local = LINK.captures_iter(line).filter(|link| !link[1].contains("://"));
            for link in local {
                let target = if link[1].is_empty() { root.join(&page.path) } else { folder.join(&link[1]) };
                if !target.exists() {
                    let rule = format!("links to `{}`, which is not there: mend the link", &link[1]);
                    findings.push(page.finding(at, rule));
                } else if let Some(wanted) = link.get(2)
                    && !text_of(tree, root, &target).is_some_and(|to| has_heading(to, wanted.as_str()))
                {
                    let rule = format!(
                        "links to `#{}`, a heading that is not there: mend the link",
                        wanted.as_str()
                    );
                    findings.push(page.finding(at, rule));
                }
            }
        }
    }
    findings
}

/// The tracked file that a link leads to.
fn text_of<'a>(tree: &'a Tree, root: &Path, target: &Path) -> Option<&'a File> {
    let target = target.canonicalize().ok()?;
    tree.files.iter().find(|file| root.join(&file.path).canonicalize().is_ok_and(|path| path == target))
}
