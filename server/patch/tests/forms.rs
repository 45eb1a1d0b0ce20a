//! What GNU diff, git, Codex and models write in headers, and at the ends of blocks.

use crate::{AppliedKind, GitBody, RefusalCode, apply_diff, apply_to_named_file, git_files};

const TEXT: &str = "one\ntwo\nthree\n";

fn after(path: &str, before: &str, diff: &str) -> Result<Option<String>, RefusalCode> {
    apply_diff(path, Some(before), diff).map(|applied| applied.after).map_err(|refusal| refusal.code)
}

fn some(text: &str) -> Result<Option<String>, RefusalCode> {
    Ok(Some(text.to_owned()))
}

#[test]
fn a_time_without_a_file_makes_or_removes_it() {
    let epochs = [
        "1970-01-01 00:00:00.000000000 +0000",
        "1969-12-31 16:00:00.000000000 -0800",
        "1970-01-01 09:00:00 +09:00",
    ];
    let time = "2024-05-01 12:00:00.000000000 +0200";
    for epoch in epochs {
        for space in ["\t", "  "] {
            let head = |old: &str, new: &str| format!("--- a/f{space}{old}\n+++ b/f{space}{new}\n");
            let removal = head(time, epoch) + "@@ -1,3 +0,0 @@\n-one\n-two\n-three\n";
            assert_eq!(after("f", TEXT, &removal), Ok(None), "{removal}");
            assert_eq!(
                after("f", &format!("{TEXT}four\n"), &removal),
                Err(RefusalCode::Conflict),
                "{removal}"
            );
            let creation = head(epoch, time) + "@@ -0,0 +1 @@\n+one\n";
            let made = apply_diff("f", None, &creation).unwrap();
            assert_eq!((made.kind, made.after.as_deref()), (AppliedKind::Create, Some("one\n")));
            assert_eq!(after("f", TEXT, &creation), Err(RefusalCode::Conflict), "{creation}");
            // A file that was last changed then.
            for head in [head(epoch, time), head(time, epoch), head(epoch, epoch)] {
                let change = head + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
                assert_eq!(after("f", TEXT, &change), some("one\n2\nthree\n"), "{change}");
            }
        }
    }
    let emptied = format!("--- a/f\t{time}\n+++ b/f\t{time}\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n");
    assert_eq!(after("f", TEXT, &emptied), some(""));
}

#[test]
fn the_copy_of_before_is_the_same_file() {
    let hunk = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let changed = some("one\n2\nthree\n");
    for suffix in [".orig", ".old", ".bak", "~"] {
        let diff = format!("--- a/dir/file{suffix}\n+++ b/dir/file\n{hunk}");
        assert_eq!(after("dir/file", TEXT, &diff), changed, "{diff}");
        let named = apply_to_named_file("/tmp/x/file", Some(TEXT), &diff);
        assert_eq!(named.unwrap().after, changed.clone().unwrap());
    }
    let compared = format!("--- a/one.txt\n+++ b/two.txt\n{hunk}");
    assert_eq!(after("two.txt", TEXT, &compared), changed);
    assert_eq!(after("one.txt", TEXT, &compared), Err(RefusalCode::Unsupported));
    let renamed = format!("diff --git a/one.txt b/two.txt\n{compared}");
    assert_eq!(after("two.txt", TEXT, &renamed), Err(RefusalCode::Unsupported));
}

#[test]
fn a_time_after_spaces_is_no_part_of_a_name() {
    let hunk = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    for time in ["2024-05-01 12:00:00.000000000 +0200", "2024-05-01 12:00:00", "Wed May  1 12:00:00 2024"] {
        let diff = format!("--- a/my file.txt {time}\n+++ b/my file.txt {time}\n{hunk}");
        assert_eq!(after("my file.txt", TEXT, &diff), some("one\n2\nthree\n"), "{diff}");
        assert_eq!(after("file.txt", TEXT, &diff), Err(RefusalCode::OtherFile), "{diff}");
    }
}

#[test]
fn a_second_row_closes_a_block() {
    let open = "f\n```\n<<<<<<< SEARCH\ntwo\n=======\n2\n=======\n";
    let changed = some("one\n2\nthree\n");
    for end in [
        ">>>>>>> REPLACE\n```\n",
        "\n>>>>>>> REPLACE\n```\n",
        "```\n",
        "\n```\nThe end.\n",
        "",
        "\n",
        "</source>\n",
    ] {
        let diff = format!("{open}{end}");
        assert_eq!(
            apply_to_named_file("f", Some(TEXT), &diff).unwrap().after,
            changed.clone().unwrap(),
            "{diff}"
        );
    }
    let next = format!("{open}```\n\n```\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n```\n");
    assert_eq!(after("f", TEXT, &next), some("one\n2\n3\n"));
    // It may be a line of the file, or the text is cut off.
    assert_eq!(after("f", &format!("{TEXT}=======\n"), open), Err(RefusalCode::Unsupported));
    for end in ["more\n>>>>>>> REPLACE\n", "=======\n>>>>>>> REPLACE\n"] {
        assert_eq!(after("f", TEXT, &format!("{open}{end}")), Err(RefusalCode::Unsupported), "{end}");
    }
    for end in ["more\n", "\nmore\n```\n", "```python\nx\n"] {
        assert_eq!(after("f", TEXT, &format!("{open}{end}")), Err(RefusalCode::Truncated), "{end}");
    }
}

