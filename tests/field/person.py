"""The person whose commands are run: their home folder with toolchains, and the variables of their shell."""

import os
import re
import shutil
import subprocess
from pathlib import Path

SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def own(program):
    """A program of the person who runs this suite."""
    found = shutil.which(program)
    return Path(found).resolve() if found else None


class Person:
    """A home folder with what this machine has: rustup, Node under nvm's folder, uv in .local/bin, an identity for git."""

    def __init__(self, at, bare=False):
        self.home, self.at = at / "home", at
        self.node = None
        if not (self.home / ".gitconfig").exists():
            self.home.mkdir(parents=True, exist_ok=True)
            if not bare:
                self.furnish()
            # The last: without it the folder is not whole.
            self.configure_git()
        versions = self.home / ".nvm/versions/node"
        if versions.is_dir():
            self.node = next(versions.iterdir()) / "bin"

    def furnish(self):
        cargo, rustup = (Path(os.environ.get(name, Path.home() / below)) for name, below in
                         (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")))
        if (cargo / "bin/cargo").exists() and (rustup / "toolchains").is_dir():
            (self.home / ".cargo").mkdir(exist_ok=True)
            shutil.copytree(cargo / "bin", self.home / ".cargo/bin", symlinks=True)
            default = subprocess.run(["rustup", "default"], capture_output=True, text=True).stdout.split(" ")[0]
            into = self.home / ".rustup"
            for name in ("update-hashes", "tmp", "downloads", "toolchains"):
                (into / name).mkdir(parents=True, exist_ok=True)
            if (rustup / "settings.toml").exists():
                shutil.copy(rustup / "settings.toml", into)
            # Linked where that is possible: a toolchain is large.
            copied = subprocess.run(["cp", "-al", rustup / "toolchains" / default, into / "toolchains/"], capture_output=True)
            if copied.returncode:
                shutil.copytree(rustup / "toolchains" / default, into / "toolchains" / default, symlinks=True, dirs_exist_ok=True)
        node = own("node")
        if node:
            version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
            prefix = self.home / ".nvm/versions/node" / version
            (prefix / "bin").mkdir(parents=True)
            shutil.copy(node, prefix / "bin/node")
            packages = next((place for place in (node.parent.parent / "lib/node_modules", Path("/usr/lib/node_modules"),
                                                 Path("/usr/share/nodejs")) if (place / "npm").is_dir()), None)
            if packages:
                shutil.copytree(packages / "npm", prefix / "lib/node_modules/npm", symlinks=True)
                for program in ("npm", "npx"):
                    (prefix / "bin" / program).symlink_to(f"../lib/node_modules/npm/bin/{program}-cli.js")
                # Without them the projects that need one are skipped.
                subprocess.run([prefix / "bin/npm", "i", "-g", "--no-audit", "--no-fund", "yarn@1", "pnpm@9"], capture_output=True,
                               env={**os.environ, "HOME": str(self.home), "PATH": f"{prefix}/bin:{SYSTEM}"})
        uv = own("uv")
        if uv:
            (self.home / ".local/bin").mkdir(parents=True)
            shutil.copy(uv, self.home / ".local/bin/uv")

    def configure_git(self):
        (self.home / ".config/git").mkdir(parents=True)
        (self.home / ".config/git/ignore").write_text("*.swp\n")
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[pull]\n\trebase = false\n"
            "[protocol \"file\"]\n\tallow = always\n")

    def path(self):
        folders = [self.home / ".local/bin", self.home / ".cargo/bin"] + ([self.node] if self.node else [])
        return ":".join([str(folder) for folder in folders if folder.is_dir()] + [SYSTEM])

    def variables(self, more, root):
        """The variables of the person's shell."""
        filled = {name: value.format(root=root, home=self.home, path=self.path()) for name, value in more.items()}
        return {"HOME": str(self.home), "PATH": self.path(), "LANG": "C.UTF-8", "USER": os.environ.get("USER", "dev"), **filled}

    def lacks(self, command):
        """A program that a command names first, and that this machine has not."""
        for step in command.steps:
            text = step.get("line") or " ".join(step.get("cmd", []))
            for word in re.findall(r"(?:^|[|;&(]\s*)([a-z][a-z0-9_-]*)(?=\s|$)", text):
                if word in PROGRAMS and not shutil.which(word, path=self.path()):
                    return word
        return None


# Programs that may be missing; the suite needs the others.
PROGRAMS = {"node", "npm", "npx", "yarn", "pnpm", "uv", "cargo", "rustc", "go", "gofmt", "gcc", "make", "cmake", "rg", "tree", "zip",
            "unzip", "jq", "sqlite3", "lsof", "ctest", "openssl", "perl", "xxd", "patch", "script", "curl"}
