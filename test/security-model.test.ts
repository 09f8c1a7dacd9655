import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { docNamed, root } from './support/docs.ts';

/** What is promised as enforced, by its first words, and the test that proves it: a file, and a part of a title in it. */
const PROOFS: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'no writes outside the project': [
    'src/sandbox/confine/bubblewrap.test.ts',
    'changes the working directory and nothing else',
  ],
  'no writes at all by read-only commands': ['src/sandbox/confine/bubblewrap.test.ts', 'that only reads'],
  'no network': ['src/sandbox/confine/bubblewrap.test.ts', 'has no network, not even loopback'],
  'no other processes': ['src/sandbox/confine/bubblewrap.test.ts', 'no access to other processes'],
  'no secrets of the home folder': ['src/sandbox/confine/home.test.ts', 'with every login in it'],
  'no secrets of the project': [
    'src/sandbox/confine/find-secrets.test.ts',
    'runs beside more secrets than can be closed one by one',
  ],
  'no sockets of other programs': [
    'src/sandbox/confine/local-sockets.test.ts',
    'a command cannot reach sockets in the project or the home folder',
  ],
  'no kernel settings, devices, privileges': ['src/sandbox/confine/kernel-files.test.ts', 'kernel files'],
  "no changes to git's hooks and config": [
    'src/sandbox/startup/git-in-sandbox.test.ts',
    'is put back after the command',
  ],
  'nothing left running': [
    'src/sandbox/confine/bubblewrap-endings.test.ts',
    'processes a command leaves behind end with it',
  ],
  'The self-test repeats most of this': ['src/sandbox/confine/choose.test.ts', 'reports each check once'],
  'Without a sandbox, on Linux 5.19 and newer': [
    'src/sandbox/confine/landlock.test.ts',
    'without a sandbox, a command that only reads',
  ],
  'Git says which repository a folder belongs to': [
    'src/sandbox/git.test.ts',
    'is not trusted because a folder in it is',
  ],
  'Until you trust it, a repository runs none of its programs': [
    'src/sandbox/git.test.ts',
    'runs nothing and shows no other file, whatever setting and hook names it',
  ],
  '/commit lists the hooks that would run': ['test/journeys/git.test.ts', 'asks, and commits with the hooks'],
  'Files that other programs obey are compared': [
    'src/sandbox/startup/startup-watch.test.ts',
    'a command that created startup files',
  ],
  'In a folder that you trust, commands that the sandbox contains': [
    'test/policy/trusted-changes.test.ts',
    'in a trusted folder edits and sandboxed commands run unasked',
  ],
  'Trust in a project covers the code of its plugins': [
    'src/config/project-extensions.test.ts',
    'trust in a plugin covers what it computes',
  ],
  'The file tools read outside the project what': [
    'test/policy/reads-outside.test.ts',
    'Read gives unasked what cat in the sandbox prints unasked',
  ],
};

/** The rows of the table, the items of the list, and the paragraphs that are neither. */
function promisesIn(section: string): string[] {
  const plain = section.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return plain
    .split(/\n(?=\||- )|\n\n/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .filter((block) => block !== '' && !/^\|( What |[ -]*-)|:$/.test(block))
    .map((block) => block.replace(/^(\| |- )/, ''));
}

test('each promise of the security model that is enforced names a test that exists', async () => {
  const page = await docNamed('security-model.md');
  const [, enforced = ''] = /\n## Enforced[^\n]*\n(.*?)\n## /s.exec(page) ?? [];
  const promises = promisesIn(enforced);
  const keys = Object.keys(PROOFS);
  expect(promises.filter((promise) => !keys.some((key) => promise.startsWith(key)))).toEqual([]);
  expect(keys.filter((key) => !promises.some((promise) => promise.startsWith(key)))).toEqual([]);
  const missing: string[] = [];
  for (const [file, title] of Object.values(PROOFS)) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => '');
    if (!text.includes(title)) missing.push(`${file}: ${title}`);
  }
  expect(missing).toEqual([]);
});
