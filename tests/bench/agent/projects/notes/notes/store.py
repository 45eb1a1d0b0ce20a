"""The file of notes."""

import os

from notes.record import parse_line, to_line

DEFAULT_PATH = "~/.notes.txt"


def place():
    """Where the file is: NOTES_FILE, else the usual place."""
    return os.path.expanduser(os.environ.get("NOTES_FILE", DEFAULT_PATH))


def load(path):
    """The notes of a file; none where there is no file."""
    try:
        with open(path, encoding="utf-8") as file:
            return [note for note in map(parse_line, file) if note]
    except FileNotFoundError:
        return []


def append(path, note):
    with open(path, "a", encoding="utf-8") as file:
        file.write(to_line(note) + "\n")
