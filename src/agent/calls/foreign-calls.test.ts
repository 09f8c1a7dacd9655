import { describe, expect, test } from 'vitest';
import { foreignCalls } from '../../../test/support/foreign-calls.ts';
import { depsOf } from '../../../test/support/router.ts';
import type { ToolCallPart } from '../../contract/message.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { prepareCall } from '../prepare-call.ts';
import { exampleCall } from './example-call.ts';
import { parseInput } from './parse-input.ts';

const registry = createRegistry(builtinTools());
const deps = depsOf({
  find: registry.find,
  toolNames: () => registry.definitions().map(({ name }) => name),
});
const prepared = (name: string, input: unknown, faults?: Map<string, number>) => {
  const call: ToolCallPart = { type: 'tool_call', id: '1', name, input };
  return prepareCall(call, { ...deps, ...(faults && { faults }) });
};
const answerOf = ({ answer }: ReturnType<typeof prepared>) => (answer?.success === false ? answer.error : '');

describe('a call in the dialect of another assistant', () => {
  test.each(foreignCalls)('%s: %s %j', (_, name, input, meaning) => {
    const item = prepared(name, input);
    if ('refused' in meaning) {
      expect(answerOf(item)).toMatch(meaning.refused);
      return;
    }
    expect([answerOf(item), item.tool?.name]).toEqual(['', meaning.tool]);
    expect(item.input).toMatchObject(meaning.input);
    expect(item.ignored ?? null).toEqual(
      meaning.ignored === undefined ? null : expect.stringContaining(`[ignored: ${meaning.ignored}; `),
    );
  });

  test('every argument that a tool names is taken under each of its other names', () => {
    for (const tool of registry.list())
      for (const [name, aliases] of Object.entries(tool.argumentAliases ?? {}))
        for (const alias of aliases) {
          const item = prepared(tool.name, { [alias]: 'x' });
          expect(`${alias}: ${answerOf(item)}`).not.toContain(`- ${alias}: there is no such argument`);
          expect([tool.name, name]).not.toContain('');
        }
  });
});

describe('wrong calls', () => {
  test('the second of a tool is answered with an example, until one is right', () => {
    const faults = new Map<string, number>();
    const wrong = () => answerOf(prepared('Edit', { file_path: 'a' }, faults));
    expect(wrong()).not.toContain('A call looks like this');
    expect(wrong()).toMatch(
      /A call looks like this: Edit \{"file_path":"<File to change.*","old_string":"<.*","new_string":"<.*"\}$/,
    );
    expect(
      prepared('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, faults).answer,
    ).toBeUndefined();
    expect(wrong()).not.toContain('A call looks like this');
  });

  test('each example has all that its tool needs', () => {
    for (const tool of registry.list()) {
      const input: unknown = JSON.parse(exampleCall(tool).slice(tool.name.length + 1));
      expect([tool.name, parseInput(tool.input, input).success]).toEqual([tool.name, true]);
    }
  });
});
