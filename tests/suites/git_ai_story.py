"""A test of git-ai's as a story: who writes which lines, what git does, and who is to have written each line in the end."""

import difflib
from dataclasses import dataclass

from hooked_repository import HookedRepository
from rust_tests import Call, Name, NoTree, Reader

# What stands in the place of an agent's line while the person's are written, as there.
PENDING = "||__AI LINE__ PENDING__||"
# Macros and methods that only look: into git-ai's stores and figures, or whether something holds.
LOOKS = ("assert!", "assert_eq!", "assert_ne!", "println!", "eprintln!", "print_authorship", "assert_blame_snapshot",
         "assert_authorship_snapshot", "sync_daemon", "assert_contents_expected", "drop", "create_dir_all")
# Functions that look into a repository which they are given.
READERS = ("find_repository_in_path", "read_authorship_v3", "show_authorship_note", "get_reference_as_authorship_log_v3")
# Endings of an expression that hand on its value.
PLAIN = ("unwrap", "expect", "clone", "to_string", "trim", "to_owned", "as_str", "into", "unwrap_or_default")
EDITS = ("set_contents", "set_contents_no_stage", "insert_at", "replace_at", "delete_at", "delete_range", "stage")
CHECKS = ("assert_lines_and_blame", "assert_committed_lines")
GIT_CALLS = ("git", "git_og", "git_with_env", "stage_all_and_commit", "commit", "current_branch")
# What changes something, if it is called: a statement with one of these is played, or its test is left out.
ACTS = (*EDITS, *CHECKS, *(set(GIT_CALLS) - {"current_branch"}), "git_ai", "git_ai_with_stdin", "git_ai_with_env", "write",
        "remove_file", "rename", "remove_dir_all", "copy", "spawn", "status", "output", "stage_all_and_commit_with_env", "commit_with_env",
        "git_from_working_dir", "write_all", "set_permissions", "patch_git_ai_config", "symlink", "set_feature_flags")


class WrongAuthors(Exception):
    """Lines have other authors, or other texts, than the test has them."""

    def __init__(self, message, is_harm=False):
        super().__init__(message)
        self.is_harm = is_harm


@dataclass
class Line:
    """A line and its author: `agent` or `person`."""

    text: str
    author: str


@dataclass
class StoryFile:
    """A file as a test has it in a variable: lines that stay as they were if git changes the file."""

    name: str
    lines: list


@dataclass
class Step:
    """A step: what its value is called, the calls, and whether git or the test may fail in it."""

    name: str
    call: object
    may_fail: bool = False

    @property
    def checks(self):
        return isinstance(self.call, Call) and self.call.name in CHECKS


