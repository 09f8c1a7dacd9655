import { describe, expect, test } from 'vitest';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { type Answer, calls, type Step, says } from '../support/model-server/script.ts';
import { openScreen, type ScreenOptions } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { configure } from '../support/subagents.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const ALT_Q = '\u001bq';
const CTRL_Q = '\u0011';
const UP = '\u001b[A';
const ESC = '\u001b';

/** A reply that arrives when the test says so. */
function held(reply: Answer): { step: Step; release(): void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { step: () => released.then(() => reply), release: () => release() };
}

const read = calls(['Read', { file_path: 'a.txt' }]);
const lastWords = ({ messages }: SeenRequest) => messages.at(-1)?.text;

/** A run whose first reply, a call, waits until it is released. */
async function runHeld(script: Step[], { space, ...options }: ScreenOptions & { space?: Workspace } = {}) {
  const { step, release } = held(read);
  const here = space ?? (await workspace({ 'a.txt': 'alpha\n' }));
  const { lab, server } = await openScreen(here, [step, ...script], options);
  lab.type('look\r');
  await lab.waitFor((it) => it.rows().some((row) => /esc to/i.test(row)));
  return { lab, server, release };
}

describe('a prompt sent while a run is going', () => {
  test('goes to the model with the next tool results, and appears as a prompt when it is taken', async () => {
    const { lab, server, release } = await runHeld([says('With tabs, then.')]);
    lab.type('use tabs\r');
    await lab.waitFor('Will be sent with the next step; ↑ to edit');
    expect(lab.all()).toContain('↳ use tabs');
    release();
    await lab.waitFor('With tabs, then.');
    const [, second] = server.requests;
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(second?.messages.at(-1)?.text).toBe('use tabs');
    expect(server.requests.length).toBe(2);
    const shown = lab.all();
    const at = (text: string) => shown.findIndex((row) => row.includes(text));
    expect(at('Read')).toBeLessThan(at('> use tabs'));
    expect(at('> use tabs')).toBeLessThan(at('With tabs, then.'));
    expect(shown.filter((row) => row.includes('use tabs')).length).toBe(1);
  });

  test('a session resumed after that continues with the same messages', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { lab, release } = await runHeld([says('With tabs, then.')], { space });
    lab.type('use tabs\r');
    await lab.waitFor('Will be sent with the next step');
    release();
    await lab.waitFor('With tabs, then.');
    lab.type('\u0004');
    await lab.exit;
    const later = await openScreen(space, [says('Still with tabs.')], { args: ['--continue'] });
    later.lab.type('go on\r');
    await later.lab.waitFor('Still with tabs.');
    const sent = later.server.requests[0]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'user']);
    expect(later.server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });

  test('becomes the next prompt when the run makes no more calls', soak, async () => {
    const { step, release } = held(says('Nothing to look at.'));
    const { lab, server } = await openScreen(await workspace(), [step, says('Tabs it is.')]);
    lab.type('look\r');
    await lab.waitFor((it) => it.rows().some((row) => /esc to/i.test(row)));
    lab.type('use tabs\r');
    await lab.waitFor('Will be sent with the next step');
    release();
    await lab.waitFor('Tabs it is.');
    expect(server.requests.map(lastWords)).toEqual(['look', 'use tabs']);
  });

  sweep([
    ['Alt+Q', ALT_Q],
    ['Ctrl+Q', CTRL_Q],
  ])('%s keeps it until the run has ended', async (_name, key) => {
    const { lab, server, release } = await runHeld([says('Seen.'), says('Tabs it is.')]);
    lab.type(`use tabs${key}`);
    await lab.waitFor('Queued; ↑ to edit');
    release();
    await lab.waitFor('Tabs it is.');
    expect(server.requests.map(lastWords)).toEqual(['look', '', 'use tabs']);
  });

  test('with `queue: after` Enter keeps it until the run has ended', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    await configure(space, { queue: 'after' });
    const { lab, server, release } = await runHeld([says('Seen.'), says('Tabs it is.')], { space });
    lab.type('use tabs\r');
    await lab.waitFor('Queued; ↑ to edit');
    release();
    await lab.waitFor('Tabs it is.');
    expect(server.requests.map(lastWords)).toEqual(['look', '', 'use tabs']);
  });

  test('commands wait for the end of the run, and so does what was typed after them', soak, async () => {
    const { lab, server, release } = await runHeld([says('Seen.'), says('Tabs it is.')]);
    lab.type('/mode plan\r');
    await lab.waitFor('⧗ /mode plan');
    lab.type('use tabs\r');
    await lab.waitFor('⧗ use tabs');
    release();
    await lab.waitFor('Tabs it is.');
    expect(server.requests.map(lastWords)?.[1]).toBe('');
    expect(lastWords(server.requests[2] as SeenRequest)).toContain('use tabs');
  });

  test('Up takes it back while it waits, and it is not sent', soak, async () => {
    const { lab, server, release } = await runHeld([says('Seen.')]);
    lab.type('use tabs\r');
    await lab.waitFor('Will be sent with the next step');
    lab.type(UP);
    await lab.waitFor((it) => !it.rows().some((row) => row.includes('Will be sent')));
    await lab.waitFor((it) => it.rows().some((row) => row.includes('> use tabs')));
    release();
    await lab.waitFor('Seen.');
    expect(server.requests.map(lastWords)).toEqual(['look', '']);
  });

  test('is sent right after an interruption', soak, async () => {
    const { lab, server } = await runHeld([says('Tabs it is.')]);
    lab.type('use tabs\r');
    await lab.waitFor('Will be sent with the next step');
    lab.type(ESC);
    await lab.waitFor('Tabs it is.');
    expect(server.requests.map(lastWords)?.[1]).toContain('use tabs');
  });
});
