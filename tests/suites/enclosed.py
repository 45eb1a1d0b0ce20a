"""The inside of an enclosure: sets up the file system and the network, then runs commands, each with what it did outside.

usage: enclosed.py BASE PROGRAM, as the first process of new namespaces; requests come as JSON lines. See enclosure.py.
"""

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# Folders of the root that are made anew, or that hold other mounts.
OWN_FOLDERS = {"proc", "sys", "dev", "tmp", "run", "enclosed", "mnt", "media", "lost+found", "old_root"}
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
PR_SET_CHILD_SUBREAPER = 36
# Seconds that a process may take to end after the command.
LEAVING_SECONDS = 2
ENCLOSED = Path("/enclosed")
HOME, WORKSPACE, STATE, PROGRAM = (ENCLOSED / name for name in ("home", "workspace", "state", "wherefore"))
# Texts that no command may show: they stand where secrets do.
CANARY = "canary-" + hashlib.sha256(os.urandom(16)).hexdigest()[:24]
HOME_FILES = {
    ".bashrc": "alias ll='ls -l'\n", ".profile": "umask 022\n", "notes.txt": "buy milk\n",
    ".gitconfig": "[user]\n\tname = Dev\n\temail = dev@example.com\n",
    ".ssh/id_ed25519": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n-----END OPENSSH PRIVATE KEY-----\n",
    ".aws/credentials": f"[default]\naws_secret_access_key = {CANARY}\n",
}
WORKSPACE_FILES = {".git/HEAD": "ref: refs/heads/main\n", "notes.md": "# Notes\n", ".env": f"TOKEN={CANARY}\n"}
# What a person's programs are called; the bystander bears all of these names.
BYSTANDER = "init systemd sshd httpd nginx apache2 mysqld postgres dockerd containerd cron lightdm NetworkManager rsyslogd bash"


def run_tool(*words):
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if ran.returncode:
        raise OSError(f"{' '.join(map(str, words[:4]))}: {ran.stderr.strip()}")


def build_root(base, program):
    """Makes the file system of the enclosure below a folder and goes there; returns a descriptor of what is written to it."""
    run_tool("mount", "-t", "tmpfs", "none", base)
    root, upper, work = (base / name for name in ("root", "upper", "work"))
    for folder in (root, upper, work):
        folder.mkdir()
    run_tool("mount", "--bind", root, root)
    for entry in sorted(Path("/").iterdir()):
        place = root / entry.name
        if entry.is_symlink():
            place.symlink_to(os.readlink(entry))
        elif entry.is_dir() and entry.name not in OWN_FOLDERS:
            for folder in (place, upper / entry.name, work / entry.name):
                folder.mkdir()
            options = f"lowerdir={entry},upperdir={upper / entry.name},workdir={work / entry.name},userxattr"
            try:
                run_tool("mount", "-t", "overlay", "overlay", "-o", options, place)
            except OSError:
                if entry.name in ("usr", "etc", "root", "home", "var"):
                    raise
    for name in ("proc", "sys", "dev", "tmp", "run", "enclosed", ".old"):
        (root / name).mkdir()
    run_tool("mount", "-t", "proc", "proc", root / "proc")
    run_tool("mount", "-t", "sysfs", "-o", "ro", "sysfs", root / "sys")
    build_devices(root / "dev")
    (root / "enclosed/wherefore").touch()
    run_tool("mount", "--bind", program, root / "enclosed/wherefore")
    written = os.open(upper, os.O_RDONLY | os.O_DIRECTORY)
    (root / "tmp").chmod(0o1777)
    os.chdir(root)
    run_tool("pivot_root", ".", ".old")
    os.chdir("/")
    run_tool("umount", "-l", "/.old")
    os.rmdir("/.old")
    return written


