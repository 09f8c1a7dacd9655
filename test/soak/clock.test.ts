// @module-tag soak
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { headless } from '../support/crash/round.ts';
import { configure } from '../support/mcp.ts';
import { says } from '../support/model-server/script.ts';
import { binary, program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const HOUR = 3_600_000;
const JUMPS = [26 * HOUR, -50 * HOUR, 0, 400 * 24 * HOUR, -400 * 24 * HOUR, HOUR, -HOUR, 12 * HOUR];
const PROMPTS = 40;
const LIMIT = 30;

test.skipIf(binary !== undefined)(
  'a clock that jumps between prompts loses nothing, and no limit of a session is passed by it',
  async () => {
    const space = await workspace();
    const server = await serve(Array.from({ length: PROMPTS + 1 }, (_, i) => says(`answer ${i + 1}`)));
    const { model, env } = doors.anthropic(server.url);
    const clock = path.join(space.home, 'clock');
    const setClock = (offset: number) => {
      writeFileSync(`${clock}.new`, String(offset));
      renameSync(`${clock}.new`, clock);
    };
    setClock(0);
    await configure(space, { limits: { session: `${LIMIT} turns` } });
    const moved = {
      ...env,
      ACA_CLOCK_FILE: clock,
      NODE_OPTIONS: `--require ${path.resolve('test/support/clock.cjs')}`,
    };
    const line = program([...headless, '--model', model]);
    const child = spawn(line.file, line.args, {
      cwd: space.root,
      env: cleanEnv(space, moved),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const results: Report[] = [];
    for (let i = 0; i < PROMPTS; i++) {
      setClock(JUMPS[i % JUMPS.length] ?? 0);
      child.stdin.write(`${JSON.stringify({ type: 'user', text: `prompt ${i + 1}` })}\n`);
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        const event = JSON.parse(next.value) as Report;
        if (event.type !== 'result') continue;
        results.push(event);
        break;
      }
    }
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));

    expect(results.slice(0, LIMIT).map(({ result }) => result)).toEqual(
      Array.from({ length: LIMIT }, (_, i) => `answer ${i + 1}`),
    );
    expect(results.slice(LIMIT).map(({ stopReason }) => stopReason)).toEqual(
      Array.from({ length: PROMPTS - LIMIT }, () => 'budget'),
    );
    expect(server.requests).toHaveLength(LIMIT);

    setClock(-1000 * 24 * HOUR);
    await configure(space, {});
    const { sessionId } = results[0] ?? {};
    const on = await aca(space, ['-p', 'go on', '--resume', String(sessionId), '--model', model], {
      env: moved,
    });
    expect(on).toMatchObject({ code: 0, stdout: `answer ${LIMIT + 1}\n` });
    const { messages = [] } = server.requests.at(-1) ?? {};
    expect(messages).toHaveLength(2 * LIMIT + 1);
    // Prompts that the limit refused are still there.
    expect(messages.at(-1)?.text).toContain(`prompt ${PROMPTS}`);
  },
  600_000,
);
