import { describe, expect, test } from 'vitest';
import { nativeForms } from '../bench/small-models/native-forms.ts';
import { textForms } from '../bench/small-models/text-forms.ts';
import { repairCall } from '../src/agent/calls/repair-call.ts';
import { findTool, understandCall } from '../src/agent/calls/understand-call.ts';
import { CallParser } from '../src/providers/text-tools/parse.ts';
import { createThinkSplitter } from '../src/providers/text-tools/thinking.ts';
import { builtinTools } from '../src/tools/index.ts';
import { createRegistry } from '../src/tools/registry.ts';

const { find, definitions } = createRegistry(builtinTools());
const tools = definitions().map(({ name }) => name);

function meaningOf(name: string, json: string): unknown {
  const repaired = repairCall({ name, json }, { find, pathExists: (path) => path === 'a.txt' });
  const call = repaired ?? { name, input: JSON.parse(json) as unknown };
  const tool = findTool(call.name, find);
  const understood = tool && understandCall(call, tool, find);
  return understood && 'tool' in understood ? [understood.tool.name, understood.input] : null;
}

const readsFile = ['Read', expect.objectContaining({ file_path: expect.stringMatching(/^(\.\/)?a\.txt$/) })];

test('there are enough forms, each with a source and a name of its own', () => {
  for (const forms of [nativeForms, textForms]) {
    expect(forms.length).toBeGreaterThanOrEqual(120);
    expect(forms.filter(({ source }) => source === '')).toEqual([]);
    expect(new Set(forms.map(({ family, source, name }) => `${family} ${source} ${name}`)).size).toBe(
      forms.length,
    );
  }
});

test.each(nativeForms.map((form) => [`${form.family}: ${form.name}`, form] as const))(
  'a native call is understood: %s',
  (_, { tool, json }) => {
    expect(meaningOf(tool, json)).toEqual(readsFile);
  },
);

describe('a call in the text is understood', () => {
  test.each(textForms.map((form) => [`${form.family}: ${form.name}`, form] as const))('%s', (_, { text }) => {
    const splitter = createThinkSplitter('unknown');
    const events = [...splitter.push(text), ...splitter.end()];
    const parser = new CallParser(tools);
    const said = events.map((event) => (event.type === 'text' ? parser.push(event.text) : ''));
    const rest = parser.end();
    const [first, second, ...others] = rest.calls;
    expect(first && meaningOf(first.name, first.json)).toEqual(readsFile);
    if (second) expect(meaningOf(second.name, second.json)).toEqual(['Glob', { pattern: '*' }]);
    expect(others).toEqual([]);
    expect(`${said.join('')}${rest.text}`.trim()).toMatch(
      /^(I will read the file[.:]|I read it\.|Thought: I need the file\.)?$/,
    );
  });
});
