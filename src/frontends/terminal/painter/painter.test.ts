import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { caretAt } from '../view/caret.ts';
import { Painter, type PainterOptions } from './painter.ts';

type Lab = {
  painter: Painter;
  terminal: Terminal;
  written(): string;
  settle(): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
};

type LabOptions = { columns?: number; rows?: number } & Pick<PainterOptions, 'asks' | 'patienceMs'>;

function lab({ columns = 20, rows = 8, ...asking }: LabOptions = {}): Lab {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  let all = '';
  let last = Promise.resolve();
  const painter = new Painter({
    write: (text) => {
      all += text;
      last = new Promise((done) => terminal.write(text, done));
    },
    columns: () => terminal.cols,
    rows: () => terminal.rows,
    reflows: true,
    ...asking,
  });
  return {
    painter,
    terminal,
    written: () => all,
    settle: () => last,
    async resize(wide, high) {
      await last;
      terminal.resize(wide, high);
      painter.resized();
      await last;
    },
  };
}

/** The content of scrollback and screen, wrapped lines joined, up to the last that is not empty. */
function standing({ buffer }: Terminal): string[] {
  const lines: string[] = [];
  for (let row = 0; row < buffer.active.length; row++) {
    const line = buffer.active.getLine(row);
    const text = line?.translateToString(true).trimEnd() ?? '';
    if (line?.isWrapped) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

test('finished text scrolls above the zone, and the zone follows it', async () => {
  const { painter, terminal, settle } = lab();

  painter.paint('> a\nstatus\n');
  painter.above('first\nsecond');
  painter.paint('> ab\nstatus\n');
  await settle();

  expect(standing(terminal)).toEqual(['first', 'second', '> ab', 'status']);
});

test('the cursor is at the caret, and an identical frame writes nothing', async () => {
  const { painter, terminal, settle, written } = lab();

  painter.paint(`tail\n> 日本${caretAt('')}\nstatus\n`);
  await settle();
  const before = written().length;
  painter.paint(`tail\n> 日本${caretAt('')}\nstatus\n`);

  expect(terminal.buffer.active.cursorY).toBe(1);
  expect(terminal.buffer.active.cursorX).toBe(6);
  expect(written().length).toBe(before);
});

test('Z12: never clears the screen or the scrollback', async () => {
  const { painter, resize, written } = lab();
  painter.paint('a\nb\nc\n');
  painter.above('x\n'.repeat(30));
  painter.paint('a\n');
  await resize(10, 4);
  painter.paint('a\nb\n');
  painter.pause();
  painter.resume();
  painter.paint('a\n');

  for (const clear of ['\u001b[2J', '\u001b[3J', '\u001bc', '\u001b[?1049h'])
    expect(written()).not.toContain(clear);
});

test('a zone taller than the screen shows its end', async () => {
  const { painter, terminal, settle } = lab({ rows: 4 });

  painter.paint('1\n2\n3\n4\n5\n6\n');
  painter.above('done');
  painter.paint('1\n2\n3\n4\n5\n6\n');
  await settle();

  expect(standing(terminal)).toEqual(['done', '3', '4', '5', '6']);
});

const many = Array.from({ length: 12 }, (_, i) => `${i}`);

test('a terminal that never answers is painted anyway, after a timeout', async () => {
  const { painter, terminal, settle, resize } = lab({ asks: true, patienceMs: 1 });

  painter.paint('> a\n');
  painter.above(many.join('\n'));
  painter.paint('> b\n');
  await expect.poll(() => standing(terminal)).toEqual([...many, '> b']);
  await resize(30, 10);
  painter.paint('> c\n');
  await settle();

  expect(standing(terminal)).toEqual([...many, '> c']);
});

test('a terminal that answers late is queried again once it has caught up', async () => {
  const { painter, terminal, settle, written } = lab({ asks: true, patienceMs: 1 });
  const answers: string[] = [];
  terminal.onData((answer) => answers.push(answer));

  painter.paint('> a\n');
  await painter.settle();
  painter.pause();
  painter.resume();
  painter.paint('> b\n');
  expect(written().split('\u001b[6n')).toHaveLength(2);
  await settle();
  for (const answer of answers) painter.replied(answer);
  painter.paint('> c\n');
  await settle();

  expect(written().split('\u001b[6n')).toHaveLength(3);
  expect(standing(terminal)).toEqual(['> c']);
});

test('once settling, it sends no more queries, and no reply is left for the next program', async () => {
  const { painter, terminal, settle, written } = lab({ asks: true });
  terminal.onData((answer) => painter.replied(answer));

  painter.paint('> a\n');
  await painter.settle();
  const before = written().length;
  painter.above(many.join('\n'));
  painter.paint('> b\n');
  painter.resized();
  painter.paint('> c\n');
  painter.pause();
  await settle();

  expect(written().slice(before)).not.toContain('\u001b[6n');
  expect(standing(terminal)).toEqual(many);
});

test('rows painted by another component are taken over', async () => {
  const { painter, terminal, settle, written } = lab();
  await new Promise<void>((done) => terminal.write('one\r\n> two', done));

  painter.takeOver({ rows: ['one', '> two'], caret: { row: 1, column: 5 } });
  painter.paint(`one\n> two${caretAt('')}\n`);
  painter.above('over');
  painter.paint(`1\n> 2${caretAt('')}\n`);
  await settle();

  expect(written()).not.toContain('one');
  expect(standing(terminal)).toEqual(['over', '1', '> 2']);
});

const letters = fc.constantFrom('a', 'b', 'ä', '日', '😀', 'e\u0301', ' x');
const line = (most: number) =>
  fc.array(letters, { minLength: 1, maxLength: most }).map((all) => all.join(''));
/** Every finished line is identified by its number. */
const op = fc.oneof(
  fc.record({
    type: fc.constant('paint' as const),
    lines: fc.array(line(9), { minLength: 1, maxLength: 6 }),
    caret: fc.nat(5),
  }),
  fc.record({
    type: fc.constant('above' as const),
    lines: fc.array(line(9), { minLength: 1, maxLength: 12 }),
  }),
);

function frame(lines: readonly string[], caret: number): string {
  return `${lines.map((one, i) => (i === caret ? `${one}${caretAt('')}` : one)).join('\n')}\n`;
}

test('C11: whatever is painted, each finished line appears once, in order, with the last frame below', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 25 }), async (ops) => {
      const { painter, terminal, settle } = lab();
      const finished: string[] = [];
      let last = ['#'];
      for (const one of ops) {
        if (one.type === 'above') {
          const told = one.lines.map((text, i) => `${finished.length + i}:${text}`);
          finished.push(...told);
          painter.above(told.join('\n'));
        } else {
          last = one.lines.map((text) => `|${text}`);
          painter.paint(frame(last, one.caret));
        }
      }
      painter.paint(frame(last, 0));
      await settle();

      expect(standing(terminal)).toEqual([...finished, ...last].map((text) => text.trimEnd()));
    }),
    { numRuns: 60 },
  );
});

test('C11: many rapid resizes leave each finished line once', async () => {
  const size = fc.record({
    type: fc.constant('resize' as const),
    columns: fc.integer({ min: 24, max: 60 }),
    rows: fc.integer({ min: 8, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(op, size), { maxLength: 25 }), async (ops) => {
      const { painter, terminal, settle, resize } = lab({ columns: 40, rows: 12 });
      const finished: string[] = [];
      let last = ['#'];
      for (const one of ops) {
        if (one.type === 'resize') {
          await resize(one.columns, one.rows);
        } else if (one.type === 'above') {
          const told = one.lines.map((text, i) => `${finished.length + i}:${text}`);
          finished.push(...told);
          painter.above(told.join('\n'));
        } else {
          const rule = '─'.repeat(terminal.cols);
          last = [rule, ...one.lines.map((text) => `|${text}`)];
          painter.paint(frame(last, 1));
          await settle();
        }
      }
      painter.paint(frame(last, 1));
      await settle();

      const kept = standing(terminal).filter((text) => /^\d+:/.test(text));
      expect(kept).toEqual(finished.map((text) => text.trimEnd()));
    }),
    { numRuns: 60 },
  );
});
