import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const CTRL_D = '\u0004';

/** A session of this many exchanges, the last of which runs a command. */
async function talked(space: Workspace, exchanges: number): Promise<void> {
  const steps = Array.from({ length: exchanges - 1 }, (_, i) => says(`Answer ${i + 1}.`));
  const last = [calls(['Bash', { command: 'echo out of the command' }]), says('The last **answer**.')];
  const { lab } = await openScreen(space, [...steps, ...last], { args: ['--mode', 'auto'] });
  for (let i = 1; i <= exchanges; i++) {
    lab.type(`prompt ${i}\r`);
    await lab.waitFor(i < exchanges ? `Answer ${i}.` : 'The last answer.');
  }
  lab.type(CTRL_D);
  await lab.exit;
}

describe('a resumed conversation', () => {
  sweep([['--continue'], ['--resume']])('%s repaints it as it was', async (flag) => {
    const space = await workspace();
    await talked(space, 2);
    const args = flag === '--resume' ? ['--resume', await newestSession(space)] : [flag];
    const { lab, server } = await openScreen(space, [says('More.')], { args });
    await lab.waitFor('The last answer.');
    const shown = lab.all();
    const at = (text: string) => shown.findIndex((row) => row.includes(text));
    const order = [
      'Session ',
      '> prompt 1',
      'Answer 1.',
      '> prompt 2',
      'echo out of',
      'The last answer.',
    ].map(at);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(shown.join('\n')).not.toContain('earlier message');
    lab.type('go on\r');
    await lab.waitFor('More.');
    expect(server.requests[0]?.messages.at(-1)?.text).toContain('go on');
  });

  test('of a long one only the last screens are painted, and the rest is counted', soak, async () => {
    const space = await workspace();
    await talked(space, 14);
    const { lab } = await openScreen(space, [], { args: ['--continue'], rows: 12 });
    await lab.waitFor('The last answer.');
    const shown = lab.all().join('\n');
    expect(shown).toMatch(/… \d+ earlier messages \(ctrl\+o\)/);
    expect(shown).toContain('> prompt 14');
    expect(shown).not.toContain('> prompt 1\n');
  });
});

async function newestSession({ home }: Workspace): Promise<string> {
  const names = await readdir(path.join(home, '.ai-assistant/sessions'));
  return names.find((name) => name.endsWith('.jsonl'))?.slice(0, 8) ?? '';
}
