import { expect, test } from 'vitest';
import { priceText, vendorFacts, vendorModel, windowText } from './vendor-models.ts';

const price = (input: number, output: number) => ({
  price: { input, output, cacheRead: input, cacheWrite: input },
});

test('context windows and prices as people write them', () => {
  expect([4096, 200_000, 1_000_000, 1_050_000, 1_048_576].map(windowText)).toEqual([
    '4K context',
    '200K context',
    '1M context',
    '1.05M context',
    '1.05M context',
  ]);
  expect(priceText(price(0.1, 0.5))).toBe('$0.10 in, $0.50 out per million tokens');
  expect(priceText(price(0.075, 10))).toBe('$0.075 in, $10 out per million tokens');
  expect(priceText({ price: null })).toBe('price unknown');
});

test('a model is found by its name and by its alias, with the day its vendor retired it', () => {
  const providers = ['anthropic', 'openai'];
  expect(vendorModel('opus', providers)).toMatchObject({ provider: 'anthropic', id: 'claude-opus-5-5' });
  expect(vendorModel('anthropic/claude-of-tomorrow', providers)).toBeNull();
  expect(vendorModel('small', providers)).toBeNull();
  const retired = vendorModel('anthropic/claude-opus-4', providers);
  expect(retired && vendorFacts(retired)).toContain('retired    on 2026-06-15\n');
});
