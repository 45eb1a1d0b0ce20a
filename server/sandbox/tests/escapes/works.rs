//! Everyday work of people and agents, which has to work inside as it does outside.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arena::Arena;
use crate::host::Host;
use crate::table::Who;

/// A piece of work.
struct Work {
    name: &'static str,
    /// The program that must be installed.
    program: &'static str,
    script: &'static str,
    /// The text that its output must hold.
    says: &'static str,
}

const fn work(name: &'static str, program: &'static str, script: &'static str, says: &'static str) -> Work {
    Work { name, program, script, says }
}

const WORKS: &[Work] = &[
    work(
        "a cargo build and its program",
        "cargo",
        "cd crate && cargo build --offline -q && target/debug/hello",
        "hello",
    ),
    work(
        "a C program",
        "gcc",
        "printf 'int main(){return 7;}' >x.c && gcc x.c -o x; ./x; echo code $?",
        "code 7",
    ),
    work("make", "make", "printf 'all: a\\na:\\n\\ttouch a; echo made\\n' >Makefile && make", "made"),
    work("npm test", "npm", "cd package && npm test", "tested 42"),
    work(
        "a child of node",
        "node",
        "node -e \"require('child_process').exec('echo from the child', (e, out) => console.log(out))\"",
        "from the child",
    ),
    work(
        "workers of node",
        "node",
        "node -e \"const {Worker,isMainThread}=require('worker_threads');\
         new Worker('require(\\\"worker_threads\\\").parentPort.postMessage(7)',{eval:true}).on('message',m=>console.log('got',m))\"",
        "got 7",
    ),
    work(
        "a pool of python",
        "python3",
        "python3 -c 'from multiprocessing import Pool\nwith Pool(4) as p: print(p.map(abs, [-1, -2]))'",
        "[1, 2]",
    ),
    work(
        "a manager of python",
        "python3",
        "python3 -c 'from multiprocessing import Manager\nwith Manager() as m: d = m.dict(); d[1] = 2; print(dict(d))'",
        "{1: 2}",
    ),
    work(
        "shared memory of python",
        "python3",
        "python3 -c 'from multiprocessing.shared_memory import SharedMemory as S\ns = S(create=True, size=99); s.buf[0] = 7\n\
         t = S(s.name); print(t.buf[0]); t.close(); s.close(); s.unlink()'",
        "7",
    ),
    work(
        "a terminal",
        "python3",
        "python3 -c 'import pty; pty.spawn([\"sh\", \"-c\", \"tty; stty size\"])' </dev/null",
        "/dev/pts/",
    ),
    work(
        "a server on the loopback",
        "python3",
        "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & server=$!; \
         for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.2; \
         python3 -c 'import urllib.request as u; print(u.urlopen(\"http://localhost:8123/README.md\").read())' 2>/dev/null && break; \
         done; kill $server",
        "a workspace",
    ),
    work(
        "a socket of one's own",
        "python3",
        "python3 -c 'import socket, os\ns = socket.socket(socket.AF_UNIX); s.bind(\"/tmp/s\"); s.listen()\n\
         c = socket.socket(socket.AF_UNIX); c.connect(\"/tmp/s\"); c.send(b\"hi\"); print(s.accept()[0].recv(9))'",
        "b'hi'",
    ),
    work(
        "a database",
        "python3",
        "python3 -c 'import sqlite3; c = sqlite3.connect(\"db\"); c.execute(\"create table t(a)\"); \
         c.execute(\"insert into t values(7)\"); c.commit(); print(c.execute(\"select a from t\").fetchall())'",
        "[(7,)]",
    ),
    work("git status", "git", "cd repo && echo more >>a && git status --short", "M a"),
    work("git log", "git", "cd repo && git log --oneline", "first"),
    work("git diff", "git", "cd repo && echo more >>a && git diff", "+more"),
    work("sed in place", "sed", "sed -i s/workspace/place/ README.md && cat README.md", "a place"),
    work("tar", "tar", "tar czf t.tgz sub && mkdir out && tar xzf t.tgz -C out && cat out/sub/keep", "kept"),
    work(
        "files, links and modes",
        "sh",
        "mkdir -p a/b && mv sub a/b && ln -s a l && chmod 600 l/b/sub/keep && stat -c %a l/b/sub/keep",
        "600",
    ),
    work(
        "temporary files",
        "sh",
        "f=$(mktemp) && echo there >$f && cat $f && echo home >~/x && cat ~/x",
        "home",
    ),
    work(
        "pipes and substitutions",
        "bash",
        "bash -c 'diff <(echo a) <(echo b); cat <<<here; mkfifo /tmp/p; echo in >/tmp/p & cat /tmp/p'",
        "here",
    ),
    work("jobs and signals", "bash", "bash -c 'sleep 9 & kill %1; wait %1; echo code $?'", "code 143"),
    work("a time limit of one's own", "timeout", "timeout 0.2 sleep 5; echo code $?", "code 124"),
    work(
        "names of users and hosts",
        "sh",
        "id -u && getent hosts localhost && date >/dev/null && echo well",
        "well",
    ),
    work("processes", "ps", "ps ax | grep -c sh >/dev/null && echo well", "well"),
    work("perl", "perl", "perl -e 'print 6 * 7'", "42"),
    work("thousands of files", "sh", "mkdir m && cd m && seq 2000 | xargs touch && ls | wc -l", "2000"),
    work("what is wrong is told", "sh", "cat missing 2>&1; exit 0", "No such file"),
];

