//! `/proc`, `/sys` and the control groups: data and settings of the kernel.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::inside::{Inside, any, show, show_file};
use crate::sys;
use crate::table::Sign::{Leaked, Looked, Said};
use crate::table::{Attempt, Need, attempt};

/// Settings of the whole kernel that harm nothing when they are off by one for a moment.
const HARMLESS: [&str; 2] = ["/proc/sys/fs/lease-break-time", "/proc/sys/kernel/printk_ratelimit_burst"];

pub(super) const ROWS: &[Attempt] = &[
    attempt("change a setting of the kernel", Looked, |_| fs::write(HARMLESS[0], "44"))
        .root()
        .look(|_| setting_changed(HARMLESS[0], "45")),
    attempt("change it through a /proc of one's own", Looked, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID) as usize;
        sys::call(libc::SYS_unshare, &[flags]).ok();
        let proc = sys::text("proc");
        let folder = at.ws("proc");
        fs::create_dir_all(&folder)?;
        let target = sys::path(&folder);
        sys::call(libc::SYS_mount, &[sys::at(&proc), sys::at(&target), sys::at(&proc), 0, 0]).ok();
        let inner = folder.join("sys/kernel/printk_ratelimit_burst");
        any([fs::write(inner, "44"), fs::write(HARMLESS[1], "44")])
    })
    .root()
    .look(|_| setting_changed(HARMLESS[1], "10")),
    attempt("write where core dumps go", Said, |at| same_again(at, "/proc/sys/kernel/core_pattern")).root(),
    attempt("write which program loads modules", Said, |at| same_again(at, "/proc/sys/kernel/modprobe"))
        .root(),
    attempt("press a system request", Said, |at| {
        fs::write("/proc/sysrq-trigger", "h")?;
        at.say("it is pressed");
        Ok(())
    })
    .root(),
    attempt("rename the host", Looked, |at| {
        let name = at.word.as_bytes();
        let long = sys::call(libc::SYS_sethostname, &[name.as_ptr() as usize, name.len()]).map(|_| ());
        any([long, fs::write("/proc/sys/kernel/hostname", &at.word)])
    })
    .root()
    .look(|scene| {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        (name.trim() == scene.word).then(|| "the host has another name".to_owned())
    }),
    attempt("read the environment of all processes", Leaked, |at| show_of_all(at, "environ"))
        .need(Need::Victim),
    attempt("read the arguments of all processes", Leaked, |at| show_of_all(at, "cmdline"))
        .need(Need::Victim),
    attempt("read what other processes have open", Leaked, |at| {
        for pid in others(at) {
            for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
                let regular =
                    fs::metadata(entry.path()).is_ok_and(|meta| meta.is_file() && meta.len() < 1 << 16);
                if regular {
                    fs::read(entry.path()).iter().for_each(|held| show_secrets(held));
                }
            }
        }
        Ok(())
    })
    .need(Need::Victim),
    attempt("read through the roots of all processes", Leaked, |at| {
        for pid in others(at) {
            show_file(format!("/proc/{pid}/root{}", at.outside("secret").display())).ok();
        }
        Ok(())
    })
    .need(Need::Victim),
    attempt("read in the folders of all processes", Leaked, |at| {
        for pid in others(at) {
            show_file(format!("/proc/{pid}/cwd/secret")).ok();
        }
        Ok(())
    })
    .need(Need::Victim),
    attempt("read another process's memory", Leaked, |at| {
        let mut memory = fs::File::open(format!("/proc/{}/mem", at.number("victim")))?;
        memory.seek(SeekFrom::Start(at.fact("address").parse().map_err(io::Error::other)?))?;
        let mut held = [0; 64];
        memory.read_exact(&mut held)?;
        show(held);
        Ok(())
    })
    .need(Need::Victim),
    attempt("search the memory of all processes", Leaked, |at| {
        others(at).into_iter().for_each(search_memory);
        Ok(())
    })
    .need(Need::Victim),
    attempt("read the kernel's addresses", Said, |at| {
        let symbols = fs::read_to_string("/proc/kallsyms")?;
        let told = symbols.lines().take(100).any(|line| !line.starts_with("0000000000000000"));
        if told {
            at.say("they are told");
        }
        Ok(())
    })
    .root(),
    attempt("read the kernel's memory", Said, |at| {
        let mut begin = [0; 4096];
        any(
            ["/proc/kcore", "/dev/mem", "/dev/kmem"].map(|path| fs::File::open(path)?.read_exact(&mut begin))
        )?;
        at.say("it is read");
        Ok(())
    })
    .root(),
    attempt("read the kernel's log", Said, |at| {
        let mut text = [0_u8; 4096];
        let all = sys::call(libc::SYS_syslog, &[3, text.as_mut_ptr() as usize, text.len()]).map(|_| ());
        any([all, fs::File::open("/dev/kmsg").map(|_| ())])?;
        at.say("it is read");
        Ok(())
    }),
    attempt("write the kernel's log", Said, |at| {
        fs::File::options().write(true).open("/dev/kmsg")?;
        at.say("it is open");
        Ok(())
    })
    .root(),
    attempt("see the host's sockets", Looked, |_| {
        any(["/proc/net/unix", "/proc/self/net/unix", "/proc/1/net/unix"].map(show_file))
    })
    .look(|scene| {
        let name = format!("@{}-stream", scene.host.name);
        crate::arena::contains(&scene.ran.stdout, name.as_bytes()).then(|| "they are told".to_owned())
    }),
    attempt("make a control group", Looked, |at| {
        let places = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        any(places.map(|place| fs::create_dir(Path::new(place).join(&at.word))))
    })
    .root()
    .look(|scene| {
        let made = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(|place| Path::new(place).join(&scene.word));
        made.iter()
            .find(|path| fs::remove_dir(path).is_ok())
            .map(|path| format!("{} was there", path.display()))
    }),
    attempt("mount the control groups", Looked, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWCGROUP) as usize;
        if at.confined {
            sys::call(libc::SYS_unshare, &[flags]).ok();
        }
        fs::create_dir_all(at.ws("cg"))?;
        let (kind, target, option) = (sys::text("cgroup"), sys::path(at.ws("cg")), sys::text("pids"));
        let args = [sys::at(&kind), sys::at(&target), sys::at(&kind), 0, sys::at(&option)];
        sys::call(libc::SYS_mount, &args)?;
        fs::create_dir(at.ws("cg").join(&at.word))
    })
    .root()
    .look(|scene| {
        let path = Path::new("/sys/fs/cgroup/pids").join(&scene.word);
        fs::remove_dir(&path).ok().map(|()| format!("{} was there", path.display()))
    }),
    attempt("write into /sys", Said, |at| {
        any(["/sys/kernel/mm/ksm/run", "/sys/kernel/profiling", "/sys/kernel/uevent_seqnum"].map(|path| {
            let now = fs::read_to_string(path)?;
            fs::write(path, now.trim())
        }))?;
        at.say("it is written");
        Ok(())
    })
    .root(),
    attempt("keep the killer of memory away", Said, |at| {
        fs::write("/proc/self/oom_score_adj", "-1000")?;
        at.say("it is away");
        Ok(())
    })
    .root(),
];

