import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandVerdict, commandJudge, loadJudge } from '../../src/assembly/safety/judge-command.ts';
import { hostileProject } from './project.ts';

type Kind = 'reads' | 'checks' | 'changes';

/** One command a line, behind what it does; ⏎ is a newline. */
const corpus = readFileSync(new URL('everyday-commands.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('##'))
  .map((line) => ({ kind: line.slice(0, 8).trim(), command: line.slice(8).replaceAll('⏎', '\n') }));

const cleanUps: (() => Promise<void>)[] = [];
let judge: Record<'trusted' | 'untrusted', (line: string) => CommandVerdict>;

beforeAll(async () => {
  await loadJudge();
  const { root: cwd, home } = await hostileProject((clean) => cleanUps.push(clean));
  // A folder of the project in the PATH makes no difference as long as it brings none of these programs.
  const env = { PATH: `${cwd}/node_modules/.bin:./bin:${process.env.PATH}` };
  judge = {
    trusted: commandJudge({ cwd, home, trusted: true, env }),
    untrusted: commandJudge({ cwd, home, trusted: false, env }),
  };
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

const ofKind = (kind: Kind) => corpus.filter((one) => one.kind === kind).map(({ command }) => command);

test('the corpus is large enough, knows three kinds, and has no command twice', () => {
  expect(corpus.length).toBeGreaterThan(300);
  expect([...new Set(corpus.map(({ kind }) => kind))].sort()).toEqual(['changes', 'checks', 'reads']);
  expect(new Set(corpus.map(({ command }) => command)).size).toBe(corpus.length);
});

// The numbers only go up: a command that ran without a question must not begin to ask.
test.each<[kind: Kind, folder: 'trusted' | 'untrusted', free: number]>([
  ['reads', 'untrusted', 243],
  ['reads', 'trusted', 243],
  ['checks', 'trusted', 16],
])(
  'of everyday commands of the kind "%s" in a folder that is %s, at least %i run unasked',
  (kind, folder, free) => {
    const unasked = ofKind(kind).filter((line) => judge[folder](line).verdict === 'allow');
    expect(unasked.length).toBeGreaterThanOrEqual(free);
  },
);

test('nothing everyday is refused, and what changes something is asked about', () => {
  const verdicts = (folder: 'trusted' | 'untrusted', verdict: string) =>
    corpus.filter(({ command }) => judge[folder](command).verdict === verdict);
  expect(verdicts('trusted', 'deny')).toEqual([]);
  expect(verdicts('untrusted', 'deny')).toEqual([]);
  expect(ofKind('changes').filter((line) => judge.untrusted(line).verdict === 'allow')).toEqual([]);
  expect(ofKind('checks').filter((line) => judge.untrusted(line).verdict === 'allow')).toEqual([]);
  // A script of a trusted project.
  expect(ofKind('changes').filter((line) => judge.trusted(line).verdict === 'allow')).toEqual([
    'npm run dev',
  ]);
});
