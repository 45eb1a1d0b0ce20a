//! The built-in rules and those of settings, by path.

use super::builtin::{self, RuleKind};
use super::path_rule_lists::PathRuling;
use super::{FileOpener, PartyLists, PathTouch, RuleVerdict, WorkspaceRules};
use crate::base::WorkspacePath;
use crate::protocol::{PathAccess, RuleSettings};

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::from_relative(text).unwrap()
}

fn list(globs: &[&str]) -> Vec<String> {
    globs.iter().map(|glob| (*glob).to_owned()).collect()
}

/// `closed`, `read` (read only), `ask`, `asked` (to write) or `open`.
fn standing(rules: &WorkspaceRules, text: &str) -> &'static str {
    match (
        rules.paths().check_access(PathAccess::Read, &path(text)),
        rules.paths().check_access(PathAccess::Write, &path(text)),
    ) {
        (PathRuling::Deny { .. }, PathRuling::Deny { .. }) => "closed",
        (PathRuling::Allow | PathRuling::Ask { .. }, PathRuling::Deny { .. }) => "read",
        (PathRuling::Ask { .. }, PathRuling::Ask { .. }) => "ask",
        (PathRuling::Allow, PathRuling::Ask { .. }) => "asked",
        (PathRuling::Allow, PathRuling::Allow) => "open",
        odd => panic!("{text}: {odd:?}"),
    }
}

fn check(rules: &WorkspaceRules, expected: &str, paths: &[&str]) {
    for text in paths {
        assert_eq!(standing(rules, text), expected, "{text}");
    }
}

fn built_in() -> WorkspaceRules {
    let (rules, problems) = WorkspaceRules::new(&RuleSettings::default(), &RuleSettings::default());
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
fn a_template_is_open_and_opens_nothing_beside_itself() {
    let rules = built_in();
    let open = [
        ".env.example",
        "app/.ENV.sample",
        ".env.production.template",
        ".env.dist",
        "credentials.example.json",
    ];
    check(&rules, "open", &open);
    let closed = [
        ".env.example/x",
        ".env.example/.env.example",
        ".aws/.env.example",
        ".ssh/credentials.sample",
        ".env.example.local",
        ".env.example.bak",
        ".env.examples",
        ".env::.env.example",
        ".env:x/.env.example",
        "credentials.json",
    ];
    check(&rules, "closed", &closed);
    let project = RuleSettings { deny: vec![".env*".to_owned()], ..RuleSettings::default() };
    let (rules, _) = WorkspaceRules::new(&RuleSettings::default(), &project);
    check(&rules, "closed", &[".env.example"]);
    let outside = |path_: &str| rules.paths().check_builtin(PathAccess::Read, &path(path_));
    assert_eq!(outside("home/me/x/.env.example"), PathRuling::Allow);
    assert!(matches!(outside("home/me/.aws/.env.example"), PathRuling::Deny { .. }));
}

/// A path that a glob of the table matches.
fn example(glob: &str) -> String {
    let mut path = glob.replace("**/*", "any/file").replace("[0-9]", "1").replace('*', "");
    while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
        let first = path[open + 1..close].split(',').next().unwrap().to_owned();
        path.replace_range(open..=close, &first);
    }
    path
}

