"""A repository whose commits carry notes, worked in by an agent and a person, and the model of who wrote each line.

Each line of the repository is unlike any other, so the model is a set: the lines that the agent wrote. A line that is gone from
the files stays in it, since git can bring it back.
"""

from hooked_repository import HookedRepository

FILES = ("a.txt", "b/c.txt")


class NotedRepository(HookedRepository):
    """The repository in a workspace. `random` decides on all that is left to chance."""

    def __init__(self, workspace, random):
        self.random = random
        self.agent_lines, self.count, self.steps = set(), 0, []
        super().__init__(workspace)
        for name in FILES:
            self.write_lines(name, [self.make_line("person") for _ in range(12)])
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        self.add_hooks()

    def must(self, ran):
        try:
            return super().must(ran)
        except RuntimeError as error:
            raise RuntimeError(f"{error} after {self.steps}") from error

    def make_line(self, author):
        """Makes a line that no file has, and that is like none; the model keeps it if the agent wrote it."""
        self.count += 1
        line = f"{self.random.getrandbits(96):024x} {self.count}"
        if author == "agent":
            self.agent_lines.add(line)
        return line

    def read_lines(self, name):
        return (self.root / name).read_text().splitlines()

    def write_lines(self, name, lines):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def edit(self, author, name=None, spot=None):
        """Inserts, replaces or deletes up to three lines of a file, as the author."""
        name = name or self.random.choice(FILES)
        lines = self.read_lines(name)
        at = self.random.randrange(len(lines) + 1) if spot is None else spot
        gone = self.random.choice((0, 0, 1, 2)) if len(lines) > 6 else 0
        new = [self.make_line(author) for _ in range(self.random.choice((1, 2, 3)))]
        lines[at:at + gone] = new
        self.steps.append(f"{author} edits {name}:{at} -{gone} +{len(new)}")
        if author == "person":
            self.write_lines(name, lines)
            return
        self.write_as_agent(name, "".join(f"{line}\n" for line in lines), f"Write line {self.count}")

    def commit(self, *words):
        """Commits all changes, and waits for the note."""
        self.steps.append(f"commit {' '.join(words)}".strip())
        self.git("commit", "-qam", f"work {self.count}", "--allow-empty", *words)
        self.wait_for_notes()

    def check_lines(self):
        """Compares what a clone with the notes says of each line of HEAD with the model.

        Returns the lines that the agent is wrongly said to have written, and those of the agent's that are not said to be.
        """
        clone = self.clone_with_notes()
        credited, missed = [], []
        for line, by in (said for name in FILES for said in self.list_authors(clone, name)):
            if by == "agent" and line not in self.agent_lines:
                credited.append(line)
            if by != "agent" and line in self.agent_lines:
                missed.append(line)
        return credited, missed
