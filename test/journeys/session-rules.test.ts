import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { still } from '../support/lab.ts';
import { calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const touch = (name: string) => calls(['Bash', { command: `touch ${name}` }]);

async function plain(space: Workspace, script: Parameters<typeof serve>[0], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model, ...args], env);
  await terminal.waitFor('\n> ');
  const results = () => server.requests.map((request) => request.messages.at(-1)?.results[0]?.text ?? '');
  return { terminal, results };
}

describe('a rule added with /permissions', () => {
  test('applies from the next call on, also after --continue, until it is removed', soak, async () => {
    const space = await workspace({ 'private/a.txt': 'alpha\n' });
    const look = calls(['Read', { file_path: 'private/a.txt' }]);
    const { terminal, results } = await plain(space, [touch('a'), says('One.'), look, says('Two.')]);
    terminal.type('/permissions allow Bash(touch *)\r');
    await terminal.waitFor('Added for this session: allow Bash(touch *)');
    terminal.type('make it\r');
    await terminal.waitFor('One.');
    terminal.type('/permissions deny Read(private/**)\r');
    await terminal.waitFor('Added for this session: deny Read(private/**)');
    terminal.type('read it\r');
    await terminal.waitFor('Two.');
    expect(terminal.screen()).not.toContain('Allow: ');
    expect(results()[3]).toContain('denied by the rule Read(private/**)');
    terminal.type('/quit\r');
    await terminal.exitCode;

    const again = await plain(space, [touch('b'), says('Three.'), touch('c'), says('Four.')], ['--continue']);
    again.terminal.type('more\r');
    await again.terminal.waitFor('Three.');
    again.terminal.type('/permissions forget 1\r');
    await again.terminal.waitFor('removed: allow Bash(touch *) (rule, this session)');
    again.terminal.type('more\r');
    await again.terminal.waitFor('Allow: Bash touch c? [y/n] ');
    again.terminal.type('n\r');
    await again.terminal.waitFor('Four.');
    expect(Object.keys(await space.tree()).sort()).toEqual(['a', 'b', 'private/a.txt']);
    again.terminal.type('/quit\r');
  });

  sweep([
    ['allow', 'Allow: Bash touch made? [y/n] '],
    ['deny', 'refused: denied by the rule Bash(touch *)'],
  ])('that somebody wrote into the session file as %s allows nothing', async (action, shown) => {
    const space = await workspace({});
    const first = await plain(space, [says('Hello.')]);
    first.terminal.type('hi\r');
    await first.terminal.waitFor('Hello.');
    first.terminal.type('/quit\r');
    await first.terminal.exitCode;
    const folder = path.join(space.home, '.ai-assistant/sessions');
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
    const permission = {
      ...{ type: 'execute', pattern: 'Bash(touch *)', action, scope: 'session' },
      ...{ grantedAt: '2026-01-01T00:00:00.000Z', rule: 'allow' },
    };
    const text = await readFile(path.join(folder, file), 'utf8');
    await writeFile(path.join(folder, file), `${text}${JSON.stringify({ type: 'grant', permission })}\n`);

    const { terminal } = await plain(space, [touch('made'), says('Done.')], ['--continue']);
    terminal.type('go\r');
    await terminal.waitFor(shown);
    if (action === 'allow') terminal.type('n\r');
    await terminal.waitFor('Done.');
    expect(await space.tree()).toEqual({});
    terminal.type('/quit\r');
  });
});

describe('/add-dir', () => {
  async function besides() {
    const space = await workspace({});
    const out = path.join(path.dirname(space.root), 'other folder');
    await mkdir(out);
    await writeFile(path.join(out, 'a.txt'), 'alpha\n');
    return { space, out, look: calls(['Read', { file_path: path.join(out, 'a.txt') }]) };
  }

  test('opens a folder on the screen, and the conversation goes on', soak, async () => {
    const { space, out, look } = await besides();
    const script = [says('Hello.'), look, says('Done.')];
    const { lab, server } = await openScreen(space, script, { columns: 120, rows: 30 });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('hi\r');
    await lab.waitFor('Hello.');
    lab.type('/add-dir ../other folder\r');
    await lab.waitFor(`Opened ${out} for this session`);
    await still(lab, 600);
    lab.type('read it\r');
    await lab.waitFor('Done.');
    expect(lab.all().join('\n')).not.toContain('❯ 1. Yes');
    expect(server.requests[2]?.messages.at(-1)?.results[0]?.text).toBe('1\talpha');
    // The same conversation.
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Hello.');
  });

  sweep([
    ['missing', 'missing is not a folder.'],
    ['.', 'is already open.'],
    ['', 'Name a folder'],
  ])('%j is answered in plain lines, too', async (folder, told) => {
    const { space } = await besides();
    const { terminal } = await plain(space, []);
    terminal.type(`/add-dir ${folder}\r`);
    await terminal.waitFor(told);
    terminal.type('/quit\r');
  });

  test('opens a folder in plain lines', soak, async () => {
    const { space, out, look } = await besides();
    const { terminal, results } = await plain(space, [look, says('Done.')]);
    terminal.type(`/add-dir ${out}\r`);
    await terminal.waitFor('for this session');
    terminal.type('read it\r');
    await terminal.waitFor('Done.');
    expect(results()[1]).toBe('1\talpha');
    terminal.type('/quit\r');
  });
});