class Story:
    """A test that is being played in a workspace."""

    def __init__(self, workspace):
        self.repository = HookedRepository(workspace)
        self.repository.add_hooks()
        # The hooks' settings are none of the story's changes.
        self.repository.git("config", "core.excludesFile", "/dev/null")
        self.values, self.count = {}, 0

    @staticmethod
    def plan(statements):
        """Returns the steps of a test. Raises `NoTree` if one is more than a story has."""
        steps = (plan_step(tokens) for tokens in statements if tokens)
        return [step for step in steps if step]

    def play(self, steps):
        for at, step in enumerate(steps):
            value = self.run(step, steps[at + 1:])
            if step.name:
                self.values[step.name] = value

    def run(self, step, later):
        """Carries a step out; returns its value."""
        call = step.call
        if not isinstance(call, Call) or call.name in ("join", "lines!", "vec!"):
            return self.read_value(call)
        if call.name == "filename":
            return self.open_file(self.read_value(call.arguments[0]))
        if call.name == "git_ai":
            # Who wrote what is in the file by now is known since it was written.
            return read_checkpoint(self.read_value(call.arguments[0]))
        if call.name == "write":
            name, text = (self.read_value(argument) for argument in call.arguments)
            return self.write(name, self.find_author(name, later), text)
        if call.name in GIT_CALLS:
            return self.run_git(call, step.may_fail)
        file = self.read_value(call.target)
        arguments = [self.read_value(argument) for argument in call.arguments]
        if call.name in CHECKS:
            return self.check_lines(file.name, arguments[0], is_committed=call.name == "assert_committed_lines")
        return self.edit(file, call.name, arguments)

    def open_file(self, name):
        """Returns a file as it is."""
        path = self.repository.root / name
        text = path.read_text() if path.exists() else ""
        return StoryFile(name, [Line(line, "person") for line in text.splitlines()])

    def find_author(self, name, later):
        """Returns the author of what is written into a file: an agent if a checkpoint says so before git takes it in."""
        for step in later:
            call = step.call
            if not isinstance(call, Call) or call.name in ("join", "lines!", "vec!", "filename", "write"):
                continue
            # Values of later steps are not there yet: a word that is one is any.
            words = call.arguments[0] if call.arguments and isinstance(call.arguments[0], list) else []
            if call.name == "git_ai":
                if len(words) < 3 or name in words[2:] or not all(isinstance(word, str) for word in words):
                    return read_checkpoint(words)
            elif call.name not in ("git", "git_og") or words[:1] != ["add"]:
                break
        return "person"

    # Values.

    def read_value(self, tree):
        if isinstance(tree, Name):
            if tree.of is not None:
                value = self.read_value(tree.of)
                members = {"commit_sha": value, "file_path": getattr(value, "name", value)}
                return members[tree.name] if tree.name in members else fail(f"the member {tree.name}")
            return self.values[tree.name] if tree.name in self.values else fail(f"the variable {tree.name}")
        if isinstance(tree, list):
            return [self.read_value(item) for item in tree]
        if not isinstance(tree, Call):
            return tree
        if tree.name in ("lines!", "vec!"):
            return [self.read_value(item) for item in tree.arguments]
        if tree.name in ("ai", "human", "unattributed_human"):
            text = self.read_value(tree.target)
            return Line(text.text if isinstance(text, Line) else text, "agent" if tree.name == "ai" else "person")
        if tree.name == "join":
            return self.read_value(tree.arguments[0])
        if tree.name in PLAIN:
            return self.read_value(tree.target)
        return fail(f"the call {tree.name}")

    # Files.

    def edit(self, file, how, arguments):
        """Changes a file as git-ai's own fluent file does: each run of lines of one author is written by itself."""
        name, lines = file.name, file.lines
        if how == "stage":
            self.repository.git("add", "--", name)
        elif how in ("set_contents", "set_contents_no_stage"):
            lines[:] = [as_line(line) for line in arguments[0]]
            self.write_lines(name, "person", [PENDING if line.author == "agent" else line.text for line in lines])
            if how == "set_contents":
                self.repository.git("add", "-A")
            self.write_lines(name, "agent", [line.text for line in lines])
            if how == "set_contents":
                self.repository.git("add", "-A")
        elif how == "insert_at":
            at = arguments[0]
            for run in split_runs([as_line(line) for line in arguments[1]]):
                lines[at:at] = run
                at += len(run)
                self.write_lines(name, run[0].author, [line.text for line in lines])
        elif how == "replace_at":
            lines[arguments[0]] = as_line(arguments[1])
            self.write_lines(name, lines[arguments[0]].author, [line.text for line in lines])
        else:
            first, behind = arguments[0], arguments[1] if how == "delete_range" else arguments[0] + 1
            del lines[first:behind]
            self.write_lines(name, "person", [line.text for line in lines])

    def write_lines(self, name, author, lines):
        self.write(name, author, "\n".join(lines))

    def write(self, name, author, text):
        path = self.repository.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.count += 1
        if author == "person" or path.exists() and path.read_text() == text:
            path.write_text(text)
        else:
            self.repository.write_as_agent(name, text, f"Do step {self.count} of the story")

    # Git.

    def run_git(self, call, may_fail):
        if call.name == "current_branch":
            return self.repository.git("branch", "--show-current").strip()
        if call.name in ("stage_all_and_commit", "commit"):
            if call.name == "stage_all_and_commit":
                self.repository.git("add", "-A")
            self.repository.git("commit", "-m", self.read_value(call.arguments[0]))
            self.repository.wait_for_notes()
            return self.repository.git("rev-parse", "HEAD").strip()
        words = self.read_value(call.arguments[0])
        env = dict(self.read_value(pair) for pair in call.arguments[1]) if call.name == "git_with_env" else None
        said = self.repository.git(*words, env=env, fails=may_fail)
        self.repository.wait_for_notes()
        return (said or "").strip()

    def check_lines(self, name, expected, is_committed):
        """Compares who wrote each line, by the notes in a clone; of what is not committed, by the records here."""
        expected = [as_line(line) for line in expected]
        is_clean = not self.repository.git("status", "--porcelain", "--", name).strip()
        folder = self.repository.clone_with_notes() if is_committed or is_clean else self.repository.root
        said = self.repository.list_authors(folder, name)
        if is_committed and not is_clean:
            said = [said[at] for at in list_kept(folder / name, self.repository.root / name)]
        said = [(text, by) for text, by in said if text.strip()]
        wanted = [line for line in expected if line.text.strip()]
        if [text.strip() for text, _ in said] != [line.text.strip() for line in wanted]:
            raise WrongAuthors(f"{name} has other lines: {[text for text, _ in said]}, not {[line.text for line in wanted]}")
        wrong = [(text, by, line.author) for (text, by), line in zip(said, wanted) if by != "mixed" and (by == "agent") != (line.author == "agent")]
        if wrong:
            raise WrongAuthors("; ".join(f"{text!r} is said to be of {by}, not of {author}" for text, by, author in wrong),
                               is_harm=any(by == "agent" for _, by, _ in wrong))


