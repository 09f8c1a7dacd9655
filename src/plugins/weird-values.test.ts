import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { bench, use } from '../../test/support/tool-context.ts';
import type { Message } from '../contract/message.ts';
import { defineTool, ok } from '../contract/tool.ts';
import { plainCopy } from './plain-copy.ts';
import type { PluginHooks } from './plugin.ts';
import { createPluginHooks } from './plugin-hooks.ts';
import { pluginTool } from './plugin-tool.ts';
import { catchStrayErrors } from './stray-errors.ts';

function cyclic(): object {
  const one: Record<string, unknown> = {};
  one.self = one;
  return one;
}

function throwing(): object {
  const trap = () => {
    throw new Error('looked at');
  };
  return new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });
}

const endless: object = new Proxy({}, { get: () => endless, ownKeys: () => [], has: () => true });

/**
 * Typical mistakes of authors, by kind. Functions, so that nothing is evaluated before the plugin returns it.
 */
const weird: Record<string, () => unknown> = {
  true: () => true,
  false: () => false,
  zero: () => 0,
  'not a number': () => Number.NaN,
  'a big integer': () => 10n,
  'a symbol': () => Symbol('s'),
  'a text': () => 'text',
  'a function': () => () => 1,
  'a list': () => [1, 2],
  'an empty table': () => ({}),
  'a table without a prototype': () => Object.create(null),
  'a date': () => new Date(),
  'a map': () => new Map([[1, 2]]),
  'an error': () => new Error('returned'),
  'a cycle': cyclic,
  'a throwing proxy': throwing,
  'an endless proxy': () => endless,
  'a function as input': () => ({ input: () => 1 }),
  'a function inside input': () => ({ id: '1', name: 'Read', input: { file_path: () => 1 } }),
  'a cycle as input': () => ({ input: cyclic() }),
  'a symbol as input': () => ({ input: Symbol('s') }),
  'a huge input': () => ({ input: { text: 'x'.repeat(10_000_001) } }),
  'a deep input': () => ({ input: Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 1) }),
  'a throwing getter': () => ({
    get input() {
      throw new Error('looked at');
    },
  }),
  'content that is no list': () => ({ role: 'user', content: 7 }),
  'content of nothing': () => ({ role: 'user', content: [null, undefined, 1] }),
  'content that throws': () => ({ role: 'user', content: [throwing()] }),
  'success with a function': () => ({ success: true, output: () => 1 }),
  'success with odd extras': () => ({
    success: true,
    output: 'fine',
    images: 3,
    display: { kind: 'none' },
    metadata: [],
  }),
  'metadata with a cycle': () => ({ success: true, output: 'x', metadata: cyclic() }),
  'metadata with a function': () => ({ success: false, error: 'x', metadata: { call: () => 1 } }),
  'a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: this is what an author got wrong.
    get then() {
      throw new Error('looked at');
    },
  }),
  'a rejection': () => Promise.reject(new Error('later')),
  'a rejection with nothing': () => Promise.reject(undefined),
  'a rejection with a throwing value': () => Promise.reject(throwing()),
  'a rejection after a while': () =>
    new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 60)),
  'a thrown text': () => {
    throw 'text';
  },
  'a thrown proxy': () => {
    throw throwing();
  },
};

const kinds = Object.entries(weird);
const call = { id: '1', name: 'Read', input: { file_path: 'a' } };
const user: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 't' };
const isPlain = (value: unknown) => expect(plainCopy(value)).toEqual(JSON.parse(JSON.stringify(value)));

function hooksOf(hooks: PluginHooks) {
  const notices: string[] = [];
  const runner = createPluginHooks([{ name: 'p', hooks }], {
    notice: (text) => notices.push(text),
    timeoutMs: 30,
  });
  return { runner, notices };
}

