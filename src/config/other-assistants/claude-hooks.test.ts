import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { hookSettings } from '../schema/hook-settings.ts';
import { readClaudeHooks } from './claude-hooks.ts';

const command = { type: 'command', command: './check.sh' };

test('what can run here applies, as it is written', () => {
  const hooks = {
    PreToolUse: [
      {
        matcher: 'Bash|Edit',
        hooks: [
          { ...command, timeout: 5, if: 'Bash(git *)', once: true, async: true, args: ['-x'] },
          { type: 'http', url: 'https://example.org/', headers: { A: '$B' }, allowedEnvVars: ['B'] },
        ],
      },
    ],
    Notification: [{ hooks: [command] }],
  };
  const read = readClaudeHooks(hooks);
  expect(read.ignored).toEqual([]);
  expect(read.hooks).toEqual({
    PreToolUse: hooks.PreToolUse.flatMap(({ matcher, hooks: all }) =>
      all.map((hook) => ({ matcher, hooks: [hook] })),
    ),
    Notification: [{ hooks: [command] }],
  });
});

const left: [hooks: unknown, ignored: { key: string; note: string }[]][] = [
  [{ TeammateIdle: [] }, [{ key: 'TeammateIdle', note: 'Hooks are not run at this event.' }]],
  [
    { PreTooluse: [] },
    [{ key: 'PreTooluse', note: 'Hooks are not run at this event. Did you mean PreToolUse?' }],
  ],
  [{ Stop: {} }, [{ key: 'Stop', note: 'It is not a list.' }]],
  [{ Stop: [command] }, [{ key: 'Stop[0]', note: 'It has no list of hooks.' }]],
  [
    { Stop: [{ hooks: [{ type: 'prompt', prompt: 'done?' }, command] }] },
    [{ key: 'Stop[0].hooks[0]', note: 'Hooks of the type prompt are not run. Use a command.' }],
  ],
  [
    { Stop: [{ hooks: [{ ...command, shell: 'powershell' }] }] },
    [{ key: 'Stop[0].hooks[0]', note: 'Hooks do not run in powershell. Start it in the command.' }],
  ],
  [
    { Stop: [{ hooks: [{ ...command, mood: 'good', statusMessage: 'x' }] }] },
    [{ key: 'Stop[0].hooks[0]', note: 'mood: no effect here.' }],
  ],
  [
    { Stop: [{ matcher: '(', hooks: [command] }] },
    [{ key: 'Stop[0].hooks[0]', note: 'It must be a valid regular expression.' }],
  ],
  [
    { Stop: [{ hooks: [{ type: 'command' }] }] },
    [{ key: 'Stop[0].hooks[0]', note: 'It needs a command, or a url if its type is http.' }],
  ],
  ['all', [{ key: '', note: 'It is not a table of events.' }]],
];
test.each(left)('%j: what cannot run is left out and named', (hooks, ignored) => {
  expect(readClaudeHooks(hooks).ignored).toEqual(ignored);
});

sweep([10, rounds(200, 1_000)])('whatever a file says, the result is valid for our settings', (numRuns) => {
  const hook = fc.record(
    {
      type: fc.constantFrom('command', 'http', 'prompt', 7),
      command: fc.constantFrom('x', '', null),
      url: fc.constantFrom('https://example.org/', 'ftp://x', 3),
      timeout: fc.constantFrom(1, 0, 'soon'),
      if: fc.constantFrom('Bash(x)', ''),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const entry = fc.record({ matcher: fc.constantFrom('Bash', '(', null), hooks: fc.array(hook) });
  const event = fc.constantFrom('PreToolUse', 'Stop', 'Setup', 'toString');
  const schema = hookSettings();
  fc.assert(
    fc.property(fc.dictionary(event, fc.oneof(fc.array(entry), fc.jsonValue())), (hooks) => {
      expect(schema.safeParse(readClaudeHooks(hooks).hooks).error).toBeUndefined();
    }),
    { numRuns },
  );
});