#[test]
fn lines_added_below_nothing_go_to_the_end_where_the_form_says_so() {
    let starred = |hunk: &str| format!("*** Begin Patch\n*** Update File: f\n{hunk}*** End Patch\n");
    assert_eq!(after("f", TEXT, &starred("@@\n+four\n+five\n")), some("one\ntwo\nthree\nfour\nfive\n"));
    assert_eq!(after("f", "one\ntwo", &starred("@@\n+three\n")), some("one\ntwo\nthree"));
    assert_eq!(after("f", TEXT, &starred("@@\n+four\n*** End of File\n")), some("one\ntwo\nthree\nfour\n"));
    assert_eq!(after("f", TEXT, &starred("+four\n")), some("one\ntwo\nthree\nfour\n"));
    assert_eq!(after("f", TEXT, &starred("@@\n one\n-two\n+2\n@@\n+four\n")), some("one\n2\nthree\nfour\n"));
    // A heading says that they go somewhere else.
    assert_eq!(after("f", TEXT, &starred("@@ two\n+four\n")), Err(RefusalCode::NoAnchor));
    assert_eq!(after("f", TEXT, "--- a/f\n+++ b/f\n@@\n+four\n"), Err(RefusalCode::NoAnchor));
}

#[test]
fn blocks_whose_halves_are_the_same_change_nothing() {
    let block = |text: &str| format!("f\n<<<<<<< SEARCH\n{text}=======\n{text}>>>>>>> REPLACE\n");
    let applied = apply_diff("f", Some(TEXT), &(block("two\n") + &block("three\n"))).unwrap();
    assert!(applied.unchanged && applied.notes.iter().any(|note| note.contains("changes nothing")));
    assert_eq!(applied.after.as_deref(), Some(TEXT));
    assert!(apply_diff("f", Some(TEXT), &block("four\n")).is_err());
    assert!(apply_diff("f", Some(TEXT), &block("")).is_err());
    assert_eq!(after("f", TEXT, "@@ -1,2 +1,2 @@\n one\n two\n"), Err(RefusalCode::Empty));
}

#[test]
fn headers_of_git_that_contradict_one_another_are_refused() {
    let change = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let (made, gone) = ("@@ -0,0 +1 @@\n+1\n", "@@ -1,3 +0,0 @@\n-one\n-two\n-three\n");
    let head = "diff --git a/f b/f\n";
    let cases = [
        (format!("{head}--- a/f\n+++ b/f-blah\n{change}"), "f-blah"),
        (format!("{head}--- a/f-blah\n+++ b/f\n{change}"), "f-blah"),
        (
            format!(
                "{head}new file mode 100644\nindex 0000000..d00491f\n--- /dev/null\n+++ b/f-blah\n{made}"
            ),
            "f-blah",
        ),
        (format!("{head}deleted file mode 100644\n--- b/f-blah\n+++ /dev/null\n{gone}"), "f-blah"),
        (format!("{head}old mode 100644\nnew mode garbage\n--- a/f\n+++ b/f\n{change}"), "no mode"),
        (format!("{head}old mode 100644\nnew mode \n"), "no mode"),
        (format!("{head}old mode 100644\nnew mode\n"), "no mode"),
        (format!("{head}new file mode 1o0644\n--- /dev/null\n+++ b/f\n{made}"), "no mode"),
        (
            "diff --git a/f b/g\nnew file mode 100644\ncopy from f\ncopy to g\n".to_owned(),
            "a new file and a copy",
        ),
        (
            "diff --git a/f b/g\nrename from f\nrename to g\nnew file mode 100644\n".to_owned(),
            "a new file and a rename",
        ),
        (
            "diff --git a/f b/g\ndeleted file mode 100644\nrename from f\nrename to g\n".to_owned(),
            "a removal and a rename",
        ),
    ];
    for (diff, reason) in cases {
        for before in [Some(TEXT), None] {
            let refusal = apply_to_named_file("f", before, &diff).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::Unsupported, "{diff}");
            assert!(refusal.message.contains(reason), "{refusal}: {diff}");
        }
        let [file] = &git_files(&diff)[..] else { panic!("{diff}") };
        assert!(matches!(&file.body, GitBody::Broken(why) if why.contains(reason)), "{file:?}");
    }
    for diff in [
        format!("{head}--- a/f.orig\n+++ b/f\n{change}"),
        format!("{head}index 1111111..2222222 100644\n--- f\n+++ f\n{change}"),
        format!("diff --git \"a/f\" \"b/f\"\n--- \"a/f\"\n+++ b/f\n{change}"),
    ] {
        assert_eq!(after("f", TEXT, &diff), some("one\n2\nthree\n"), "{diff}");
        assert!(matches!(git_files(&diff)[0].body, GitBody::Lines(_)), "{diff}");
    }
}

#[test]
fn a_hunk_for_an_empty_file_is_refused_where_the_file_has_lines() {
    let diff = |hash: &str| {
        format!("diff --git a/f b/f\nindex {hash}..d00491f 100644\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+new\n")
    };
    for hash in ["e69de29", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3b"] {
        assert_eq!(after("f", TEXT, &diff(hash)), Err(RefusalCode::Stale), "{hash}");
        assert_eq!(after("f", "", &diff(hash)), some("new\n"));
        assert!(apply_diff("f", Some("new\n"), &diff(hash)).unwrap().unchanged);
        assert!(git_files(&diff(hash))[0].was_empty);
    }
    for hash in ["1111111", "e69"] {
        assert_eq!(after("f", TEXT, &diff(hash)), some("new\none\ntwo\nthree\n"), "{hash}");
    }
}
