"""The verdicts of the command rules on lists of commands, and which of them come from misreading a command."""

import collections
import json
import re
from dataclasses import dataclass
from pathlib import Path

from outcome import FAILED, PASSED, CaseResult

BATCH_LIMIT = 900
BELOW = Path(__file__).resolve().parents[2] / ".e2e/suites/.workspaces"
# Rules that stop a command because it could not be read, whatever it does.
UNREAD = {"unclear-syntax", "too-complex", "unclear-wrapper", "computed-script", "computed-command", "computed-target", "odd-program"}


def words(text):
    """Returns a pattern for any of the words, as a word of a command line."""
    return r"(?<![\w.-])(?:" + "|".join(text.split()) + r")(?![\w-])"


# What a command that a rule stops must hold, for the rule to have read it right. A stop without it is a misreading.
GROUNDS = {
    "credential-file": r"/etc/(shadow|gshadow|sudoers|ssh)|/proc/|/dev/k?mem|docker\.sock|\.ssh|opasswd|/etc/ssl|secrets",
    "credential-read": words(
        "gpg2? pass security secret-tool op vault bw lpass keyring credential ssh-add ssh-keygen ssh-keyscan aws gcloud az gh "
        "kubectl oc npm docker heroku keyctl cryptsetup sops age ansible-vault xclip xsel pbpaste wl-paste getent john hashcat "
        r"glab gcore mimipenguin ecryptfs[\w-]* kwallet-query"
    ),
    "destructive": words(
        "rm rmdir unlink shred srm wipe dd truncate chmod chown chgrp setfacl chattr rsync kill killall5 crontab git git-[a-z-]+ "
        "docker podman docker-compose dropdb dropuser redis-cli kubectl oc terraform tofu pulumi helm mongo mongosh mysql psql "
        r"sqlite3 mariadb mysqladmin history fuser swapoff zfs zpool tmutil trash-empty mkfs(?:\.\w+)? mke2fs mkswap wipefs "
        r"newfs\w* sgdisk sfdisk cfdisk fdisk parted gdisk blkdiscard hdparm cryptsetup pvremove vgremove lvremove badblocks "
        "nvme btrfs diskutil mv find python python3 perl ruby node"
    ) + r"|-delete",
    "fork-bomb": r"\(\)|function",
    "outside-workspace": r"(?:^|[\s=:>'\"@,(])(?:/|~|\.\.(?:/|\s|$)|\$\{?(?:HOME|TMPDIR|OLDPWD))",
    "raw-device": r"/dev/",
    "stops-the-machine": words("shutdown reboot halt poweroff telinit init systemctl kexec pm-suspend pm-hibernate"),
}
# Rules whose ground is one of the programs that their table names: their stop is right where the program is what runs.
BY_PROGRAM = {"installs", "network", "persistence", "privilege", "publishing"}
# Commands that only tell something, whatever their program does otherwise.
TELLING = re.compile(
    r"(?:^|[|;&]\s*)(?:sudo\s+)?(?!bunx|npx)(?:\S+(?:\s+[a-z][\w-]*){0,3}\s+(?:--help|--version)\s*$|brew \S+ -h\s*$|"
    r"rpm\s+-q|dpkg\s+-[lLsS]\b|pacman\s+-Q|service\s+--status-all|crontab\s+-l\s*$|mount\s*(?:\||$)|xclip\s+-selection|shutdown\s+-c)"
)
# Tests of find that name what it passes over.
PASSED_OVER = r"(?:-prune|!\s+-\w+\s+\S*|-not\s+(?:\\?\(\s+)?-\w+\s+\S*)"


@dataclass
class Verdict:
    """The verdict of the rules on a command: allow, ask or deny, the rule and the program that it was found in."""

    verdict: str
    rule: str = ""
    why: str = ""
    program: str = ""

    @property
    def is_stopped(self):
        return self.verdict != "allow"

    def is_misread(self, command):
        """Returns whether the rules stopped the command for something that it does not do."""
        if not self.is_stopped:
            return False
        if self.rule in UNREAD or TELLING.search(command):
            return True
        if self.rule in BY_PROGRAM:
            return not self.program or not re.search(words(re.escape(self.program)), command)
        if " `" in self.rule:
            return not names_path(command, self.rule.split("`")[1])
        ground = GROUNDS.get(self.rule)
        return bool(ground) and not re.search(ground, command, re.IGNORECASE)


