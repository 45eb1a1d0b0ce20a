//! The built-in rules and those of settings, by path.

use super::{Rules, Ruling, Touch, Verdict};
use crate::base::WorkspacePath;
use crate::protocol::{Access, RuleSettings};

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::clean(text).unwrap()
}

fn list(globs: &[&str]) -> Vec<String> {
    globs.iter().map(|glob| (*glob).to_owned()).collect()
}

/// `closed`, `read` (read only), `ask` or `open`.
fn standing(rules: &Rules, text: &str) -> &'static str {
    match (rules.check(Access::Read, &path(text)), rules.check(Access::Write, &path(text))) {
        (Ruling::Deny { .. }, Ruling::Deny { .. }) => "closed",
        (Ruling::Allow | Ruling::Ask { .. }, Ruling::Deny { .. }) => "read",
        (Ruling::Ask { .. }, Ruling::Ask { .. }) => "ask",
        (Ruling::Allow, Ruling::Allow) => "open",
        odd => panic!("{text}: {odd:?}"),
    }
}

fn check(rules: &Rules, expected: &str, paths: &[&str]) {
    for text in paths {
        assert_eq!(standing(rules, text), expected, "{text}");
    }
}

fn built_in() -> Rules {
    let (rules, problems) = Rules::new(&RuleSettings::default(), &RuleSettings::default());
    assert_eq!(problems, Vec::<String>::new());
    rules
}

#[test]
fn built_in_paths() {
    let rules = built_in();
    check(&rules, "closed", &[".env", ".env.local", "a/.ENV", "a/b/.Env.prod/x", ".envrc", "env~1", "ENV~1"]);
    check(&rules, "closed", &["server.pem", "a/B.KEY", "x.p12", "id_rsa", "keys/id_ed25519.pub", "a:b.pem"]);
    check(
        &rules,
        "closed",
        &[".ssh", ".ssh/config", ".SSH/x", "home/.aws/credentials", ".docker/config.json"],
    );
    check(&rules, "closed", &["x/.docker/config.json", ".netrc", "_netrc", ".npmrc", "credentials"]);
    check(&rules, "closed", &["config/credentials.json", "secrets.yaml", "SECRETS.YML", ".git/credentials"]);
    check(
        &rules,
        "closed",
        &[".wherefore", ".wherefore/config.toml", "sub/.Wherefore/x", ".wherefore-tmp-1"],
    );
    check(
        &rules,
        "closed",
        &["wheref~1/x", ".env.", ".env ", ".env::$DATA", ".env. .", ".e\u{200d}nv", ".\u{17f}sh/x"],
    );
    check(
        &rules,
        "read",
        &[".git", ".git/config", "sub/.git/hooks/x", ".GIT/config", "git~1/config", ".git./x"],
    );
    check(
        &rules,
        "read",
        &[".git::$INDEX_ALLOCATION/x", ".g\u{200c}it/config", "a/.hg/hgrc", ".gIt", ".g\u{130}t/../.Git"],
    );
    check(
        &rules,
        "read",
        &[".vscode", ".vscode/tasks.json", "x.code-workspace", ".idea/x", ".nvim.lua", ".EXRC"],
    );
    check(&rules, "read", &[".mcp.json", ".claude/settings.json", ".husky/pre-commit", "sub/.githooks/x"]);
    check(
        &rules,
        "read",
        &["lefthook.yml", ".lefthook-local.yml", ".cargo/config.toml", ".codex", ".cursor/x"],
    );
    check(
        &rules,
        "open",
        &[".", "src/main.rs", "environment.md", "key.rs", "my.env", ".gitignore", ".github/x"],
    );
    check(&rules, "open", &["docker/config.json", "keys/readme", "secrets.rs", "git", "wherefore/x", "..."]);
}

#[test]
fn settings_of_the_person_and_the_project() {
    let user = RuleSettings {
        deny: list(&["private/**", "/top", "*.bak"]),
        read_only: list(&["vendor/", "docs/*.md"]),
        ask: list(&["migrations"]),
        allow: list(&[".env.example", ".vscode", ".git", ".wherefore"]),
    };
    let project = RuleSettings {
        deny: list(&["Généré"]),
        read_only: list(&["Cargo.lock"]),
        ask: list(&["deploy/**"]),
        allow: list(&["*.pem"]),
    };
    let (rules, problems) = Rules::new(&user, &project);
    assert_eq!(problems.len(), 1, "{problems:?}");
    check(&rules, "closed", &["private", "private/a/b", "PRIVATE/x", "top", "top/x", "a/x.bak", "généré/x"]);
    check(&rules, "closed", &["x.pem", ".env", ".wherefore/x"]);
    check(&rules, "read", &["vendor/a", "a/vendor/b", "docs/a.md", "Cargo.lock", ".git/config"]);
    check(&rules, "ask", &["migrations/1.sql", "deploy/x", "deploy"]);
    check(
        &rules,
        "open",
        &["sub/private", "sub/top", "docs/a/b.md", ".env.example", ".vscode/settings.json"],
    );
}

#[test]
fn bad_globs_are_told_and_the_rest_holds() {
    let user = RuleSettings { deny: list(&["a[", "", "b"]), ..RuleSettings::default() };
    let (rules, problems) = Rules::new(&user, &RuleSettings::default());
    assert_eq!(problems.len(), 2, "{problems:?}");
    check(&rules, "closed", &["b", ".env"]);
    check(&rules, "open", &["a", "a["]);
}

#[test]
fn a_call_is_judged_by_both_paths() {
    let user = RuleSettings { ask: list(&["db"]), ..RuleSettings::default() };
    let (rules, _) = Rules::new(&user, &RuleSettings::default());
    let touch =
        |access, asked, resolved| Touch { access, asked: path(asked), resolved: path(resolved), file: None };
    let read = touch(Access::Read, "a", "a");

    assert!(
        matches!(rules.judge(vec![read.clone()]), Verdict::Allow(grant) if grant.touches() == [read.clone()])
    );

    let Verdict::Deny(fault) = rules.judge(vec![read.clone(), touch(Access::Read, "link", "x/.env")]) else {
        panic!("not denied");
    };
    assert_eq!(fault.message, "rule sensitive-path `.env*` refuses to read `link`, which leads to `x/.env`");
    assert!(matches!(rules.judge(vec![touch(Access::Write, ".git/x", "b")]), Verdict::Deny(_)));

    let Verdict::Ask(ask) = rules.judge(vec![read, touch(Access::Write, "db/1", "db/1")]) else {
        panic!("not asked");
    };
    assert_eq!(ask.question, "Allow to write `db/1`? (rule rules.ask `db`)");
    assert_eq!(ask.grant().touches().len(), 2);
}
