import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandVerdict, commandJudge, loadJudge } from '../../src/assembly/safety/judge-command.ts';
import { parseLine } from '../../src/permissions/shell/parse.ts';
import { reach } from '../../src/permissions/shell/reach.ts';
import type { ShellLine, SimpleCommand } from '../../src/permissions/shell/shell-line.ts';
import { unwrapped } from '../../src/permissions/shell/wrappers.ts';
import { sweepGroups } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';
import { type Ran, runLines } from './run-lines.ts';
import { changers, shellLine } from './shell-lines.ts';

const SEED = 20_261_116;
const MAX_LENGTH = 400;

const isChanger = (name: string | undefined) => (changers as readonly (string | undefined)[]).includes(name);

const cleanUps: (() => Promise<void>)[] = [];
const start = { cwd: '/work', home: '/home/me' };
let judge: (line: string) => CommandVerdict;

beforeAll(async () => {
  await loadJudge();
  const { root, home } = await workspace({ 'in.txt': 'in\n', 'src/a.ts': '' }, (clean) =>
    cleanUps.push(clean),
  );
  judge = commandJudge({ cwd: root, home, trusted: false });
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

async function runAll(count: number): Promise<Ran[]> {
  const { root } = await workspace();
  const lines = fc.sample(
    shellLine.filter((line) => line.length <= MAX_LENGTH),
    { numRuns: count, seed: SEED },
  );
  return runLines(root, lines);
}

/** Every command the judge found, behind whatever wrapping. */
function seenIn(line: ShellLine): SimpleCommand[] {
  return [...reach(line, start)].flatMap(({ command, written }) => [command, ...unwrapped(written)]);
}

/** Whether nothing in the line, and in what it hands to other shells, is doubtful. */
function isSure(line: ShellLine): boolean {
  return line.doubts.length === 0 && [...reach(line, start)].every((one) => one.line.doubts.length === 0);
}

/** Words that are not literal may become any number of arguments, none included. */
function couldBe({ words }: SimpleCommand, argv: readonly string[]): boolean {
  const pattern = words
    .map(({ text, literal, glob }) => (literal && !glob ? `${escaped(text)}\0` : '(?:[^\0]*\0)*'))
    .join('');
  return new RegExp(`^${pattern}$`).test(argv.map((text) => `${text}\0`).join(''));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

const noBash = existsSync('/bin/bash') ? undefined : 'there is no /bin/bash to compare with';

sweepGroups([80, 300])('%i lines', (count) => {
  let running: Promise<Ran[]> | undefined;
  const ran = () => (running ??= runAll(count));

  test('[Y06] in a line it is sure of, the judge has found every program that bash really runs', async ({
    skip,
  }) => {
    if (noBash) skip(noBash);
    const missed = (await ran()).flatMap(({ line, commands }) => {
      const parsed = parseLine(line);
      if (!isSure(parsed)) return [];
      const seen = seenIn(parsed);
      if (seen.some(({ words }) => words[0]?.literal === false)) return [];
      const names = new Set(seen.map(({ name }) => name));
      return commands.filter(([name]) => !names.has(name ?? '')).map((argv) => ({ line, argv }));
    });
    expect(missed).toEqual([]);
  });

  test('[Y06] the judge has read the words of a line it is sure of as bash does', async ({ skip }) => {
    if (noBash) skip(noBash);
    const misread = (await ran()).flatMap(({ line, commands }) => {
      const parsed = parseLine(line);
      // Texts for another shell are judged again when that shell is named; xargs brings words of its own.
      if (!isSure(parsed) || /\b(bash|sh|eval|xargs)\b/.test(line)) return [];
      const seen = seenIn(parsed);
      return commands
        .filter((argv) => !seen.some((one) => couldBe(one, argv)))
        .map((argv) => ({ line, argv }));
    });
    expect(misread).toEqual([]);
  });

  test('[Y06] an allowed line runs nothing but readers and leaves no file behind', async ({ skip }) => {
    if (noBash) skip(noBash);
    const harmful: unknown[] = [];
    const verdicts: Record<string, number> = {};
    for (const { line, commands, made } of await ran()) {
      const { verdict } = judge(line);
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      if (verdict !== 'allow') continue;
      const changed = commands.filter(([name]) => isChanger(name));
      if (changed.length > 0 || made.length > 0) harmful.push({ line, changed, made });
    }
    expect(harmful).toEqual([]);
    // All three happen, or the comparison says nothing.
    expect(Object.keys(verdicts).sort()).toEqual(['allow', 'ask', 'deny']);
  });

  test('[P02] a line in which bash really reaches sudo is never allowed, and is denied where its name is written', async ({
    skip,
  }) => {
    if (noBash) skip(noBash);
    const letThrough: unknown[] = [];
    for (const { line, commands } of await ran()) {
      if (!commands.some(([name]) => name === 'sudo')) continue;
      const { verdict, reason } = judge(line);
      if (verdict !== 'deny') letThrough.push({ line, verdict, reason });
    }
    expect(letThrough).toEqual([]);
  });

  test('the lines are worth comparing: most of them run something, many of them several things', async ({
    skip,
  }) => {
    if (noBash) skip(noBash);
    const counts = (await ran()).map(({ commands }) => commands.length);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(count / 2);
    expect(counts.filter((count) => count > 1).length).toBeGreaterThan(count / 5);
  });
});
