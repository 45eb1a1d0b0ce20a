//! Links, hard links, and races that swap a folder for a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use crate::inside::{any, show_file};
use crate::sys;
use crate::table::Sign::{Changed, Leaked};
use crate::table::{Attempt, Need, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("write through an old link", Changed, |at| fs::write(at.ws("out/target"), &at.word))
        .stage(|scene| symlink(scene.arena.at("outside"), scene.arena.at("ws/out")).unwrap()),
    attempt("write through a new link", Changed, |at| {
        symlink(at.outside(""), at.ws("out"))?;
        fs::write(at.ws("out/target"), &at.word)
    }),
    attempt("read through a new link", Leaked, |at| {
        symlink("../outside/secret", at.ws("out"))?;
        show_file(at.ws("out"))
    }),
    attempt("read through links of processes", Leaked, |at| {
        let secret = at.outside("secret");
        let roots = ["/proc/self/root", "/proc/1/root", "/proc/thread-self/root"];
        let through = roots.map(|root| show_file(format!("{root}{}", secret.display())));
        let cwd = ["/proc/self/cwd", "/proc/1/cwd"].map(|cwd| show_file(format!("{cwd}/../outside/secret")));
        any(through.into_iter().chain(cwd))
    }),
    attempt("write through a hard link to the outside", Changed, |at| {
        fs::hard_link(at.outside("target"), at.ws("twin"))?;
        fs::write(at.ws("twin"), &at.word)
    }),
    attempt("write through a hard link to the log", Changed, |at| {
        fs::hard_link(at.ws(".wherefore/session-log.md"), at.ws("twin"))?;
        fs::write(at.ws("twin"), &at.word)
    }),
    attempt("race a link against one's own opening", Changed, |at| {
        fs::create_dir(at.ws("swap"))?;
        symlink(at.outside(""), at.ws("swap2"))?;
        let (one, other) = (sys::path(at.ws("swap")), sys::path(at.ws("swap2")));
        let end = Instant::now() + Duration::from_millis(400);
        let swapper = sys::fork(|| {
            while Instant::now() < end {
                let swap = libc::RENAME_EXCHANGE as usize;
                sys::call(libc::SYS_renameat2, &[sys::CWD, sys::at(&one), sys::CWD, sys::at(&other), swap])
                    .ok();
            }
        })?;
        while Instant::now() < end {
            fs::write(at.ws("swap/target"), &at.word).ok();
        }
        sys::wait(swapper);
        Ok(())
    }),
    attempt("have a link masked that leads outside", Changed, |at| fs::write(at.ws("out/pwned"), &at.word))
        .stage(|scene| symlink(scene.arena.at("outside"), scene.arena.at("ws/out")).unwrap())
        .options(&["--mask", "{arena}/ws/out/pwned"])
        .refusable(),
    attempt("have a link protected that leads outside", Changed, |at| {
        fs::write(at.ws("out/pwned"), &at.word)
    })
    .stage(|scene| symlink(scene.arena.at("outside"), scene.arena.at("ws/out")).unwrap())
    .options(&["--protect", "{arena}/ws/out/pwned"])
    .refusable(),
    attempt("have a link opened for writing that leads outside", Changed, |at| {
        any([fs::write(at.ws("out/target"), &at.word), fs::write(at.outside("target"), &at.word)])
    })
    .stage(|scene| symlink(scene.arena.at("outside"), scene.arena.at("ws/out")).unwrap())
    .options(&["--write", "{arena}/ws/out"])
    .refusable(),
    attempt("have a closed name be a link to the log", Changed, |at| fs::write(at.ws("soft"), &at.word))
        .stage(|scene| symlink(".wherefore/session-log.md", scene.arena.at("ws/soft")).unwrap())
        .options(&["--mask", "{arena}/ws/soft"])
        .refusable(),
    attempt("race a link against a mask", Changed, |at| {
        for _ in 0..200 {
            fs::write(at.ws("swap/pwned"), &at.word).ok();
        }
        Ok(())
    })
    .need(Need::Swapper)
    .stage(|scene| {
        scene.arena.put("ws/swap/pwned", "in the workspace\n").unwrap();
        symlink(scene.arena.at("outside"), scene.arena.at("ws/swap2")).unwrap();
    })
    .options(&["--mask", "{arena}/ws/swap/pwned"])
    .refusable()
    .limit(3000, 5000),
    attempt("race a link against a protection", Changed, |at| {
        for _ in 0..200 {
            fs::write(at.ws("swap/pwned"), &at.word).ok();
        }
        Ok(())
    })
    .need(Need::Swapper)
    .stage(|scene| {
        scene.arena.put("ws/swap/pwned", "in the workspace\n").unwrap();
        symlink(scene.arena.at("outside"), scene.arena.at("ws/swap2")).unwrap();
    })
    .options(&["--protect", "{arena}/ws/swap/pwned"])
    .refusable()
    .limit(3000, 5000),
    attempt("have what is cleared away lead outside", Changed, |at| {
        symlink(at.outside(""), at.ws("fresh"))?;
        symlink(at.outside("repo/.git"), at.ws("sub/.git"))?;
        fs::remove_dir_all(at.ws("fresh/repo/.git"))
    })
    .stage(|scene| scene.arena.repository("outside/repo").unwrap()),
    attempt("swap the way to a descriptor's file", Changed, |at| {
        let fd = sys::open(at.ws(".wherefore"), libc::O_PATH | libc::O_DIRECTORY, 0)?;
        fs::write(format!("/proc/self/fd/{}/session-log.md", sys::raw(&fd)), &at.word)
    }),
];
