//! The log, our own rules and settings, and the files that editors and shells act on.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sys;
use crate::table::Sign::{Changed, Planted};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("write the log", Changed, |at| fs::write(at.ws(".wherefore/session-log.md"), &at.word)),
    attempt("append to the log", Changed, |at| {
        let fd = sys::open(at.ws(".wherefore/session-log.md"), libc::O_WRONLY | libc::O_APPEND, 0)?;
        sys::write(&fd, at.word.as_bytes()).map(|_| ())
    }),
    attempt("cut the log", Changed, |at| {
        let path = sys::path(at.ws(".wherefore/session-log.md"));
        sys::call(libc::SYS_truncate, &[sys::at(&path), 0]).map(|_| ())
    }),
    attempt("remove the log", Changed, |at| fs::remove_file(at.ws(".wherefore/session-log.md"))),
    attempt("put another log in its place", Changed, |at| {
        fs::write(at.ws("mine"), &at.word)?;
        fs::rename(at.ws("mine"), at.ws(".wherefore/session-log.md"))
    }),
    attempt("date the log back", Changed, |at| {
        let path = sys::path(at.ws(".wherefore/session-log.md"));
        let times = [libc::timespec { tv_sec: 1, tv_nsec: 0 }; 2];
        sys::call(libc::SYS_utimensat, &[sys::CWD, sys::at(&path), times.as_ptr() as usize, 0]).map(|_| ())
    }),
    attempt("open the log to all", Changed, |at| {
        fs::set_permissions(at.ws(".wherefore/session-log.md"), fs::Permissions::from_mode(0o666))
    }),
    attempt("mark the log with an attribute", Changed, |at| {
        let (path, name) = (sys::path(at.ws(".wherefore/session-log.md")), sys::text("user.word"));
        let args = [sys::at(&path), sys::at(&name), name.as_ptr() as usize, 4, 0];
        sys::call(libc::SYS_setxattr, &args).map(|_| ())
    }),
    attempt("put another folder in the log's place", Changed, |at| {
        fs::rename(at.ws(".wherefore"), at.ws("old"))?;
        fs::create_dir(at.ws(".wherefore"))
    }),
    attempt("loosen the workspace's rules", Changed, |at| {
        fs::write(at.ws(".wherefore/rules.toml"), "[rules]\nallow = [\"**\"]\n")
    }),
    attempt("add a file beside the rules", Changed, |at| fs::write(at.ws(".wherefore/tools.toml"), &at.word)),
    attempt("loosen the person's settings", Changed, |at| {
        fs::write(at.arena.join("home/.config/wherefore/settings.toml"), "[sandbox]\noff = true\n")
    }),
    attempt("plant rules where none are", Planted, |at| {
        fs::create_dir(at.ws(".wherefore"))?;
        fs::write(at.ws(".wherefore/rules.toml"), "[rules]\nallow = [\"**\"]\n")
    })
    .stage(|scene| fs::remove_dir_all(scene.arena.at("ws/.wherefore")).unwrap()),
    attempt("change the editor's tasks", Changed, |at| fs::write(at.ws(".vscode/tasks.json"), &at.word)),
    attempt("add to the editor's settings", Changed, |at| {
        fs::write(at.ws(".vscode/settings.json"), &at.word)
    }),
    attempt("change a hook of husky", Changed, |at| fs::write(at.ws(".husky/pre-commit"), &at.word)),
    attempt("plant an .envrc", Planted, |at| fs::write(at.ws(".envrc"), &at.word)),
    attempt("plant the editor's tasks", Planted, |at| {
        fs::create_dir(at.ws(".vscode"))?;
        fs::write(at.ws(".vscode/tasks.json"), &at.word)
    })
    .stage(|scene| fs::remove_dir_all(scene.arena.at("ws/.vscode")).unwrap()),
    attempt("plant a server for agents", Planted, |at| fs::write(at.ws(".mcp.json"), &at.word)),
    attempt("plant settings of agents", Planted, |at| {
        fs::create_dir(at.ws(".claude"))?;
        fs::write(at.ws(".claude/settings.json"), &at.word)?;
        fs::create_dir(at.ws(".cursor"))?;
        fs::write(at.ws(".cursor/mcp.json"), &at.word)
    }),
    attempt("plant an editor's start", Planted, |at| {
        fs::write(at.ws(".nvim.lua"), &at.word)?;
        fs::write(at.ws(".exrc"), &at.word)
    }),
    attempt("plant submodules", Planted, |at| fs::write(at.ws(".gitmodules"), &at.word)),
    attempt("plant a container of the editor", Planted, |at| {
        fs::create_dir(at.ws(".devcontainer"))?;
        fs::write(at.ws(".devcontainer/devcontainer.json"), &at.word)
    }),
    attempt("plant a project of the editor", Planted, |at| {
        fs::create_dir(at.ws(".idea"))?;
        fs::write(at.ws(".idea/workspace.xml"), &at.word)
    }),
];
