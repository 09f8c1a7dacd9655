import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { aca } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

type Mistake = { args?: string[]; env?: Record<string, string>; settings?: object; project?: object };

const mistakes: [what: string, mistake: Mistake, words: string][] = [
  [
    '--deny',
    { args: ['--deny', 'Edti'] },
    'the deny rule Edti names no known tool and denies nothing. Did you mean Edit?',
  ],
  ['--disallowedTools', { args: ['--disallowedTools', 'Bsh(rm *)'] }, 'Did you mean Bash(rm *)?'],
  ['--tools', { args: ['--tools', 'Raed'] }, 'no built-in tool named Raed. Did you mean Read?'],
  ['--mode', { args: ['--mode', 'paln'] }, "'paln' is invalid"],
  ['--permission-mode', { args: ['--permission-mode', 'plann'] }, "'plann' is invalid"],
  [
    '--fallback-model',
    { args: ['--fallback-model', 'nope'] },
    'The fallback model cannot be used: No known provider',
  ],
  ['--budget', { args: ['--budget', '5 dolars'] }, 'invalid'],
  ['a variable', { env: { AI_ASSISTANT_MOED: 'plan' } }, 'Did you mean AI_ASSISTANT_MODE?'],
  ['the value of a variable', { env: { AI_ASSISTANT_MODE: 'paln' } }, 'mode must be one of'],
  ['a rule in the settings', { settings: { permissions: { deny: ['Raed(x)'] } } }, 'Did you mean Read(x)?'],
  ['an ask rule', { settings: { permissions: { ask: ['bash'] } } }, 'Did you mean Bash?'],
  [
    'a list of rules',
    { settings: { permissions: { denny: ['Bash'] } } },
    'permissions.denny. Did you mean deny?',
  ],
  ['a mode', { settings: { mode: 'paln' } }, 'mode must be one of'],
  ['a hook', { settings: { hooks: { PreToolUze: [] } } }, 'Did you mean PreToolUse?'],
  ['a limit', { settings: { limits: { dayly: '$5' } } }, 'unknown setting limits.dayly.'],
  ['the fallback model', { settings: { fallbackModel: 'nope' } }, 'The fallback model cannot be used'],
  ['a rule of the project', { project: { permissions: { deny: ['Edti'] } } }, 'Did you mean Edit?'],
  ['a key of the project', { project: { blockedComands: ['rm'] } }, 'Did you mean blockedCommands?'],
];

sweep(mistakes, 3)('%s that is misspelt is an error before anything is sent', async (_, mistake, words) => {
  const space = await workspace();
  const { url, requests } = await serve([says('No.')]);
  const write = async (file: string, content: object | undefined) => {
    if (content === undefined) return;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  };
  await write(path.join(space.home, '.ai-assistant/config.json'), mistake.settings);
  await write(path.join(space.root, '.ai-assistant.json'), mistake.project);
  const { code, stderr } = await aca(
    space,
    ['-p', 'hi', '--model', 'openai/gpt-5', ...(mistake.args ?? [])],
    {
      env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1`, ...mistake.env },
    },
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  expect(requests).toEqual([]);
});
