import { expect, test } from 'vitest';
import { LazyFormData, LazyResponse } from './lazy-globals.ts';

test('a lazy form is the runtime’s own', () => {
  const form: unknown = new LazyFormData();
  expect([form instanceof FormData, form instanceof LazyFormData]).toEqual([true, true]);
  expect([{}, null, 'FormData'].map((x: unknown) => x instanceof LazyFormData)).toEqual([
    false,
    false,
    false,
  ]);
});

test('a lazy response is one of the runtime when it is made, and knows every other', async () => {
  const Made = LazyResponse as unknown as typeof Response;
  const made = new Made('a', { status: 201 });
  expect([await made.text(), made.status, made instanceof Response]).toEqual(['a', 201, true]);
  expect([made instanceof Made, Response.json({}) instanceof Made, {} instanceof Made]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await Made.json({ a: 1 }).json()).toEqual({ a: 1 });
  expect(Made.prototype).toBe(Response.prototype);
});
