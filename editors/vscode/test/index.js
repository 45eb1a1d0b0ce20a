// The tests that run inside VS Code, where the extension does: mocha over every *.test.js here.

const { readdirSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

exports.run = async () => {
  const Mocha = createRequire(process.env.WHEREFORE_MOCHA)('mocha');
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, reporter: 'spec', color: false });
  for (const name of readdirSync(__dirname)) if (name.endsWith('.test.js')) mocha.addFile(join(__dirname, name));
  const failed = await new Promise((done) => mocha.run(done));
  if (failed > 0) throw new Error(`${failed} failed`);
};
