import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { unlessErrno } from '../../src/lib/files/errno.ts';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import { projectKey } from '../../src/memory/project-key.ts';
import { aca, doors } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { type Answer, calls, fails, hangs, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const ON = { AI_ASSISTANT_MEMORY: '1' };
const UTC = 'Dates are stored in UTC because reports cross time zones.';

function drafts(...texts: string[]): Answer {
  return says(JSON.stringify(texts.map((text) => ({ kind: 'decisions', text }))));
}

const isExtraction = ({ messages, tools }: SeenRequest) =>
  tools.length === 0 && messages[0]?.text.startsWith('Below is a conversation') === true;

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const all = { ...env, ...ON };
  return {
    server,
    run: (args: string[], more: Record<string, string> = {}) =>
      aca(space, [...args, '--model', model], { env: { ...all, ...more } }),
    open: (more: Record<string, string> = {}) =>
      openTerminal(space, ['--plain', '--model', model], { ...all, ...more }),
  };
}

const memoryOf = (space: Workspace) => path.join(space.home, '.ai-assistant', 'memory');

async function writeNotes(space: Workspace, name: string, lines: string[]): Promise<void> {
  const folder = path.join(memoryOf(space), 'projects', projectKey(space.root));
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), `${lines.map((line) => `- ${line}`).join('\n')}\n`);
}

