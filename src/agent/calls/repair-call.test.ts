import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { repairCall } from './repair-call.ts';

const registry = createRegistry(builtinTools());
const deps = { find: registry.find, pathExists: (path: string) => path === 'a.txt' };
const repaired = (name: string, json: string) => repairCall({ name, json }, deps);

/** Ways in which models break the JSON of arguments, each of which leaves one reading. */
const breaks: Record<string, (json: string) => string> = {
  'a trailing comma': (json) => `${json.slice(0, -1)},}`,
  'a missing bracket': (json) => json.slice(0, -1),
  'a bracket too many': (json) => `${json}}`,
  'twice the same': (json) => json + json,
  'an empty object before': (json) => `{}${json}`,
  'JSON in a string': (json) => JSON.stringify(json),
  'a list of one': (json) => `[${json}]`,
  'a fence': (json) => `\`\`\`json\n${json}\n\`\`\``,
  'words before': (json) => `Here are the arguments: ${json}`,
  'words after': (json) => `${json}\n\nI hope that helps.`,
  'an end marker': (json) => `${json}<|im_end|>`,
  'a closing tag': (json) => `${json}\n</tool_call>`,
  'a comment': (json) => `{ // the arguments\n${json.slice(1)}`,
  'another comment': (json) => `/* now */ ${json}`,
  'bare keys': (json) => json.replaceAll(/(?<=^\{|",)"(\w+)":/g, '$1:'),
  arguments: (json) => `{"arguments": ${json}}`,
  parameters: (json) => `{"parameters": ${json}}`,
  'arguments as text': (json) => `{"arguments": ${JSON.stringify(json)}}`,
  'two wrappers': (json) => `{"type": "function", "function": {"arguments": ${json}}}`,
  'quotes of Python': (json) => pythonOf(JSON.parse(json)),
};

function pythonOf(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${pythonOf(key)}: ${pythonOf(item)}`)
    .join(', ')}}`;
}

/** Text of files and commands: quotes, brackets and backslashes in every order. */
const content = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', "'", '{', '}', '[', ']', ',', ':', '\\', '\n', '```', '//', '#', '=', '“', '</a>'),
      fc.constantFrom('a', 'null', '"new_string": "x"', "'b': 'c'", 'rm -rf /', '\\d', '<|im_end|>', ' '),
      fc.string({ maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const calls = fc.oneof(
  fc.record({
    name: fc.constant('Edit'),
    input: fc.record({
      file_path: fc.constant('src/b.ts'),
      old_string: content,
      new_string: content,
    }),
  }),
  fc.record({
    name: fc.constant('Write'),
    input: fc.record({ file_path: fc.constant('src/b.ts'), content }),
  }),
  fc.record({ name: fc.constant('Bash'), input: fc.record({ command: content }) }),
  fc.record({
    name: fc.constant('Read'),
    input: fc.record({ file_path: fc.constant('a.txt'), limit: fc.integer({ min: 1, max: 9 }) }),
  }),
);

describe('a call that was sent broken', () => {
  sweep([300, 3000])('is read as the call that was meant, or not at all (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(calls, fc.constantFrom(...Object.values(breaks)), ({ name, input }, broken) => {
        const read = repaired(name, broken(JSON.stringify(input)));
        expect(read === undefined ? input : read.input).toEqual(input);
      }),
      { numRuns },
    );
  });

  sweep([300, 3000])('broken twice, also (%i runs)', (numRuns) => {
    const one = fc.constantFrom(...Object.values(breaks));
    fc.assert(
      fc.property(calls, one, one, ({ name, input }, first, second) => {
        const json = JSON.stringify(input);
        let text = json;
        try {
          text = second(first(json));
        } catch {
          // Only JSON can be written as Python.
        }
        const read = repaired(name, text);
        expect(read === undefined ? input : read.input).toEqual(input);
      }),
      { numRuns },
    );
  });

  sweep([300, 3000])('is never changed if it was valid (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(calls, fc.constantFrom(undefined, 2), ({ name, input }, indent) => {
        expect(repaired(name, JSON.stringify(input, null, indent))).toBeUndefined();
      }),
      { numRuns },
    );
  });

  test.each(Object.keys(breaks))('with plain content is repaired: %s', (name) => {
    const input = { file_path: 'b.ts', old_string: 'let a = 1;', new_string: 'let a = "2";\n' };
    expect(repaired('Edit', breaks[name]?.(JSON.stringify(input)) ?? '')).toEqual({ name: 'Edit', input });
  });
});

