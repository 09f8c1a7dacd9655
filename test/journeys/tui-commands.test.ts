import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, decline, fullClears, type Lab, openLab } from '../support/lab.ts';
import { says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

function expectFits(lab: Lab, columns: number): void {
  expect(lab.all().filter((row) => row.length > columns)).toEqual([]);
  expect(fullClears(lab.written())).toEqual([]);
}

describe('lists on the screen', () => {
  sweep([80, 40, 120])('/help and /context fit %i columns', async (columns) => {
    const space = await workspace({
      '.ai-assistant/commands/ship.md': 'Ship it.\n',
      'AGENTS.md': 'Be brief.\n',
    });
    const { lab } = await openScreen(space, [says('Hello.')], {
      columns,
      args: ['--trust'],
      env: { NO_COLOR: '1' },
    });
    lab.type('/help\r');
    await lab.waitFor((it) => it.all().some((row) => row.startsWith('? for keys')));
    const headings = lab.all().filter((row) => /^[A-Z][a-z]+( [a-z]+)?$/.test(row));
    expect(headings).toEqual([
      'Conversation',
      'Changes',
      'Model',
      'Project',
      'Safety',
      'Setup',
      'Custom commands',
    ]);
    expect(lab.all().some((row) => row.startsWith('  /ship'))).toBe(true);
    lab.type('hello\r');
    await lab.waitFor('Hello.');
    lab.type('/context\r');
    await lab.waitFor('Auto-compacts at');
    for (const part of ['█ system prompt', '▓ instructions', '▒ tools', '▄ messages', '· free'])
      expect(lab.all().some((row) => row.startsWith(part))).toBe(true);
    expectFits(lab, columns);
  });

  test('/model lists what can be used by vendor, and one row for each vendor without a key', async () => {
    const { lab } = await openScreen(await workspace(), []);
    lab.type('/model\r');
    await lab.waitFor('Select a model');
    const current = /^❯\* claude-sonnet\S+ +200k context · \$3\/\$15 per 1M · effort default$/;
    await lab.waitFor((it) => it.rows().some((row) => current.test(row)));
    lab.type('sonnet');
    await lab.waitFor((it) => it.rows().includes('Anthropic') && !it.rows().join('\n').includes('haiku'));
    lab.type('\u0015gpt');
    await lab.waitFor('❯  OpenAI (no key: aca keys set openai)');
    expect(lab.rows().join('\n')).not.toContain('claude-opus');
    lab.type('\r');
    await lab.waitFor('There is no key for OpenAI. Run aca keys set openai or set OPENAI_API_KEY.');
    expectFits(lab, 80);
  });
});

const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith('aca-demo-'));

describe('--demo in a terminal', () => {
  test(
    'plays on the screen, then says what to do next, takes commands, and leaves no files',
    soak,
    async () => {
      const before = scratch();
      const lab = openLab(await workspace(), ['--demo'], { whenDone: onTestFinished });
      await answer(lab, "+   return 'Hello ' + name + '!';", 'y\r');
      await lab.waitFor('That was the demo.');
      await lab.waitFor('aca keys set anthropic');
      expect(lab.all()).toContain('  ok: greet greets by name');
      lab.type('what can you do?\r');
      await lab.waitFor('I am only a script');
      lab.type('/undo\r');
      await answer(lab, 'Undo this?', 'y\r');
      await lab.waitFor('restored greet.js');
      expectFits(lab, 80);
      lab.type('\u0004');
      expect(await lab.exit).toBe(0);
      expect(lab.all().join('\n')).not.toContain('--resume');
      expect(scratch().filter((name) => !before.includes(name))).toEqual([]);
    },
  );

  test('a declined edit changes nothing', soak, async () => {
    const lab = openLab(await workspace(), ['--demo'], { whenDone: onTestFinished });
    await decline(lab, "+   return 'Hello ' + name + '!';");
    await lab.waitFor('You declined, so greet.js is unchanged.');
    await lab.waitFor('That was the demo.');
    lab.type('\u0004');
    expect(await lab.exit).toBe(0);
  });
});
