import unittest

from notes.record import Note, parse_line, to_line


class RecordTest(unittest.TestCase):
    def test_a_line_and_its_note(self):
        note = parse_line("2026-01-02 | work,later | Call Ada")
        self.assertEqual(note, Note("2026-01-02", "Call Ada", ["work", "later"]))
        self.assertEqual(to_line(note), "2026-01-02 | work,later | Call Ada")
