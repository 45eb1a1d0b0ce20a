"""Counts over notes."""


def tag_counts(notes):
    """How often each tag stands on a note, the most frequent first, then by name."""
    counts = {}
    for note in notes:
        for tag in note.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def mean_length(notes):
    """Characters of a note on average; 0 of none."""
    if not notes:
        return 0
    return sum(len(note.text) for note in notes) / len(notes)
