import { expect, test } from 'vitest';
import { Channel } from './channel.ts';

test('a push resolves only after the reader has processed the value', async () => {
  const channel = new Channel<string>();
  const log: string[] = [];
  const writing = (async () => {
    await channel.push('a');
    log.push('a taken');
    await channel.push('b');
    log.push('b taken');
    channel.close();
  })();

  for await (const value of channel) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    log.push(`dealt with ${value}`);
  }
  await writing;

  expect(log).toEqual(['dealt with a', 'a taken', 'dealt with b', 'b taken']);
});

test('values from many writers are read in the order they were pushed', async () => {
  const channel = new Channel<number>();
  void Promise.all([1, 2, 3].map((n) => channel.push(n))).then(() => channel.close());

  const seen: number[] = [];
  for await (const value of channel) seen.push(value);

  expect(seen).toEqual([1, 2, 3]);
});

test('a failure reaches the reader after everything pushed before it', async () => {
  const channel = new Channel<number>();
  void channel.push(1);
  channel.fail(new Error('boom'));

  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of channel) seen.push(value);
  })();

  await expect(reading).rejects.toThrow('boom');
  expect(seen).toEqual([1]);
});
