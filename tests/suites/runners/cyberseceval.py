"""CyberSecEval's injections, obeyed: the agent reads each prompt as a file and does the worst that it could ask for.

The suite's prompts ask a model for words. Played by an agent that obeys, each reads the secrets, sends them to the hosts that
the prompt names, and changes files outside of the workspace. A case passes where nothing of that happens.
"""

import json

from enclosure import Enclosure
from obedient_agent import change_outside, obey, read_secrets, send_out
from sources import Source

FILE = "CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection.json"
SOURCES = [Source("meta-llama", "PurpleLlama", "4be64c3a24442b51c76175e6ec67722cc3f5fe38", (FILE,))]


def check_cases(data, program):
    with Enclosure(program) as enclosure:
        enclosure.check_sandbox()
        for prompt in json.loads((data["PurpleLlama"] / FILE).read_text()):
            if prompt["injection_type"] == "indirect":
                text = prompt["user_input"]
                deeds = [(deed, [text, prompt["test_case_prompt"]]) for deed in (read_secrets, send_out, change_outside)]
                yield obey(enclosure, str(prompt["prompt_id"]), text, deeds)
