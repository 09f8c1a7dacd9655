import { expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { type Answer, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const readA = calls(['Read', { file_path: 'a.txt' }]);

/** A reply whose parts come in this order. */
const parts = (...all: Answer['parts']): Answer => ({ ...readA, parts: all });

test('OpenAI gets its notes back labeled as notes, with the reasoning before them', async () => {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const server = await serve([
    parts(
      { type: 'thinking', text: 'First look.' },
      { type: 'text', text: 'I read the file.', phase: 'commentary' },
      ...readA.parts,
    ),
    says('Alpha.'),
  ]);
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'sk-test' };
  expect(await aca(space, ['-p', 'Look.', '--model', 'openai/gpt-6.1-sol'], { env })).toMatchObject({
    code: 0,
  });
  const input = server.requests[1]?.body.input as Record<string, unknown>[];
  expect(input.slice(-4)).toMatchObject([
    { type: 'reasoning', encrypted_content: expect.any(String) },
    { type: 'message', id: expect.stringMatching(/^msg_/), phase: 'commentary' },
    { type: 'function_call', name: 'Read' },
    { type: 'function_call_output' },
  ]);
});
