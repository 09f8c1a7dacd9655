import { expect, test } from 'vitest';
import { closedOutput } from './closed-output.ts';

const isClosed = (name: string) => /(^|\/)(\.env|secrets\.yml)$/.test(name);
const valuesIn = (command: string, output: string) => [
  ...new Set(closedOutput({ command, output }, isClosed).map(({ value }) => value)),
];
const patch = (file: string, ...lines: string[]) =>
  [`diff --git a/${file} b/${file}`, `--- a/${file}`, `+++ b/${file}`, '@@ -1 +1 @@', ...lines, ''].join(
    '\n',
  );

test.each<[command: string, output: string, values: string[]]>([
  ['cat .env', 'A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  ['git show HEAD~1:.env', 'A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  ["git show 'HEAD:app/.env'", 'A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  ['git cat-file -p main:secrets.yml', 'password: "two words here"\n', ['two words here']],
  [
    'git log -p',
    patch('.env', '-A_TOKEN=correct-horse-battery', '+A_TOKEN=staple-of-the-year'),
    ['correct-horse-battery', 'staple-of-the-year'],
  ],
  ['git diff', patch('app/.env', '+A_TOKEN=correct-horse-battery'), ['correct-horse-battery']],
  [
    'git show',
    patch('.env', '-A_TOKEN=correct-horse-battery').replace('+++ b/.env', '+++ /dev/null'),
    ['correct-horse-battery'],
  ],
  [
    'git grep TOKEN HEAD',
    'HEAD:.env:A_TOKEN=correct-horse-battery\nHEAD:a.ts:x\n',
    ['correct-horse-battery'],
  ],
  ['git grep -n TOKEN', '.env:3:A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  ['grep -r TOKEN .', './app/.env:A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  ['git log -p', patch('src/a.ts', '+const A_TOKEN=correct-horse-battery'), []],
  ['cat many.txt .env', `${'x\n'.repeat(700_000)}A_TOKEN=correct-horse-battery\n`, ['correct-horse-battery']],
  [`cat ${'a '.repeat(300)}.env`, 'A_TOKEN=correct-horse-battery\n', ['correct-horse-battery']],
  [
    'cat .env',
    'Exit code 1\nThe sandbox blocked this (files with secrets are protected). Nothing can run outside it here: find another way, or tell the user what is missing.\n\n[stderr]\ncat: .env: Permission denied\n',
    [],
  ],
  ['cat README.md', 'A_TOKEN=correct-horse-battery\n', []],
  ['git grep -n x', 'src/a.ts:3:A_TOKEN=correct-horse-battery\n', []],
])('%.80s', (command, output, values) => expect(valuesIn(command, output)).toEqual(values));