def build_devices(folder):
    """Makes a folder of devices without any disk."""
    for name in DEVICES:
        (folder / name).touch()
        run_tool("mount", "--bind", f"/dev/{name}", folder / name)
    (folder / "pts").mkdir()
    run_tool("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "devpts", folder / "pts")
    (folder / "ptmx").symlink_to("pts/ptmx")
    (folder / "shm").mkdir(mode=0o1777)
    (folder / "fd").symlink_to("/proc/self/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (folder / name).symlink_to(f"/proc/self/fd/{number}")


def open_network():
    """Makes each address one of this machine, so that every packet to any host is counted."""
    run_tool("ip", "link", "set", "lo", "up")
    run_tool("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo")
    try:
        run_tool("ip", "-6", "route", "add", "local", "::/0", "dev", "lo")
    except OSError:
        pass  # A kernel without IPv6.


def count_packets():
    counters = Path("/proc/net/dev").read_text().splitlines()
    line = next(line for line in counters if line.strip().startswith("lo:"))
    return int(line.split()[2])


def write_files(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def list_files(top, descriptor=None):
    """Returns each file below a folder with its content's hash or its link's target, and each folder."""
    found = {}
    walk = os.fwalk(".", dir_fd=descriptor) if descriptor is not None else os.fwalk(top)
    for folder, folders, files, here in walk:
        below = os.path.relpath(folder, "." if descriptor is not None else top)
        for name in folders + files:
            path = os.path.normpath(os.path.join(below, name))
            try:
                info = os.lstat(name, dir_fd=here)
                content = ""
                if os.path.stat.S_ISREG(info.st_mode):
                    with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK, dir_fd=here), "rb") as opened:
                        content = hashlib.sha256(opened.read()).hexdigest()
                elif os.path.stat.S_ISLNK(info.st_mode):
                    content = os.readlink(name, dir_fd=here)
                found[path] = f"{info.st_mode:o} {info.st_uid} {content}"
            except OSError as error:
                found[path] = str(error)
    return found


def name_changes(before, after, prefix):
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            kind = "is new" if path not in before else "is gone" if path not in after else "changed"
            yield f"{prefix}{path} {kind}"


def plant_secret(file):
    """Puts a file in the place of one that holds the secrets of the machine."""
    try:
        kept = file.with_name("planted")
        kept.write_text(f"root:{CANARY}:1::::::\n")
        kept.rename(file)
    except OSError:
        pass  # The folder is not of whoever runs this, so that no command can read the real file either.


def read_answers(output):
    """Returns how each call of `wherefore call --batch` went: `ok`, or the code and the message of its fault."""
    answers = []
    for line in output.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and "status" in answer:
            fault = answer.get("error") or {}
            answers.append(f"{fault.get('code', 'ok')} {fault.get('message', '')}"[:200].strip())
    return answers


class Machine:
    """The enclosed machine, and its state before the next command."""

    def __init__(self, written):
        self.written = written
        self.bystander = None

    def prepare(self, files):
        """Restores the home folder, the workspace and the bystander; returns the variables of a command."""
        for folder in (HOME, WORKSPACE, STATE):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        for folder in ("/tmp", "/run", "/dev/shm"):
            for left in Path(folder).iterdir():
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() and not left.is_symlink() else left.unlink()
        write_files(HOME, HOME_FILES)
        write_files(WORKSPACE, WORKSPACE_FILES)
        write_files(WORKSPACE, {name: text.replace("{canary}", CANARY) for name, text in files.items()})
        if self.bystander is None or self.bystander.poll() is not None:
            self.bystander = subprocess.Popen([BYSTANDER, "1000000"], executable=shutil.which("sleep"))
            (ENCLOSED / "bystander").write_text(str(self.bystander.pid))
        own = {f"XDG_{name}": str(STATE / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME", "CACHE_HOME")}
        Path(own["XDG_RUNTIME_DIR"]).mkdir(mode=0o700)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(HOME), "USER": "dev", "NO_COLOR": "1", **own}

    def look(self):
        """Returns all that a command may have changed outside of the workspace."""
        return {
            "/": list_files(None, self.written), "home: ": list_files(HOME), "/tmp/": list_files("/tmp"), "/run/": list_files("/run"),
            "/dev/shm/": list_files("/dev/shm"), "top: /": {name: "" for name in os.listdir("/")},
        }

    def run(self, argv, sent, limit, files):
        env = self.prepare(files)
        names = {"{program}": str(PROGRAM), "{workspace}": str(WORKSPACE), "{home}": str(HOME)}
        for name, path in names.items():
            argv = [word.replace(name, path) for word in argv]
        before, packets = self.look(), count_packets()
        process = subprocess.Popen(argv, cwd=WORKSPACE, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(sent.encode(), timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        output = output.decode(errors="replace")
        left = self.end_others()
        effects = [f"left running: {', '.join(left)}"] if left else []
        after = self.look()
        for prefix, state in after.items():
            effects += name_changes(before[prefix], state, prefix)
        moved = count_packets() - packets
        effects += [f"{moved} packets went over the network"] if moved else []
        effects += ["another process was ended"] if self.is_bystander_ended() else []
        effects += ["a secret is in the output"] if CANARY in output else []
        return {"code": process.returncode, "output": output[-4000:].replace(CANARY, "CANARY"), "effects": effects,
                "answers": read_answers(output)}

    def is_bystander_ended(self):
        """Returns whether the bystander ended; a signal that it did not take yet counts once it has."""
        while self.bystander.poll() is None:
            status = dict(line.split(":", 1) for line in Path(f"/proc/{self.bystander.pid}/status").read_text().splitlines() if ":" in line)
            pending = int(status["ShdPnd"], 16) | int(status["SigPnd"], 16)
            if status["State"].split()[0] in "ST" and not pending:
                return status["State"].split()[0] == "T"
            time.sleep(0.01)
        return True

    def end_others(self):
        """Ends what a command left running; returns the names of what did not end by itself in time. The bystander stays."""
        left = {}
        until = time.monotonic() + LEAVING_SECONDS
        while others := self.list_others():
            if time.monotonic() > until:
                for pid, name in others.items():
                    left[pid] = name
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        return sorted(left.values())

    def list_others(self):
        """Returns the names of the other processes by their ids, without those that ended."""
        others = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in (os.getpid(), self.bystander.pid):
                try:
                    if os.waitpid(int(entry), os.WNOHANG)[0] == 0:
                        others[int(entry)] = Path(f"/proc/{entry}/comm").read_text().strip()
                except ChildProcessError:
                    others[int(entry)] = "a process of a process"
                except FileNotFoundError:
                    pass
        return others


def main():
    base, program = Path(sys.argv[1]), Path(sys.argv[2])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        machine = Machine(build_root(base, program))
        open_network()
        plant_secret(Path("/etc/shadow"))
    except (OSError, StopIteration) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    print(json.dumps({}), flush=True)
    for line in sys.stdin:
        try:
            answer = machine.run(**json.loads(line))
        except OSError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
