import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandVerdict, commandJudge, loadJudge } from '../../src/assembly/safety/judge-command.ts';
import { hostileProject } from './project.ts';
import { expectations, readCases } from './read-cases.ts';

const cases = readCases();
const cleanUps: (() => Promise<void>)[] = [];
let judge: Judge;

beforeAll(async () => {
  await loadJudge();
  judge = judgeIn(await hostileProject((clean) => cleanUps.push(clean)));
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

type Judge = (line: string, options?: { trusted: boolean }) => CommandVerdict;

/** The command as it stands in the table, with the folders of this run. Each line is judged once. */
function judgeIn({ root, home }: { root: string; home: string }): Judge {
  const untrusted = commandJudge({ cwd: root, home, trusted: false });
  const trusting = commandJudge({ cwd: root, home, trusted: true });
  const known = new Map<string, CommandVerdict>();
  return (line, { trusted } = { trusted: false }) => {
    const key = JSON.stringify([line, trusted]);
    const verdict =
      known.get(key) ??
      (trusted ? trusting : untrusted)(line.replaceAll('%ROOT%', root).replaceAll('%HOME%', home));
    known.set(key, verdict);
    return verdict;
  };
}

test('the table is large enough, and no line stands in a file twice', () => {
  const lines = cases.filter(({ file }) => file !== 'trusted.txt').map(({ line }) => line);
  const twice = cases.filter(
    (one, i) => cases.findIndex(({ file, line }) => file === one.file && line === one.line) !== i,
  );
  expect(twice).toEqual([]);
  expect(new Set(lines).size).toBeGreaterThan(1_500);
  expect(cases.filter(({ wanted }) => wanted === 'allow').length).toBeGreaterThan(250);
});

const titles: [file: string, title: string][] = [
  ['everyday.txt', '[Y06] everyday looking around needs no question'],
  ['everyday-asks.txt', '[P05] work that changes something is asked about'],
  ['options.txt', '[Y06] a harmless program is not harmless with every option'],
  [
    'arity.txt',
    '[Y06] [X05] no word is swallowed by the option before it, and no builtin sets what later words mean',
  ],
  ['option-values.txt', '[Y06] [X05] options and their values are told from paths'],
  ['git.txt', '[Y06] git only looks, with nothing of the repository run'],
  ['secrets.txt', '[P01] [X05] secrets and places outside are reached by no road'],
  ['structure.txt', '[Y06] nothing hides in the shape of a line'],
  ['destructive.txt', '[P02] [P10] [Y07] destroying the system or a home is denied in every spelling'],
  ['destructive-more.txt', '[P02] [P09] [P10] [Y07] the other destructive commands are denied'],
  ['look-alikes.txt', '[Y07] a mention of something dangerous is not denied'],
  ['trusted.txt', '[Y06] a trusted folder runs its own scripts and is otherwise judged the same'],
];

test('every file of cases is run', () => {
  expect(titles.map(([file]) => file).sort()).toEqual([...new Set(cases.map(({ file }) => file))]);
});

describe.each(titles)('%s: %s', (file) => {
  test('each line gets the verdict it must get', () => {
    const wrong = cases
      .filter((one) => one.file === file)
      .flatMap(({ wanted, line }) => {
        const { verdict, reason } = judge(line, { trusted: file === 'trusted.txt' });
        const right = (expectations[wanted] as readonly string[]).includes(verdict);
        return right ? [] : [`wanted ${wanted}, got ${verdict} (${reason}): ${line.slice(0, 200)}`];
      });
    expect(wrong).toEqual([]);
  });
});

test('every verdict comes with a reason in words', () => {
  const silent = cases.filter(({ line }) => judge(line).reason.trim().length < 8);
  expect(silent).toEqual([]);
});

test('trust never forbids what was free, nor frees what was forbidden', () => {
  const odd = cases.filter(({ line }) => {
    const [before, after] = [judge(line).verdict, judge(line, { trusted: true }).verdict];
    return before !== after && !(before === 'ask' && after === 'allow');
  });
  expect(odd).toEqual([]);
});
