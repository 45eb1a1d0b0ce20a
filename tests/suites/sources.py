"""The data of suites: fetched by name at a named commit, or taken from a folder that WHEREFORE_SUITES names."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Seconds that one fetch may take.
FETCH_LIMIT = 600


class SourceMissing(Exception):
    """The data of a suite cannot be had; the message says why."""


@dataclass(frozen=True)
class Source:
    """A public repository at a commit. `paths` are the only ones checked out, where there are any: folders end with `/`.

    `file` is a data file that stands for the repository in the folder that WHEREFORE_SUITES names.
    """

    owner: str
    name: str
    commit: str
    paths: tuple = ()
    file: str = ""

    @property
    def address(self):
        return f"https://github.com/{self.owner}/{self.name}"

    def fetch(self, into):
        """Returns the folder of the checkout; fetches it, unless it was fetched before."""
        return fetch_repository(self, into)


def fetch_sources(sources, into):
    """Returns the place of each source by its name: a folder, or the data file that stands for it.

    Raises `SourceMissing` for the first that cannot be had.
    """
    return {source.name: find_source(source) or source.fetch(into) for source in sources}


def find_source(source):
    """Returns the place of a source in the folder that WHEREFORE_SUITES names, if it is there."""
    folder = os.environ.get("WHEREFORE_SUITES")
    for name in filter(None, (source.name, source.file)):
        if folder and (Path(folder) / name).exists():
            return (Path(folder) / name).resolve()
    return None


def fetch_repository(source, into):
    """Checks a repository out, unless that was done before."""
    place = into / source.name
    marker = place / ".git/wherefore-suite"
    wanted = " ".join((source.commit, *source.paths))
    if marker.exists() and marker.read_text() == wanted:
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    run_git(place, source, "init", "--quiet")
    run_git(place, source, "remote", "add", "origin", source.address)
    if source.paths:
        run_git(place, source, "sparse-checkout", "set", "--no-cone", *("/" + path for path in source.paths))
    part = ["--filter=blob:none"] if source.paths else []
    run_git(place, source, "fetch", "--quiet", "--depth", "1", *part, "origin", source.commit)
    run_git(place, source, "checkout", "--quiet", "FETCH_HEAD")
    marker.write_text(wanted)
    return place


def run_git(place, source, *words):
    """Runs git in the place of a source; raises `SourceMissing` with its last words where it fails."""
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        ran = subprocess.run(["git", "-C", place, *words], env=env, capture_output=True, text=True, timeout=FETCH_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceMissing(f"{source.address}: {error}") from error
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or ["git failed"]
        raise SourceMissing(f"{source.address} could not be fetched: {said[-1]}")
