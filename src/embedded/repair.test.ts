import { expect, test } from 'vitest';
import type { ProviderEvent } from '../contract/provider.ts';
import { attemptOf, repairing } from './repair.ts';

const usage = { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };

function call(key: string, name: string, json: string): ProviderEvent[] {
  return [
    { type: 'tool_call_start', key, name },
    { type: 'tool_call_delta', key, json },
    { type: 'tool_call_end', key },
  ];
}

async function* reply(...events: ProviderEvent[]): AsyncGenerator<ProviderEvent> {
  yield* events;
}

async function repaired(events: ProviderEvent[], second: ProviderEvent[]) {
  let asked = 0;
  const seen: ProviderEvent[] = [];
  const repair = {
    isGood: ({ json }: { json: string }) => json.startsWith('{'),
    isAttempt: attemptOf(['Read']),
    again: () => {
      asked++;
      return reply(...second);
    },
  };
  for await (const event of repairing(reply(...events), repair)) seen.push(event);
  return { seen, asked };
}

const stop: ProviderEvent = { type: 'stop', reason: 'tool_calls' };
const good = [...call('a', 'Read', '{}'), stop];

test('a reply with valid calls is unchanged', async () => {
  const events: ProviderEvent[] = [{ type: 'text', text: 'so' }, { type: 'usage', usage }, ...good];
  expect(await repaired(events, [])).toEqual({ seen: events, asked: 0 });
});

test('an invalid call is requested again; text is kept, and both costs are added', async () => {
  const events: ProviderEvent[] = [
    { type: 'text', text: 'so' },
    { type: 'usage', usage },
    ...call('x', 'Read', 'oops'),
    stop,
  ];
  const second: ProviderEvent[] = [{ type: 'text', text: 'noise' }, { type: 'usage', usage }, ...good];
  expect(await repaired(events, second)).toEqual({
    seen: [
      { type: 'text', text: 'so' },
      { type: 'usage', usage },
      { type: 'usage', usage: { ...usage, inputTokens: 10, outputTokens: 4 } },
      ...good,
    ],
    asked: 1,
  });
});

test('a call left as text is not shown, and requested again', async () => {
  const events: ProviderEvent[] = [
    { type: 'text', text: '{"name": "Read", ' },
    { type: 'stop', reason: 'end' },
  ];
  expect(await repaired(events, good)).toEqual({ seen: good, asked: 1 });
});

test('a reply truncated by the limit stays unchanged', async () => {
  const events: ProviderEvent[] = [
    { type: 'text', text: '{"name": "Read", ' },
    { type: 'stop', reason: 'max_tokens' },
  ];
  expect(await repaired(events, good)).toEqual({ seen: events, asked: 0 });
});

test('JSON that names no tool is an answer', async () => {
  const events: ProviderEvent[] = [
    { type: 'text', text: '{"name": "my-package", ' },
    { type: 'stop', reason: 'end' },
  ];
  expect(await repaired(events, good)).toEqual({ seen: events, asked: 0 });
});

test('an interrupted stream keeps its output', async () => {
  const events: ProviderEvent[] = [{ type: 'text', text: '{"name": "Read", ' }];
  expect(await repaired(events, good)).toEqual({ seen: events, asked: 0 });
});
