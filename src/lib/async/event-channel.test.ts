import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventChannel } from './event-channel.ts';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe('an event channel', () => {
  test('buffers events until the first listener, for all that join in the same tick', async () => {
    const channel = new EventChannel<string>();
    channel.emit('a');
    channel.emit('b');
    const heard: string[][] = [[], []];
    for (const list of heard) channel.listen((event) => list.push(event));
    // Does not overtake older events.
    channel.emit('c');
    await nextTick();
    channel.emit('d');
    expect(heard).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ]);
  });

  test('has watchers that are not listeners: they see everything, and events are still buffered', async () => {
    const channel = new EventChannel<string>();
    channel.emit('a');
    const seen: string[] = [];
    channel.watch((event) => seen.push(event));
    channel.emit('b');
    const heard: string[] = [];
    channel.listen((event) => heard.push(event));
    await nextTick();
    expect({ seen, heard }).toEqual({ seen: ['a', 'b'], heard: ['a', 'b'] });
  });

  test('allows listeners to emit', async () => {
    const channel = new EventChannel<number>();
    channel.emit(1);
    const heard: number[] = [];
    channel.listen((event) => {
      heard.push(event);
      if (event < 3) channel.emit(event + 1);
    });
    await nextTick();
    channel.emit(10);
    expect(heard).toEqual([1, 2, 3, 10]);
  });

  test('buffers the latest 200 events while there is no listener', async () => {
    const channel = new EventChannel<number>();
    for (let i = 0; i < 1000; i++) channel.emit(i);
    const heard: number[] = [];
    channel.listen((event) => heard.push(event));
    await nextTick();
    expect([heard.length, heard[0], heard.at(-1)]).toEqual([200, 800, 999]);
  });

  test('property: one listener at a time, however often they change, gets everything once and in order', async () => {
    const step = fc.constantFrom('emit', 'join', 'leave', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const channel = new EventChannel<number>();
        const heard: number[] = [];
        let leave: (() => void) | undefined;
        let sent = 0;
        for (const what of steps) {
          if (what === 'emit') channel.emit(sent++);
          else if (what === 'join') leave ??= channel.listen((event) => heard.push(event));
          else if (what === 'wait') await nextTick();
          else {
            leave?.();
            leave = undefined;
          }
        }
        leave ??= channel.listen((event) => heard.push(event));
        await nextTick();
        expect(heard).toEqual(Array.from({ length: sent }, (_, i) => i));
      }),
    );
  });
});
