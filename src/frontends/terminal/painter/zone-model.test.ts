import { expect, test } from 'vitest';
import { ZoneModel } from './zone-model.ts';

const rule = '─'.repeat(60);

function zone({ reflows = true, prompt = '> ' } = {}): ZoneModel {
  const at = { row: 2, column: prompt.length };
  return new ZoneModel({ rows: ['tail', rule, prompt], at, columns: 60, reflows });
}

test('overlong rows are wrapped, and joined again; there are at least as many as painted at any width', () => {
  const model = zone();
  const seen = [25, 59, 60, 24, 80].map((columns) => {
    model.resize(columns);
    return [columns, model.above, model.surelyAbove];
  });
  expect(seen).toEqual([
    [25, 4, 2],
    [59, 3, 2],
    [60, 2, 2],
    [24, 4, 2],
    [80, 2, 2],
  ]);
});

test('a terminal that truncates rows keeps their number', () => {
  const model = zone({ reflows: false });
  model.resize(25);
  expect(model.above).toBe(2);
});

test.each([
  ['is broken too where the cursor was found in its rest', 2, 5],
  ['is cut off where the cursor was found at the edge', 24, 4],
])("the cursor's own line %s", (_, column, above) => {
  const model = zone({ prompt: `> ${'t'.repeat(25)}` });
  model.resize(25, column);
  expect(model.above).toBe(above);
});

test('a frame for the old width overwrites rows that were reflowed before it was read', () => {
  const model = zone();
  model.resize(25);
  model.write('\u001b[?7l\u001b[2A\r\u001b[31mTAIL\u001b[39m\u001b[K\u001b[2B\u001b[?7h\r\u001b[2C');
  expect(model.above).toBe(4);

  model.write('\u001b[2A\r\u001b[K\u001b[1B\u001b[J\u001b[1A');
  expect(model.above).toBe(2);
  model.resize(80);
  expect(model.above).toBe(2);
});

test('overlong finished text is wrapped, live rows are truncated', () => {
  const model = new ZoneModel({ rows: [''], at: { row: 0, column: 0 }, columns: 10, reflows: true });
  model.write(`${'a'.repeat(25)}\r\n日本語日本語\r\n`);
  expect(model.above).toBe(5);
  model.write(`\u001b[?7l${'b'.repeat(25)}\r\n\u001b[?7h`);
  expect(model.above).toBe(6);
});
