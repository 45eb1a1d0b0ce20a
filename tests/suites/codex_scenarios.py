"""The scenarios of Codex's apply_patch: files, a patch as its models send it, and the files afterwards."""

import json
from dataclasses import dataclass

from sources import Source

FOLDER = "codex-rs/apply-patch/tests/fixtures/scenarios"
SOURCES = [Source("openai", "codex", "71163530a46dc568775f9ee95a9b57de3385cd9a", (FOLDER + "/",), "codex-scenarios.json")]
WHY = "Bring the files to the state that the scenario expects"


@dataclass
class Scenario:
    """A scenario; the files are bytes by path."""

    name: str
    before: dict
    patch: str
    after: dict


def read_scenarios(data):
    """Returns all scenarios, from the folder of the repository or from the data file."""
    place = data["codex"]
    if place.is_file():
        rows = json.loads(place.read_text())
        encode = lambda files: {path: text.encode() for path, text in files.items()}
        return [Scenario(name, encode(row["input"]), row["patch"], encode(row["expected"])) for name, row in sorted(rows.items())]
    folders = sorted(folder for folder in (place / FOLDER).iterdir() if (folder / "patch.txt").exists())
    return [Scenario(folder.name, read_folder(folder / "input"), (folder / "patch.txt").read_text(), read_folder(folder / "expected"))
            for folder in folders]


def read_folder(folder):
    """Returns the bytes of each file below a folder; none where there is no folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def describe_difference(scenario, after, answer):
    """Returns what became of the files, and the program's answer."""
    changed = "nothing was changed" if after == scenario.before else "the files are otherwise than expected"
    return f"{changed}; {answer}"
