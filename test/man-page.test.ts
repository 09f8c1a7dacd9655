import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildProgram, subcommands } from '../src/cli/args.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { isInstalled } from './support/on-path.ts';

const page = path.join(path.dirname(fileURLToPath(import.meta.url)), '../man/aca.1');
const run = promisify(execFile);

test('[D01] the manual page names every flag, command and variable, and has no request nobody meant', async () => {
  const roff = await readFile(page, 'utf8');
  const words = roff.replaceAll('\\-', '-');
  const silent = { out: () => undefined, err: () => undefined };
  const named = [
    ...buildProgram(silent).options.map(({ flags }) => `\\fB${flags}\\fR`),
    ...subcommands.map(({ name }) => `\\fBaca ${name}\\fR`),
    ...environmentVariables.map(({ name }) => `\\fB${name}\\fR`),
  ];
  expect(named.filter((name) => !words.includes(name))).toEqual([]);
  const requests = roff.split('\n').flatMap((line) => /^['.](\S+)/.exec(line)?.[1] ?? []);
  expect([...new Set(requests)].sort()).toEqual(
    ['B', 'PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', '\\"', 'br', 'fi', 'nf'].sort(),
  );
});

test('[D01] the manual page is read by man without a complaint', async ({ skip }) => {
  skip(!isInstalled('mandoc') && !isInstalled('groff'), 'neither mandoc nor groff is installed');
  const { stdout, stderr } = isInstalled('mandoc')
    ? await run('mandoc', ['-T', 'utf8', '-W', 'error', page])
    : await run('groff', ['-man', '-ww', '-Tutf8', page]);
  expect(stderr).toBe('');
  expect(stdout).toContain('aca, ai-code-assistant - AI coding assistant for the terminal');
});
