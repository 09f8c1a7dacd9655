import { describe, expect, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { both, calls, type Step, says, slowly } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function open(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model, ...args], env);
  return { server, terminal };
}

const edit = calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]);

describe('a conversation in a terminal', () => {
  test('[N01] [C02] [C04] [C05] asks with the diff in sight, does it on "y", and /undo takes it back', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { terminal, server } = await open(space, [edit, says('Changed it.'), says('You are welcome.')]);
    await terminal.waitFor('> ');
    terminal.type('change alpha to beta\r');
    await terminal.waitFor('Allow: Edit a.txt? [y/n] ');
    await terminal.waitFor('-alpha');
    await terminal.waitFor('+beta');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
    terminal.type('Y\r');
    await terminal.waitFor('Changed it.');
    expect(await space.tree()).toEqual({ 'a.txt': 'beta\n' });

    terminal.type('/undo\r');
    await terminal.waitFor('Undo this? [y/n] ');
    await terminal.waitFor('restore a.txt  +1 -1');
    terminal.type('y\r');
    await terminal.waitFor('restored a.txt');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
    terminal.type('thanks\r');
    await terminal.waitFor('You are welcome.');
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe('thanks');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toMatch(/Resume with: aca --resume [0-9a-f]{8}$/);
  });

  test('for a screen reader, results are words: no ticks, arrows or bars', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const script = [edit, calls(['Bash', { command: 'exit 3' }]), says('Changed it.')];
    const { terminal } = await open(space, script, [
      '--screen-reader',
      '--mode',
      'accept-edits',
      'change it',
    ]);
    await terminal.waitFor('Changed it.');

    const shown = terminal.screen();
    expect(shown).toContain('Edit a.txt started');
    expect(shown).toMatch(/Edit a\.txt finished, 1 line added, 1 line removed, \d+ milliseconds?/);
    expect(shown).toMatch(/Bash exit 3 failed, exit 3, \d+ (milli)?seconds?/);
    expect(shown).not.toMatch(/[✓✗○●→│›]/);
  });

  sweep(['n', '', 'yes'])(
    '[C04] [L07] the answer "%s" is no: nothing is touched and the model is told',
    async (answer) => {
      const space = await workspace({ 'a.txt': 'alpha\n' });
      const { terminal, server } = await open(space, [edit, says('All right.')], ['change it']);
      await terminal.waitFor('[y/n] ');
      terminal.type(`${answer}\r`);
      await terminal.waitFor('All right.');
      expect(server.requests[1]?.messages.at(-1)?.results[0]).toMatchObject({
        text: 'User denied permission',
        isError: true,
      });
      expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
    },
  );

  test('[L10] Ctrl-C stops the answer and keeps what was said; the conversation goes on', async () => {
    const space = await workspace();
    const { terminal, server } = await open(
      space,
      [slowly(says('word '.repeat(100)), { betweenMs: 60 }), says('Still here.')],
      ['talk'],
    );
    await terminal.waitFor('word word');
    terminal.type('\x03');
    await terminal.waitFor('Interrupted.');
    terminal.type('go on\r');
    await terminal.waitFor('Still here.');
    expect(server.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    terminal.type('\x04');
    expect(await terminal.exitCode).toBe(0);
  });

  test('[L10] Ctrl-C at a question calls the question off', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { terminal } = await open(space, [edit, says('never asked for')], ['change it']);
    await terminal.waitFor('[y/n] ');
    terminal.type('\x03');
    await terminal.waitFor('Interrupted.');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  });

  test('[C05] a long command is shown to its last line before the question, and cannot disguise itself', async () => {
    const space = await workspace();
    const lines = Array.from({ length: 30 }, (_, n) => `echo step ${n}`);
    const command = [...lines, '\x1b[2K\x1b[1Aecho hidden > made.txt'].join('\n');
    const { terminal } = await open(space, [calls(['Bash', { command }]), says('All right.')], ['go']);
    await terminal.waitFor('[y/n] ');
    for (const line of [...lines, 'echo hidden > made.txt']) await terminal.waitFor(line);
    terminal.type('n\r');
    await terminal.waitFor('All right.');
    expect(await space.tree()).toEqual({});
  });

  test('what is typed while it works waits its turn, and never answers a question', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const slow = slowly(edit, { firstMs: 600 });
    const { terminal, server } = await open(space, [slow, says('Done.'), says('Second.')], ['change it']);
    await terminal.waitFor('/help for commands');
    terminal.type('y\r');
    await terminal.waitFor('[y/n] ');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
    terminal.type('n\r');
    await terminal.waitFor('Second.');
    expect(server.requests[2]?.messages.at(-1)?.text).toBe('y');
  });

  test('[C10] an unknown command names the near one; a path is not a command', async () => {
    const space = await workspace();
    const { terminal, server } = await open(space, [says('A folder.')]);
    await terminal.waitFor('> ');
    terminal.type('/hepl\r');
    await terminal.waitFor('There is no command /hepl. Did you mean /help?');
    terminal.type('/help\r');
    await terminal.waitFor('/undo');
    terminal.type('/etc/hosts is what?\r');
    await terminal.waitFor('A folder.');
    expect(server.requests[0]?.messages[0]?.text).toBe('/etc/hosts is what?');
  });

  test('[C08] text is on the screen before the answer is complete', async () => {
    const space = await workspace();
    const { terminal } = await open(
      space,
      [both('Reading now.', ['Bash', { command: 'echo one; sleep 1' }]), says('Two.')],
      ['go', '--allow', 'Bash(echo *)', '--allow', 'Bash(sleep *)'],
    );
    await terminal.waitFor('Reading now.');
    expect(terminal.screen()).not.toContain('Two.');
    await terminal.waitFor('Two.');
  });
});

describe('the first start with nothing configured', () => {
  test('[N12] says what was looked for, takes a pasted key without showing it, and gets to an answer', async () => {
    const space = await workspace();
    const server = await serve([says('Hello there.')]);
    const terminal = openTerminal(space, ['--plain'], { ANTHROPIC_BASE_URL: server.url });
    await terminal.waitFor('[k] paste an API key');
    await terminal.waitFor('ANTHROPIC_API_KEY');
    expect(terminal.screen()).toMatch(/Ollama +not found/);
    terminal.type('k\r');
    await terminal.waitFor('API key (not shown): ');
    terminal.type('sk-ant-pasted-key\r');
    await terminal.waitFor('Stored for anthropic');
    await terminal.waitFor('anthropic/claude-sonnet-5-5');
    terminal.type('hello\r');
    await terminal.waitFor('Hello there.');
    expect(terminal.screen()).not.toContain('pasted-key');
    expect(JSON.stringify(server.requests[0]?.headers)).toContain('sk-ant-pasted-key');
  });

  test('the demo runs from the menu with a real question', soak, async () => {
    const space = await workspace();
    const terminal = openTerminal(space, ['--plain']);
    await terminal.waitFor('[d] demo');
    terminal.type('d\r');
    await terminal.waitFor('Allow: Edit greet.js? [y/n] ');
    terminal.type('y\r');
    await terminal.waitFor('greet.js is byte for byte the same as before.');
    await terminal.waitFor('[q] quit', 2);
    terminal.type('q\r');
    expect(await terminal.exitCode).toBe(0);
  });

  test('a declined demo edit is respected', soak, async () => {
    const space = await workspace();
    const terminal = openTerminal(space, ['--plain', '--demo']);
    await terminal.waitFor('[y/n] ');
    terminal.type('n\r');
    await terminal.waitFor('You declined, so greet.js is unchanged.');
    expect(await terminal.exitCode).toBe(0);
  });
});