test.each([
  ['keywords', 'file_path="a.txt"'],
  ['a call in Python', 'Read(file_path="a.txt")'],
  ['tags', '<file_path>a.txt</file_path>'],
  ['tags with line breaks', '<file_path>\na.txt\n</file_path>'],
  ['a list of one text', '{"file_path":["a.txt"]}'],
  ['a text alone', '"a.txt"'],
  ['a list with a text', '["a.txt"]'],
  ['a word alone', 'a.txt'],
  ['quotes of a word processor', '{“file_path”: “a.txt”}'],
  ['quotes of Gemma', '{file_path:<|"|>a.txt<|"|>}'],
  ['backticks in the path', '{"file_path":"`a.txt`"}'],
  ['an @ before the path', '{"file_path":"@a.txt"}'],
  ['spaces around the path', '{"file_path":" a.txt "}'],
  ['a URL as path', '{"file_path":"file://a.txt"}'],
  ['the name of the tool as key', '{"Read": {"file_path": "a.txt"}}'],
  ['a name and arguments', '{"name":"Read","arguments":{"file_path":"a.txt"}}'],
])('a call that reads, sent as %s, is repaired', (_, json) => {
  expect(repaired('Read', json)).toEqual({ name: 'Read', input: { file_path: 'a.txt' } });
});

test.each([
  'Read()',
  ' Read ',
  'ReadTool',
  'functions.Read:0',
  '"Read"',
  '`Read`',
  'Read<|channel|>commentary',
  'tool_call:Read',
  'call.Read',
  '[Read]',
])('the name %j is that of Read', (name) => {
  expect(repaired(name, '{"file_path":"a.txt"}')).toEqual({ name: 'Read', input: { file_path: 'a.txt' } });
});

test.each([
  ['function', '{"name":"Read","arguments":{"file_path":"a.txt"}}'],
  ['', '{"name":"Read","parameters":{"file_path":"a.txt"}}'],
  ['Read(file_path="a.txt")', ''],
  ['Read{"file_path":"a.txt"}', '{}'],
])('a call named %j with %j is a call of Read', (name, json) => {
  expect(repaired(name, json)).toEqual({ name: 'Read', input: { file_path: 'a.txt' } });
});

describe('what may mean several things is left as it was sent', () => {
  test.each([
    ['a string that ends early', 'Bash', '{"command":"rm -rf "}/tmp/x"}'],
    ['a string that ends early, and words', 'Bash', '{"command":"rm -rf "} /tmp/x'],
    ['a string that is not closed', 'Write', '{"file_path":"b.ts","content":"x'],
    ['arguments that were cut off', 'Write', '{"file_path":"b.ts","content":"x",'],
    ['a key without a value', 'Edit', '{"file_path":"b.ts","old_string":"x","new_string":'],
    ['quotes that are not escaped', 'Bash', '{"command":"echo "hi""}'],
    ['an apostrophe', 'Bash', "{'command':'echo it's'}"],
    ['two calls', 'Edit', '{"file_path":"a","old_string":"1","new_string":"2"}{"file_path":"b"}'],
    ['two calls that read', 'Read', '{"file_path":"a.txt"}{"file_path":"b.txt"}'],
    ['one key with two values', 'Bash', "{'command':'ls','command':'rm x'}"],
    ['the call of another tool', 'Read', '{"name":"Write","arguments":{"file_path":"a","content":""}}'],
    ['a command alone', 'Bash', 'ls -la'],
    ['a command as a text', 'Bash', '"ls -la"'],
    ['a command as a list', 'Bash', '{"command":["rm","-rf","x"]}'],
    ['a command without quotes', 'Bash', '{"command": ls -la}'],
    ['content in tags with line breaks', 'Write', '<file_path>b</file_path><content>\nx\n</content>'],
    ['a path with some escapes', 'Write', String.raw`{"file_path":"C:\new\User","content":"x",}`],
    ['a file to write with a mark', 'Write', '{"file_path":"@a.txt","content":"x"}'],
    ['two wrappers', 'Read', '{"arguments":{"file_path":"a.txt"},"input":{"file_path":"b.txt"}}'],
    ['long quotes with escapes', 'Bash', String.raw`{'command': """echo \n"""}`],
    ['a list of two', 'Read', '{"file_path":["a.txt","b.txt"]}'],
    ['words', 'Read', 'I want to read the file'],
    ['no tool', 'Fly', "{'to': 'Rome'}"],
  ])('%s', (_, name, json) => {
    expect(repaired(name, json)).toBeUndefined();
  });

  test('an absolute path is never taken for one in the project', () => {
    expect(repaired('Read', '{"file_path":"/a.txt"}')).toBeUndefined();
  });
});