def names_path(command, glob):
    """Returns whether a command names a path that the glob of a rule matches, and not only to pass it over."""
    name = re.escape(glob.strip("*/").lower()).replace(r"\*", ".*")
    if re.search(PASSED_OVER, command) and re.search(r"-prune|" + PASSED_OVER + name, command, re.IGNORECASE):
        return False
    if re.search(r"[/.*]", glob):
        return re.search(name, command.lower()) is not None
    # A bare word is a path after an option or a slash; after another word it may be a subcommand.
    before = r"(?:[/=<>\"'~]\s*|\s-{1,2}[\w-]+[ =]|\./|\b(?:cat|cp|mv|rm|ln|chmod)\s.*)"
    return re.search(before + name, command.lower()) is not None


def read_verdict(answer):
    """Returns the verdict of one JSON answer of `wherefore rules test`."""
    rule = answer.get("rule") or ""
    cause = (rule, answer["verdict"])
    stopped = [command for command in answer.get("commands", []) if (command.get("rule"), command["verdict"]) == cause]
    argv = stopped[0]["argv"] if stopped else []
    return Verdict(answer["verdict"], rule, answer.get("why") or "", argv[0].rsplit("/", 1)[-1] if argv else "")


def judge_commands(program, commands):
    """Returns the verdict on each command, in a workspace with a repository and nothing else.

    Commands of one line go through `rules test --batch`, which reads one a line; the others have a process each.
    """
    verdicts = [None] * len(commands)
    # Not in the temporary folder: a command that empties that one would empty the workspace.
    BELOW.mkdir(parents=True, exist_ok=True)
    with program.make_workspace({".git/HEAD": "ref: refs/heads/main\n"}, BELOW) as workspace:
        lines = [at for at, command in enumerate(commands) if "\n" not in command]
        sent = "".join(f"{commands[at]}\n" for at in lines)
        ran = workspace.run("rules", "test", "--batch", "--json", sent=sent, limit=BATCH_LIMIT)
        answers = ran.stdout.splitlines()
        if len(answers) != len(lines):
            raise RuntimeError(f"{len(answers)} answers to {len(lines)} commands: {ran.stderr.strip()[-200:]}")
        for at, answer in zip(lines, answers):
            verdicts[at] = read_verdict(json.loads(answer))
        for at, command in enumerate(commands):
            if verdicts[at] is None:
                ran = workspace.run("rules", "test", "--json", "--", command)
                verdicts[at] = read_verdict(json.loads(ran.stdout))
    return verdicts


def check_expected(suite, program, cases):
    """Yields a case for each (name, command, is_destructive): destructive ones are to be stopped, others allowed."""
    counts = collections.Counter()
    verdicts = judge_commands(program, [command for _, command, _ in cases])
    for (name, command, is_destructive), verdict in zip(cases, verdicts):
        good = verdict.is_stopped == is_destructive
        counts[is_destructive, good] += 1
        said = f"{verdict.verdict} {verdict.rule}".strip()
        yield CaseResult(name, PASSED if good else FAILED, f"{said}: {command}")
    for is_destructive, kind, right in ((True, "destructive", "stopped"), (False, "harmless", "allowed")):
        good = counts[is_destructive, True]
        total = good + counts[is_destructive, False]
        print(f"{suite}: of {total} {kind} commands {good} {right} ({100 * good / max(1, total):.1f} %)")


def check_everyday(suite, program, cases):
    """Yields a case for each (name, command) that people use: a stop is a failure where it comes from misreading."""
    stops, misread = collections.Counter(), collections.Counter()
    verdicts = judge_commands(program, [command for _, command in cases])
    for (name, command), verdict in zip(cases, verdicts):
        wrong = verdict.is_misread(command)
        if verdict.is_stopped:
            stops[verdict.rule] += 1
            misread[verdict.rule] += wrong
        kind = verdict.rule.split()[0] if verdict.rule else "allowed"
        yield CaseResult(f"{kind}/{name}", FAILED if wrong else PASSED, f"{verdict.verdict} {verdict.rule}: {command}")
    total = max(1, len(cases))
    print(f"{suite}: {100 * sum(stops.values()) / total:.1f} % stopped, {100 * sum(misread.values()) / total:.2f} % by misreading")
    for rule, count in stops.most_common():
        print(f"{suite}:   {count:5} {rule}{f', {misread[rule]} of them misread' if misread[rule] else ''}")
