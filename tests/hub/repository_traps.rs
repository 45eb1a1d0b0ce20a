//! Traps in a repository: nothing that it names is run by a tool that reads it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use wherefore::protocol::Code;

use crate::repositories::{repository, shell};

/// Something that a repository names, and how git is brought to run it.
struct Trap {
    name: &'static str,
    /// Lays it. `$TRAP` is the program.
    laid: &'static str,
    /// The command that a person would run, and that would fall into the trap.
    control: &'static str,
}

const TRAPS: &[Trap] = &[
    Trap { name: "fsmonitor", laid: "git config core.fsmonitor \"$TRAP\"", control: "git status" },
    Trap {
        name: "hook",
        laid: "cp \"$TRAP\" .git/hooks/post-index-change; touch a.txt new.txt",
        control: "git status",
    },
    Trap {
        name: "hooks elsewhere",
        laid: "mkdir h; cp \"$TRAP\" h/post-index-change; git config core.hooksPath h; touch a.txt new.txt",
        control: "git status",
    },
    Trap {
        name: "clean filter",
        laid: "echo '*.txt filter=f' > .gitattributes; git config filter.f.clean \"$TRAP\"",
        control: "git diff",
    },
    Trap {
        name: "filter process",
        laid: "echo '*.txt filter=f' > .git/info/attributes; git config filter.f.process \"$TRAP\"",
        control: "git diff",
    },
    Trap {
        name: "textconv",
        laid: "echo '*.txt diff=d' > .gitattributes; git config diff.d.textconv \"$TRAP\"",
        control: "git diff",
    },
    Trap {
        name: "diff command",
        laid: "echo '*.txt diff=d' > .gitattributes; git config diff.d.command \"$TRAP\"",
        control: "git diff",
    },
    Trap { name: "external diff", laid: "git config diff.external \"$TRAP\"", control: "git diff" },
    Trap {
        name: "include",
        laid: "printf '[core]\\nfsmonitor = %s\\n' \"$TRAP\" > inc; git config include.path ../inc",
        control: "git status",
    },
    Trap {
        name: "conditional include",
        laid: "printf '[core]\\nfsmonitor = %s\\n' \"$TRAP\" > inc; git config \"includeIf.gitdir:**.path\" ../inc",
        control: "git status",
    },
    Trap {
        name: "worktree's settings",
        laid: "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor \"$TRAP\"",
        control: "git status",
    },
    Trap {
        name: "shared folder",
        laid: "cp -r .git other; git config -f other/config core.fsmonitor \"$TRAP\"; echo ../other > .git/commondir",
        control: "git status",
    },
    Trap {
        name: "signature",
        laid: "git config gpg.program \"$TRAP\"; git config log.showSignature true; git cat-file commit HEAD | sed '/^committer/a \
               gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' > c; git update-ref HEAD $(git \
               hash-object -t commit -w c)",
        control: "git log",
    },
    Trap {
        name: "submodule",
        laid: "git init -q sub; git -C sub commit -q --allow-empty -m s; git add sub 2>/dev/null; git -C sub config \
               core.fsmonitor \"$TRAP\"; touch sub/x",
        control: "git status",
    },
    Trap {
        name: "fetch of what is missing",
        laid: "git config core.repositoryformatversion 1; git config extensions.partialClone o; git config remote.o.promisor \
               true; git config protocol.ext.allow always; git config remote.o.url \"ext::$TRAP\"; h=$(git rev-parse \
               HEAD:a.txt); rm -f .git/objects/${h:0:2}/${h:2}",
        control: "git diff",
    },
];

#[tokio::test]
async fn nothing_that_a_repository_names_is_run() {
    for trap in TRAPS {
        let bench = repository();
        let root = bench.folder.path().canonicalize().unwrap();
        let mark = root.join("mark");
        // If it cannot leave a mark, it waits until a limit ends git.
        let script = format!("#!/bin/sh\n: 2>/dev/null >{} || exec sleep 100\n", mark.display());
        fs::write(root.join("trap.sh"), script).unwrap();
        fs::set_permissions(root.join("trap.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        shell(&root, trap.laid);
        for (tool, arguments) in [
            ("git.status", json!({})),
            ("git.diff", json!({})),
            ("git.diff", json!({ "from": "HEAD~1", "staged": true })),
            ("git.log", json!({ "files": true })),
        ] {
            let said = format!("{}: {tool} {arguments}", trap.name);
            let answer = bench.call(tool, arguments, None).await;
            if let Some(fault) = &answer.error {
                assert!(
                    trap.name == "fetch of what is missing" && fault.code == Code::Unsupported,
                    "{said}: {fault:?}"
                );
            }
            assert!(!mark.exists(), "{said}");
        }
        shell(&root, &format!("{} >/dev/null 2>&1 || true", trap.control));
        assert!(mark.exists(), "{}: the trap does not work", trap.name);
    }
}
