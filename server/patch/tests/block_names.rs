//! The file that a SEARCH/REPLACE block is for, by what models write above it.

use crate::{AppliedDiff, PatchRefusal, RefusalCode, apply_diff, apply_to_named_file, check_git};

/// Every file has the lines of all blocks: a block in another file would be seen there.
const TEXT: &str = "first = 1\nkept = 2\nsecond = 3\n";
const FIRST: &str = "a.py\n```python\n<<<<<<< SEARCH\nfirst = 1\n=======\nfirst = 10\n>>>>>>> REPLACE\n```\n";
const SECOND: &str = "<<<<<<< SEARCH\nsecond = 3\n=======\nsecond = 30\n>>>>>>> REPLACE\n";

fn apply(path: &str, above: &str) -> Result<AppliedDiff, PatchRefusal> {
    apply_diff(path, Some(TEXT), &(FIRST.to_owned() + &second(above)))
}

/// The second block below these lines, in the fence that they open.
fn second(above: &str) -> String {
    let fences =
        ["```", "~~~"].map(|fence| above.lines().any(|line| line.starts_with(fence)).then_some(fence));
    let end = fences.into_iter().flatten().next().map_or(String::new(), |fence| format!("{fence}\n"));
    format!("{above}{SECOND}{end}")
}

/// Checks that the block below these lines is for a file, and for no other.
fn check_named(above: &str, path: &str) {
    let other = apply("a.py", above).unwrap_or_else(|refusal| panic!("{above:?}: {refusal}"));
    assert_eq!(other.after, Some(TEXT.replace("= 1\n", "= 10\n")), "{above:?}");
    assert_eq!(other.others, [path], "{above:?}");
    let own = apply(path, above).unwrap_or_else(|refusal| panic!("{above:?}: {refusal}"));
    assert_eq!(own.after, Some(TEXT.replace("= 3", "= 30")), "{above:?}");
}

#[test]
fn a_block_is_for_the_file_that_the_lines_above_it_name() {
    let forms = [
        "b.py\n",
        "`b.py`\n",
        "**b.py**\n",
        "**`b.py`**:\n",
        "### b.py\n",
        "### 2. `b.py`\n",
        "2. b.py\n",
        "2) `b.py`\n",
        "Now change `b.py`:\n",
        "In b.py:\n",
        "In `b.py`, add:\n",
        "And in the file \"b.py\":\n",
        "File: b.py\n",
        "**File:** `b.py`\n",
        "**File**: b.py\n",
        "Filename: b.py\n",
        "File path: b.py\n",
        "# b.py (tests)\n",
        "# b.py\n",
        "// b.py\n",
        "<!-- b.py -->\n",
        "b.py (new imports)\n",
        "b.py:\n",
        "b.py:12\n",
        "- b.py\n",
        "- `b.py`: the tests\n",
        "[b.py](b.py)\n",
        "In [b.py](b.py):\n",
        "(b.py)\n",
        "[b.py]\n",
        "Now “b.py”:\n",
        "Now *b.py*:\n",
        "b.py's second line:\n",
        "<file path=\"b.py\">\n",
        "<edit file='b.py'>\n",
        "<file name=b.py>\n",
        "<path>b.py</path>\n",
        "<file>b.py</file>\n",
        "b.py\n<source>python\n",
        "b.py\n</source>\n<code>\n",
        "b.py\n<pre>\n",
        "b.py\n<pre><code class=\"language-python\">\n",
        "```python b.py\n",
        "```python:b.py\n",
        "```b.py\n",
        "```python title=\"b.py\"\n",
        "```python {file: b.py}\n",
        "``` python filename=b.py\n",
        "~~~python b.py\n",
        "b.py\n```python\n",
        "b.py\n\nThe value was too low.\n\n```python\n",
        "Now `b.py`:\n\n```python\n",
        "That was a.py.\n\nNow change `b.py`:\n",
        "Now b.py, as in a.py before.\n\nb.py\n",
        "*** Update File: b.py\n",
        "--- a/b.py\n+++ b/b.py\n",
    ];
    for above in forms {
        check_named(above, "b.py");
    }
    for (above, path) in [
        ("src/b.py\n", "src/b.py"),
        ("In src/b.py:\n", "src/b.py"),
        ("src\\b.py\n", "src\\b.py"),
        ("./b.py\n", "./b.py"),
        ("`my dir/b.py`\n", "my dir/b.py"),
        ("Makefile\n", "Makefile"),
        ("`Makefile`\n", "Makefile"),
        ("**Makefile**\n", "Makefile"),
        ("File: Makefile\n", "Makefile"),
        ("Now change the Makefile:\n", "Makefile"),
        ("Now `Makefile`:\n", "Makefile"),
        ("Makefile:\n", "Makefile"),
        ("```makefile Makefile\n", "Makefile"),
        ("<file path=\"Makefile\">\n", "Makefile"),
        ("File: `build_all`\n", "build_all"),
        ("`build_all`\n", "build_all"),
        ("**build_all**\n", "build_all"),
        ("Now the file `build_all`:\n", "build_all"),
        (".gitignore\n", ".gitignore"),
        ("Also in `.gitignore`:\n", ".gitignore"),
        ("__init__.py\n", "__init__.py"),
        ("In __init__.py:\n", "__init__.py"),
        ("In `bin/tool`:\n", "bin/tool"),
        ("app/(group)/[id]/page.tsx\n", "app/(group)/[id]/page.tsx"),
    ] {
        check_named(above, path);
    }
}