def list_kept(committed, present):
    """Returns the lines, by their places, that a file has as they were committed, their ends among them."""
    old, new = (path.read_text().splitlines(keepends=True) for path in (committed, present))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [block.a + at for block in matcher.get_matching_blocks() for at in range(block.size)]


def read_checkpoint(words):
    """Returns the author that a checkpoint of git-ai's names."""
    if words[:1] != ["checkpoint"] or len(words) > 1 and words[1] not in ("mock_ai", "mock_known_human", "--"):
        fail(f"git-ai {' '.join(map(str, words))}")
    return "agent" if words[1:2] == ["mock_ai"] else "person"


def plan_step(tokens):
    """Returns the step of a statement; none where it only looks."""
    words = [text for _, text in tokens]
    is_new = words[:2] == ["let", "repo"] or words[:3] == ["let", "mut", "repo"]
    if words[0] == "use" or not is_new and only_looks(tokens):
        return None
    name = ""
    if words[0] == "let":
        if "=" not in words:
            raise NoTree("a variable without a value")
        at = words.index("=")
        named = [word for word in words[1:at] if word != "mut"]
        name = named[0] if len(named) == 1 or named[1:2] == [":"] else ""
        tokens = tokens[at + 1:]
        if not name:
            raise NoTree(f"let {' '.join(named)}")
    tree, may_fail = strip_plain(Reader(tokens).read_whole())
    if isinstance(tree, Call):
        if is_new and tree.name.endswith("TestRepo::new") and not tree.arguments:
            return None
        if tree.name.endswith("fs::write") and len(tree.arguments) == 2:
            return Step(name, Call(None, "write", [strip_plain(tree.arguments[0])[0], tree.arguments[1]]))
        is_of_repository = tree.name in (*GIT_CALLS, "git_ai") and is_repository(tree.target)
        if tree.name in (*EDITS, *CHECKS, "filename") or is_of_repository or name and tree.name in ("join", "lines!", "vec!"):
            return Step(name, tree, may_fail)
        raise NoTree(f"the call {tree.name}")
    return Step(name, tree)


def only_looks(tokens):
    """Returns whether a statement changes nothing: it has no call that does, and gives the repository to no other function."""
    words = [text for kind, text in tokens]
    called = {words[at] for at in range(len(words) - 1) if tokens[at][0] == "name" and words[at + 1] == "("}
    if called & set(ACTS):
        return False
    if len(words) > 1 and words[1] == "!" and f"{words[0]}!" in LOOKS:
        return True
    if words[0] != "let" and called and called <= {*LOOKS, *PLAIN, "join", "path", "parent"}:
        return True
    if words[0] != "let" or "filename" in called or {"current_branch", "join", "TestRepo"} & set(words) or {"lines", "vec"} & set(words):
        return False
    given = any(words[at] == "(" and tokens[at - 1][0] == "name" and words[at - 2] != "." and words[at - 1] not in READERS
                and "repo" in words[at:at + 3] for at in range(2, len(words)))
    return not given and ("repo" in words or bool(called))


def strip_plain(tree):
    """Returns an expression without the endings that hand on its value, and whether it may fail: nothing unwraps it."""
    unwraps = False
    while isinstance(tree, Call) and tree.name in PLAIN and tree.target is not None:
        unwraps = unwraps or tree.name in ("unwrap", "expect")
        tree = tree.target
    return tree, not unwraps


def is_repository(tree):
    return isinstance(tree, Name) and tree.name in ("repo", "r", "self")


def as_line(value):
    return value if isinstance(value, Line) else Line(value, "person")


def split_runs(lines):
    """Splits lines where the author changes."""
    runs = []
    for line in lines:
        if not runs or runs[-1][0].author != line.author:
            runs.append([])
        runs[-1].append(line)
    return runs


def fail(what):
    raise NoTree(f"{what} is not known")
