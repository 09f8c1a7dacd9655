// @module-tag soak
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { acaOnPath, isInstalled } from '../support/on-path.ts';
import { serve } from '../support/serve.ts';
import { openProgram } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Many starts of the program in one test: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);

/** A machine with one kept session, an alias with a colon in its name, and the script of a shell. */
async function machine(
  shell: string,
): Promise<{ space: Workspace; PATH: string; script: string; session: string }> {
  const space = await workspace({ 'notes.txt': '' });
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root);
  await writeFile(path.join(root, 'config.json'), '{ "aliases": { "tiny:7b": "ollama/qwen3:8b" } }');
  const server = await serve([says('hello')]);
  const { model, env } = doors['openai-chat'](server.url);
  await aca(space, ['-p', 'say hello', '--model', model], { env });
  const { stdout } = await aca(space, ['completion', shell]);
  const script = path.join(space.home, `aca.${shell}`);
  await writeFile(script, stdout);
  const [journal = ''] = await readdir(path.join(root, 'sessions'));
  return { space, PATH: await acaOnPath(space), script, session: journal.slice(0, 8) };
}

describe('[N04] the hidden command that scripts ask', () => {
  test('sessions by id and title, settings, aliases and models; nothing for a word it does not know', async () => {
    const { space, session } = await machine('bash');
    const list = async (...words: string[]) =>
      (await aca(space, ['__complete', ...words])).stdout.split('\n');
    expect(await list('sessions')).toEqual([
      expect.stringMatching(new RegExp(`^${session}\tsay hello \\(\\d{4}-\\d\\d-\\d\\d\\)$`)),
      '',
    ]);
    expect(await list('settings')).toContain(
      'sandbox.required\tBlock commands when no sandbox is available, instead of asking',
    );
    expect(await list('models')).toEqual(
      expect.arrayContaining(['tiny:7b\tollama/qwen3:8b', 'anthropic/claude-sonnet-4-20250514']),
    );
    expect(await list('providers')).toContain('ollama\tOllama');
    expect(await list('nonsense')).toEqual(['']);
    expect(await list()).toEqual(['']);
  });

  test('broken settings leave a Tab without an answer and without a complaint', async () => {
    const space = await workspace();
    const root = path.join(space.home, '.ai-assistant');
    await mkdir(root);
    await writeFile(path.join(root, 'config.json'), '{ "model": ');
    expect(await aca(space, ['__complete', 'sessions'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('[N04] an unknown shell is refused with the ones there are', async () => {
  const { code, stderr } = await aca(await workspace(), ['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish, powershell.');
});

/** Ctrl+U: the line is empty again. */
const GIVEN_UP = '\x15';

/** What is typed, with the Tab, and what the line is then: each kind of word the tables know. */
function lines(session: string): [typed: string, line: string][] {
  return [
    ['aca doct\t', 'aca doctor'],
    ['aca --scr\t', 'aca --screen-reader'],
    ['aca --mode acc\t', 'aca --mode accept-edits'],
    ['aca --output-format=str\t', 'aca --output-format=stream-json'],
    ['aca config set sandbox.req\t', 'aca config set sandbox.required'],
    ['aca sessions export --format mark\t', 'aca sessions export --format markdown'],
    ['aca -m tiny:\t', 'aca -m tiny:7b'],
    [`aca --resume ${session.slice(0, 5)}\t`, `aca --resume ${session}`],
    ['aca sessions import not\t', 'aca sessions import notes.txt'],
  ];
}

test('[N04] bash completes what is typed, from commands to the ids of sessions', async ({ skip }) => {
  skip(!isInstalled('bash'), 'bash is not installed');
  const { space, PATH, script, session } = await machine('bash');
  const shell = openProgram(['bash', '--norc', '--noprofile', '-i'], space, { PATH, PS1: 'ready> ' });
  shell.type(`bind 'set enable-bracketed-paste off'; source '${script}'\r`);
  for (const [typed, line] of lines(session)) {
    shell.type(typed);
    await shell.waitFor(line);
    shell.type(GIVEN_UP);
  }
});

test('[N04] zsh completes the same', async ({ skip }) => {
  skip(!isInstalled('zsh'), 'zsh is not installed');
  const { space, PATH, script, session } = await machine('zsh');
  const shell = openProgram(['zsh', '-f', '-i'], space, { PATH, PS1: 'ready> ' });
  shell.type(`autoload -Uz compinit && compinit -u -D; source '${script}'\r`);
  for (const [typed, line] of lines(session)) {
    shell.type(typed);
    await shell.waitFor(line);
    shell.type(GIVEN_UP);
  }
});

test('[N04] fish completes the same, with words about each', async ({ skip }) => {
  skip(!isInstalled('fish'), 'fish is not installed');
  const { space, PATH, script, session } = await machine('fish');
  const complete = async (line: string) => {
    const { stdout } = await run('fish', ['-N', '-c', `source '${script}'; complete -C '${line}'`], {
      cwd: space.root,
      env: cleanEnv(space, { PATH }),
    });
    return stdout.trimEnd().split('\n');
  };
  expect(await complete('aca doct')).toEqual(['doctor\tCheck your setup and suggest fixes']);
  expect(await complete('aca --mode acc')).toEqual(['accept-edits']);
  expect(await complete('aca --output-format=str')).toEqual(['--output-format=stream-json']);
  expect(await complete('aca config set sandbox.req')).toEqual([
    'sandbox.required\tBlock commands when no sandbox is available, instead of asking',
  ]);
  expect(await complete('aca -m tiny:')).toEqual(['tiny:7b\tollama/qwen3:8b']);
  expect(await complete(`aca --resume ${session.slice(0, 5)}`)).toEqual([
    expect.stringContaining(`${session}\tsay hello`),
  ]);
  expect(await complete('aca sessions import not')).toEqual(['notes.txt']);
  expect(await complete('aca undo --y')).toEqual([
    '--yes\tapply without asking; without it, non-interactive runs only print a preview',
  ]);
});

test('[N04] PowerShell completes the same', async ({ skip }) => {
  skip(!isInstalled('pwsh'), 'PowerShell is not installed');
  const { space, PATH, script } = await machine('powershell');
  const complete = async (line: string) => {
    const ask = `. '${script}'; (TabExpansion2 -inputScript '${line}' -cursorColumn ${line.length}).CompletionMatches.CompletionText`;
    // A script is dot-sourced by its ending.
    await writeFile(`${script}.ps1`, `. ([scriptblock]::Create((Get-Content -Raw '${script}')))`);
    const { stdout } = await run('pwsh', ['-NoProfile', '-Command', ask.replace(script, `${script}.ps1`)], {
      cwd: space.root,
      env: cleanEnv(space, { PATH }),
    });
    return stdout.trimEnd().split(/\r?\n/);
  };
  expect(await complete('aca doct')).toEqual(['doctor']);
  expect(await complete('aca --mode acc')).toEqual(['accept-edits']);
  expect(await complete('aca -m tiny:')).toEqual(['tiny:7b']);
});

describe('--install does everything on a fresh account, and nothing twice', () => {
  const shells: [shell: string, question: string[], startup: string | null][] = [
    ['bash', ['--norc', '-ic', '. ~/.bashrc; complete -p aca'], '.bashrc'],
    ['zsh', ['-ic', 'print $_comps[aca]'], '.zshrc'],
    ['fish', ['-c', 'complete -C "aca sess"'], null],
  ];
  test.each(shells)('%s', async (shell, question, startup) => {
    if (!(await isInstalled(shell))) return;
    const space = await workspace();
    const PATH = await acaOnPath(space);
    if (startup !== null) await writeFile(path.join(space.home, startup), '# mine');
    for (let i = 0; i < 2; i++)
      expect(await aca(space, ['completion', shell, '--install'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await run(shell, question, { env: cleanEnv(space, { PATH }) });
    expect(stdout).toMatch(/_aca|sessions/);
    if (startup === null) return;
    const lines = (await readFile(path.join(space.home, startup), 'utf8')).split('\n');
    expect(lines).toEqual(['# mine', expect.stringContaining('# aca completion'), '']);
  });
});
