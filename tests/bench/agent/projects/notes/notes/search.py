"""Finding notes."""

LIMIT = 20


def by_tag(notes, tag):
    return [note for note in notes if tag in note.tags]


def by_words(notes, words):
    """Notes that hold every word, whatever its case."""
    wanted = [word.lower() for word in words.split()]
    return [note for note in notes if all(word in note.text.lower() for word in wanted)][:LIMIT]


def newest(notes, count):
    """The newest notes, the newest first."""
    return sorted(notes, key=lambda note: note.date, reverse=True)[:count]
