import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says, slowly } from '../support/model-server/script.ts';
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

/** A headless run; resolves with its session's id. */
async function play(space: Workspace, prompt: string, script: Step[], args: string[] = []): Promise<string> {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const { stdout } = await aca(
    space,
    ['-p', prompt, '--model', model, '--mode', 'accept-edits', '--output-format', 'json', ...args],
    { env },
  );
  return (JSON.parse(stdout) as { sessionId: string }).sessionId;
}

const write = (file: string, content: string) => calls(['Write', { file_path: file, content }]);

const textsOf = (messages: readonly { text: string }[] | undefined) => messages?.map(({ text }) => text);

describe('rewind', () => {
  test(
    'lists prompts with what changed since; both goes back in files and words, and nothing is lost',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'zero\n' });
      const { terminal, server } = await open(
        space,
        [write('b.txt', 'one\n'), says('First.'), write('c.txt', 'two\n'), says('Second.'), says('Other.')],
        ['--mode', 'accept-edits', 'make b'],
      );
      await terminal.waitFor('First.');
      terminal.type('make c\r');
      await terminal.waitFor('Second.');
      terminal.type('/rewind\r');
      await terminal.waitFor('make c  (1 file changed since)');
      expect(terminal.screen()).toMatch(
        / 1\. \d{4}-\d\d-\d\d \d\d:\d\d {2}make b {2}\(2 files changed since\)/,
      );
      terminal.type('/rewind 3\r');
      await terminal.waitFor('There is no prompt 3. /rewind lists them.');

      terminal.type('/rewind 2\r');
      await terminal.waitFor('[c/f/b] ');
      terminal.type('b\r');
      await terminal.waitFor('Rewind files and conversation? [y/n] ');
      await terminal.waitFor('remove  c.txt');
      expect(await space.tree()).toEqual({ 'a.txt': 'zero\n', 'b.txt': 'one\n', 'c.txt': 'two\n' });
      terminal.type('y\r');
      await terminal.waitFor('Rewound to before "make c" (4 messages back).');
      expect(await space.tree()).toEqual({ 'a.txt': 'zero\n', 'b.txt': 'one\n' });

      terminal.type('something else\r');
      await terminal.waitFor('Other.');
      expect(textsOf(server.requests.at(-1)?.messages)).toEqual([
        'make b',
        '',
        '',
        'First.',
        'something else',
      ]);
      terminal.type('/quit\r');
      expect(await terminal.exitCode).toBe(0);

      const id = /--resume ([0-9a-f]{8})/.exec(terminal.screen())?.[1] ?? '';
      const copy = (await aca(space, ['sessions', 'fork', id, '--rewound'])).stdout.trim();
      const kept = (await aca(space, ['sessions', 'export', copy])).stdout;
      expect(kept).toContain('Second.');
      expect(kept).not.toContain('Other.');
      const now = (await aca(space, ['sessions', 'export', id])).stdout;
      expect(now).toContain('Other.');
      expect(now).not.toContain('Second.');
    },
  );

  test(
    'the files alone go back, over a resume; /redo brings them again; the conversation alone leaves files',
    soak,
    async () => {
      const space = await workspace();
      await play(space, 'make b', [write('b.txt', 'one\n'), says('First.')]);
      const { terminal, server } = await open(space, [says('Third.')], ['--continue']);
      await terminal.waitFor('> make b');
      terminal.type('/rewind 1 files\r');
      await terminal.waitFor('Rewind these files? [y/n] ');
      terminal.type('y\r');
      await terminal.waitFor('removed b.txt');
      terminal.type('/rewind 1 files\r');
      await terminal.waitFor('No files changed since then.');
      terminal.type('/redo\r');
      await terminal.waitFor('Redo this? [y/n] ');
      terminal.type('y\r');
      await terminal.waitFor('restored b.txt');
      terminal.type('/rewind 1 conversation\r');
      await terminal.waitFor('Rewound to before "make b"');
      terminal.type('from the start\r');
      await terminal.waitFor('Third.');
      expect(textsOf(server.requests[0]?.messages)).toEqual([expect.stringMatching(/from the start$/)]);
      expect(await space.tree()).toEqual({ 'b.txt': 'one\n' });
      terminal.type('/rewind\r');
      await terminal.waitFor('1. ');
      expect(terminal.screen()).not.toContain('from the start  (');
    },
  );
});