#[test]
fn each_entry_of_the_table_holds_in_every_spelling() {
    let rules = built_in();
    let counts = RuleKind::ALL.map(|kind| builtin::globs_of_kind(kind).len());
    assert!(counts.iter().all(|count| *count > 0) && counts.iter().sum::<usize>() > 500, "{counts:?}");
    // An entry of `installed` opens to commands a path that another entry closes.
    for entry in builtin::builtin_table().iter().filter(|entry| entry.kind != RuleKind::Installed) {
        assert!(entry.reason.len() > 10, "{entry:?}");
        let plain = example(entry.glob);
        let upper = plain.to_uppercase();
        let hidden = format!("{}\u{200b}{}", &plain[..1], &plain[1..]);
        for text in [
            plain.clone(),
            format!("a/b/{plain}"),
            upper,
            hidden,
            format!("{plain}. "),
            format!("{plain}::$DATA"),
        ] {
            let standing = standing(&rules, &text);
            let closed = matches!(entry.kind, RuleKind::Private | RuleKind::Sensitive);
            match entry.kind {
                // An earlier entry may be stricter.
                RuleKind::Warned => {
                    assert!(rules.paths().change_warning(&path(&text)).is_some(), "{text}: {entry:?}");
                }
                RuleKind::Asked => {
                    assert!(matches!(standing, "asked" | "read" | "closed"), "{text} {standing}: {entry:?}")
                }
                // No tool writes a template under such a name, and another file may hide behind it.
                RuleKind::Template if text.ends_with(['.', ' ', 'A']) && text.contains([' ', ':']) => {
                    assert_eq!(standing, "closed", "{text}: {entry:?}");
                }
                RuleKind::Template => assert_ne!(standing, "closed", "{text}: {entry:?}"),
                _ if closed => assert_eq!(standing, "closed", "{text}: {entry:?}"),
                _ => assert!(matches!(standing, "read" | "closed"), "{text} {standing}: {entry:?}"),
            }
        }
    }
}

#[test]
fn what_runs_is_closed_what_steers_is_asked_and_what_builds_warns() {
    let rules = built_in();
    let never = [
        ".helix/config.toml",
        ".vim/plugin/x.vim",
        ".vimrc",
        "mise.toml",
        "sub/.mise/config.toml",
        ".mise.local.toml",
        ".mvn/extensions.xml",
        ".pnpmfile.cjs",
        ".ghci",
        ".Rprofile",
        ".irbrc",
        ".pdbrc",
        "rust-toolchain.toml",
        "RUST-TOOLCHAIN",
        ".kiro/hooks/x",
        ".junie/mcp/mcp.json",
        ".amazonq/cli-agents/a.json",
        ".qwen/settings.json",
        ".trae/rules/x.md",
        "mcp.json",
        "sub/.mcp.json",
        ".continue/config.yaml",
        ".theia/tasks.json",
        ".lapce/run.toml",
        "a.sublime-project",
        ".cursor/mcp.json",
        ".claude/settings.local.json",
        ".gitmodules",
        "sitecustomize.py",
        "lib/x.pth",
        ".tool-versions",
        ".devcontainer/devcontainer.json",
        ".gitpod.yml",
        ".idx/dev.nix",
        "hie.yaml",
        ".erlang",
        ".ocamlinit",
        ".latexmkrc",
        ".venv/bin/activate",
        "node_modules/.bin/tsc",
        ".yarn/releases/yarn.cjs",
        "x/.pnp.cjs",
        "bunfig.toml",
        ".config/fish/x",
    ];
    check(&rules, "read", &never);
    check(&rules, "closed", &[".envrc", ".npmrc", ".yarnrc.yml", ".pypirc"]);
    let asked = [
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/x",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "AGENTS.md",
        "docs/agents.md",
        "CLAUDE.md",
        "sub/CLAUDE.local.md",
        "GEMINI.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules/x.md",
        ".github/copilot-instructions.md",
        ".github/instructions/rust.instructions.md",
        "action.yml",
        "CODEOWNERS",
        ".rules",
    ];
    check(&rules, "asked", &asked);
    let warned = [
        "package.json",
        "sub/Makefile",
        "build.rs",
        "CMakeLists.txt",
        "setup.py",
        "pyproject.toml",
        "Dockerfile",
        "Dockerfile.dev",
        "Gemfile",
        "Rakefile",
        "build.gradle.kts",
        "Cargo.toml",
        "justfile",
        "vite.config.ts",
        ".gitattributes",
        "BUILD",
        "a/b.csproj",
    ];
    check(&rules, "open", &warned);
    let silent = [
        "src/main.rs",
        "README.md",
        "Cargo.lock",
        "build/x.c",
        "workspace/x.rs",
        "package.json.md",
        "description/x",
    ];
    check(&rules, "open", &silent);
    assert!(warned.iter().all(|text| rules.paths().change_warning(&path(text)).is_some()));
    assert_eq!(silent.iter().find(|text| rules.paths().change_warning(&path(text)).is_some()), None);

    let touch = PathTouch {
        access: PathAccess::Write,
        asked: path("notes"),
        resolved: path(".helix/config.toml"),
        file: None,
    };
    let RuleVerdict::Deny(refusal) = rules.judge_paths(vec![touch]) else { panic!("not denied") };
    assert_eq!(
        refusal.to_string(),
        "rule runs-programs `.helix` (the editor takes programs to run from it when the folder is opened) refuses to write `notes`, which leads to `.helix/config.toml`"
    );
}

