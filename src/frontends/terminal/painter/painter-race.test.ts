import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitTo } from '../text/measure.ts';
import { caretAt } from '../view/caret.ts';
import { Painter } from './painter.ts';

type Size = { columns: number; rows: number };

/**
 * A terminal on a slow connection: output waits until it is read, its size changes at any time, and both its
 * replies and the resize events are delayed.
 */
function farTerminal({ columns, rows }: Size) {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const unread: string[] = [];
  const answers: string[] = [];
  let told: Size = { columns, rows };
  const painter = new Painter({
    write: (text) => void unread.push(text),
    columns: () => told.columns,
    rows: () => told.rows,
    reflows: true,
    asks: true,
  });
  terminal.onData((answer) => void answers.push(answer));
  return {
    painter,
    terminal,
    columns: () => told.columns,
    idle: () => unread.length + answers.length === 0,
    async read() {
      const text = unread.shift();
      if (text !== undefined) await new Promise<void>((done) => terminal.write(text, done));
    },
    answer() {
      const answer = answers.shift();
      if (answer !== undefined) painter.replied(answer);
    },
    isTold: () => told.columns === terminal.cols && told.rows === terminal.rows,
    tell() {
      told = { columns: terminal.cols, rows: terminal.rows };
      painter.resized();
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

/**
 * Rows as long as a reported size allows, including wide characters; a prompt that may be long, or no caret.
 */
const look = fc.record({
  live: fc.array(
    fc.record({ sign: fc.constantFrom('x', '日', 'ä '), share: fc.integer({ min: 0, max: 10 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  prompt: fc.integer({ min: 0, max: 10 }),
  caret: fc.boolean(),
});
type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;
const plain: Look = { live: [{ sign: 'x', share: 3 }], prompt: 0, caret: true };

const op = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('paint' as const), look }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('finish' as const), lines: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('read' as const) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('answer' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('resize' as const),
      columns: fc.integer({ min: 24, max: 70 }),
      rows: fc.integer({ min: 24, max: 40 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('tell' as const) }) },
);

test('C11: whatever is resized while frames and replies are in flight, each finished line appears once, with the last frame below', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 60 }), async (ops) => {
      const far = farTerminal({ columns: 60, rows: 30 });
      const finished: string[] = [];
      let frames = 0;
      let last: string[] = [];
      const paint = ({ live, prompt, caret }: Look = plain) => {
        frames++;
        const room = (share: number) => Math.floor((far.columns() * share) / 10);
        const rows = live.map(({ sign, share }, i) =>
          fitTo(`|${frames}.${i} ${sign.repeat(room(share))}`, far.columns()),
        );
        const typed = `> ${'t'.repeat(Math.max(0, room(prompt) - 3))}`;
        last = [...rows, '─'.repeat(far.columns()), typed];
        far.painter.paint(`${last.join('\n')}${caret ? caretAt('') : ''}\n`);
      };
      paint();
      for (const one of ops) {
        if (one.type === 'paint') paint(one.look);
        else if (one.type === 'finish') {
          const told = Array.from({ length: one.lines }, (_, i) => `${finished.length + i}: finished`);
          finished.push(...told);
          far.painter.above(told.join('\n'));
        } else if (one.type === 'read') await far.read();
        else if (one.type === 'answer') far.answer();
        else if (one.type === 'resize') far.terminal.resize(one.columns, one.rows);
        else if (!far.isTold()) {
          far.tell();
          paint();
        }
      }
      if (!far.isTold()) far.tell();
      paint();
      while (!far.idle()) {
        await far.read();
        far.answer();
      }

      expect(standing(far.terminal)).toEqual([...finished, ...last].map((text) => text.trimEnd()));
    }),
    { numRuns: 100 },
  );
});