describe('going on', () => {
  test('--continue shows where it stood, how long ago, and an answer that broke off', soak, async () => {
    const space = await workspace();
    const first = await open(
      space,
      [slowly(says('word '.repeat(200)), { betweenMs: 40 })],
      ['talk for long'],
    );
    await first.terminal.waitFor('word word');
    first.terminal.type('\x03');
    await first.terminal.waitFor('Interrupted.');
    first.terminal.type('\x04');
    await first.terminal.exitCode;

    const { terminal } = await open(space, [], ['--continue']);
    await terminal.waitFor('(The answer was cut off here.)');
    expect(terminal.screen()).toMatch(/Session [0-9a-f]{8}, just now:\n> talk for long\nword word/);
  });

  test(
    '--resume without an id lists sessions to choose from; by title it needs no list; headless it must be named',
    soak,
    async () => {
      const space = await workspace();
      const older = await play(space, 'the older one', [says('Old answer.')]);
      await play(space, 'the newer one', [says('New answer.')]);
      await aca(space, ['sessions', 'rename', older, 'Login', 'bug']);

      const { terminal, server } = await open(space, [says('More.')], ['--resume']);
      await terminal.waitFor('Resume which session? (1-2, or Enter for a new one) ');
      expect(terminal.screen()).toMatch(/ 1\. +[0-9a-f]{8} {2}just now {2}2 messages {2}Login bug\n/);
      terminal.type('7\r');
      await terminal.waitFor('7 is not in the list.');
      terminal.type('2\r');
      await terminal.waitFor('New answer.');
      terminal.type('go on\r');
      await terminal.waitFor('More.');
      expect(textsOf(server.requests[0]?.messages)).toEqual([
        'the newer one',
        'New answer.',
        expect.stringMatching(/go on$/),
      ]);

      const titled = await open(space, [], ['--resume', 'login BUG']);
      await titled.terminal.waitFor('Old answer.');
      expect(titled.terminal.screen()).toContain(`Session ${older.slice(0, 8)} "Login bug", just now:`);
      expect((await aca(space, ['-p', 'x', '--model', 'ollama/x', '--resume'])).stderr).toContain(
        '--resume needs a session.',
      );
    },
  );

  test('--fork goes on in a copy, even of a session that is open; the original stays', soak, async () => {
    const space = await workspace();
    const id = await play(space, 'the beginning', [says('Begun.')]);
    const held = await open(space, [], ['--resume', id]);
    await held.terminal.waitFor('Begun.');
    const copy = await play(space, 'elsewhere', [says('Forked.')], ['--continue', '--fork']);
    expect(copy).not.toBe(id);
    const exported = async (which: string) => (await aca(space, ['sessions', 'export', which])).stdout;
    expect(await exported(copy)).toMatch(/the beginning[\s\S]*Begun\.[\s\S]*elsewhere[\s\S]*Forked\./);
    expect(await exported(id)).not.toContain('elsewhere');
    expect((await aca(space, ['-p', 'x', '--model', 'ollama/x', '--fork'])).stderr).toBe(
      '--fork needs a session to copy.\nAdd --resume ID or --continue.\n',
    );
  });

  test('[P11] a grant of the session holds after a resume and in a copy', soak, async () => {
    const space = await workspace();
    // A call sent twice under one id would be answered, not run.
    const touch = (id: string) => calls(['Bash', { command: 'touch made.txt' }, { id }]);
    const first = await open(space, [touch('toolu_first'), says('One.')], ['make it']);
    await first.terminal.waitFor('[y/n] ');
    first.terminal.type('session\r');
    await first.terminal.waitFor('One.');
    first.terminal.type('/quit\r');
    await first.terminal.exitCode;
    for (const [args, answer] of [
      [['--continue'], 'Two.'],
      [['--continue', '--fork'], 'Three.'],
    ] as const) {
      await rm(path.join(space.root, 'made.txt'));
      const { terminal } = await open(
        space,
        [touch(`toolu_${answer}`), says(answer)],
        [...args, 'once more'],
      );
      await terminal.waitFor(answer);
      expect(terminal.screen()).not.toContain('[y/n]');
      expect(await space.tree()).toEqual({ 'made.txt': '' });
      terminal.type('/quit\r');
      await terminal.exitCode;
    }
  });
});

