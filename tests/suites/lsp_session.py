"""A session of a language client of pytest-lsp with the program, as one editor; prints a line of JSON for each step.

usage: lsp_session.py PROGRAM CLIENT FOLDER
The client's types are those of lsprotocol, which refuse what the specification does not have; what differs from the
capabilities of CLIENT is a warning of pytest-lsp's. Either makes the step fail. Run with both on PYTHONPATH.
"""

import asyncio
import json
import sys
import warnings
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.checks import LspSpecificationWarning
from pytest_lsp.client import make_test_lsp_client

LIMIT = 30
WHY = "Say it in upper case"
OLD, NEW = "one\ntwo\nthree\n", "one\nTWO\nthree\n"
DEFINITION = 'tool:\n  name: "a"\n  ri'


class Session:
    """The client with the folder open, and the steps that it takes."""

    def __init__(self, client: LanguageClient, folder: Path):
        self.client, self.folder = client, folder
        self.file, self.definition = folder / "a.txt", folder / ".wherefore/tools/a.yaml"
        self.accept = None
        self.text, self.version = OLD, 1
        client.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self.apply_edit(params))

    def apply_edit(self, params: types.ApplyWorkspaceEditParams):
        """Makes an edit of the open file as an editor does, and sends the change back."""
        changes = params.edit.document_changes or []
        edits = [edit for change in changes for edit in change.edits] or (params.edit.changes or {}).get(self.file.as_uri(), [])
        for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
            self.replace_text(edit.range, edit.new_text)
        return types.ApplyWorkspaceEditResult(applied=bool(edits))

    def replace_text(self, range_, new):
        """Replaces a range of the file's text, which is all ASCII, and tells the server."""
        lines = self.text.splitlines(keepends=True)
        start, end = (sum(map(len, lines[:at.line])) + at.character for at in (range_.start, range_.end))
        self.text, self.version = self.text[:start] + new + self.text[end:], self.version + 1
        item = types.VersionedTextDocumentIdentifier(uri=self.file.as_uri(), version=self.version)
        change = types.TextDocumentContentChangePartial(range=range_, text=new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(item, [change]))

    async def initialize(self, program, name):
        await self.client.start_io(program, "lsp")
        folders = [types.WorkspaceFolder(uri=self.folder.as_uri(), name="ws")]
        params = types.InitializeParams(capabilities=client_capabilities(name), root_uri=self.folder.as_uri(),
                                        workspace_folders=folders)
        answer = await self.client.initialize_session(params)
        expect(answer.server_info.name == "wherefore", "the server gives its name")

    async def open_documents(self):
        for path, language in ((self.file, "plaintext"), (self.definition, "yaml")):
            item = types.TextDocumentItem(uri=path.as_uri(), language_id=language, version=1, text=path.read_text())
            self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    async def propose_change(self):
        arguments = {"path": "a.txt", "content": NEW, "why": WHY}
        call = {"tool": "fs.write", "arguments": arguments, "policy": "hold"}
        answer = await self.client.protocol.send_request_async("wherefore/call", call)
        expect(answer.status == "pending", f"a change waits: {answer}")

    async def see_diagnostics(self):
        for _ in range(LIMIT * 20):
            found = self.client.diagnostics.get(self.file.as_uri(), [])
            if any(WHY in item.message for item in found):
                return
            await asyncio.sleep(0.05)
        raise AssertionError("no diagnostic has the reason")

    async def hover(self):
        answer = await self.client.text_document_hover_async(types.HoverParams(document(self.file), types.Position(1, 0)))
        expect("TWO" in str(answer.contents), "the hover has the new text")

    async def code_lens(self):
        lenses = await self.client.text_document_code_lens_async(types.CodeLensParams(document(self.file)))
        self.accept = next((lens.command for lens in lenses if lens.command.command == "wherefore.accept"), None)
        expect(self.accept, "a lens accepts")

    async def code_action(self):
        params = types.CodeActionParams(document(self.file), types.Range(types.Position(1, 0), types.Position(1, 0)),
                                        types.CodeActionContext([]))
        actions = await self.client.text_document_code_action_async(params)
        titles = [action.title for action in actions]
        expect(any(title.startswith("Accept") for title in titles) and any(title.startswith("Reject") for title in titles),
               f"actions accept and reject: {titles}")

    async def completion(self):
        answer = await self.client.text_document_completion_async(
            types.CompletionParams(document(self.definition), types.Position(2, 4)))
        items = answer if isinstance(answer, list) else answer.items
        expect(any(item.label == "risk" for item in items), "the key risk is offered")

    async def show_log(self):
        await self.execute("wherefore.openLog", {})

    async def accept_hunk(self):
        await self.execute(self.accept.command, *self.accept.arguments)
        answer = await self.client.protocol.send_request_async("wherefore/proposals", {})
        expect(not answer.proposals and self.text == "ONE\nTWO\nthree\n", f"the text has it, and nothing waits: {answer} {self.text!r}")

    async def change_document(self):
        self.replace_text(types.Range(types.Position(0, 0), types.Position(0, 3)), "ONE")
        read = await self.client.protocol.send_request_async(
            "wherefore/call", {"tool": "fs.read", "arguments": {"path": "a.txt", "why": "See what the editor shows"}})
        expect("ONE" in str(read), f"a read sees the unsaved text: {read}")

    async def shut_down(self):
        await self.client.shutdown_session()

    async def execute(self, command, *arguments):
        await self.client.workspace_execute_command_async(types.ExecuteCommandParams(command, list(arguments)))


def document(path):
    return types.TextDocumentIdentifier(uri=path.as_uri())


def expect(holds, sentence):
    if not holds:
        raise AssertionError(sentence)


async def take_step(name, step):
    """Takes a step and prints how it went."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", LspSpecificationWarning)
        try:
            await asyncio.wait_for(step, LIMIT)
            wrong = "; ".join(str(one.message) for one in found if issubclass(one.category, LspSpecificationWarning))
        except Exception as error:  # noqa: BLE001 (any error is the step's failure)
            wrong = f"{type(error).__name__}: {error}"
    print(json.dumps({"step": name, "wrong": wrong}), flush=True)


async def main(program, name, folder):
    client = make_test_lsp_client()
    session = Session(client, Path(folder))
    session.definition.parent.mkdir(parents=True)
    session.file.write_text(OLD)
    session.definition.write_text(DEFINITION)
    await take_step("initialize", session.initialize(program, name))
    for step in (session.open_documents, session.propose_change, session.see_diagnostics, session.hover, session.code_lens,
                 session.code_action, session.completion, session.show_log, session.change_document, session.accept_hunk,
                 session.shut_down):
        await take_step(step.__name__, step())
    await client.stop()


asyncio.run(main(*sys.argv[1:]))
