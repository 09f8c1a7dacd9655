import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/contract/event.ts';
import { doors, parseStream } from '../support/aca.ts';
import { noStrace, runProgram, type Treatment } from '../support/crash/program.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { hasRedis, redisServer } from '../support/redis.ts';
import { serve } from '../support/serve.ts';
import { settledFile } from '../support/settled-file.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const KEY = 'a key of the user, long enough';

/** One run of the program: what it kept and found, what the model was told, and what was warned of. */
async function play(
  space: Workspace,
  script: Step[],
  { env = {}, ...treatment }: Treatment & { env?: Record<string, string> } = {},
) {
  const server = await serve(script);
  const door = doors['openai-chat'](server.url);
  const args = [
    '-p',
    'go',
    '--output-format',
    'stream-json',
    '--model',
    door.model,
    '--allow',
    'Edit',
    '--allow',
    'Bash',
  ];
  const { stdout, code } = await runProgram(space, { args, env: { ...door.env, ...env } }, treatment);
  const { events } = parseStream(stdout);
  const found = events.flatMap((event) => (event.type === 'cache' ? [`${event.kind} ${event.outcome}`] : []));
  return { code, found, answers: events.flatMap(answerOf), warnings: events.flatMap(warningOf) };
}

function answerOf(event: AgentEvent): string[] {
  if (event.type !== 'message' || event.message.role !== 'tool') return [];
  return event.message.content.map((part) => (part.type === 'text' ? part.text : part.type));
}

function warningOf(event: AgentEvent): string[] {
  return event.type === 'notice' && event.level === 'warn' ? [event.text] : [];
}

const read = (...files: string[]) =>
  calls(...files.map((file): [string, unknown] => ['Read', { file_path: file }]));

describe('reads that are kept', () => {
  test('[T16] [H09] a file read three times is read once, and told the same each time', async () => {
    const space = await workspace({ 'a.txt': 'alpha\nbeta\n' });
    await settledFile(path.join(space.root, 'a.txt'));
    const { code, found, answers } = await play(space, [
      read('a.txt'),
      read('a.txt'),
      read('a.txt'),
      says('ok'),
    ]);
    expect(code).toBe(0);
    expect(found).toEqual([
      'checksum miss',
      'read miss',
      'checksum hit',
      'read hit',
      'checksum hit',
      'read hit',
    ]);
    expect(answers).toEqual(['1\talpha\n2\tbeta', '1\talpha\n2\tbeta', '1\talpha\n2\tbeta']);
  });

  test('[Y19] [Y20] an edit and a command between reads are seen, and the edit goes by what stands in the file', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    await settledFile(path.join(space.root, 'a.txt'));
    const { answers } = await play(space, [
      read('a.txt'),
      read('a.txt'),
      calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]),
      read('a.txt'),
      calls(['Bash', { command: 'printf gamma > a.txt' }]),
      read('a.txt'),
      says('ok'),
    ]);
    expect([answers[0], answers[1], answers[3], answers[5]]).toEqual([
      '1\talpha',
      '1\talpha',
      '1\tbeta',
      '1\tgamma',
    ]);
    expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('gamma');
  });

  test('switched off, nothing is looked for', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const root = path.join(space.home, '.ai-assistant');
    await mkdir(root);
    await writeFile(path.join(root, 'config.json'), JSON.stringify({ cache: { enabled: false } }));
    const { found, answers } = await play(space, [read('a.txt'), read('a.txt'), says('ok')]);
    expect({ found, answers }).toEqual({ found: [], answers: ['1\talpha', '1\talpha'] });
  });
});

test('[H08] where the system has no watch left, searches are made afresh, and that is said once', async ({
  skip,
}) => {
  skip(noStrace !== null, noStrace ?? '');
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const spoilt = ['-e', 'trace=inotify_add_watch', '-e', 'inject=inotify_add_watch:error=ENOSPC'];
  const glob = calls(['Glob', { pattern: '*.txt' }]);
  const grep = calls(['Grep', { pattern: 'alpha', path: '.' }]);
  const ran = await play(space, [glob, glob, grep, says('ok')], { strace: ['-o', '/dev/null', ...spoilt] });
  expect(ran.code).toBe(0);
  expect(ran.found).toEqual(['glob miss', 'glob miss', 'grep miss']);
  expect(ran.answers.map((answer) => answer.includes('a.txt'))).toEqual([true, true, true]);
  expect(ran.warnings).toEqual([expect.stringContaining('fs.inotify.max_user_watches')]);
});

describe.skipIf(!hasRedis)('[U11] a Redis server that instances share', () => {
  test('what one process has read, the next one finds', soak, async () => {
    const { url } = await redisServer();
    const env = { AI_ASSISTANT_REDIS_URL: url, AI_ASSISTANT_REDIS_KEY: KEY };
    const space = await workspace({ 'a.txt': 'alpha\n' });
    await settledFile(path.join(space.root, 'a.txt'));
    const first = await play(space, [read('a.txt'), says('ok')], { env });
    expect(first.found).toEqual(['checksum miss', 'read miss']);
    // A busy machine's server may be too slow once or twice; then nothing is waited for.
    let next = await play(space, [read('a.txt'), says('ok')], { env });
    for (let tries = 0; tries < 5 && !next.found.includes('read hit'); tries++)
      next = await play(space, [read('a.txt'), says('ok')], { env });
    expect(next.found).toEqual(['checksum hit', 'read hit']);
    expect(next.answers).toEqual(first.answers);
  });

  test('killed in the middle of a run, nothing is lost and one warning is told', soak, async () => {
    const redis = await redisServer();
    const env = { AI_ASSISTANT_REDIS_URL: redis.url, AI_ASSISTANT_REDIS_KEY: KEY };
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const space = await workspace(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    await settledFile(path.join(space.root, 'c.txt'));
    const { code, answers, warnings } = await play(
      space,
      [
        read('a.txt'),
        async () => {
          await redis.stop();
          return read('b.txt', 'a.txt');
        },
        read('c.txt'),
        says('ok'),
      ],
      { env },
    );
    expect({ code, answers }).toEqual({ code: 0, answers: ['1\ta.txt', '1\tb.txt', '1\ta.txt', '1\tc.txt'] });
    expect(warnings).toEqual([expect.stringContaining('Redis')]);
  });
});
