import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { pluginFiles } from './project-extensions.ts';
import { projectContent } from './trust.ts';

test('trust in a plugin covers all code that it imports by path; long files are represented by a hash', async () => {
  const { root } = await workspace({
    '.ai-assistant.json': '{ "plugins": ["./p", "pack"] }',
    'p/package.json': '{"main":"main.mjs"}',
    'p/main.mjs': "import './a.mjs';\nexport * from '../shared/b.js';\nconst c = await import('./c.mjs');\n",
    'p/a.mjs': "import '../p/main.mjs';\n",
    'p/c.mjs': `// ${'x'.repeat(40_000)}\n`,
    'p/unused.mjs': '',
    'p/skills/s/SKILL.md': 'S',
    'shared/b.js': "require('./d')\n",
    'shared/d.js': '',
    'node_modules/pack/index.js': 'pack',
  });
  const [settings] = projectContent(root);
  const found = pluginFiles(settings, root);
  expect(found.map(({ name }) => name)).toEqual([
    'node_modules/pack/index.js',
    'p/a.mjs',
    'p/c.mjs',
    'p/main.mjs',
    'p/skills/s/SKILL.md',
    'shared/b.js',
    'shared/d.js',
  ]);
  expect(found.find(({ name }) => name === 'p/c.mjs')?.text).toMatch(
    /^40004 characters, SHA-256 [0-9a-f]{64}\n$/,
  );
  expect(pluginFiles({ name: '', file: path.join(root, 'x.json'), text: '{ broken' }, root)).toEqual([]);
});

describe('trust in a plugin covers what it computes', () => {
  const computed = [
    'const n = "./" + "dep.js"; require(n)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: The plugin's own template.
    'import(`./${"dep"}.js`)',
    'const { createRequire } = require("node:module"); createRequire(__filename)("./dep.js")',
    'const r = require; r("./dep.js")',
    'eval(text)',
    'new Function("x")',
    'new Worker(file)',
    'process.dlopen(module, file)',
    'require/**/("./dep.js")',
    'import /* x */ ("./dep.js")',
    'module["require"]("./dep.js")',
    'const { require: load } = module; load("./dep.js")',
    'require("./d\\x65p.js")',
    'import "./d\\u0065p.js"',
    'export * from "./d\\x65p.js"',
    'import "/srv/app/dep.js"',
    'import "file:///srv/app/dep.js"',
    'import "data:text/javascript,x"',
    'export * from "#dep"',
    'require("..")',
    'Function("return process")()',
    '(() => 1).constructor("x")()',
    'process.getBuiltinModule("module")',
    'new Module().paths; Module._load("./dep.js")',
    'import.meta.resolve("./dep.js")',
    '[require].map((load) => load("./dep.js"))',
    'import("./a.js" + n)',
    'require.main.require("./dep.js")',
  ];
  test.each(computed)('%s', async (code) => {
    for (const entry of ['plugin.js', 'plugin/index.js']) {
      const beside = (name: string) => path.posix.join(path.dirname(entry), name);
      const { root } = await workspace({
        [entry]: code,
        [beside('dep.js')]: '1',
        [beside('deep/data.json')]: '1',
        [beside('notes.md')]: '1',
        [beside('node_modules/x/index.js')]: '1',
      });
      const text = JSON.stringify({ plugins: [`./${entry}`] });
      const settings = { name: '.ai-assistant.json', file: path.join(root, '.ai-assistant.json'), text };
      const names = pluginFiles(settings, root).map(({ name }) => name);
      expect(names).toEqual([entry, beside('deep/data.json'), beside('dep.js')].sort());
    }
  });

  test('a plugin that names what it loads does not cover the rest of the project', async () => {
    const { root } = await workspace({
      'plugin.js': `// We import and require what follows.
import "./a.js"; require("node:fs"); import("./b.js"); const x = requires.y;
import data, { type as kind } from "@scope/package/file.js"; export * from "express";
import * as fs from 'fs'; import{d}from"./d.js"; import json from "./e.json" with { type: "json" };
const here = import.meta.url; class Important extends Base { constructor() { super(); } }`,
      'a.js': '1',
      'b.js': '1',
      'c.js': '1',
      'd.js': '1',
      'e.json': '1',
    });
    const text = JSON.stringify({ plugins: ['./plugin.js'] });
    const settings = { name: '.ai-assistant.json', file: path.join(root, '.ai-assistant.json'), text };
    expect(pluginFiles(settings, root).map(({ name }) => name)).toEqual([
      ...['a.js', 'b.js', 'd.js', 'e.json', 'plugin.js'],
    ]);
  });
});
