import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { knowLook, openHeld } from '../support/early.ts';
import { answer, fullClears, type Lab, openLab, still } from '../support/lab.ts';
import { says } from '../support/model-server/script.ts';
import { binary, programLine } from '../support/program.ts';
import { openScreen, withoutHeader } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep, sweepGroups } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const PLACEHOLDER = 'Ask for anything · / commands · @ files · ! shell · ? keys';
/** The mode a session starts with, as the status shows it. */
const MODE = 'asks before changes (shift+tab)';
const RULE = '─'.repeat(80);
const prompt = (text: string) => ['', MODE, RULE, `> ${text}`];
/** The rows are there, and nothing else is loaded. */
const EARLY = prompt(PLACEHOLDER);
/** Rows above those of the prompt. */
const HEADER = 6;
/** Said when the screen itself has taken the terminal. */
const TAKEN = '\u001b]2;aca';

async function known(
  files: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<Workspace> {
  const space = await workspace(files);
  await knowLook(space, env);
  return space;
}

/** Without the blank the cursor stands on. */
function rowsOf(lab: Lab): string[] {
  return withoutHeader(lab.rows());
}

function shows(rows: readonly string[]): (lab: Lab) => boolean {
  return (lab) => JSON.stringify(rowsOf(lab)) === JSON.stringify(rows);
}

/** As a row of 80 columns. */
function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function isReady(lab: Lab): boolean {
  return lab.rows().join('\n').includes('sonnet-4');
}

describe('[N03] [Y31] a prompt before anything is loaded', () => {
  test('shows what is typed; the screen goes on with it and paints no row twice', soak, async () => {
    const { lab, server, letGo } = await openHeld(await known(), { script: [says('Heard.')] });
    await lab.waitFor(shows(EARLY));
    lab.type('helo');
    await lab.waitFor(shows(prompt('helo')));
    lab.type('\u001b[Dl');
    await lab.waitFor(shows(prompt('hello')));
    const caret = { row: HEADER + 3, column: 6, visible: true };
    expect(lab.cursor()).toEqual(caret);
    expect(lab.written()).not.toContain(TAKEN);
    await letGo();
    await lab.waitFor(isReady);
    await still(lab);
    expect(withoutHeader(lab.all())).toEqual(['', expect.stringContaining(MODE), RULE, '> hello']);
    expect(lab.cursor()).toEqual(caret);
    lab.type('\r');
    await lab.waitFor('Heard.');
    expect(server.requests[0]?.messages.at(-1)?.text).toBe('hello');
    expect(fullClears(lab.written())).toEqual([]);
  });

  test('the first rows name version, folder and a tip; model and branch follow, and nothing moves', async () => {
    const space = await known({ '.git/HEAD': 'ref: refs/heads/topic\n' });
    const { lab, letGo } = await openHeld(space, { script: [says('Heard.')] });
    const version = expect.stringMatching(/^ai-code-assistant \d/);
    const tip = expect.stringMatching(/^Tip: ./);
    const folder = space.root;
    await lab.waitFor(shows(EARLY));
    expect(lab.rows().slice(0, HEADER)).toEqual(['', version, '', cut(folder), '', tip]);
    const before = { cursor: lab.cursor(), tip: lab.rows()[HEADER - 1] };
    await letGo();
    await lab.waitFor('(topic)');
    await lab.waitFor(isReady);
    await still(lab);
    const rows = lab.rows();
    expect(rows.slice(0, HEADER)).toEqual([
      '',
      version,
      'anthropic/claude-sonnet-4-20250514 · asks before changes',
      cut(`${folder} (topic)`),
      '',
      before.tip,
    ]);
    expect(lab.cursor()).toEqual(before.cursor);
    lab.type('hello\r');
    await lab.waitFor('Heard.');
    expect(lab.all().filter((row) => /^(ai-code-assistant|anthropic\/|Tip: )/.test(row))).toHaveLength(3);
  });

  sweep([
    [80, 15],
    [39, 30],
    [45, 8],
  ])('on a small screen, %i by %i, there is only the prompt', async (columns, rows) => {
    const { lab } = await openScreen(await workspace(), [says('Heard.')], { columns, rows });
    lab.type('hi\r');
    await lab.waitFor('Heard.');
    await still(lab);
    expect(lab.all().filter((row) => /─|ai-code-assistant|Tip: /.test(row))).toEqual([]);
    expect(lab.all().filter((row) => row.length > columns)).toEqual([]);
  });

  test('Enter sends once what was typed, when somebody can take it', async () => {
    const { lab, server, letGo } = await openHeld(await known(), {
      script: [says('Heard.'), says('Again.')],
    });
    await lab.waitFor(shows(EARLY));
    lab.type('first words\rand more');
    await lab.waitFor((it) => it.rows().includes('⧗ first words') && rowsOf(it).includes('> and more'));
    await letGo();
    await lab.waitFor('Heard.');
    await lab.waitFor((it) => rowsOf(it).includes('> and more'));
    lab.type('\r');
    await lab.waitFor('Again.');
    expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['first words', 'and more']);
    expect(lab.all().filter((row) => row.includes('first words'))).toHaveLength(1);
  });

  test('keys it does not know wait for the screen', soak, async () => {
    const { lab, letGo } = await openHeld(await known());
    await lab.waitFor(shows(EARLY));
    // To the start of the line, a capital before it; then a letter of two columns.
    lab.type('ello\u0001H\u0005漢');
    await lab.waitFor(shows(prompt('ello')));
    await letGo();
    await lab.waitFor((it) => isReady(it) && rowsOf(it).includes('> Hello漢'));
  });

  sweep([1, 2, 3, 4])('keys typed all along the start are all there, in order (%i)', async (round) => {
    const { lab } = await openScreenEarly(round);
    await lab.waitFor((it) => rowsOf(it).includes(`> ${WORDS}`));
    await lab.waitFor(isReady);
    await still(lab);
    expect(rowsOf(lab).filter((row) => row.startsWith('>'))).toEqual([`> ${WORDS}`]);
    expect(lab.all().filter((row) => row.includes(MODE))).toHaveLength(1);
  });

  test('the screen is the same as without it', soak, async () => {
    const pictures = [];
    for (const space of [await known(), await workspace()]) {
      const { lab } = await openScreen(space, [says('Heard.')]);
      await still(lab);
      lab.type('hello\r');
      await lab.waitFor('Heard.');
      await still(lab);
      // How things stand is found out in its own time.
      const rows = withoutHeader(lab.all()).filter((row) => !row.startsWith(MODE));
      pictures.push({ rows, cursor: lab.cursor(), modes: lab.modes() });
    }
    expect(pictures[0]).toEqual(pictures[1]);
  });

  test('the next start knows how this one looked', soak, async () => {
    const space = await workspace();
    const first = await openScreen(space, []);
    await still(first.lab);
    first.lab.type('\u0004');
    expect(await first.lab.exit).toBe(0);
    const { lab } = await openHeld(space);
    await lab.waitFor(shows(EARLY));
  });

  test('NO_COLOR counts from the beginning', async () => {
    const env = { NO_COLOR: '1' };
    const { lab } = await openHeld(await known({}, env), { env });
    await lab.waitFor(shows(EARLY));
    expect(lab.written()).not.toMatch(/\[[34]8;|\[[39]\dm/);
  });
});

/** The terminal echoes what is typed while no program reads. */
sweepGroups([
  ['the look is known', known],
  ['it is the first start', workspace],
])('keys typed before the program runs, where %s', (_where, prepare) => {
  const start = async (typed: string) => {
    const space = await prepare();
    const line = ['/bin/sh', '-c', 'echo before; sleep 0.3; exec "$@"', 'sh'];
    const server = await serve([says('Heard.')]);
    const { model, env } = doors.anthropic(server.url);
    const program = [...line, ...programLine(['--model', model])];
    const lab = openLab(space, [], { program, env, whenDone: onTestFinished });
    await lab.waitFor('before');
    lab.type(typed);
    return { lab, server };
  };

  sweep([
    ['a letter', 'h', ['> h']],
    ['a word', 'hello', ['> hello']],
    ['an arrow key', 'helo\u001b[Dl', ['> hello']],
    ['letters of two columns', 'ä漢', ['> ä漢']],
    ['more than a row', 'w'.repeat(100), [`> ${'w'.repeat(77)}`, `  ${'w'.repeat(23)}`]],
  ])('%s: shown in the prompt, and nowhere else', async (_what, typed, shown) => {
    const { lab } = await start(typed);
    await lab.waitFor((it) => isReady(it) && rowsOf(it).includes(shown.at(-1) ?? ''));
    await still(lab);
    expect(withoutHeader(lab.all())).toEqual(['before', '', expect.stringContaining(MODE), RULE, ...shown]);
  });

  test('Enter sends a line, which stands there once', soak, async () => {
    const { lab, server } = await start('first words\rand more');
    await lab.waitFor('Heard.');
    await lab.waitFor((it) => rowsOf(it).includes('> and more'));
    expect(server.requests[0]?.messages.at(-1)?.text).toBe('first words');
    for (const words of ['first words', 'and more'])
      expect(lab.all().filter((row) => row.includes(words))).toHaveLength(1);
  });
});

test('keys typed before a start in plain lines stand once, behind the prompt', async () => {
  const server = await serve([says('Heard.')]);
  const { model, env } = doors.anthropic(server.url);
  const program = ['/bin/sh', '-c', 'echo before; sleep 0.3; exec "$@"', 'sh'];
  const args = programLine(['--plain', '--model', model]);
  const lab = openLab(await workspace(), [], {
    program: [...program, ...args],
    env,
    columns: 120,
    whenDone: onTestFinished,
  });
  await lab.waitFor('before');
  lab.type('first words\rand morr\u007fe');
  await lab.waitFor('Heard.');
  await lab.waitFor((it) => rowsOf(it).includes('> and more'));
  expect(lab.all().slice(0, 2)).toEqual(['before', expect.stringMatching(/^ai-code-assistant · /)]);
  for (const words of ['first words', 'and more'])
    expect(lab.all().flatMap((row) => (row.includes(words) ? row.trimEnd() : []))).toEqual([`> ${words}`]);
});

describe('leaving before anything is loaded', () => {
  sweep([
    ['Ctrl-D', '\u0004'],
    ['Ctrl-C twice', '\u0003\u0003'],
    ['Ctrl-C thrice after words', 'words\u0003\u0003\u0003'],
  ])('%s leaves the terminal as it was', async (_name, keys) => {
    const { lab } = await openHeld(await known(), { inShell: true });
    await lab.waitFor((it) => it.rows().some((row) => row.startsWith('> ')));
    lab.type(keys);
    await lab.waitFor('shell> ', { times: 2 });
    expect(lab.written()).not.toContain(TAKEN);
    expect(lab.all().filter((row) => row.startsWith('>'))).toEqual([]);
    expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
    lab.type('stty -a; echo over\r');
    await lab.waitFor('\nover');
    const settings = lab.all().join(' ');
    for (const mode of ['icanon', 'echo', 'isig', 'icrnl', 'opost'])
      expect(settings).toMatch(new RegExp(`(^|[ ;])${mode}\\b`));
  });

  sweep(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s gives the terminal back', async (signal) => {
    const { lab } = await openHeld(await known());
    await lab.waitFor(shows(EARLY));
    process.kill(lab.pid, signal);
    await lab.exit;
    expect(lab.rows()).toEqual([]);
    expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
    expect(lab.cursor().visible).toBe(true);
  });

  test('a terminal that goes away ends it', async () => {
    const { lab } = await openHeld(await known());
    await lab.waitFor(shows(EARLY));
    lab.hangUp();
    await lab.exit;
  });
});

describe('when something else comes', () => {
  test('a question is not answered by what was typed before it', async () => {
    const space = await known({
      '.ai-assistant.json': '{ "permissions": { "allow": ["Bash(touch made)"] } }\n',
    });
    const { lab, letGo } = await openHeld(space);
    await lab.waitFor(shows(EARLY));
    lab.type('yyy');
    await lab.waitFor(shows(prompt('yyy')));
    await letGo();
    await lab.waitFor('A question is waiting');
    await still(lab, 600);
    expect(rowsOf(lab)).toContain('> yyy');
    lab.type('\x1b');
    await answer(lab, 'Trust this folder?', 'n\r');
    await lab.waitFor((it) => isReady(it) && rowsOf(it).includes('> yyy'));
    expect(lab.all().join('\n')).not.toContain('trusted now');
  });

  test('an error stands alone, and the terminal is as it was', async () => {
    const space = await known();
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), '{ "theme": 7 }');
    const { lab, letGo } = await openHeld(space);
    await lab.waitFor(shows(EARLY));
    await letGo();
    expect(await lab.exit).not.toBe(0);
    expect(lab.all().join('\n')).toContain('theme');
    expect(lab.all().filter((row) => row.startsWith('>') || row === MODE)).toEqual([]);
    expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
  });

  test('a wrong flag is told of as ever', async () => {
    const { lab, letGo } = await openHeld(await known(), { args: ['--max-turns', 'many'] });
    // A binary has nothing to load before it reads its arguments.
    if (binary === undefined) await lab.waitFor(shows(EARLY));
    await letGo();
    expect(await lab.exit).toBe(2);
    expect(lab.rows().join('')).toContain('whole number above zero');
    expect(lab.rows().filter((row) => row.startsWith('>') || row === MODE)).toEqual([]);
  });

  test('a terminal that has changed its size finds one prompt', soak, async () => {
    const { lab, letGo } = await openHeld(await known());
    await lab.waitFor(shows(EARLY));
    lab.type('hello');
    await lab.waitFor(shows(prompt('hello')));
    await lab.resize(50, 20);
    await letGo();
    await lab.waitFor(isReady);
    await still(lab);
    expect(lab.all().flatMap((row) => (row.startsWith('>') ? row.trimEnd() : []))).toEqual(['> hello']);
  });

  sweep([
    ['a terminal that cannot be repainted', { env: { TERM: 'dumb' } }],
    ['a tiny terminal', { columns: 10, rows: 3 }],
    ['somebody who listens', { args: ['--screen-reader'] }],
  ])('for %s nothing is painted early', async (_what, options) => {
    const space = await known({}, 'env' in options ? options.env : {});
    const { lab, letGo } = await openHeld(space, options);
    await letGo();
    await lab.waitFor((it) => it.written().includes('>'));
    expect(lab.written()).not.toContain('\u001b[?2004h\u001b[?2026h');
  });
});

const WORDS = 'the quick brown fox jumps over the lazy dog';

/** Every key at another moment of the start, by a row of pauses that is the same in every run. */
async function openScreenEarly(round: number): Promise<{ lab: Lab }> {
  const space = await known();
  await mkdir(path.join(space.home, '.ai-assistant/cache'), { recursive: true });
  const { lab, letGo } = await openHeld(space);
  await letGo();
  let seed = round * 7_919;
  for (const letter of WORDS) {
    lab.type(letter);
    seed = (seed * 48_271) % 2_147_483_647;
    await new Promise((resolve) => setTimeout(resolve, seed % (round * 12)));
  }
  return { lab };
}
