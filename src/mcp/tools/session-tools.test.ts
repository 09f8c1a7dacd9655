import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hubOf, oddServer } from '../../../test/support/mcp.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { Tool } from '../../contract/tool.ts';
import { type Hub, splitName } from '../hub.ts';
import { createSessionTools } from './session-tools.ts';

const define = ({ name, description, parameters = {} }: Tool): ToolDefinition => ({
  name,
  description,
  parameters,
});

const cleanUps: (() => Promise<void>)[] = [];
let hub: Hub;

beforeAll(async () => {
  const servers = {
    odd: oddServer('fine'),
    'a.b': oddServer('fine'),
    off: { command: 'x', disabled: true },
  };
  ({ hub } = await hubOf(servers, { whenDone: (clean) => void cleanUps.unshift(clean) }));
  await hub.settled(28_000);
});
afterAll(async () => {
  for (const clean of cleanUps) await clean();
});

function session({ fits = true, isWatched = false } = {}) {
  return createSessionTools(hub, { outgoing: (value) => value, isWatched, define, fits: () => fits });
}

describe('the MCP tools of one session', () => {
  test('[Y23] a name is split at its first colon', () => {
    expect(splitName('a:b:c')).toEqual({ server: 'a', tool: 'b:c' });
    expect([splitName('abc'), splitName(':b')]).toEqual([null, null]);
  });

  test('those that fit are sent in full, after the fixed ones; others only by name', () => {
    const small = session();
    expect(small.definitions().map(({ name }) => name)).toEqual([
      'McpSearch',
      'McpCall',
      'McpRead',
      'odd:say',
      'a.b:say',
    ]);
    const large = session({ fits: false });
    expect(large.definitions().map(({ name }) => name)).toEqual(['McpSearch', 'McpCall', 'McpRead']);
    expect(large.definitions()[0]?.description).toMatch(/Available: odd:say a\.b:say$/);
  });

  test("a tool is found by our name, and by the vendor's encoding of it", () => {
    const tools = session();
    for (const name of ['odd:say', 'odd__say', 'mcp__odd__say'])
      expect(tools.find(name)?.name).toBe('odd:say');
    expect(tools.find('a_b__say')?.name).toBe('a.b:say');
    expect(tools.find('Read')).toBeUndefined();
    expect(tools.find('off:say')?.title({}, String)).toBe('off/say');
  });

  test.each<[object, string]>([
    [{}, 'odd/say'],
    [{ text: 'hello  there\nyou', times: 2 }, 'odd/say hello there you'],
    [{ times: 2, deep: { text: 'x' } }, 'odd/say {"times":2,"deep":{"text":"x"}}'],
    [{ text: 'x'.repeat(500) }, `odd/say ${'x'.repeat(112)}…`],
  ])('its title has the main argument: %j', (input, title) => {
    expect(session().find('odd:say')?.title(input, String)).toBe(title);
  });

  test('a fixed tool is replaced by the call it names; arguments written as text are parsed', () => {
    const tools = session();
    const input = { text: 'a' };
    expect(tools.resolveCall({ name: 'McpCall', input: { tool: 'odd:say', arguments: input } })).toEqual({
      name: 'odd:say',
      input,
    });
    expect(
      tools.resolveCall({ name: 'McpCall', input: { tool: 'odd:say', arguments: JSON.stringify(input) } }),
    ).toEqual({
      name: 'odd:say',
      input,
    });
    expect(tools.resolveCall({ name: 'McpCall', input: { tool: 'odd:say' } })).toEqual({
      name: 'odd:say',
      input: {},
    });
    expect(tools.resolveCall({ name: 'McpRead', input: { server: 'odd', uri: 'a://b' } })).toEqual({
      name: 'odd:resources/read',
      input: { uri: 'a://b' },
    });
    expect(tools.resolveCall({ name: 'McpCall', input: { tool: 'Read' } })).toBeUndefined();
    expect(tools.resolveCall({ name: 'McpRead', input: { server: 'odd' } })).toBeUndefined();
    expect(tools.resolveCall({ name: 'Read', input: { tool: 'odd:say' } })).toBeUndefined();
  });

  test("a call accesses the server's tool, and says whether the user has seen it", () => {
    const access = { kind: 'execute', target: 'odd:say', looks: true, server: true };
    expect(session().find('odd:say')?.access({})).toEqual([access]);
    expect(session({ isWatched: true }).find('odd:say')?.access({})).toEqual([
      { ...access, unseen: "first use of this tool; its server's description is shown above" },
    ]);
  });
});
