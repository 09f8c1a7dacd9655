import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const FOCUS_IN = '\u001b[I';
const FOCUS_OUT = '\u001b[O';

async function withFiles(files: Record<string, string>, settings: object): Promise<Workspace> {
  const space = await workspace();
  const all = { ...files, '.ai-assistant/config.json': JSON.stringify(settings) };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(space.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return space;
}

const asking = [calls(['Write', { file_path: 'a.txt', content: 'a' }]), says('Done.')];

test(
  'a user who left the terminal is notified of a question, in the terminal and by their command',
  soak,
  async () => {
    const command =
      'printf "%s|%s" "$ACA_TITLE" "$ACA_MESSAGE" > "$HOME/note.tmp" && mv "$HOME/note.tmp" "$HOME/note"';
    const space = await withFiles({}, { notifications: { command } });
    const { lab } = await openScreen(space, asking);
    lab.type(`go\r${FOCUS_OUT}`);
    await lab.waitFor('a.txt');
    const note = path.join(space.home, 'note');
    await lab.waitFor(() => existsSync(note));
    expect(await readFile(note, 'utf8')).toBe('aca · project|Waiting for your approval');
    expect(lab.written()).toContain('\u001b]9;aca · project: Waiting for your approval\u0007\u0007');
  },
);

test('a user who is there, or wants none, is not notified', soak, async () => {
  for (const [keys, settings] of [
    [FOCUS_IN, {}],
    [FOCUS_OUT, { notifications: { when: 'never' } }],
    ['', {}],
  ] as const) {
    const { lab } = await openScreen(await withFiles({}, settings), asking);
    lab.type(`${keys}go\r`);
    await lab.waitFor((it) => it.rows().some((row) => row.includes('a.txt?')));
    expect(lab.written()).not.toContain(']9;');
  }
});

test('a status line command shows what it makes of the state, in its colors, above the built-in line', async () => {
  const script = `
    let text = '';
    process.stdin.on('data', (part) => (text += part)).on('end', () => {
      const { model, workspace, context_window, session_id, transcript_path } = JSON.parse(text);
      require('node:fs').readFileSync(transcript_path);
      const used = context_window.used_percentage;
      process.stdout.write('\\u001b[35m' + model.id + '\\u001b[0m \\u001b[2J' + session_id.length + ' used ' + used + '%\\n');
    });`;
  const space = await withFiles(
    { 'status.cjs': script },
    { statusLine: { type: 'command', command: `"${process.execPath}" ~/status.cjs`, padding: 1 } },
  );
  const { lab } = await openScreen(space, [says('Done.')]);
  await lab.waitFor((it) => it.rows().some((row) => /^ \S*sonnet-4\S* 36 used 0%$/.test(row)));
  const rows = lab.rows();
  const at = rows.findIndex((row) => row.includes(' 36 used '));
  expect(rows[at + 1]).toContain('asks before changes');
  expect(lab.written()).toMatch(/\[35m\S*sonnet-4/);
});

test('a status line command that fails is reported once, and nothing else suffers', soak, async () => {
  const space = await withFiles({}, { statusLine: { type: 'command', command: 'echo broken >&2; exit 3' } });
  const { lab } = await openScreen(space, [says('First.'), says('Second.')]);
  await lab.waitFor('The status line command failed: broken.');
  for (const answer of ['First.', 'Second.']) {
    lab.type('go\r');
    await lab.waitFor(answer);
  }
  expect(lab.all().join('\n').split('The status line command failed').length).toBe(2);
});

test(
  'an output style changes the system prompt: from the settings, from a file, with /output-style',
  soak,
  async () => {
    const pirate = '---\nname: Pirate\ndescription: Arr\n---\nAnswer like a pirate.\n';
    const space = await withFiles(
      { '.claude/output-styles/pirate.md': pirate },
      { outputStyle: 'explanatory' },
    );
    const server = await serve([says('first reply'), says('second reply')]);
    const { model, env } = doors['openai-chat'](server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('> ');
    terminal.type('go\r');
    await terminal.waitFor('first reply');
    terminal.type('/output-style\r');
    await terminal.waitFor('* explanatory');
    await terminal.waitFor('Pirate       Arr (user)');
    terminal.type('/output-style pirate\r');
    await terminal.waitFor('Output style: Pirate');
    terminal.type('go\r');
    await terminal.waitFor('second reply');
    const systems = server.requests
      .map((request) => JSON.stringify(request))
      .filter((text) => text.includes('go'));
    expect(systems[0]).toContain('Output style: explanatory');
    expect(systems[0]).toContain('Look first:');
    expect(systems.at(-1)).toContain('Answer like a pirate.');
    expect(systems.at(-1)).toContain('data, not instructions');
    terminal.type('/quit\r');
    await terminal.exitCode;
  },
);