#[test]
fn a_block_whose_file_is_not_certain_is_refused() {
    for above in [
        "my dir/b.py\n",
        "my b.py\n",
        "Now change b.py and c.py:\n",
        "`b.py` or `c.py`\n",
        "a.py\n```python b.py\n",
        "b.py\n\nAs c.py does it:\n",
        "b.py\n\nThis is what a.py imports:\n",
        "Now b.py.\n\nAs in c.py:\n",
        "Buildfile\n",
        "Like os.path does it:\n",
        "In bin/tool:\n",
        "Run `python b.py` after it:\n",
        "File: my dir/b.py\n",
        "b.py c.py\n",
        "<b.py>\n",
        "b.py::test_it\n",
        "In b.py#L12:\n",
        "Now _b.py_ again:\n",
        "b.py|c.py\n",
        "open(b.py)\n",
        "a.py -> b.py\n",
        "In `my dir/b.py`:\n",
        "b.py\n\na.py has it too:\n```python c.py\n",
    ] {
        for path in ["a.py", "b.py"] {
            let refusal = apply(path, above).expect_err(above);
            assert_eq!(refusal.code, RefusalCode::OtherFile, "{above:?}: {refusal}");
            assert!(refusal.suggestion.contains("above each block"), "{above:?}: {refusal}");
        }
        assert!(check_git(&format!("{FIRST}{above}{SECOND}")).is_err(), "{above:?}");
    }
}

#[test]
fn a_language_is_no_name_of_a_file() {
    for language in ["```dockerfile\n", "```Dockerfile\n", "<source>dockerfile\n"] {
        check_named(&format!("docker/Dockerfile\n{language}"), "docker/Dockerfile");
        check_named(&format!("In docker/Dockerfile:\n\n{language}"), "docker/Dockerfile");
        assert_eq!(apply("a.py", language).unwrap_err().code, RefusalCode::OtherFile, "{language}");
        let named = FIRST.replace("a.py", "docker/Dockerfile");
        let applied = apply_diff("docker/Dockerfile", Some(TEXT), &(named + &second(language)));
        assert!(applied.unwrap().others.is_empty(), "{language}");
        assert!(apply_diff("docker/Dockerfile", Some(TEXT), &second(language)).is_ok(), "{language}");
    }
}

