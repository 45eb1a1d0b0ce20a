//! Hunks that are taken back, and files that changed since: nothing is lost that nobody has looked at.

use super::*;

fn one(path: &str, text: &str) -> Tree {
    Tree::from([(path.to_owned(), trees::text(text))])
}

#[tokio::test]
async fn an_editor_renames_no_file_past_the_rules_that_hold_by_now() {
    let diff = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    for closed in ["a.txt", "b.txt"] {
        let bench = Bench::new(&[("a.txt", "a\n"), (".wherefore/config.toml", "")]);
        bench.open("a.txt");
        let (call, proposal) = bench.propose("fs.patch", json!({ "diff": diff })).await;
        bench.write(".wherefore/config.toml", &format!("[rules]\nread_only = [\"{closed}\"]\n"));
        let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert!(answer.problems.join("").contains("rules.read_only"), "{closed}: {answer:?}");
        assert_eq!(read(bench.folder.path()), one("a.txt", "a\n"));
        call.abort();
    }
}