describe('whatever a hook returns affects the plugin, never the run', () => {
  test.each(kinds)('%s', async (_, make) => {
    const hook = make as () => never;
    const { runner } = hooksOf({
      onSessionStart: hook,
      onBeforeToolCall: hook,
      onAfterToolCall: hook,
      onMessage: hook,
    });
    const session = {
      ...{ id: 's', workingDirectory: '/', startedAt: '', messages: [], permissions: [] },
      settings: { model: 'm' },
    };
    await runner.sessionStart(session);
    const before = await runner.beforeCall(call);
    isPlain(before);
    await runner.afterCall(call, ok('done'));
    const message = await runner.message(user);
    isPlain(message);
    expect(message.role).toBe('user');
    // Never empty: vendors reject an empty message.
    expect(message.content.length).toBeGreaterThan(0);
  });

  test('an unusable answer leaves the call unchanged and is reported once', async () => {
    const { runner, notices } = hooksOf({
      onBeforeToolCall: () => ({ ...call, input: { file_path: () => 1 } }),
    });
    for (let i = 0; i < 3; i++)
      expect(await runner.beforeCall(call)).toEqual({ type: 'go', input: call.input });
    expect(notices).toEqual(['The plugin p: onBeforeToolCall failed: it.file_path is a function.']);
  });

  test('a hook that never answers is not called again', async () => {
    let asked = 0;
    const { runner, notices } = hooksOf({
      onBeforeToolCall: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    for (let i = 0; i < 3; i++) await runner.beforeCall(call);
    expect({ asked, notices }).toEqual({
      asked: 1,
      notices: ['The plugin p: onBeforeToolCall did not answer within 0.03s and is now disabled.'],
    });
  });

  test('a refusal counts, whatever its reason looks like', async () => {
    const reasons = [...kinds.map(([, make]) => make), () => undefined, () => ({ toString: () => 1 })];
    for (const make of reasons) {
      const { runner } = hooksOf({
        onBeforeToolCall: () => {
          let reason: unknown;
          try {
            reason = make();
          } catch {
            reason = 'thrown';
          }
          Promise.resolve([reason])
            .then(
              ([one]) => one,
              () => undefined,
            )
            .catch(() => undefined);
          return { block: reason as string };
        },
      });
      expect((await runner.beforeCall(call)).type).toBe('block');
    }
  });
});

describe('whatever a tool returns fails the call, never the run', () => {
  const schema = z.object({}).loose();
  test.each(kinds)('%s', async (_, make) => {
    const { context } = await bench();
    const returned = make as () => never;
    const short = pluginTool('p', { name: 't', description: '', parameters: {}, execute: returned });
    const full = pluginTool('p', {
      ...defineTool({
        name: 'f',
        description: '',
        input: () => schema,
        title: returned,
        access: returned,
        run: returned,
      }),
      preview: returned,
    });
    for (const tool of [short, full]) {
      expect(typeof tool.title({}, String)).toBe('string');
      const accesses = tool.access({});
      expect(accesses.every(({ target }) => typeof target === 'string')).toBe(true);
      // The router reports a tool's errors to the model.
      const result = await use(tool, {}, context).catch((error: unknown) => ok(typeof error));
      isPlain(result);
      expect(typeof (result.success ? result.output : result.error)).toBe('string');
      const preview = await Promise.resolve(tool.preview?.({}, context)).catch(() => undefined);
      expect(preview === undefined || typeof preview.kind === 'string').toBe(true);
    }
  });

  test('a tool that never answers is abandoned', async () => {
    const { context } = await bench();
    const never = { name: 't', description: '', parameters: {}, execute: () => new Promise<never>(() => 0) };
    expect(await use(pluginTool('p', never, { timeoutMs: 20 }), {}, context)).toEqual({
      success: false,
      error: 'p:t timed out after 0.02s.',
    });
  });
});

test('property: a copy is what JSON would carry, and shares nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = plainCopy(value);
      expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }),
  );
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true }),
      (value) => {
        let copy: unknown;
        try {
          copy = plainCopy(value);
        } catch (error) {
          expect((error as Error).message).toMatch(/^it/);
          return;
        }
        expect(() => JSON.stringify(copy)).not.toThrow();
      },
    ),
  );
});

test('errors without a stack trace are attributed to plugins; those of ours are not', () => {
  const notices: string[] = [];
  const listeners = vi.spyOn(process, 'on');
  onTestFinished(() => listeners.mockRestore());
  const stop = catchStrayErrors([{ name: 'p', file: '/plugins/p.js', folder: null }], (text) =>
    notices.push(text),
  );
  onTestFinished(stop);
  const caught = listeners.mock.calls.find(([name]) => String(name) === 'unhandledRejection')?.[1] as (
    e: unknown,
  ) => void;
  const own = new Error('own');
  own.stack = 'Error: own\n    at run (/plugins/p.js:1:1)';
  const bare = new Error('ENOENT: no such file');
  bare.stack = 'Error: ENOENT: no such file';
  for (const reason of [own, bare, true, undefined, throwing()]) caught(reason);
  expect(notices).toEqual([
    'The plugin p failed in the background: own.',
    'A plugin failed in the background: ENOENT: no such file.',
    'A plugin failed in the background: true.',
    'A plugin failed in the background: undefined.',
    'A plugin failed in the background: with an error that cannot be displayed.',
  ]);
  expect(() => caught(new Error('ours'))).toThrow('ours');
});
