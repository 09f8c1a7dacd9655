import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { configure } from '../support/mcp.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const PLUGIN = `
const cyclic = {}; cyclic.self = cyclic;
export default {
  name: 'odd',
  version: '1.0.0',
  tools: [{
    name: 'loop', description: 'Loops.', parameters: {}, requiresApproval: false,
    execute: () => ({ success: true, output: 'x', metadata: cyclic }),
  }],
  hooks: {
    onSessionStart() { setTimeout(() => { void Promise.reject(true); }, 1); return true; },
    onBeforeToolCall: () => true,
    onAfterToolCall: () => Promise.reject(undefined),
    onMessage: () => ({ role: 'user', content: [() => 1] }),
  },
  commands: [
    { name: 'forever', description: 'Never ends.', execute: () => new Promise(() => {}) },
    { name: 'send', description: 'Sends nothing useful.', execute: (_, { submit }) => submit({ text: () => 1 }) },
  ],
};
`;

async function withPlugin(script: Step[]) {
  const space = await workspace({ 'a.txt': 'alpha' });
  const file = path.join(space.home, 'odd.mjs');
  await writeFile(file, PLUGIN);
  await configure(space, { plugins: [file] });
  const server = await serve(script);
  return { space, server, ...doors.anthropic(server.url) };
}

test('a plugin that gets everything wrong costs itself: the run goes on and ends well', async () => {
  const { space, server, model, env } = await withPlugin([
    calls(['Read', { file_path: 'a.txt' }], ['odd__loop', {}]),
    says('Done.'),
  ]);
  const { code, stdout, stderr } = await aca(space, ['-p', 'go', '--model', model], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  const results = server.requests[1]?.messages.at(-1)?.results.map(({ text }) => text);
  expect(results).toEqual([
    expect.stringContaining('alpha'),
    'odd:loop returned no valid result: it is nested too deeply or refers to itself.',
  ]);
  expect(stderr).toContain(
    'The plugin odd: onBeforeToolCall failed: it returned neither a call, nor null, nor { block }.',
  );
  expect(stderr).toContain('A plugin failed in the background: true.');
});

test(
  'a command that never ends can be interrupted, one that sends no prompt is told so, and the conversation goes on',
  soak,
  async () => {
    const { space, server, model, env } = await withPlugin([says('Still here.')]);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('/help for commands');
    terminal.type('/send\r');
    await terminal.waitFor('/send failed:');
    terminal.type('/forever\r');
    await terminal.waitFor('/forever');
    await new Promise((resolve) => setTimeout(resolve, 300));
    terminal.type('\u0003');
    await terminal.waitFor('Interrupted.');
    terminal.type('hi\r');
    await terminal.waitFor('Still here.');
    expect(server.requests.length).toBe(1);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  },
);
