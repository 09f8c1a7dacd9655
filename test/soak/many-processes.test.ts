// @module-tag soak
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { dataRootOf, sessionsIn } from '../support/crash/program.ts';
import { noMount, smallDisk } from '../support/crash/small-disk.ts';
import { configure } from '../support/mcp.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { rounds } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const PROCESSES = rounds(10, 20);

describe(`${PROCESSES} processes on one data root`, () => {
  test('share one limit of a day to the last turn', async () => {
    const space = await workspace();
    const limit = Math.floor(1.6 * PROCESSES);
    await configure(space, { limits: { day: `${limit} turns` } });
    const server = await serve(Array.from({ length: 4 * PROCESSES }, () => says('done')));
    const { model, env } = doors.anthropic(server.url);
    const outcomes = await Promise.all(
      Array.from({ length: 3 * PROCESSES }, () => aca(space, ['-p', 'go', '--model', model], { env })),
    );
    expect(server.requests).toHaveLength(limit);
    expect(outcomes.filter(({ code }) => code === 0)).toHaveLength(limit);
    expect(outcomes.filter(({ code }) => code === 4)).toHaveLength(3 * PROCESSES - limit);
  }, 600_000);

  test('change the settings and the project at the same time: no change is lost', async () => {
    const space = await workspace();
    const server = await serve(
      Array.from(
        { length: 2 * PROCESSES },
        () => (seen: { messages: readonly { role: string; text: string }[] }) => {
          const [first] = seen.messages;
          const file = `file-${first?.text}.txt`;
          return seen.messages.length === 1
            ? calls(['Write', { file_path: file, content: `by ${first?.text}\n` }])
            : says(`wrote ${file}`);
        },
      ),
    );
    const { model, env } = doors.anthropic(server.url);
    const names = Array.from({ length: PROCESSES }, (_, i) => `p${i}`);
    const outcomes = await Promise.all(
      names.flatMap((name) => [
        aca(space, ['-p', name, '--model', model, '--mode', 'accept-edits'], { env }),
        aca(space, ['config', 'set', `aliases.${name}`, 'anthropic/claude-sonnet-4-20250514'], { env }),
      ]),
    );
    expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
    expect(await space.tree()).toMatchObject(
      Object.fromEntries(names.map((name) => [`file-${name}.txt`, `by ${name}\n`])),
    );
    expect(sessionsIn(space)).toHaveLength(PROCESSES);
    const { stdout } = await aca(space, ['config', 'get', 'aliases'], { env });
    for (const name of names) expect(stdout).toContain(`"${name}"`);
  }, 600_000);
});

test.skipIf(noMount !== null)(
  'a disk that is full and free again, over and over: each answer is given, and the session goes on',
  async () => {
    const space = await workspace();
    const root = dataRootOf(space);
    mkdirSync(root, { recursive: true });
    const disk = smallDisk(root, 16 * 1024 ** 2);
    const server = await serve(Array.from({ length: 40 }, (_, i) => says(`answer ${i}`)));
    const { model, env } = doors.anthropic(server.url);
    writeFileSync(path.join(root, 'config.json'), '{}');
    const first = await aca(space, ['-p', 'begin', '--model', model, '--output-format', 'stream-json'], {
      env,
    });
    const { sessionId } = parseStream(first.stdout).report;
    for (let round = 1; round <= rounds(4, 12); round++) {
      disk.fill(round % 3 === 0 ? 64 * 1024 : 0);
      const full = await aca(space, ['-p', 'while full', '--resume', sessionId, '--model', model], { env });
      expect([0, 1, 2]).toContain(full.code);
      expect(full.stderr).not.toContain('This is a bug');
      disk.empty();
      const free = await aca(space, ['-p', `round ${round}`, '--resume', sessionId, '--model', model], {
        env,
      });
      expect(free).toMatchObject({ code: 0, stdout: expect.stringMatching(/^answer \d+\n$/) });
      const kept = server.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
      for (let before = 1; before <= round; before++) expect(kept).toContain(`round ${before}`);
    }
  },
  600_000,
);
