import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Lab, still } from '../support/lab.ts';
import { but, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Of a window of 200,000 tokens. */
const uses = (inputTokens: number) =>
  but(says('Done.'), { usage: { inputTokens, outputTokens: 1_000, cacheReadTokens: 0 } });

async function withSettings(settings: Record<string, unknown>): Promise<Workspace> {
  const space = await workspace();
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(settings));
  return space;
}

/** The row above the prompt as its halves. */
function halves(lab: Lab): string[] {
  const rows = lab.rows();
  const at = rows.findLastIndex((row) => row.includes('sonnet-4'));
  return (rows[at] ?? '').split(/ {2,}/);
}

describe('the status line', () => {
  sweep([80, 120])('has the mode left and model, context and cost right, at %i columns', async (columns) => {
    const space = await withSettings({ mode: 'accept-edits' });
    const { lab } = await openScreen(space, [uses(67_000)], { columns });
    lab.type('go\r');
    await lab.waitFor((it) => halves(it).at(-1) === 'sonnet-4 · 34% context · $0.22');
    expect(halves(lab)).toEqual(['accept edits on (shift+tab)', 'sonnet-4 · 34% context · $0.22']);
    const row = lab.rows().find((shown) => shown.includes('34% context'));
    expect(row).toHaveLength(columns);
    expect(lab.rows().join('\n')).not.toMatch(/cached|bubblewrap|no sandbox/);
  });

  test('what is abnormal is shown, and stays on a narrow screen', soak, async () => {
    const space = await withSettings({ sandbox: { kind: 'off' } });
    const { lab } = await openScreen(space, [uses(169_000)], { columns: 100 });
    await lab.waitFor((it) => halves(it)[0] === 'asks before changes (shift+tab) · no sandbox');
    lab.type('go\r');
    await lab.waitFor('85% context');
    lab.resize(30, 20);
    await lab.waitFor((it) => it.rows().some((row) => /^no sandbox +85% context$/.test(row)));
    await still(lab);
    expect(Math.max(...lab.rows().map((row) => row.length))).toBeLessThanOrEqual(30);
  });

  test('names the key that switches the mode, and shows the parts that were chosen', soak, async () => {
    const keys = { 'cycle-mode': 'f6' };
    const space = await withSettings({ keys, statusBar: ['model', 'mode', 'cost'] });
    const { lab } = await openScreen(space, [uses(10)]);
    expect(halves(lab)).toEqual(['asks before changes (f6)', 'sonnet-4']);
    lab.type('\u001b[17~');
    await lab.waitFor((it) => halves(it)[0] === 'accept edits on (f6)');
    lab.type('go\r');
    await lab.waitFor((it) => halves(it)[1] === 'sonnet-4 · $0.02');
  });
});

describe('the title of the terminal', () => {
  const titlesOf = (lab: Lab) =>
    lab
      .written()
      .split('\u001b]2;')
      .slice(1)
      .map((text) => text.split('\u0007')[0]);

  test('is the folder, then the topic, then the name given by /rename, and is restored at the end', async () => {
    const space = await workspace();
    const { lab } = await openScreen(space, [says('Done.'), says('Again.')]);
    lab.type('fix the login\\\rnow\r');
    await lab.waitFor('Done.');
    lab.type('and this\r');
    await lab.waitFor('Again.');
    lab.type('/rename Login bug\r');
    await lab.waitFor(({ written }) => written().includes(']2;Login bug'));
    lab.type('/quit\r');
    expect(await lab.exit).toBe(0);
    expect(titlesOf(lab)).toEqual([
      `aca · ${path.basename(space.root)}`,
      'fix the login · aca',
      'Login bug · aca',
    ]);
    const restored = lab.written().lastIndexOf('\u001b[23;0t');
    expect(restored).toBeGreaterThan(lab.written().lastIndexOf('\u001b]2;'));
  });
});
