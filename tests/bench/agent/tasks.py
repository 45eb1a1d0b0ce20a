"""The tasks: each with the project that it is done in, what is asked, how it is checked, and a perfect answer.

A check is a program: it sees the folder afterwards and what the agent said at its end, and says why the task is not done.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Task:
    name: str
    kind: str
    project: str
    prompt: str
    check: object
    # (file, text, other text): what is put into the project before the task.
    planted: list = field(default_factory=list)
    # (file, text, other text) or (file, None, text): the files of a perfect answer.
    edits: list = field(default_factory=list)
    # What a perfect answer says.
    said: str = "Done."


def read(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def replaced(folder, edits):
    """The files that edits make: each name with its whole text."""
    made = {}
    for name, old, new in edits:
        text = made.get(name, read(folder, name))
        if old is not None and old not in text:
            raise ValueError(f"{name} does not hold {old!r}")
        made[name] = new if old is None else text.replace(old, new)
    return made


def python(folder, *args):
    """Runs Python in the folder; what went wrong."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ran = subprocess.run([sys.executable, *args], cwd=folder, env=environment, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "it does not end"
    return None if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["it fails"])[-1]


def suite(folder):
    return python(folder, "-m", "unittest", "-q")


def runs(code):
    """The code goes through, and so do the project's tests."""
    return lambda folder, said: python(folder, "-c", code) or suite(folder)


def says(*patterns):
    """The answer holds all of these."""
    def check(folder, said):
        missing = [pattern for pattern in patterns if not re.search(pattern, said, re.IGNORECASE)]
        return f"the answer lacks {missing[0]}" if missing else None
    return check


def sources(folder):
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for name in names:
            path = os.path.join(place, name)
            yield path, read(folder, os.path.relpath(path, folder))


def renamed(old, code):
    """The old name is nowhere any more, and the code with the new one goes through."""
    def check(folder, said):
        for path, text in sources(folder):
            if re.search(rf"\b{old}\b", text):
                return f"{os.path.basename(path)} still holds {old}"
        return python(folder, "-c", code) or suite(folder)
    return check


def tested(name, right, wrong):
    """There are more tests, they pass, and they fail once the code is wrong."""
    def check(folder, said):
        failed = suite(folder)
        if failed:
            return failed
        text = read(folder, name)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(right, wrong))
        try:
            return None if suite(folder) else f"the tests pass where {name} is wrong"
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return check


def bug(name, project, prompt, file, right, wrong, code):
    ask = f"{prompt} Find out why and fix it, in the code and not in the tests."
    return Task(name, "bug", project, ask, runs(code), [(file, right, wrong)], [(file, wrong, right)], f"Fixed {file}.")


def test(name, project, prompt, file, right, wrong, test_file, text):
    return Task(name, "test", project, prompt, tested(file, right, wrong), [], [(test_file, None, text)], f"Added {test_file}.")


def answer(name, project, prompt, said, *patterns):
    return Task(name, "answer", project, f"{prompt} Change nothing.", says(*patterns), said=said)


def case(imports, body):
    return f"import unittest\n\n{imports}\n\n\nclass AddedTest(unittest.TestCase):\n    def test_added(self):\n" + "".join(
        f"        {line}\n" for line in body
    )


