"""Suites that a registry carries: packages at named versions, installed into a folder by npm or by pip."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sources import FETCH_LIMIT, SourceMissing


@dataclass(frozen=True)
class PackageSource:
    """Packages that are installed together, by the installer named, into a folder of this name."""

    name: str
    installer: str
    packages: tuple
    file: str = ""

    def fetch(self, into):
        """Returns the folder with the installed packages; installs them unless they are there."""
        place = Path(into) / self.name
        marker = place / "wherefore-suite"
        wanted = " ".join(self.packages)
        if marker.exists() and marker.read_text() == wanted:
            return place
        place.mkdir(parents=True, exist_ok=True)
        try:
            ran = subprocess.run([*INSTALLERS[self.installer](place), *self.packages], stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=FETCH_LIMIT)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SourceMissing(f"{self.installer}: {error}") from error
        if ran.returncode:
            said = ran.stderr.strip().splitlines() or [f"{self.installer} failed"]
            raise SourceMissing(f"{wanted} could not be installed: {said[-1]}")
        marker.write_text(wanted)
        return place


INSTALLERS = {
    "npm": lambda place: ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--loglevel=error"],
    "pip": lambda place: [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                          "--root-user-action=ignore", "--target", str(place)],
}


def package_env(place):
    """The variables with which the programs and modules of a folder are found first."""
    place = Path(place)
    return {**os.environ, "PATH": f"{place / 'node_modules/.bin'}:{os.environ.get('PATH', '')}", "PYTHONPATH": str(place)}
