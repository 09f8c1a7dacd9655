import { describe, expect, test } from 'vitest';
import { keys } from '../../../../test/support/keys.ts';
import { showTo } from '../../../../test/support/mounted-dialog.ts';
import type { Key } from '../view/types.ts';
import { type Findings, welcome } from './welcome.ts';

const nothing: Findings = { keys: [], servers: [], files: [], missingModelText: 'Checked: keys' };

const some: Findings = {
  ...nothing,
  keys: [{ label: 'Anthropic', source: 'ANTHROPIC_API_KEY', model: 'anthropic/a' }],
  servers: [{ label: 'Ollama', baseUrl: 'http://127.0.0.1:11434', models: ['ollama/b', 'ollama/c'] }],
};

async function meet(findings: Findings, pressed: readonly Key[], rows = 20) {
  const { show, screens } = showTo([pressed], { columns: rows < 14 ? 40 : 80, rows });
  return { way: await welcome(findings, show), screen: screens[0] };
}

describe('[first run] one choice leads to a first answer', () => {
  test('what was found comes first, so that Enter is enough', async () => {
    const { way, screen } = await meet(some, [keys.return]);
    expect(way).toEqual({ type: 'model', name: 'anthropic/a' });
    expect(screen?.slice(0, 4)).toEqual([
      'Welcome! Select a model to get started.',
      '❯  anthropic/a                     Anthropic, key in ANTHROPIC_API_KEY',
      '   ollama/b                        Ollama on this machine (http://127.0.0.1:114…',
      '   ollama/c                        Ollama on this machine (http://127.0.0.1:114…',
    ]);
  });

  test('if nothing was found, the options are shown, and what was searched', async () => {
    const { way, screen } = await meet(nothing, [keys.return]);
    expect(way).toEqual({ type: 'setup' });
    expect(screen?.[0]).toBe('Welcome! Connect a model to get started.');
    expect(screen).toContain('Checked: keys');
  });

  test('a model file on the disk is listed', async () => {
    const files = [{ model: '/models/small.gguf', detail: '400 MB, on this disk' }];
    expect((await meet({ ...nothing, files }, [keys.return])).way).toEqual({
      type: 'model',
      name: '/models/small.gguf',
    });
  });

  test('closing it quits', async () => {
    expect((await meet(some, [keys.escape])).way).toEqual({ type: 'quit' });
    expect((await meet(some, [keys.up, keys.return])).way).toEqual({ type: 'quit' });
  });

  test('it fits 40x12', async () => {
    const { screen } = await meet(some, [keys.escape], 12);
    expect(screen?.length).toBeLessThanOrEqual(12);
    expect(screen?.at(-1)).toBe('enter select   esc quit');
  });
});