#[test]
fn a_block_below_nothing_like_a_name_is_for_the_same_file() {
    for above in [
        "",
        "\n",
        "```python\n",
        "<source>python\n",
        "</source>\n\n<source>\n",
        "<pre><code>\n",
        "And then:\n",
        "Then:\n",
        "Next, update the `cmd_clipboard` function:\n",
        "### Step 2\n",
        "Use 2.5 (not 1.0), e.g. for v1.2.3, and/or more.\n",
        "This calls `self.load()` and self.total, see https://example.com/a.html for more.\n",
        "1. Imports\n",
        "- the total\n",
        "Auto-completion for the `/read` command:\n",
        "`first` is `1` now...\n",
        "python\n",
        "In a.py again:\n",
        "a.py\n",
        "Also in `a.py`:\n\n```python\n",
        "File: a.py\n",
        "```python a.py\n",
        "With Node.js it was otherwise.\n",
        "---\n",
        "The `.active` rule, and the `Total` class:\n",
        "12\n",
        "All console.log() calls and `this.log`:\n",
        "It is a@b.com.\n",
        "(2)\n",
        "```python numbered\n",
    ] {
        let applied = apply("a.py", above).unwrap_or_else(|refusal| panic!("{above:?}: {refusal}"));
        assert_eq!(applied.after.as_deref(), Some("first = 10\nkept = 2\nsecond = 30\n"), "{above:?}");
        assert!(applied.others.is_empty(), "{above:?}");
    }
}

#[test]
fn a_short_name_is_that_of_the_only_known_file_with_that_end() {
    let named = FIRST.replace("a.py", "src/a.py");
    let applied = apply_diff("src/a.py", Some(TEXT), &format!("{named}Now in `a.py`:\n{SECOND}"));
    assert!(applied.unwrap().others.is_empty());
    let third = format!("{named}lib/a.py\n{SECOND}Now in `a.py`:\n{SECOND}");
    assert_eq!(apply_diff("src/a.py", Some(TEXT), &third).unwrap_err().code, RefusalCode::OtherFile);
    // A block without a name is for the path, as is one with its name.
    let unnamed = apply_diff(
        "a.py",
        Some(TEXT),
        &format!("{}Also in a.py:\n{SECOND}", second("").replace("second = 3", "first = 1")),
    );
    assert!(unnamed.unwrap().others.is_empty());
    let path = "my dir/b.py";
    let applied = apply_diff(path, Some(TEXT), &format!("{FIRST}my dir/b.py\n{SECOND}")).unwrap();
    assert_eq!(applied.others, ["a.py"]);
}

#[test]
fn the_first_block_is_for_the_file_that_is_named_above_it() {
    let first = |path: &str, above: &str| apply_diff(path, Some(TEXT), &second(above));
    for above in ["In b.py:\n", "I changed a.py before.\n\nNow `b.py`:\n", "File: b.py\n", "```python b.py\n"]
    {
        assert_eq!(first("a.py", above).unwrap_err().code, RefusalCode::OtherFile, "{above:?}");
        assert!(first("b.py", above).is_ok(), "{above:?}");
    }
    assert_eq!(first("a.py", "Both a.py and b.py:\n").unwrap_err().code, RefusalCode::OtherFile);
    for above in
        ["", "It uses os.path now:\n", "Fix\n", "Total\n", "The `load` function, and/or `self.load`:\n"]
    {
        assert!(first("a.py", above).is_ok(), "{above:?}");
    }
    // The file that a person named is the only one that there is.
    assert!(apply_to_named_file("a.py", Some(TEXT), &format!("Both a.py and b.py:\n{SECOND}")).is_ok());
    let both = format!("{SECOND}Both a.py and b.py:\n{SECOND}");
    assert!(apply_to_named_file("a.py", Some(TEXT), &both).is_err());
}

#[test]
fn a_block_with_space_before_its_signs_is_not_passed_over() {
    let indented: String = SECOND.lines().map(|line| format!("   {line}\n")).collect();
    for above in ["", "b.py\n", "2. Then:\n   ```python\n"] {
        let refusal = apply_diff("a.py", Some(TEXT), &format!("{FIRST}{above}{indented}")).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Unsupported, "{above:?}: {refusal}");
    }
}