async function allNotes(space: Workspace): Promise<string> {
  const files = memoryFiles(space).filter((file) => file.endsWith('.md'));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

function memoryFiles(space: Workspace): string[] {
  return unlessErrno(['ENOENT'], [], () => filesBelow(memoryOf(space)));
}

async function goneThrough(space: Workspace): Promise<number> {
  const file = memoryFiles(space).find((one) => path.basename(one) === '.extracted.jsonl');
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  return text.split('\n').filter(Boolean).length;
}

const blocksIn = ({ messages }: SeenRequest) =>
  messages.flatMap(({ text }) => text.match(/<memory>[\s\S]*?<\/memory>/g) ?? []);

describe('from one session to the next', () => {
  test('[M02] [M03] [M04] what was decided at the end of one reaches the next, once, and only where it matters', async () => {
    const space = await workspace();
    const { server, open, run } = await start(space, [
      says('All right, UTC.'),
      says('You are welcome.'),
      drafts(UTC),
      ...['In UTC.', 'As said.', 'Green it is.'].map((text) => says(text)),
    ]);
    const terminal = open();
    await terminal.waitFor('> ');
    terminal.type('store dates in UTC, our reports cross time zones\r');
    await terminal.waitFor('All right, UTC.');
    terminal.type('thanks\r');
    await terminal.waitFor('You are welcome.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    const [, , extraction] = server.requests;
    expect(extraction && isExtraction(extraction)).toBe(true);
    expect(await allNotes(space)).toMatch(
      new RegExp(
        `^# Decided in this project\n\n- ${UTC} <!-- \\d{4}-\\d\\d-\\d\\d, session [0-9a-f]{8} -->\n$`,
      ),
    );

    await run(['-p', 'how should the export write dates?']);
    const told = server.requests[3];
    expect(told?.messages[0]?.text).toMatch(/^how should the export write dates\?\n\n<memory>\n/);
    expect(told && blocksIn(told)).toEqual([expect.stringContaining(UTC)]);
    expect(told?.system).not.toContain('UTC');

    // Gone on with, the session has what it was told, and is not told again.
    await run(['-p', 'and the import, its dates?', '--continue']);
    const again = server.requests[4];
    expect(again && blocksIn(again)).toEqual(told && blocksIn(told));
    expect(again?.messages[0]).toEqual(told?.messages[0]);

    await run(['-p', 'paint the fence green']);
    expect(server.requests[5] && blocksIn(server.requests[5])).toEqual([]);
    expect(await allNotes(space)).toContain('used ');
    expect(server.requests).toHaveLength(6);
    expect((await aca(space, ['sessions'], { env: ON })).stdout).not.toContain('<memory>');
  });

  test('a headless run is gone through in the next session, while that one works', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const read = calls(['Read', { file_path: 'a.txt' }]);
    const { server, run } = await start(space, [read, read, says('It is done.')]);
    await run(['-p', 'look twice']);
    expect(server.requests).toHaveLength(3);
    expect(await allNotes(space)).toBe('');

    // The last answer comes when so many earlier sessions have been gone through.
    const whenThrough = (sessions: number, answer: Answer) => async () => {
      await vi.waitUntil(async () => (await goneThrough(space)) === sessions, { timeout: 60_000 });
      return answer;
    };
    const turns: (() => Promise<Answer>)[] = [async () => read, whenThrough(1, says('Done again.'))];
    const next: Step = async (request) =>
      isExtraction(request) ? drafts(UTC) : ((await turns.shift()?.()) ?? says('?'));
    const second = await start(space, [next, next, next]);
    expect(await second.run(['-p', 'look again'])).toMatchObject({ code: 0, stdout: 'Done again.\n' });
    expect(second.server.requests.filter(isExtraction)).toHaveLength(1);
    expect(second.server.requests.find(isExtraction)?.messages[0]?.text).toContain('User: look twice');
    expect(await allNotes(space)).toContain(UTC);

    // Once: the session after that finds nothing left to go through.
    turns.push(async () => read, whenThrough(2, says('And again.')));
    const third = await start(space, [next, next, next]);
    expect(await third.run(['-p', 'look again'])).toMatchObject({ stdout: 'And again.\n' });
    expect(third.server.requests).toHaveLength(2);
  });

  test('within a session it is told with the first prompt and never again', async () => {
    const space = await workspace();
    await writeNotes(space, 'decisions.md', [UTC]);
    const { server, open } = await start(space, [says('One.'), says('Two.'), says('[]')]);
    const terminal = open();
    await terminal.waitFor('> ');
    terminal.type('are dates in UTC?\r');
    await terminal.waitFor('One.');
    terminal.type('really, dates in UTC?\r');
    await terminal.waitFor('Two.');
    const [first, second] = server.requests;
    expect(first?.messages[0]?.text).toContain('<memory>');
    expect(second?.messages.map(({ text }) => text.includes('<memory>'))).toEqual([true, false, false]);
  });

  test('a model that does not answer keeps nobody from leaving', soak, async () => {
    const space = await workspace();
    const { open } = await start(space, [says('One.'), says('Two.'), hangs()]);
    const terminal = open();
    await terminal.waitFor('> ');
    for (const [prompt, answer] of [
      ['first', 'One.'],
      ['second', 'Two.'],
    ] as const) {
      terminal.type(`${prompt}\r`);
      await terminal.waitFor(answer);
    }
    const started = performance.now();
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    expect(performance.now() - started).toBeLessThan(20_000);
    await terminal.waitFor('Resume with');
    expect(await allNotes(space)).toBe('');
  });

  test(
    'a model that refuses to go through the conversation ends /remember, not the conversation',
    soak,
    async () => {
      const space = await workspace();
      const { open } = await start(space, [
        says('One.'),
        fails(401, { message: 'No such key' }),
        says('Two.'),
      ]);
      const terminal = open();
      await terminal.waitFor('> ');
      terminal.type('first\r');
      await terminal.waitFor('One.');
      terminal.type('/remember\r');
      await terminal.waitFor('No such key');
      terminal.type('second\r');
      await terminal.waitFor('Two.');
    },
  );

  test('Ctrl-C ends a /remember that takes too long, and not the conversation', soak, async () => {
    const space = await workspace();
    const { open, server } = await start(space, [says('One.'), hangs(), says('Two.')]);
    const terminal = open();
    await terminal.waitFor('> ');
    terminal.type('first\r');
    await terminal.waitFor('One.');
    terminal.type('/remember\r');
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(2);
    terminal.type('\u0003');
    await terminal.waitFor('Interrupted.');
    terminal.type('second\r');
    await terminal.waitFor('Two.');
    expect(await allNotes(space)).toBe('');
  });

  test('[Z04] five thousand notes cost no more than a few', soak, async () => {
    const space = await workspace();
    const long = 'and this goes on with what was said about it at some length, as notes do';
    await writeNotes(
      space,
      'learnings.md',
      Array.from(
        { length: 5000 },
        (_, i) => `Dates of report ${i} are written in UTC, ${long}, ${long}, ${long}, ${long}.`,
      ),
    );
    const { server, run } = await start(space, [says('ok'), says('ok')]);
    await run(['-p', 'write the dates of all reports in UTC']);
    const [block = ''] = server.requests[0] ? blocksIn(server.requests[0]) : [];
    const told = block.split('\n').filter((line) => line.startsWith('- ')).length;
    expect(told).toBeGreaterThan(4);
    expect(told).toBeLessThanOrEqual(8);
    expect(block.length / 3.5).toBeLessThanOrEqual(800);
    await run(['-p', 'write the dates of report 4711']);
    expect(server.requests[1]?.messages[0]?.text).toContain('Dates of report 4711 ');
  });
});

describe('what must not be kept', () => {
  const secret = 'tok_9fK2mPq81LzXw4RtYb7Nc3Vd';

  test('secrets never enter, neither by a model nor by hand', async () => {
    const space = await workspace();
    const { server, open } = await start(space, [
      says('Noted.'),
      says('Fine.'),
      drafts(`The deploy token is ${secret} for all servers.`, UTC),
    ]);
    const terminal = open({ DEPLOY_TOKEN: secret });
    await terminal.waitFor('> ');
    terminal.type(`/remember the deploy token is ${secret}\r`);
    await terminal.waitFor('Secrets are never saved');
    terminal.type(`/remember decision: use feature flags\r`);
    await terminal.waitFor('Saved under decisions.');
    terminal.type(`/memory edit 1 flags and ${secret}\r`);
    await terminal.waitFor('Secrets are never saved', 2);
    terminal.type(`the token is ${secret}, remember it\r`);
    await terminal.waitFor('Noted.');
    terminal.type('thanks\r');
    await terminal.waitFor('Fine.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(secret);
    const notes = await allNotes(space);
    expect(notes).toContain(UTC);
    expect(notes).toContain('use feature flags');
    expect(notes).not.toContain('tok_');
    expect(notes).not.toContain('[secret:');
  });

  sweep([
    ['the variable', { AI_ASSISTANT_MEMORY: '0' }, '{}'],
    ['the setting', {}, '{ "memory": { "enabled": false } }'],
  ])('switched off by %s, nothing is told, noted or searched', async (_, env, config) => {
    const space = await workspace();
    await writeNotes(space, 'decisions.md', [UTC]);
    await writeFile(path.join(space.home, '.ai-assistant', 'config.json'), config);
    const { server, open } = await start(space, [says('One.'), says('Two.')]);
    const terminal = open(env);
    await terminal.waitFor('> ');
    terminal.type('how are dates stored in UTC?\r');
    await terminal.waitFor('One.');
    terminal.type('/remember this\r');
    await terminal.waitFor('Memory is off');
    terminal.type('and the times?\r');
    await terminal.waitFor('Two.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.messages[0]?.text).toBe('how are dates stored in UTC?');
    expect(server.requests[0]?.tools).not.toContain('Recall');
    expect(await allNotes(space)).toBe(`- ${UTC}\n`);
  });
});

describe('looking back', () => {
  test(
    '[U12] Recall finds notes and what was said in this folder, and nothing said elsewhere',
    soak,
    async () => {
      const space = await workspace();
      await writeNotes(space, 'learnings.md', ['The flaky checkout test fails at midnight.']);
      const { server, run } = await start(space, [
        says('The checkout test was flaky because of the clock.'),
        says('The flaky test of another project.'),
        calls(['Recall', { query: 'why was the checkout test flaky' }]),
        says('Because of the clock.'),
      ]);
      await run(['-p', 'why does it fail?']);
      const elsewhere = await workspace();
      await aca(
        { ...elsewhere, home: space.home },
        ['-p', 'elsewhere', '--model', 'anthropic/claude-sonnet-4-20250514'],
        {
          env: { ...doors.anthropic(server.url).env, ...ON },
        },
      );
      expect(await run(['-p', 'remind me'])).toMatchObject({ stdout: 'Because of the clock.\n' });
      const answer = server.requests[3]?.messages.at(-1)?.results[0]?.text ?? '';
      expect(answer).toMatch(
        /^undated {2}note \(learnings\)\n {2}The flaky checkout test fails at midnight\.$/m,
      );
      expect(answer).toMatch(
        /^\d{4}-\d\d-\d\d {2}session [0-9a-f]{8} \(assistant\)\n {2}The checkout test was flaky because of the clock\.$/m,
      );
      expect(answer).not.toContain('another project');
    },
  );

  test(
    '/memory shows, changes, pins and forgets; aca memory does the same from the shell',
    soak,
    async () => {
      const space = await workspace();
      await writeNotes(space, 'context.md', ['One fact.', 'Two facts.', 'A third thing.']);
      const { open, server, run } = await start(space, [says('ok')]);
      const terminal = open();
      await terminal.waitFor('> ');
      terminal.type('/memory edit 2 Two better facts.\r');
      await terminal.waitFor('Changed.');
      terminal.type('/memory pin 2\r');
      await terminal.waitFor('Pinned: included in every session.');
      terminal.type('/memory forget 1\r');
      await terminal.waitFor('Forgotten.');
      terminal.type('/memory\r');
      await terminal.waitFor('1. Two better facts. (pinned)');
      terminal.type('/quit\r');
      await terminal.exitCode;
      expect(await allNotes(space)).toBe('- Two better facts. <!-- pinned -->\n- A third thing.\n');

      await run(['-p', 'quite unrelated']);
      expect(server.requests[0] && blocksIn(server.requests[0])).toEqual([
        expect.stringContaining('Two better facts.'),
      ]);
      const cli = async (...args: string[]) => (await aca(space, ['memory', ...args])).stdout;
      expect(await cli('search', 'third')).toBe('2  context    A third thing.\n');
      expect(await cli('forget', '2')).toBe('Forgotten: A third thing.\n');
      expect(await cli('list')).toBe('1  context    * Two better facts.\n');
      expect(await cli('path')).toBe(`${memoryOf(space)}\n`);
    },
  );

  test('[U06] what was approved three times is suggested with its exact rule, and in force only when applied', async () => {
    const space = await workspace();
    const touch = calls(['Bash', { command: 'touch made.txt' }]);
    const { open } = await start(space, [
      touch,
      says('1.'),
      touch,
      says('2.'),
      touch,
      says('3.'),
      touch,
      says('4.'),
    ]);
    const terminal = open();
    await terminal.waitFor('> ');
    for (const time of [1, 2, 3]) {
      terminal.type('touch it\r');
      await terminal.waitFor('[y/n] ', time);
      terminal.type('y\r');
      await terminal.waitFor(`${time}.`);
      if (time === 2) {
        terminal.type('/learned\r');
        await terminal.waitFor('No suggestions yet');
      }
    }
    terminal.type('/learned\r');
    await terminal.waitFor('1. allow Bash(touch made.txt) (approved 3 times, last on');
    terminal.type('/learned apply 1\r');
    await terminal.waitFor('is now allowed in this folder');
    terminal.type('touch it\r');
    await terminal.waitFor('4.');
    expect(terminal.screen().split('[y/n]')).toHaveLength(4);
    const config = await readFile(path.join(space.home, '.ai-assistant', 'config.json'), 'utf8');
    expect(JSON.parse(config)).toMatchObject({
      projects: { [space.root]: { granted: { 'Bash(touch made.txt)': expect.any(String) } } },
    });
  });
});
