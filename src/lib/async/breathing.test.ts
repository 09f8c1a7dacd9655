import { expect, test } from 'vitest';
import { breathing } from './breathing.ts';

test('long work lets others run', async () => {
  let ran = 0;
  const others = setInterval(() => ran++, 0);
  const breathe = breathing();
  for (const end = performance.now() + 200; performance.now() < end && ran === 0; ) await breathe();
  clearInterval(others);
  expect(ran).toBeGreaterThan(0);
});
