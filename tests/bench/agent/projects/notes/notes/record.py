"""One note as a line."""

from dataclasses import dataclass, field


@dataclass
class Note:
    date: str
    text: str
    tags: list = field(default_factory=list)


def parse_line(line):
    """The note of a line; None of an empty line or a comment."""
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    date, tags, text = (part.strip() for part in line.split("|", 2))
    return Note(date, text, [tag for tag in tags.split(",") if tag])


def to_line(note):
    return f"{note.date} | {','.join(note.tags)} | {note.text}"
