"""The functions that CodeSearchNet's experts marked: fetched from the repositories that hold them, one file at a time."""

import os
import re
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import SourceMissing

ADDRESS = re.compile(r"https://github\.com/([^/]+)/([^/]+)/blob/([0-9a-f]{40})/(.+?)#L(\d+)(?:-L(\d+))?$")
FOLDER = "CodeSearchNet-code"
FETCHES, FETCH_LIMIT = 8, 20
# The share of the functions that must be had; some repositories are gone.
ENOUGH = 0.8


def fetch_functions(addresses, into):
    """Returns the text of each function that can be had, by its address. Raises `SourceMissing` where too few can.

    Files are kept below `CodeSearchNet-code`, in the folder that WHEREFORE_SUITES names or in the one given.
    """
    folder = Path(os.environ.get("WHEREFORE_SUITES") or into) / FOLDER
    parts = {address: found.groups() for address in addresses if (found := ADDRESS.match(address))}
    files = sorted({part[:4] for part in parts.values()})
    fetch_file(files[0], folder, must=True)
    with ThreadPoolExecutor(FETCHES) as pool:
        texts = dict(zip(files, pool.map(lambda file: fetch_file(file, folder), files)))
    functions = {}
    for address, (*file, first, last) in parts.items():
        text = texts[tuple(file)]
        if text is not None:
            functions[address] = "\n".join(text.splitlines()[int(first) - 1 : int(last or first)]) + "\n"
    if len(functions) < ENOUGH * len(addresses):
        raise SourceMissing(f"only {len(functions)} of {len(addresses)} functions could be fetched")
    return functions


def fetch_file(file, folder, must=False):
    """Returns the text of a file of a repository at a commit; nothing where it is gone, an empty file in its place."""
    place = folder.joinpath(*file)
    if not place.exists():
        address = "https://raw.githubusercontent.com/" + "/".join(file)
        try:
            with urllib.request.urlopen(address, timeout=FETCH_LIMIT) as answer:
                content = answer.read()
        except urllib.error.HTTPError:
            content = b""
        except OSError as error:
            if must:
                raise SourceMissing(f"{address} could not be fetched: {error}") from error
            return None
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return place.read_text(errors="replace") or None
