// @module-tag soak
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { entriesBelow } from '../../src/lib/files/files-below.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { sampled } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Runs the program where everything that is made is open to everybody unless it is closed on purpose. */
function openHanded(space: Workspace, args: string[], env: Record<string, string> = {}, stdin = '') {
  return new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
    const line = program(args);
    const child = spawn('sh', ['-c', 'umask 000; exec "$@"', 'sh', line.file, ...line.args], {
      cwd: space.root,
      // Without a shared cache of compiled code: where that is kept counts, too.
      env: { ...cleanEnv(space, env), NODE_COMPILE_CACHE: '' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text: Buffer) => {
      stderr += String(text);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

const rootOf = (space: Workspace) => path.join(space.home, '.ai-assistant');

/** Everything of the data root that others may enter, read or write. Links, such as locks, have no rights of their own. */
function openThings(folder: string): string[] {
  const entries = entriesBelow(folder).filter((entry) => !entry.isSymbolicLink());
  const paths = [folder, ...entries.map((entry) => path.join(entry.parentPath, entry.name))];
  return paths.filter((file) => (statSync(file).mode & 0o077) !== 0);
}

describe.skipIf(process.platform === 'win32')(
  'the data root is closed to others from the first moment',
  () => {
    const commands: [what: string, args: string[], stdin?: string][] = [
      ['a setting', ['config', 'set', 'maxTurns', '3'], ''],
      ['a key', ['keys', 'set', 'anthropic'], 'sk-ant-test\n'],
      ['trust', ['trust'], ''],
      ['an MCP server', ['mcp', 'add', 'files', 'true'], ''],
      ['notes', ['memory', 'list']],
      ['a search in sessions', ['sessions', 'list']],
      ['usage', ['sessions', 'usage']],
      ['cleaning up', ['sessions', 'clean']],
      ['statistics', ['stats']],
      ['the audit log', ['audit']],
      ['models', ['models', 'list']],
      ['looking at the machine', ['doctor']],
      ['completion', ['__complete', 'sessions']],
      ['the demo', ['--demo']],
      ['a server', ['mcp', 'serve']],
      ['an update check', ['update', '--check']],
      ['wrong usage', ['--nonsense']],
    ];
    test.each(sampled(commands, 9))('%s', async (_, args, stdin) => {
      const space = await workspace({});
      const { code } = await openHanded(space, args, {}, stdin);
      if (stdin !== undefined) expect([code, existsSync(rootOf(space))]).toEqual([0, true]);
      if (existsSync(rootOf(space))) expect(openThings(rootOf(space))).toEqual([]);
    });

    test('a headless run with everything it keeps', async () => {
      const space = await workspace({});
      const server = await serve([says('done')]);
      const { model, env } = doors.anthropic(server.url);
      const { code } = await openHanded(space, ['-p', 'go', '--model', model], env);
      expect(code).toBe(0);
      expect(openThings(rootOf(space))).toEqual([]);
    });

    test('a conversation on the terminal', async () => {
      const space = await workspace({});
      const server = await serve([says('done')]);
      const { model, env } = doors.anthropic(server.url);
      const terminal = openTerminal(space, ['--plain', '--model', model], env);
      await terminal.waitFor('> ');
      terminal.type('hello\r');
      await terminal.waitFor('done');
      expect(openThings(rootOf(space))).toEqual([]);
    });

    test('a root that was open is closed before anything is done', async () => {
      const space = await workspace({});
      mkdirSync(rootOf(space));
      chmodSync(rootOf(space), 0o777);
      await openHanded(space, ['config', 'list']);
      expect(statSync(rootOf(space)).mode & 0o777).toBe(0o700);
    });

    test('a root that is a file is an error with the way on', async () => {
      const space = await workspace({});
      writeFileSync(rootOf(space), '');
      for (const args of [['-p', 'go'], ['config', 'list'], ['__complete', 'sessions'], ['doctor'], []]) {
        const { code, stderr } = await openHanded(space, args);
        expect([code, stderr]).toEqual([
          2,
          `${rootOf(space)} is not a folder.\nMove it away, or set AI_ASSISTANT_HOME to a folder of your own.\n`,
        ]);
      }
      expect((await openHanded(space, ['--help'])).code).toBe(0);
    });
  },
);