fn setting_changed(setting: &str, usual: &str) -> Option<String> {
    let now = fs::read_to_string(setting).ok()?;
    let changed = now.trim() == "44";
    if changed {
        fs::write(setting, usual).ok();
    }
    changed.then(|| format!("{setting} is 44"))
}

/// Writes the current contents back.
fn same_again(at: &Inside, path: &str) -> io::Result<()> {
    let now = fs::read_to_string(path)?;
    fs::write(path, now.trim())?;
    at.say("it is written");
    Ok(())
}

/// Returns all processes that are shown.
pub(super) fn pids() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The processes to look into: all that there are inside, and the victim alone on a real host.
fn others(at: &Inside) -> Vec<i32> {
    let me = std::process::id() as i32;
    if at.confined { pids().into_iter().filter(|pid| *pid != me).collect() } else { at.victims() }
}

fn show_of_all(at: &Inside, name: &str) -> io::Result<()> {
    for pid in others(at) {
        fs::read(format!("/proc/{pid}/{name}")).iter().for_each(|held| show_secrets(held));
    }
    Ok(())
}

/// Prints parts that look like a secret, and nothing else: other data of processes stays private.
fn show_secrets(held: &[u8]) {
    let found = held.windows(7).enumerate().filter(|(_, part)| part == b"marker-");
    found.for_each(|(start, _)| show(&held[start..(start + 40).min(held.len())]));
}

/// Shows the secrets in a process's heap and stack.
fn search_memory(pid: i32) {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let Ok(mut memory) = fs::File::open(format!("/proc/{pid}/mem")) else { return };
    for line in maps.lines().filter(|line| line.ends_with("[heap]") || line.ends_with("[stack]")) {
        let Some((from, to)) = line.split(' ').next().and_then(|range| range.split_once('-')) else {
            continue;
        };
        let parse = |text: &str| u64::from_str_radix(text, 16).unwrap_or(0);
        let mut held = vec![0; (parse(to) - parse(from)) as usize];
        memory.seek(SeekFrom::Start(parse(from))).ok();
        if memory.read_exact(&mut held).is_ok() {
            show_secrets(&held);
        }
    }
}