/// Does all work under the launcher, and gives how much of it failed.
pub(crate) fn pass(host: &Host, launcher: &Path, who: Who, uid: u32) -> usize {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(0);
    let sysroot = sysroot();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(work) = WORKS.get(at) else { break };
                    let arena = Arena::new(host.base.join(format!("works-{who:?}-{at}")), uid);
                    fill(&arena);
                    let done = run(launcher, &arena, work, sysroot.as_deref());
                    if !told(who, work, done) {
                        *failures.lock().unwrap() += 1;
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{who:?}: of {} pieces of work {failures} are not done inside", WORKS.len());
    failures
}

fn told(who: Who, work: &Work, done: Result<Output, String>) -> bool {
    match done {
        Err(why) => println!("skipped: {who:?}: works: {}: {why}", work.name),
        Ok(done) if String::from_utf8_lossy(&done.stdout).contains(work.says) && done.status.success() => {}
        Ok(done) => {
            let texts = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
            println!("DOES NOT WORK: {who:?}: {}: {}: {texts:?}", work.name, done.status);
            return false;
        }
    }
    true
}

fn run(launcher: &Path, arena: &Arena, work: &Work, sysroot: Option<&Path>) -> Result<Output, String> {
    let tools = sysroot.map(|root| root.join("bin")).filter(|bin| arena.uid == 0 || readable(bin));
    let own = tools.as_ref().is_some_and(|bin| bin.join(work.program).exists());
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(|folder| Path::new(folder).join(work.program));
    if !own && !system.iter().any(|path| path.exists()) {
        return Err(format!("{} is not installed where this user reaches it", work.program));
    }
    let mut command = Command::new(launcher);
    command.arg("--root").arg(arena.at("ws")).arg("--write").arg(arena.at("ws"));
    command.args(["--wall-ms", "20000", "--memory-mb", "3000", "--processes", "512"]);
    if let (Some(root), Some(bin)) = (sysroot, tools) {
        command.arg("--read-only").arg(root);
        command.arg("--env").arg(format!("PATH={}:/usr/local/bin:/usr/bin:/bin", bin.display()));
    }
    command.args(["--", "sh", "-c", work.script]);
    command.current_dir(arena.at("ws")).stdin(Stdio::null());
    if arena.uid != unsafe { libc::getuid() } {
        command.uid(arena.uid).gid(arena.uid);
    }
    command.output().map_err(|error| error.to_string())
}

/// Returns whether every user may enter a folder.
fn readable(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o005 == 0o005);
    folder.ancestors().all(open)
}

/// The folder of the Rust that builds this test.
fn sysroot() -> Option<PathBuf> {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    Some(PathBuf::from(path.trim()))
}

/// A crate, a package and a repository to work on.
fn fill(arena: &Arena) {
    let manifest = "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    arena.put("ws/crate/Cargo.toml", manifest).unwrap();
    arena.put("ws/crate/src/main.rs", "fn main() { println!(\"hello\"); }\n").unwrap();
    let package = "{\"scripts\": {\"test\": \"node -e \\\"console.log('tested', 6 * 7)\\\"\"}}\n";
    arena.put("ws/package/package.json", package).unwrap();
    arena.put("ws/repo/a", "one\n").unwrap();
    arena.give(&arena.path);
    let steps: [&[&str]; 3] = [&["init", "-q"], &["add", "."], &["commit", "-q", "-m", "first"]];
    for step in steps {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(step);
        git.current_dir(arena.at("ws/repo")).env("HOME", arena.at("home")).env_remove("GIT_DIR");
        if arena.uid != unsafe { libc::getuid() } {
            git.uid(arena.uid).gid(arena.uid);
        }
        git.output().ok();
    }
}