describe('in a conversation', () => {
  test('/clear starts a new conversation and keeps what was; /model goes on with another model and the same words', async () => {
    const { terminal, server } = await open(await workspace(), [
      says('First.'),
      says('Anew.'),
      says('Other.'),
    ]);
    await terminal.waitFor('> ');
    terminal.type('one\r');
    await terminal.waitFor('First.');
    terminal.type('/clear\r');
    await terminal.waitFor('Started a new session. Go back to the previous one with: /resume');
    terminal.type('two\r');
    await terminal.waitFor('Anew.');
    terminal.type('/model claude-opus-4-20250514\r');
    await terminal.waitFor('ai-code-assistant · anthropic/claude-opus-4-20250514');
    terminal.type('three\r');
    await terminal.waitFor('Other.');
    expect(terminal.screen()).not.toContain('Resume with:');
    expect(server.requests.map(({ messages }) => textsOf(messages))).toEqual([
      ['one'],
      ['two'],
      ['two', 'Anew.', 'three'],
    ]);
    expect(server.requests[2]?.body.model).toBe('claude-opus-4-20250514');
  });

  test('/rename, /sessions, /fork, /resume and /export', async () => {
    const space = await workspace();
    const { terminal, server } = await open(space, [says('First.'), says('Second.'), says('In the copy.')]);
    await terminal.waitFor('> ');
    terminal.type('/fork\r');
    await terminal.waitFor('Nothing to copy yet.');
    terminal.type('/rename Login bug\r');
    await terminal.waitFor('This session is now "Login bug".');
    terminal.type('one\r');
    await terminal.waitFor('First.');
    terminal.type('two\r');
    await terminal.waitFor('Second.');
    terminal.type('/fork 2\r');
    await terminal.waitFor('Go back to the original with: /resume');
    await terminal.waitFor('"Login bug", forked from ');
    terminal.type('three\r');
    await terminal.waitFor('In the copy.');
    expect(textsOf(server.requests[2]?.messages)).toEqual(['one', 'First.', 'three']);

    terminal.type('/sessions\r');
    await terminal.waitFor('Resume one with /resume ID.');
    expect(terminal.screen()).toMatch(/\* [0-9a-f]{8} {2}just now {2}4 messages {2}Login bug/);
    const original = /Go back to the original with: \/resume ([0-9a-f]{8})/.exec(terminal.screen())?.[1];
    terminal.type('/resume nothing like this\r');
    await terminal.waitFor('There is no session "nothing like this". /sessions lists them.');
    terminal.type(`/resume ${original}\r`);
    await terminal.waitFor(`Session ${original} "Login bug", just now:`);

    for (const name of ['talk.md', 'talk.html', 'talk.json']) {
      terminal.type(`/export ${name}\r`);
      await terminal.waitFor(`Written to ${path.join(space.root, name)}`);
    }
    terminal.type('/export talk.md\r');
    await terminal.waitFor('already exists. Choose another name.');
    terminal.type('/export talk.doc\r');
    await terminal.waitFor('Unknown export format: ');
    const tree = await space.tree();
    expect(tree['talk.md']).toMatch(/^# Login bug\n[\s\S]*## User\n\none\n[\s\S]*Second\./);
    expect(JSON.parse(tree['talk.json'] ?? '')).toMatchObject({
      title: 'Login bug',
      messages: [{}, {}, {}, {}],
    });
  });

  test(
    'an exported page opens as a file and holds nothing but itself, with everything escaped',
    soak,
    async () => {
      const space = await workspace();
      const evil = '</div><script>alert(1)</script><img src=x onerror=alert(2)>';
      const id = await play(space, `show ${evil}`, [says(`Here: ${evil}`)]);
      const file = path.join(space.root, 'page.html');
      expect((await aca(space, ['sessions', 'export', id, '-o', file])).code).toBe(0);
      const page = await readFile(file, 'utf8');
      expect(page).toMatch(/^<!doctype html>/);
      const tags = new Set([...page.matchAll(/<(\w+)[^>]*>/g)].map(([, tag]) => tag));
      expect([...tags].sort()).toEqual('body div h1 head header html meta p section style title'.split(' '));
      expect(page).not.toMatch(/@import|url\(|href/);
      expect(page.split('&lt;script&gt;alert(1)&lt;/script&gt;').length - 1).toBe(2);
    },
  );

  sweep(['markdown', 'html', 'json'])(
    'an export as %s to a pipe has no control characters',
    async (format) => {
      const space = await workspace();
      const id = await play(space, 'go', [says('A \u001b[31mred\u001b[0m \u009b2J word\u0007.\r')]);
      const { code, stdout } = await aca(space, ['sessions', 'export', id, '--format', format]);
      expect({ code, control: /[^\P{Cc}\n\t]/u.exec(stdout) }).toEqual({ code: 0, control: null });
      expect(stdout).toContain('red');
    },
  );

  test('a last record that was damaged is told on the first resume, and only then', soak, async () => {
    const space = await workspace();
    const id = await play(space, 'go', [says('Gone.')]);
    const file = path.join(space.home, '.ai-assistant/sessions', `${id}.jsonl`);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.startsWith('{"type":"message","message":{"role":"assistant"'));
    await writeFile(file, [...lines.slice(0, at), lines[at]?.slice(0, 60)].join('\n'));
    const told: boolean[] = [];
    for (const text of ['one', 'two']) {
      const server = await serve([says(text)]);
      const { model, env } = doors.anthropic(server.url);
      const { code, stderr } = await aca(space, ['-p', text, '--resume', id, '--model', model], { env });
      expect(code).toBe(0);
      told.push(stderr.includes("This session's file was damaged. Lost: an answer from the model."));
    }
    expect(told).toEqual([true, false]);
  });

  test('a title given before the first prompt is kept; nothing is left of a session without one', async () => {
    const space = await workspace();
    const { terminal } = await open(space, []);
    await terminal.waitFor('> ');
    terminal.type('/rename never used\r');
    await terminal.waitFor('is now "never used"');
    terminal.type('/quit\r');
    await terminal.exitCode;
    expect((await aca(space, ['sessions'])).stdout).toBe('No sessions yet.\n');
  });

  test('[U12] words are found in all conversations', soak, async () => {
    const space = await workspace();
    const id = await play(space, 'about the parser', [says('The tokenizer\nis "quoted" here.')]);
    await play(space, 'something else', [says('No.')]);
    const { stdout } = await aca(space, ['sessions', 'search', 'IS "Quoted"']);
    expect(stdout).toBe(`${id.slice(0, 8)}  assistant  is "quoted" here.\n`);
  });
});

describe('grants of a session that is gone on with', () => {
  const touch = calls(['Bash', { command: 'touch made' }]);

  test('what somebody else wrote into its file does not count, and is named', soak, async () => {
    const space = await workspace({});
    const id = await play(space, 'hello', [says('Hello.')]);
    const file = path.join(space.home, '.ai-assistant', 'sessions', `${id}.jsonl`);
    const at = { scope: 'session', grantedAt: new Date().toISOString() };
    const permission = { type: 'execute', pattern: 'Bash(touch *)', action: 'allow', ...at };
    await appendFile(file, `${JSON.stringify({ type: 'grant', permission })}\n`);

    const server = await serve([touch, says('Done.')]);
    const { model, env } = doors.anthropic(server.url);
    const { code, stderr } = await aca(space, ['-p', 'go', '--model', model, '--resume', id], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('Ignored permissions that this program did not save: Bash(touch *).');
    expect(await space.tree()).toEqual({});
  });
});
