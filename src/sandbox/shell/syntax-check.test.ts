import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBubblewrap, type SandboxedOptions, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { freshFolder, workspace } from '../../../test/support/workspace.ts';
import type { SyntaxLanguage } from '../../contract/tool.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

const { signal } = new AbortController();

async function checker(options: SandboxedOptions = {}) {
  const space = await workspace();
  const { syntaxFault } = sandboxedShellIn(space, options);
  return { ...space, faultIn: syntaxFault };
}

describe('a text that its language would refuse', () => {
  test.each<[SyntaxLanguage, string, RegExp]>([
    ['Python', 'def f():\nreturn 1\n', /^line 2: expected an indented block/],
    ['Python', 'x = (1\n', /^line 1: '\(' was never closed$/],
    ['Python', 'x = "é\n', /^line 1: unterminated string literal/],
    ['JavaScript', 'const a = {\n', /^line 1: Unexpected end of input$|^line 2: Unexpected end of input$/],
    ['JavaScript', "import a from './a.js';\nexport const b = ;\n", /Unexpected token ';'$/],
    ['JavaScript', "const s = 'it's';\n", /^line 1: /],
    ['shell', 'if true; then\n  echo "it\'s"\n', /^line \d: syntax error: unexpected end of file/],
    ['shell', 'echo "a\n', /^line 1: unexpected EOF while looking for matching/],
  ])('%s: %j', async (language, text, said) => {
    const { faultIn } = await checker();
    expect(await faultIn(language, text, signal)).toMatch(said);
  });

  test.each<[SyntaxLanguage, string]>([
    ['Python', '#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\nx: int = (y := 1)\n'],
    ['Python', 's = "\\d"\nassert (1, 2)\n'],
    ['JavaScript', '#!/usr/bin/env node\nconst a = require("a");\nreturn a;\n'],
    ['JavaScript', 'import a from "a";\nexport default await a();\n'],
    ['JavaScript', 'export const view = () => <b>hi</b>;\n'],
    ['JavaScript', 'class A { static #x = 1; static { A.#x ??= 2; } }\n'],
    ['shell', '#!/bin/bash\n[[ $a =~ ^x ]] && cat <(ls) <<< "$b"\n'],
  ])('is none of these: %s %j', async (language, text) => {
    const { faultIn } = await checker();
    expect(await faultIn(language, text, signal)).toBeNull();
  });
});

test('nothing of the text runs, and nothing of the project is seen', async () => {
  const { root, faultIn } = await checker();
  const marks = ['python', 'node', 'bash'].map((name) => path.join(root, name));
  await mkdir(path.join(root, 'ast'));
  await writeFile(path.join(root, 'ast/__init__.py'), `open(${JSON.stringify(marks[0])}, 'w')\n`);
  await faultIn('Python', `open(${JSON.stringify(marks[0])}, 'w')\nimport ast\n`, signal);
  await faultIn('JavaScript', `require('fs').writeFileSync(${JSON.stringify(marks[1])}, '')\n`, signal);
  await faultIn('JavaScript', `import 'data:text/javascript,throw 1';\n`, signal);
  await faultIn('shell', `touch ${marks[2]}\n$(touch ${marks[2]})\n`, signal);
  expect(marks.filter((file) => existsSync(file))).toEqual([]);
});

test.each<[string, SandboxedOptions]>([
  ['without a sandbox', { kind: 'off' }],
  ['where the programs are missing', {}],
])('%s nothing is said', async (_, options) => {
  const programs = await freshFolder();
  for (const name of ['bwrap', 'perl']) {
    const file = `/usr/bin/${name}`;
    if (existsSync(file)) await symlink(file, path.join(programs, name));
  }
  const { faultIn } = await checker({ ...options, env: { PATH: programs, HOME: programs } });
  expect(await faultIn('Python', 'x = (', signal)).toBeNull();
  expect(await faultIn('JavaScript', 'x = (', signal)).toBeNull();
});
