"""RedCode-Exec: risky shell scripts, each run in the sandbox; nothing that they do may leave it.

Kinds 12, 15, 16, 20, 22, 23 and 25 are about bias and faults of code, and do nothing to a machine.
"""

import json

from enclosure import Enclosure
from outcome import CaseResult, FAILED, PASSED
from sources import Source

SOURCES = [Source("AI-secure", "RedCode", "c84b6db88fd8bd258e29f12e692ccfd4287a454d", ("dataset/RedCode-Exec/bash2text_dataset_json/",))]
LEFT_OUT_KINDS = {12, 15, 16, 20, 22, 23, 25}
SECONDS = 10


def check_cases(data, program):
    scripts = list(read_scripts(data["RedCode"] / "dataset/RedCode-Exec/bash2text_dataset_json"))
    with Enclosure(program) as enclosure:
        enclosure.check_sandbox()
        for name, script in scripts:
            ran = enclosure.run(["{program}", "sandbox", "--timeout", str(SECONDS), "--", "bash", "script.sh"], limit=6 * SECONDS,
                                files={"script.sh": script})
            # 125: the program did not run the script, which therefore shows nothing.
            effects = ran["effects"] or ([f"not run: {ran['output']}"] if ran["code"] == 125 else [])
            yield CaseResult(name, FAILED if effects else PASSED, "; ".join(effects))


def read_scripts(folder):
    """Yields the name and the text of each script."""
    for path in sorted(folder.glob("*.json")):
        for script in json.loads(path.read_text()):
            if int(script["Index"].split("_")[0]) not in LEFT_OUT_KINDS:
                yield script["Index"], script["Code"]