#[test]
fn only_the_person_opens_an_entry() {
    let open = RuleSettings {
        allow: list(&["AGENTS.md", ".helix", ".git", ".wherefore"]),
        ..RuleSettings::default()
    };
    let (rules, _) = WorkspaceRules::new(&open, &RuleSettings::default());
    check(&rules, "open", &["AGENTS.md", "sub/agents.md", ".helix/config.toml"]);
    check(&rules, "asked", &["CLAUDE.md"]);
    check(&rules, "read", &[".git/config", ".vscode/tasks.json"]);
    let (rules, _) = WorkspaceRules::new(&RuleSettings::default(), &open);
    check(&rules, "asked", &["AGENTS.md"]);
    check(&rules, "read", &[".helix/config.toml"]);
}

#[test]
fn settings_of_the_person_and_the_project() {
    let user = RuleSettings {
        deny: list(&["private/**", "/top", "*.bak"]),
        read_only: list(&["vendor/", "docs/*.md"]),
        ask: list(&["migrations"]),
        allow: list(&[".env.example", ".vscode", ".git", ".wherefore"]),
        ..RuleSettings::default()
    };
    let project = RuleSettings {
        deny: list(&["Généré"]),
        read_only: list(&["Cargo.lock"]),
        ask: list(&["deploy/**"]),
        allow: list(&["*.pem"]),
        ..RuleSettings::default()
    };
    let (rules, problems) = WorkspaceRules::new(&user, &project);
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
fn bad_globs_are_told_and_close_what_they_may_have_meant() {
    let user = RuleSettings { deny: list(&["a[", "", "b", "src/x[/**"]), ..RuleSettings::default() };
    let (rules, problems) = WorkspaceRules::new(&user, &RuleSettings::default());
    assert_eq!(problems.len(), 3, "{problems:?}");
    check(&rules, "closed", &["b", ".env", "a", "a[", "d/abc/e", "src/xyz", "SRC/X/y"]);
    check(&rules, "open", &["c", "d/ba", "src/y", "d/src/x"]);

    let opens = RuleSettings { allow: list(&["[", ".env.x", ".[", "*.pem"]), ..RuleSettings::default() };
    let (rules, problems) = WorkspaceRules::new(&opens, &RuleSettings::default());
    assert!(problems.len() == 2 && problems[0].contains("opens nothing"), "{problems:?}");
    check(&rules, "closed", &[".env", "a.key"]);
    check(&rules, "open", &[".env.x", "a.pem"]);
}

#[test]
fn globs_that_are_too_large_close_and_drop_no_others() {
    let large = ["*a".repeat(100_000), "{a,b}".repeat(900), "a?".repeat(2_000)];
    for glob in large {
        let person = RuleSettings { deny: list(&["private"]), ask: list(&["db"]), ..RuleSettings::default() };
        let project = RuleSettings { deny: vec!["zz".to_owned(), glob], ..RuleSettings::default() };
        let (rules, _) = WorkspaceRules::new(&person, &project);
        check(&rules, "closed", &["private/a", "zz/a", ".env"]);
        assert_ne!(standing(&rules, "db/a"), "open");
    }
    let many = (0..30_000).map(|number| format!("x{number}/*/y?z")).collect();
    let (rules, problems) = WorkspaceRules::new(
        &RuleSettings::default(),
        &RuleSettings { deny: many, ..RuleSettings::default() },
    );
    assert!(problems.len() > 1, "the last of them are too many");
    check(&rules, "closed", &["x0/a/ybz", "x100/a/ybz", "x29999/a/ybz"]);
    check(&rules, "open", &["y/a/ybz"]);
}

#[test]
fn a_yes_reaches_what_the_same_rule_speaks_of() {
    let user = RuleSettings { ask: list(&["db/keys", "db", "*.sql"]), ..RuleSettings::default() };
    let (rules, _) = WorkspaceRules::new(&user, &RuleSettings::default());
    let touch = |access, at| PathTouch { access, asked: path(at), resolved: path(at), file: None };
    let RuleVerdict::Ask(ask) = rules.judge_paths(vec![touch(PathAccess::Write, "db")]) else {
        panic!("not asked")
    };
    let opener = FileOpener::Call(ask.take_yes().grant().clone());
    for (at, expected) in
        [("db", true), ("db/a", true), ("db/a.sql", true), ("db/keys/a", false), ("a.sql", false)]
    {
        assert_eq!(rules.paths().open_for(PathAccess::Read, &path(at), &opener).is_ok(), expected, "{at}");
    }
    assert!(rules.paths().open_for(PathAccess::Read, &path("db/a"), &FileOpener::NoConsent).is_err());
    assert!(rules.paths().open_for(PathAccess::Write, &path("db/a"), &FileOpener::Person).is_ok());
    assert!(rules.paths().open_for(PathAccess::Read, &path(".env"), &FileOpener::Person).is_err());
}

#[test]
fn rules_that_could_not_be_read_have_reads_asked_for() {
    let known = RuleSettings { deny: list(&["private"]), ..RuleSettings::default() };
    let lists = PartyLists { rules: Some(&known), unread: Some("config.toml".to_owned()) };
    let (rules, _) = WorkspaceRules::from_lists(&lists, &PartyLists::default());
    assert!(matches!(rules.paths().check_access(PathAccess::Read, &path("a")), PathRuling::Ask { .. }));
    assert!(matches!(
        rules.paths().check_access(PathAccess::Read, &path("private/a")),
        PathRuling::Deny { .. }
    ));
    // A change is held for the person.
    let touch = PathTouch { access: PathAccess::Write, asked: path("a"), resolved: path("a"), file: None };
    let RuleVerdict::Allow(allowed) = rules.judge_paths(vec![touch]) else { panic!("not allowed") };
    assert!(
        rules
            .paths()
            .open_for(PathAccess::Read, &path("a"), &FileOpener::Call(allowed.grant().clone()))
            .is_ok()
    );
}

#[test]
fn a_call_is_judged_by_both_paths() {
    let user = RuleSettings { ask: list(&["db"]), ..RuleSettings::default() };
    let (rules, _) = WorkspaceRules::new(&user, &RuleSettings::default());
    let touch = |access, asked, resolved| PathTouch {
        access,
        asked: path(asked),
        resolved: path(resolved),
        file: None,
    };
    let read = touch(PathAccess::Read, "a", "a");

    let RuleVerdict::Allow(allowed) = rules.judge_paths(vec![read.clone()]) else { panic!("not allowed") };
    assert_eq!(allowed.grant().paths().collect::<Vec<_>>(), [&read]);

    let linked = touch(PathAccess::Read, "link", "x/.env");
    let RuleVerdict::Deny(refusal) = rules.judge_paths(vec![read.clone(), linked]) else {
        panic!("not denied")
    };
    assert_eq!(
        refusal.to_string(),
        "rule sensitive-path `.env*` (it usually holds secrets) refuses to read `link`, which leads to `x/.env`"
    );
    assert!(matches!(rules.judge_paths(vec![touch(PathAccess::Write, ".git/x", "b")]), RuleVerdict::Deny(_)));

    let RuleVerdict::Ask(ask) = rules.judge_paths(vec![read, touch(PathAccess::Write, "db/1", "db/1")])
    else {
        panic!("not asked");
    };
    assert_eq!(ask.question, "Allow to write `db/1`? Rule rules.ask `db` asks first.");
    assert_eq!(ask.take_yes().grant().touches().len(), 2);
}

#[test]
fn no_tool_writes_the_settings_of_a_known_agent() {
    let rules = built_in();
    for agent in crate::agents::ALL {
        let hooks = agent.hooks.map(|hooks| hooks.setup.project_files).unwrap_or_default();
        for file in agent.setup.project_files.iter().chain(hooks) {
            let standing = standing(&rules, file);
            assert!(matches!(standing, "read" | "asked"), "{file} of {}: {standing}", agent.title);
        }
    }
}
