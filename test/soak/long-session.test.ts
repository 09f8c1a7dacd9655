// @module-tag soak
import { expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { headless } from '../support/crash/round.ts';
import { configure } from '../support/mcp.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { rounds } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const PROMPTS = rounds(250, 5_000);

test(`[N09] a session of ${2 * PROMPTS} messages is kept whole, compacted on the way, and goes on after a new start`, async () => {
  const space = await workspace();
  // A small window keeps the requests short, and is passed many times over.
  await configure(space, { models: { 'anthropic/claude-sonnet-4-20250514': { contextWindow: 16_000 } } });
  const words = 'The quick brown fox jumps over the lazy dog. '.repeat(3);
  const summary =
    '[Completed: many prompts were answered] [Decided: to go on] [Current state: in the middle of a long session]';
  const server = await serve(
    Array.from(
      { length: 2 * PROMPTS },
      () => (seen: SeenRequest) =>
        // Only a request for a summary offers no tools.
        seen.tools.length === 0 ? says(summary) : says(`${seen.messages.at(-1)?.text}: ${words}`),
    ),
  );
  const { model, env } = doors.anthropic(server.url);
  const stdin = Array.from(
    { length: PROMPTS },
    (_, i) => `${JSON.stringify({ type: 'user', text: `prompt ${i + 1}` })}\n`,
  ).join('');
  const run = await aca(space, [...headless, '--model', model], { env, stdin });
  expect(run.code).toBe(0);
  const { report } = parseStream(run.stdout);
  expect(report.result).toContain(`prompt ${PROMPTS}`);

  const exported = await aca(space, ['sessions', 'export', report.sessionId, '--format', 'json'], { env });
  const { messages } = JSON.parse(exported.stdout) as { messages: { role: string }[] };
  expect(messages).toHaveLength(2 * PROMPTS);

  const on = await aca(space, ['-p', 'still there?', '--resume', report.sessionId, '--model', model], {
    env,
  });
  expect(on.code).toBe(0);
  expect(on.stdout).toContain('still there?');
}, 1_200_000);
