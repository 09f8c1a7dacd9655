import { expect } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { rawChunks, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const sse = (event: Record<string, unknown>) => `data: ${JSON.stringify(event)}\n\n`;

/** A call in a Responses stream without `output_index`. */
function callFrames(names: Record<string, string>, args: string): string {
  const item = { type: 'function_call', name: 'Write', ...names };
  return [
    sse({ type: 'response.output_item.added', item: { ...item, arguments: '' } }),
    sse({ type: 'response.output_item.done', item: { ...item, arguments: args } }),
  ].join('');
}

sweep([
  ['the same ids', { id: 'fc_1', call_id: 'call_1' }, { id: 'fc_1', call_id: 'call_1' }],
  ['ids that count', { call_id: '0' }, { call_id: '1' }],
  ['long ids', { call_id: 'call_abcdefgh12345' }, { call_id: 'call_zyxwvuts54321' }],
  ['no ids', {}, {}],
])('[L12] a call that a server sends twice runs once: %s', async (_what, first, second) => {
  const space = await workspace();
  const args = JSON.stringify({ file_path: 'a.txt', content: 'once\n' });
  const end = sse({ type: 'response.completed', response: { status: 'completed', output: [] } });
  const server = await serve([
    rawChunks([callFrames(first, args), callFrames(second, args), end]),
    says('Done.'),
  ]);
  const { model, env } = doors['openai-responses'](server.url);
  const flags = ['--mode', 'accept-edits', '--output-format', 'stream-json'];
  const { code, stdout } = await aca(space, ['-p', 'go', '--model', model, ...flags], { env });
  expect(code).toBe(0);
  expect(stdout.match(/"type":"tool_start"/g)).toHaveLength(1);
  expect(await space.tree()).toEqual({ 'a.txt': 'once\n' });
});
