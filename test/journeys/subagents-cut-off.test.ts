import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { both, calls, hangs, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { answersTo, asked, explore, exportedOf, sessionsOf, start, task } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

describe('a subagent that is cut off', () => {
  test('ends with its parent at SIGINT: nothing runs on, and its conversation is kept', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { run, server } = await start(space, {
      go: [calls(task('long work', 'LONG')), says('never said')],
      LONG: [calls(['Read', { file_path: 'a.txt' }]), hangs()],
    });
    const { code } = await run(['-p', 'go'], {
      onSpawn: (child) =>
        void until(
          () => server.requests.length === 3,
          () => child.kill('SIGINT'),
        ),
    });
    expect(code).toBe(130);
    await expect.poll(() => server.requests[2]?.aborted, { timeout: 10_000 }).toBe(true);
    const session = await exportedOf(space);
    expect(session.messages.at(-1)).toMatchObject({ role: 'tool', name: 'Task', success: false });
    expect(session.subagents?.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user', 'assistant', 'tool'],
    ]);
  });

  test('Ctrl-C in a terminal ends it, and the conversation goes on', async () => {
    const space = await workspace();
    const { model, env, server } = await start(space, {
      go: [calls(explore('long look', 'LONG')), says('And on it goes.')],
      LONG: [hangs()],
    });
    const terminal = openTerminal(space, ['--plain', '--model', model, 'go'], env);
    await until(() => server.requests.length === 2);
    terminal.type('\x03');
    await terminal.waitFor('Interrupted.');
    terminal.type('next\r');
    await terminal.waitFor('And on it goes.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    await expect.poll(() => server.requests[1]?.aborted, { timeout: 10_000 }).toBe(true);
  });

  test(
    'survives SIGKILL: the session knows what it said, it can go on, and exports hold all of it',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'alpha\n' });
      const { run, server } = await start(space, {
        go: [
          calls(task('long work', 'LONG')),
          (request) => calls(task('long work', 'GO ON', { continue: idIn(request) })),
          says('Finished.'),
        ],
        LONG: [
          both('Half is done.', ['Read', { file_path: 'a.txt' }]),
          hangs(),
          says('The rest is done, too.'),
        ],
      });
      await run(['-p', 'go'], {
        onSpawn: (child) =>
          void until(
            () => server.requests.length === 3,
            () => child.kill('SIGKILL'),
          ),
      });
      const { stdout } = await run(['-p', 'and?', '--continue']);
      expect(stdout).toBe('Finished.\n');

      const told = answersTo(server.requests[3])[0];
      expect(told).toMatch(/^The assistant stopped while this subagent was working\./);
      expect(told).toContain('Its output so far:\nHalf is done.');
      const last = asked(server.requests, 'LONG').at(-1);
      expect(last?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);

      const session = await exportedOf(space);
      expect(session.subagents?.map(({ subagent }) => subagent)).toMatchObject([
        { agent: 'general', task: 'long work' },
      ]);
      const texts = JSON.stringify(session.subagents);
      expect(texts).toContain('Half is done.');
      expect(texts).toContain('The rest is done, too.');
      for (const format of ['markdown', 'html']) {
        const page = await aca(space, ['sessions', 'export', session.id, '--format', format]);
        expect(page.stdout).toContain('Subagent general: long work');
        expect(page.stdout).toContain('The rest is done, too.');
      }
      await aca(space, ['sessions', 'delete', session.id]);
      expect(await readdir(sessionsOf(space))).not.toContain(`${session.id}.subagents`);
    },
  );
});

function idIn(request: SeenRequest): string {
  return /\[subagent ([0-9a-f]+):/.exec(answersTo(request).join('\n'))?.[1] ?? 'none';
}

async function until(isSo: () => boolean, then: () => void = () => undefined): Promise<void> {
  for (let tries = 0; tries < 1_500 && !isSo(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  then();
}
