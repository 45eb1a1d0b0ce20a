// Files that define tools: the server's completion and diagnostics arrive, and the schema is there for editors of YAML.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { root, show, started, until, uri } = require('./support');

const FOLDER = '.wherefore/tools';
const TOOL = `tool:
  name: project.line
  category: custom
  summary: Put a change into one line
  description: Says what a user sees differently after a change.
  risk: read
  input_schema:
    type: object
    properties:
      why: { type: string, description: One sentence on what the caller wants }
    required: [why]
`;

describe('definitions', () => {
  before(async () => {
    await started();
    fs.mkdirSync(path.join(root, FOLDER), { recursive: true });
  });
  after(() => fs.rmSync(path.join(root, FOLDER), { recursive: true, force: true }));

  const found = (name) => vscode.languages.getDiagnostics(uri(`${FOLDER}/${name}`));

  it('shows what is wrong at its line, until it is right', async () => {
    const name = 'line.yaml';
    const editor = await show(`${FOLDER}/${name}`, TOOL.replace('risk: read', 'risk: deadly'));
    await until(() => found(name).length > 0, 'a diagnostic');
    const [diagnostic] = found(name);
    assert.equal(diagnostic.range.start.line, 5);
    assert.equal(diagnostic.source, 'wherefore');
    assert.match(diagnostic.message, /deadly/);
    const line = editor.document.lineAt(5).range;
    await editor.edit((change) => change.replace(line, '  risk: read'));
    await editor.document.save();
    await until(() => found(name).length === 0, 'no diagnostic');
  });

  it('offers keys and values', async () => {
    const name = `${FOLDER}/new.yaml`;
    await show(name, 'tool:\n  name: project.new\n  risk: \n  \n');
    const offered = async (line, character) => {
      const at = new vscode.Position(line, character);
      const { items } = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', uri(name), at);
      return items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    };
    await until(async () => (await offered(3, 2)).includes('input_schema'), 'the key input_schema');
    const values = await offered(2, 8);
    for (const value of ['read', 'write', 'execute', 'network']) assert.ok(values.includes(value), `${value} among ${values}`);
  });

  it('has the schema at hand for an extension of YAML', () => {
    const { extensionPath, packageJSON } = vscode.extensions.getExtension('wherefore.wherefore');
    const [{ fileMatch, url }] = packageJSON.contributes.yamlValidation;
    const schema = JSON.parse(fs.readFileSync(path.join(extensionPath, url), 'utf8'));
    assert.deepEqual(Object.keys(schema.properties), ['tool', 'custom_tools', 'function']);
    assert.ok(fileMatch.includes(`${FOLDER}/*.yaml`));
  });
});
