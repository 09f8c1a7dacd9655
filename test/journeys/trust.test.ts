import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const FILE = '.ai-assistant.json';
const LOOSE = '{ "permissions": { "allow": ["Bash(touch made)"] } }\n';

const touch: Step[] = [calls(['Bash', { command: 'touch made' }]), says('ok')];

async function task(space: Workspace, args: string[] = [], options: AcaOptions = {}) {
  const server = await serve(touch);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(space, ['-p', 'go', '--model', model, '--output-format', 'json', ...args], {
    ...options,
    env: { ...env, ...options.env },
  });
  const report = JSON.parse(outcome.stdout) as Report;
  return { ...outcome, ran: report.commands.length };
}

async function talk(space: Workspace) {
  const server = await serve([says('Hello.')]);
  const { model, env } = doors.anthropic(server.url);
  return openTerminal(space, ['--plain', '--model', model], env);
}

describe('[Y28] a folder is untrusted until the user says otherwise', () => {
  test(
    'headless it only tightens and says so; --trust and AI_ASSISTANT_TRUST=1 are a word for one run',
    soak,
    async () => {
      const space = await workspace({ [FILE]: LOOSE });
      const plain = await task(space);
      expect([plain.code, plain.ran]).toEqual([3, 0]);
      expect(plain.stderr).toContain('ignored until this folder is trusted: permissions.allow');
      expect((await task(space, ['--trust'])).ran).toBe(1);
      expect((await task(space, [], { env: { AI_ASSISTANT_TRUST: '1' } })).ran).toBe(1);
      expect((await task(space)).ran).toBe(0);
    },
  );

  test('`aca trust` holds until the file changes; then it is as before, and named', soak, async () => {
    const space = await workspace({ [FILE]: LOOSE });
    expect((await aca(space, ['trust', '--show'])).stdout).toMatch(/^Not trusted: /);
    const { stdout, code } = await aca(space, ['trust']);
    expect(code).toBe(0);
    expect(stdout).toContain('+{ "permissions": { "allow": ["Bash(touch made)"] } }');
    expect(stdout).toContain(`${space.root} is now trusted.`);
    expect((await task(space)).ran).toBe(1);
    expect((await aca(space, ['trust', '--list'])).stdout).toContain(`${space.root}  ${FILE}`);

    await writeFile(path.join(space.root, FILE), LOOSE.replace('touch made', 'touch *'));
    const changed = await task(space);
    expect(changed.ran).toBe(0);
    expect(changed.stderr).toContain(`${FILE}: changed since you trusted this folder`);
    const shown = (await aca(space, ['trust', '--show'])).stdout;
    expect(shown).toMatch(/^No longer trusted/);
    expect(shown).toContain('-{ "permissions": { "allow": ["Bash(touch made)"] } }');
    expect(shown).toContain('+{ "permissions": { "allow": ["Bash(touch *)"] } }');

    await aca(space, ['trust']);
    expect((await task(space)).ran).toBe(1);
    expect((await aca(space, ['trust', '--revoke'])).stdout).toContain('is no longer trusted.');
    expect((await task(space)).ran).toBe(0);
    expect((await aca(space, ['trust', '--list'])).stdout).toBe('No trusted folders.\n');
  });

  test(
    'a terminal asks with the settings in sight, only "y" is a yes, and the yes is kept',
    soak,
    async () => {
      const space = await workspace({ [FILE]: '{ "mode": "accept-edits" }\n' });
      const first = await talk(space);
      await first.waitFor('Trust this folder? [y/n] ');
      await first.waitFor('+{ "mode": "accept-edits" }');
      await first.waitFor('Ignored unless you trust the folder: mode');
      first.type('yes\r');
      await first.waitFor('default mode');

      const second = await talk(space);
      await second.waitFor('Trust this folder? [y/n] ');
      second.type('y\r');
      await second.waitFor('accept-edits mode');

      const third = await talk(space);
      await third.waitFor('accept-edits mode');
      expect(third.screen()).not.toContain('Trust this folder?');

      await writeFile(path.join(space.root, FILE), '{ "mode": "auto" }\n');
      const fourth = await talk(space);
      await fourth.waitFor('Trust this folder? [y/n] ');
      await fourth.waitFor('The settings of this folder changed since you trusted it:');
      await fourth.waitFor('-{ "mode": "accept-edits" }');
      await fourth.waitFor('+{ "mode": "auto" }');
      fourth.type('n\r');
      await fourth.waitFor('default mode');
    },
  );

  sweep([{}, { [FILE]: '{ "mode": "plan", "theme": "dark" }' }])(
    'nobody is asked where trust would change nothing: %j',
    async (files) => {
      const space = await workspace(files);
      const terminal = await talk(space);
      await terminal.waitFor('/help for commands');
      expect(terminal.screen()).not.toContain('Trust');
    },
  );

  describe.skipIf(noBubblewrap)('without settings of its own', () => {
    const steps = [
      calls(['Bash', { command: 'touch one' }]),
      calls(['Bash', { command: 'touch two' }]),
      calls(['Write', { file_path: 'three', content: 'x' }]),
      says('Done.'),
    ];

    async function start(space: Workspace, ...args: string[]) {
      const server = await serve(steps);
      const { model, env } = doors.anthropic(server.url);
      return openTerminal(space, ['--plain', '--model', model, ...args], env);
    }

    test('it is offered with the first question, holds at once and in the next session', async () => {
      const space = await workspace();
      const first = await start(space);
      await first.waitFor('/trust lets edits and sandboxed commands run without asking');
      first.type('go\r');
      await first.waitFor('trust this folder: edits and sandboxed commands run without asking');
      await first.waitFor('Allow: Bash touch one? [y/n] ');
      first.type('trust\r');
      await first.waitFor('Done.');
      expect(await space.tree()).toEqual({ one: '', two: '', three: 'x' });
      expect(first.screen().split('Allow: ').length).toBe(2);
      expect((await aca(space, ['trust', '--list'])).stdout).toContain(space.root);

      const second = await start(space, 'go');
      await second.waitFor('Done.');
      expect(second.screen()).not.toContain('Allow: ');
      expect(second.screen()).not.toContain('/trust');
    });

    test('/trust does the same, and /trust ask keeps asking', soak, async () => {
      const space = await workspace();
      const first = await start(space);
      await first.waitFor('/trust ask keeps asking');
      first.type('/trust\r');
      await first.waitFor('You trust this folder: ');
      first.type('go\r');
      await first.waitFor('Done.');
      expect(first.screen()).not.toContain('Allow: ');

      const other = await workspace();
      const second = await start(other);
      await second.waitFor('/trust ask keeps asking');
      second.type('/trust ask\r');
      await second.waitFor('You are asked before every change');
      second.type('/quit\r');
      await second.exitCode;
      const third = await start(other, 'go');
      await third.waitFor('Allow: Bash touch one? [y/n] ');
      expect(third.screen()).not.toContain('trust this folder');
    });
  });

  test.skipIf(noBubblewrap)('frees commands only where their changes can be undone', async () => {
    const files = { 'a.bin': 'x'.repeat(2_000_000) };
    const small = await workspace(files);
    expect((await task(small, ['--trust'])).ran).toBe(1);
    const large = await workspace(files);
    await mkdir(path.join(large.home, '.ai-assistant'));
    await writeFile(path.join(large.home, '.ai-assistant/config.json'), '{ "undoLimitMb": 1 }');
    const refused = await task(large, ['--trust']);
    expect([refused.code, refused.ran]).toEqual([3, 0]);
  });

  test('settings cannot disguise themselves in the question', async () => {
    const space = await workspace({ [FILE]: '{ "mode": "auto" } // \x1b[2K\x1b[1Anothing\n' });
    const terminal = await talk(space);
    await terminal.waitFor('Trust this folder? [y/n] ');
    await terminal.waitFor('+{ "mode": "auto" } // \uFFFD[2K\uFFFD[1Anothing');
  });

  test('the word is kept beside the settings, out of the reach of the project', async () => {
    const space = await workspace({ [FILE]: LOOSE });
    await aca(space, ['trust']);
    const kept = await readFile(path.join(space.home, '.ai-assistant/trust.json'), 'utf8');
    expect(Object.keys((JSON.parse(kept) as { folders: object }).folders)).toEqual([space.root]);
    expect(await space.tree()).toEqual({ [FILE]: LOOSE });
  });
});
