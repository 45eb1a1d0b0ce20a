//! A diff for another version of a file, by the command line.

use crate::support::agent::{place, wherefore};

#[test]
fn a_diff_for_another_version_is_merged_where_a_person_asks() {
    let here = place();
    let here = here.path();
    let file = here.join("work/run.rs");
    let before = "fn main() {\n    let port = listen(host, 80);\n    serve(port);\n}\n";
    std::fs::write(&file, before).unwrap();
    let diff = "--- a/run.rs\n+++ b/run.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    let port = open(host, 80);\n+    let port = open(host, 8080);\n     serve(port);\n";
    std::fs::write(here.join("work/change.diff"), diff).unwrap();
    let run = |args: &[&str]| {
        let out = wherefore(here, &[&["patch"], args, &["run.rs", "change.diff"]].concat()).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    };
    let (code, said) = run(&[]);
    assert!(code == Some(1) && said.contains("`wherefore patch --merge` puts it in word by word"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let (code, said) = run(&["--merge"]);
    assert!(code == Some(0) && said.contains("hunk 1 at line 1: merged word by word"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("80)", "8080)"));
    // The same words are changed: that is a conflict, and no way out is named that is none.
    std::fs::write(&file, before.replace("80)", "90)")).unwrap();
    for args in [&[][..], &["--merge"]] {
        let (code, said) = run(args);
        assert!(code == Some(1) && !said.contains("--merge"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("80)", "90)"));
}
