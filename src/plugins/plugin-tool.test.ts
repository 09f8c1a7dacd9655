import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { bench, use } from '../../test/support/tool-context.ts';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { checkPlugin, definePlugin, type PluginTool } from './plugin.ts';
import { pluginTool } from './plugin-tool.ts';

const short: PluginTool = {
  name: 'greet',
  description: 'Greets.',
  parameters: { properties: { who: { type: 'string' } }, required: ['who'] },
  execute: ({ who }) => `Hello ${who}`,
};
const itself = { kind: 'execute', target: 'p:greet' };

describe('[T01] [G01] a tool in its short form', () => {
  test('is named after its plugin, validated by its schema, and asked about by default', async () => {
    const tool = pluginTool('p', short);
    const { context } = await bench();
    expect(tool.name).toBe('p:greet');
    expect(tool.input.safeParse({}).success).toBe(false);
    expect(tool.title({ who: 'x'.repeat(100) }, String).length).toBeLessThan(80);
    expect(await use(tool, { who: 'you' }, context)).toEqual(ok('Hello you'));
    expect(tool.access({})).toEqual([itself]);
    expect(pluginTool('p', { ...short, requiresApproval: false, readOnly: true }).access({})).toEqual([
      { ...itself, free: true, looks: true },
    ]);
  });

  test('may decide by input; a decision that fails asks', () => {
    const tool = pluginTool('p', {
      ...short,
      requiresApproval({ who }) {
        if (who === 'throw') throw new Error('x');
        return who !== 'me';
      },
    });
    expect(['me', 'you', 'throw'].map((who) => tool.access({ who }))).toEqual([
      [{ ...itself, free: true }],
      [itself],
      [itself],
    ]);
  });

  test.each([undefined, 7, {}, { success: true }, { success: false, output: 'x' }])(
    'a result of %j is a failure that says so',
    async (result) => {
      const tool = pluginTool('p', { ...short, execute: () => result as string });
      const { context } = await bench();
      expect(await use(tool, { who: 'x' }, context)).toEqual(
        fail('p:greet returned no valid result: it must be a string, or { success } with output or error.'),
      );
    },
  );
});

test('a full tool keeps its title and access; if these throw, the call is still asked about', () => {
  const whole = defineTool({
    name: 'w',
    description: 'd',
    input: () =>
      z.object({ n: z.number() }).refine(({ n }) => {
        if (n === 7) throw new Error('x');
        return true;
      }),
    title: () => {
      throw new Error('x');
    },
    access: () => {
      throw new Error('x');
    },
    run: async () => ok('fine'),
  });
  const tool = pluginTool('p', whole);
  expect(tool.parameters).toMatchObject({ type: 'object', required: ['n'] });
  expect(tool.title({ n: 1 }, String)).toBe('p:w {"n":1}');
  expect(tool.access({ n: 1 })).toEqual([{ kind: 'execute', target: 'p:w' }]);
  expect(tool.input.safeParse({ n: 7 }).error?.issues).toMatchObject([
    { message: 'The check itself failed.' },
  ]);
  expect(tool.input.safeParse({ n: 'x' }).success).toBe(false);
  expect(tool.input.safeParse({ n: 1 }).data).toEqual({ n: 1 });
});

describe('what a module exports', () => {
  const good = { name: 'p', version: '1' };
  test('is a plugin if it has a name and a version', () => {
    expect(checkPlugin(good)).toBe(good);
    const whole = { ...good, tools: [short], hooks: { onMessage: () => undefined }, commands: [] };
    expect(checkPlugin(whole)).toBe(whole);
    expect(definePlugin(whole)).toBe(whole);
  });

  test.each([
    [null, 'Its default export'],
    [[], 'Its default export'],
    [{ ...good, name: 'a:b' }, 'Its name'],
    [{ name: 'p' }, 'It has no version'],
    [{ ...good, tools: [{ name: 'x' }] }, 'Its tools'],
    [{ ...good, tools: [{ ...short, name: 'a:b' }] }, 'Its tools'],
    [{ ...good, hooks: { onFire: () => 0 } }, 'It has an unknown hook onFire'],
    [{ ...good, hooks: { onMessage: 'x' } }, 'It has an unknown hook onMessage'],
    [{ ...good, commands: [{ name: 'Not a name', description: '', execute: () => 0 }] }, 'Its commands'],
  ])('%j is not a plugin', (value, words) => {
    expect(checkPlugin(value)).toContain(words);
  });
});
