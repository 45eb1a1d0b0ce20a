//! SIGKILL between every two steps of a decision on changes without lines: a rename with an edit, a mode, a symlink, bytes.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::strace;
use crate::support::{Project, in_pairs, sample, tree, with_why};

/// Kills tried, unless all are asked for.
const POINTS: usize = 40;

/// As `git diff --binary` writes it.
const DIFF: &str = "diff --git a/a.txt b/b.txt
similarity index 66%
rename from a.txt
rename to b.txt
index 4cb29ea..37278ba 100644
--- a/a.txt
+++ b/b.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/l b/l
new file mode 120000
index 0000000..19acdd8
--- /dev/null
+++ b/l
@@ -0,0 +1 @@
+b.txt
\\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/x.bin b/x.bin
index e7be1ea5722fddec13dbce5018dc1056c0dd3fdb..6d427cad2afc6f55bd6be9c9567f2a27c35ea774 100644
GIT binary patch
literal 10
RcmZR`OD$JOsw_z@1^^Lw1Cjs$

literal 4
LcmZR`&q)CQ0*wJc
";

fn held() -> Project {
    let files = [("a.txt", "one\ntwo\nthree\n"), ("run.sh", "#!/bin/sh\n"), ("x.bin", "\0old")];
    let project = Project::new(&files);
    let arguments = with_why(&json!({ "diff": DIFF })).to_string();
    let ran = project.wherefore(&["call", "fs.patch", &arguments, "--policy", "hold"]);
    assert!(String::from_utf8_lossy(&ran.out).contains("pending"), "{ran:?}");
    project
}

/// The files and links, but for the one that shows whether all is well: whether anyone may execute them, and their bytes or where they lead.
fn seen(project: &Project) -> Vec<(String, bool, Vec<u8>)> {
    let all =
        tree(&project.root()).into_iter().filter(|(path, ..)| !path.starts_with('.') && path != "probe.txt");
    let link = |path: &str| project.path(path).is_symlink();
    all.map(|(path, mode, bytes)| (mode & 0o100 != 0 && !link(&path), path, bytes))
        .map(|(executable, path, bytes)| (path, executable, bytes))
        .collect()
}

#[test]
fn killed_while_changes_without_lines_are_accepted() {
    if !strace::works() {
        return;
    }
    let args = ["review", "--accept", "all"];
    let project = held();
    let before = seen(&project);
    assert_eq!(project.wherefore(&args).code(), Some(0));
    let after = seen(&project);
    let whole: [(&str, bool, &[u8]); 4] = [
        ("b.txt", false, b"one\nzwei\nthree\n"),
        ("l", false, b"b.txt"),
        ("run.sh", true, b"#!/bin/sh\n"),
        ("x.bin", false, b"\0new bytes"),
    ];
    let whole = whole.map(|(path, executable, bytes)| (path.to_owned(), executable, bytes.to_owned()));
    assert_eq!(after, whole);
    let learnt = strace::learn(&held(), &args);
    let changing: Vec<_> =
        learnt.iter().filter(|call| call.thread == 0 && call.is_ours() && call.changes()).cloned().collect();
    let points = sample(&changing, POINTS);
    assert!(points.len() > 10, "{points:?}");
    let killed = AtomicUsize::new(0);
    in_pairs(&points, |point| {
        let project = held();
        let ran = strace::inject(&project, &point.name, "signal=SIGKILL", &point.nth.to_string(), &args);
        killed.fetch_add(usize::from(ran.killed()), Ordering::Relaxed);
        let point = format!("{} {}", point.name, point.nth);
        // Somebody accepts again; if the first acceptance took effect, nothing is pending.
        let again = project.wherefore(&args);
        assert_eq!(seen(&project), after, "accepted again after {point}: {again:?}");
        let left = project.wherefore(&["review", "--list", "--json"]);
        assert_eq!(left.json(), json!([]), "nothing waits after {point}: {left:?}");
        project.is_well(&point);
        let undone = project.wherefore(&["undo", "c-0001"]);
        assert_eq!(undone.code(), Some(0), "undone after {point}: {undone:?}");
        assert_eq!(seen(&project), before, "undone after {point}: {undone:?}");
    });
    let killed = killed.into_inner();
    assert!(killed * 10 >= points.len() * 8, "only {killed} of {} were killed", points.len());
}
