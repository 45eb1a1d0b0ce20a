//! Commands of a day's work, and what each gives without an agent and a guard.

use std::path::Path;
use std::process::Command;

/// A command of a day's work.
pub(super) struct Everyday {
    pub name: &'static str,
    pub script: &'static str,
}

const fn row(name: &'static str, script: &'static str) -> Everyday {
    Everyday { name, script }
}

/// No command needs what another one wrote to a tracked file: that waits for a decision.
pub(super) const ALL: &[Everyday] = &[
    // Looking around.
    row("a list of files", "ls -1 src tests"),
    row("the folder", "basename \"$(pwd)\" | wc -l; pwd -P >/dev/null && echo there"),
    row("a file", "cat README.md"),
    row("the head and the tail", "head -n 2 words.txt; tail -n 1 words.txt"),
    row("files by name", "find . -name '*.py' -not -path './.git/*' | sort"),
    row("a search", "grep -rn --include='*.py' 'def ' src | sort"),
    row("a search that finds nothing", "grep -rn no-such-word src; echo code $?"),
    row("two files that differ", "diff -q words.txt README.md; echo code $?"),
    // Pipes and the shell's own.
    row("a pipe", "sort words.txt | uniq -c | sort -rn | awk '{ print $2 }' | head -n 3"),
    row("a loop", "for file in src/*.py; do basename \"$file\" .py; done"),
    row("a folder that is gone to", "cd src && ls -1 && cd - >/dev/null && ls -1 tests"),
    row("a job in the background", "(sleep 0.2; echo behind) & wait; echo waited"),
    row("a trap", "trap 'echo goodbye' EXIT; echo hello"),
    row("quotes", r#"echo 'it'"'"'s' "a \"word\"" \$HOME `echo back`"#),
    row("letters of many alphabets", "printf 'größe → 3, 日本, 🙂\\n'"),
    // Variables.
    row(
        "a variable",
        "export GREETING='good day'; env | grep '^GREETING='; TO=you sh -c 'echo $TO ${NONE:-none}'",
    ),
    // Here documents.
    row("a here document", "cat <<'EOF'\n$HOME stays \"as it is\"\n\tand `so` does this\nEOF"),
    row(
        "a here document for Python",
        "python3 - <<'EOF'\nimport json\nprint(json.dumps({'answer': 6 * 7}))\nEOF",
    ),
    // Ends.
    row("an exit code", "exit 7"),
    row("a failure in a pipe", "set -o pipefail; false | cat"),
    row("both streams", "echo to the one; echo to the other >&2; exit 4"),
    row("a program that is missing", "no-such-program --version"),
    row("a limit of time", "timeout 0.3 sleep 5"),
    row("a file that is missing", "cat no-such-file.txt"),
    row("many lines on standard error", "for n in $(seq 1 200); do echo \"warning $n\" >&2; done"),
    row("many lines", "seq 1 900"),
    // Git's reads.
    row("the state", "git status --short src words.txt"),
    row("the log", "git log --format=%s"),
    row("a diff", "git diff -- src/app.py"),
    row("a commit", "git show --stat --format=%s HEAD"),
    row("who wrote it", "git blame -s src/util.py | head -n 2"),
    row("a search of git's", "git grep -n total; git ls-files | head -n 3; git rev-parse --abbrev-ref HEAD"),
    // Builds and tests.
    row("a build", "make build && cat build/out.txt"),
    row("a build that is there", "cat build/out.txt && make -q build && echo nothing to do"),
    row("tests that pass", "python3 -B -m unittest -q tests.test_util 2>&1 | grep -v '^Ran'"),
    row("a target that fails", "make broken"),
    row("a script of the project's", "./run.sh one two"),
    // Files that it makes and changes.
    row("a copy", "mkdir -p made/deep && cp words.txt made/deep/ && ls -1 made/deep"),
    row("an edit in place", "sed -i 's/total/sum/' src/edited.py && grep -c sum src/edited.py"),
    row("a file that goes", "rm src/old.py && ls src/old.py"),
];

/// What a command gives.
pub(super) struct Outcome {
    pub lines: Vec<String>,
    pub code: i32,
}

impl Outcome {
    /// Of the command in `folder`, with this home.
    pub(super) fn without_guard(script: &str, folder: &Path, home: &str) -> Self {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(folder).env_clear().env("HOME", home);
        let output =
            command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("TERM", "dumb").output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let lines = text.lines().map(|line| without_place(line).trim().to_owned());
        let lines = lines.filter(|line| !line.is_empty()).collect();
        Self { lines, code: output.status.code().unwrap_or(-1) }
    }

    /// The first line that a model did not see, or the exit code. The two streams may come one after the other.
    pub(super) fn missing_in(&self, result: &str, tells_code: bool) -> Option<String> {
        let mut seen: Vec<&str> = result.lines().map(|line| without_place(line).trim()).collect();
        for line in &self.lines {
            let found = seen.iter().position(|seen| seen == line || seen.ends_with(&format!(": {line}")));
            match found.or_else(|| seen.iter().position(|seen| seen.contains(line.as_str()))) {
                Some(at) => drop(seen.remove(at)),
                None => return Some(line.clone()),
            }
        }
        let told = result.to_lowercase();
        let code = self.code;
        let words =
            ["exit code", "exit code:", "exited with", "code:"].map(|words| format!("{words} {code}"));
        let is_told = code == 0 || !tells_code || words.iter().any(|words| told.contains(words));
        (!is_told).then(|| format!("exit code {code}"))
    }
}

/// A line of a shell's without the shell's own place, which differs: `bash: line 1: `.
fn without_place(line: &str) -> &str {
    let rest = ["bash: ", "/bin/bash: ", "/usr/bin/bash: "].iter().find_map(|shell| line.strip_prefix(shell));
    rest.and_then(|rest| rest.strip_prefix("line ")?.split_once(": ")).map_or(line, |(_, rest)| rest)
}