TASKS = [
    bug("cents-of-one-digit", "shop", 'money.parse("12.5") gives 1205 cents and ought to give 1250.', "shop/money.py",
        'int((part + "00")[:2])', 'int(part or "0")',
        "from shop.money import parse; assert parse('12.5') == 1250 and parse('3') == 300 and parse('1.05') == 105"),
    bug("cents-below-ten", "shop", 'money.show(1205) gives "12.5" and ought to give "12.05".', "shop/money.py",
        "{part:02d}", "{part}",
        "from shop.money import show; assert show(1205) == '12.05' and show(-50) == '-0.50'"),
    bug("lost-cents", "shop", "money.share(10, 3) loses a cent: the parts have to sum up to the amount, the larger ones first.",
        "shop/money.py", "[each + 1] * rest + [each] * (parts - rest)", "[each] * parts",
        "from shop.money import share; assert share(10, 3) == [4, 3, 3] and share(9, 3) == [3, 3, 3]"),
    bug("discount-from", "shop", "A sum of exactly 50.00 gets no discount, though 5 % are taken off from 50.00 on.",
        "shop/discount.py", "cents >= least", "cents > least",
        "from shop.discount import percent; assert [percent(c) for c in (4999, 5000, 9999, 10000)] == [0, 5, 5, 10]"),
    bug("counted-anew", "shop", "A cart forgets how many of a thing it holds when more of it are added.", "shop/cart.py",
        "(known, have + count)", "(known, count)",
        "from shop.cart import Cart; c = Cart(); c.add('a', 1, 2); c.add('a', 1); assert c.count() == 3"),
    bug("taken-below-zero", "shop", "Stock.take takes more than there is, and counts become negative.", "shop/stock.py",
        "self.counts.get(name, 0) < count", "self.counts.get(name, 0) < 0",
        "from shop.stock import Stock; s = Stock({'a': 2}); assert not s.take('a', 3) and s.take('a', 2) and not s.take('b', 1)"),
    bug("bar-in-a-note", "notes", "A note whose text holds a bar cannot be read back: parse_line raises an error.",
        "notes/record.py", 'line.split("|", 2)', 'line.split("|")',
        "from notes.record import parse_line; assert parse_line('d | t | a | b').text == 'a | b'"),
    bug("words-with-capitals", "notes", 'search.by_words finds no note with "Ada" where the words are "ADA".', "notes/search.py",
        "[word.lower() for word in words.split()]", "words.split()",
        "from notes.record import Note; from notes.search import by_words; assert by_words([Note('d', 'call Ada')], 'ADA')"),
    bug("oldest-first", "notes", "search.newest gives the oldest notes.", "notes/search.py",
        "note.date, reverse=True", "note.date",
        "from notes.record import Note; from notes.search import newest\n"
        "assert [n.date for n in newest([Note('1', ''), Note('3', ''), Note('2', '')], 2)] == ['3', '2']"),
    bug("mean-of-none", "notes", "stats.mean_length of no notes at all raises ZeroDivisionError; 0 is right.", "notes/stats.py",
        'none."""\n    if not notes:\n        return 0\n', 'none."""\n',
        "from notes.stats import mean_length; assert mean_length([]) == 0"),
    Task("rename-calc-total", "rename", "shop", "Rename the method calc_total of the cart to total, everywhere.",
         renamed("calc_total", "from shop.cart import Cart; assert Cart().total() == 0"), [],
         [("shop/cart.py", "calc_total", "total"), ("tests/test_cart.py", "calc_total", "total")], "Renamed."),
    Task("rename-discounted", "rename", "shop", "Rename the function discounted to after_discount, everywhere.",
         renamed("discounted", "from shop.discount import after_discount; assert after_discount(5000) == 4750"), [],
         [("shop/discount.py", "discounted", "after_discount"), ("shop/cart.py", "discounted", "after_discount")], "Renamed."),
    Task("rename-rate", "rename", "shop", "Rename the constant RATE of the tax to PERCENT, everywhere.",
         renamed("RATE", "from shop.tax import PERCENT, with_tax; assert PERCENT == 19 and with_tax(100) == 119"), [],
         [("shop/tax.py", "RATE", "PERCENT")], "Renamed."),
    Task("rename-to-line", "rename", "notes", "Rename the function to_line to format_line, everywhere.",
         renamed("to_line", "from notes.record import format_line; from notes import store"), [],
         [("notes/record.py", "to_line", "format_line"), ("notes/store.py", "to_line", "format_line"),
          ("tests/test_record.py", "to_line", "format_line")], "Renamed."),
    Task("rename-module", "rename", "notes", "Rename the module notes/stats.py to notes/counts.py. Its content stays as it is.",
         lambda folder, said: "notes/stats.py is still there" if read(folder, "notes/stats.py") else
         python(folder, "-c", "from notes.counts import tag_counts, mean_length; assert mean_length([]) == 0") or suite(folder),
         [], [("notes/counts.py", None, "FROM notes/stats.py"), ("notes/stats.py", None, None)], "Renamed."),
    Task("rename-max-name", "rename", "site", "Rename the constant MAX_NAME to NAME_LENGTH in the scripts, everywhere.",
         lambda folder, said: next((f"{os.path.basename(path)} still holds MAX_NAME" for path, text in sources(folder)
                                    if "MAX_NAME" in text), None)
         or (None if "NAME_LENGTH = 80" in read(folder, "src/limits.js") and read(folder, "src/form.js").count("NAME_LENGTH") == 2
             else "NAME_LENGTH is not where MAX_NAME was"), [],
         [("src/limits.js", "MAX_NAME", "NAME_LENGTH"), ("src/form.js", "MAX_NAME", "NAME_LENGTH")], "Renamed."),
    test("test-show", "shop", "Add a test of money.show for negative amounts, in a new file tests/test_money.py.", "shop/money.py",
         'sign = "-" if cents < 0 else ""', 'sign = ""', "tests/test_money.py",
         case("from shop.money import show", ['self.assertEqual(show(-1205), "-12.05")'])),
    test("test-low", "shop", "Add a test of Stock.low in a new file tests/test_stock.py: of which things are fewer than three there.",
         "shop/stock.py", "if count < least", "if count > least", "tests/test_stock.py",
         case("from shop.stock import Stock", ['self.assertEqual(Stock({"a": 2, "b": 3}).low(), ["a"])'])),
    test("test-rounding", "shop", "Add a test that the tax is rounded to the nearest cent and not cut, in tests/test_tax.py.",
         "shop/tax.py", " + 50", "", "tests/test_tax.py",
         case("from shop.tax import with_tax", ["self.assertEqual(with_tax(3), 4)"])),
    test("test-comments", "notes", "Add a test that parse_line skips comments, in a new file tests/test_comments.py.",
         "notes/record.py", 'or line.startswith("#")', "", "tests/test_comments.py",
         case("from notes.record import parse_line", ['self.assertIsNone(parse_line("# a | b | c"))'])),
    test("test-tag-order", "notes", "Add a test in tests/test_stats.py that tag_counts gives tags of the same count by name.",
         "notes/stats.py", "(-item[1], item[0])", "-item[1]", "tests/test_stats.py",
         case("from notes.record import Note\nfrom notes.stats import tag_counts",
              ['notes = [Note("d", "x", ["b", "a"])]', 'self.assertEqual(tag_counts(notes), [("a", 1), ("b", 1)])'])),
    test("test-no-file", "notes", "Add a test in tests/test_store.py that load gives no notes where there is no file.",
         "notes/store.py", "return []", "return None", "tests/test_store.py",
         case("from notes.store import load", ['self.assertEqual(load("/absent/notes.txt"), [])'])),
    answer("where-tax", "shop", "In which file, and in which function, is the tax rounded?",
           "shop/tax.py, in with_tax.", r"tax\.py", "with_tax"),
    answer("who-calls-discount", "shop", "Which method uses the function discounted? Name its file, too.",
           "Cart.calc_total in shop/cart.py.", "calc_total", r"cart\.py"),
    answer("which-discount", "shop", "How many percent are taken off a sum of 75.00, and which file says so?",
           "5 percent, says shop/discount.py.", r"\b5\b|five", r"discount\.py"),
    answer("where-file", "notes", "Which environment variable says where the file of notes is, and in which file is it read?",
           "NOTES_FILE, in notes/store.py.", "NOTES_FILE", r"store\.py"),
    answer("how-many-found", "notes", "How many notes does by_words give at the most?", "20.", r"\b20\b|twenty"),
    answer("largest-upload", "site", "How large may an upload be, in bytes, and where is it set?",
           "1048576 bytes, in config/settings.json.", r"1[,. ]?048[,. ]?576", r"settings\.json"),
    answer("who-checks-mail", "site", "In which file is the address of an e-mail checked, and by which function?",
           "src/checks.js, isEmail.", r"checks\.js", "isEmail"),
    answer("form-target", "site", "To which path does the form of the page send its fields?", "To /send.", "/send"),
]



def written(name, word, prompt="Write the file {name}. Its content is the one word: {word}"):
    """The least that a model has to do: it is asked of small ones, again and again."""
    def check(folder, said):
        return None if read(folder, name).strip() == word else f"{name} does not hold the word alone"
    return Task(f"write-{name}", "write", "site", prompt.format(name=name, word=word), check, [], [(name, None, word + "\n")],
                f"Wrote {name}.")


# The first two are worded as the example is that a small model sees first, the last one is not.
WRITES = {
    "apple": written("fruit.txt", "apple"),
    "hello": written("greeting.txt", "hello"),
    "blue": written("sky.txt", "blue", "Please put the word {word} in a new file called {name}."),
}
