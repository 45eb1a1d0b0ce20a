//! The project of the person's that the agents work in: a repository with commits, a change that is in none, a build and tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Place, ten_lines};

/// A closed file of the project, and what no model may see of it.
pub(super) const SECRET: &str = "SECRET-OF-PROJECT";

const FILES: &[(&str, &str)] = &[
    ("words.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"),
    ("README.md", "# Sums\n\nAdds numbers up.\n"),
    (".gitignore", "build/\n__pycache__/\n.env\n"),
    (
        "Makefile",
        "build: build/out.txt\nbuild/out.txt:\n\tmkdir -p build\n\techo built > build/out.txt\nbroken:\n\t@echo about to fail >&2; exit 3\n.PHONY: build broken\n",
    ),
    ("run.sh", "#!/bin/sh\necho \"$# words: $*\"\n"),
    ("src/app.py", "from util import total\n\nprint(total([1, 2, 3]))\n"),
    ("src/util.py", "def total(numbers):\n    return sum(numbers)\n"),
    ("src/edited.py", "total = 1\n"),
    ("src/old.py", "old = True\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_util.py",
        "import unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 3)\n",
    ),
];

/// Git in a folder, as a person of the tests.
pub(super) fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
    let done = Command::new("git").arg("-C").arg(folder).args(who).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
}

/// Makes the project in a place.
pub(super) fn make() -> Place {
    // A project below `/tmp` has a `/tmp` for each command.
    let place = Place::below(Path::new("/var/tmp"), &[("list.txt", &ten_lines(&[]))]);
    let work = place.work();
    for (path, text) in FILES {
        let file = work.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(work.join("run.sh"), executable).unwrap();
    git(&work, &["init", "-q", "-b", "main"]);
    // In the repository, since Gemini CLI's shell gives git no settings of the person's.
    git(&work, &["config", "user.name", "n"]);
    git(&work, &["config", "user.email", "n@example.org"]);
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "Add numbers up"]);
    std::fs::write(
        work.join("src/util.py"),
        "def total(numbers):\n    \"\"\"The sum.\"\"\"\n    return sum(numbers)\n",
    )
    .unwrap();
    git(&work, &["commit", "-q", "-a", "-m", "Say what it gives"]);
    std::fs::write(work.join("src/app.py"), "from util import total\n\nprint(total([1, 2, 3, 4]))\n")
        .unwrap();
    std::fs::write(work.join(".env"), format!("TOKEN={SECRET}\n")).unwrap();
    place
}

/// A copy of the project that no agent works in.
pub(super) fn twin(place: &Place) -> PathBuf {
    let twin = place.beside("unguarded").join("work");
    let copied = Command::new("cp").arg("-a").arg(place.work()).arg(&twin).status().unwrap();
    assert!(copied.success());
    twin
}
