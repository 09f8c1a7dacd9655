import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { LINE_MARKS, MARKS } from './formats.ts';
import { looseHeads } from './opening.ts';
import { CallParser } from './parse.ts';

const TOOLS = ['Read', 'Bash'];

function parse(...chunks: string[]) {
  const parser = new CallParser(TOOLS);
  const text = chunks.map((chunk) => parser.push(chunk)).join('');
  const rest = parser.end();
  return { text: text + rest.text, calls: rest.calls };
}

const read = { name: 'Read', json: '{"file_path":"a.ts"}' };
const bash = { name: 'Bash', json: '{"command":"ls"}' };
const READ = '{"name": "Read", "parameters": {"file_path": "a.ts"}}';
const BASH = '{"name": "Bash", "arguments": {"command": "ls"}}';
const xml = (body: string) => `<tool_call>\n${body}\n</tool_call>`;
const fence = (body: string, word = 'tool_call') => `\`\`\`${word}\n${body}\n\`\`\``;

describe('a call in either form [V08] [R04] [Y14]', () => {
  test.each([
    ['a tag', xml(READ)],
    ['a fence', fence(READ)],
    ['a tag on one line', `<tool_call>${READ}</tool_call>`],
    ['a fence on one line', `\`\`\`tool_call ${READ}\`\`\``],
    ['a longer fence', `\`\`\`\`tool_call\n${READ}\n\`\`\`\``],
    ['arguments', xml('{"name": "Read", "arguments": {"file_path": "a.ts"}}')],
    ['input', xml('{"name": "Read", "input": {"file_path": "a.ts"}}')],
    ['args', fence('{"args": {"file_path": "a.ts"}, "name": "Read"}')],
    ['arguments as a string', xml('{"name": "Read", "arguments": "{\\"file_path\\": \\"a.ts\\"}"}')],
    ['the shape of the OpenAI API', xml(`{"type": "function", "function": ${READ}}`)],
    ['arguments beside the name', xml('{"name": "Read", "file_path": "a.ts"}')],
    ['a list', xml(`[${READ}]`)],
    ['a trailing comma', xml('{"name": "Read", "parameters": {"file_path": "a.ts",},}')],
    ['single quotes', xml("{'name': 'Read', 'parameters': {'file_path': 'a.ts'}}")],
    ['a forgotten bracket', xml('{"name": "Read", "parameters": {"file_path": "a.ts"}')],
    ['a bracket too many', xml(`${READ}}`)],
    ['a fence around a tag', fence(xml(READ), 'xml')],
    [
      'tags for the arguments',
      xml('<function=Read>\n<parameter=file_path>\na.ts\n</parameter>\n</function>'),
    ],
    ['tags that are not closed', '<tool_call><function=Read><parameter=file_path>a.ts'],
    ['keys and values', xml('Read\n<arg_key>file_path</arg_key>\n<arg_value>a.ts</arg_value>')],
    ['an announced list', `[TOOL_CALLS][${READ}]`],
    ['an announced object', `<|python_tag|>${READ}`],
    ['a fence without a word around a tag', fence(xml(READ), '')],
    ['a call fence around a tag', fence(xml(READ))],
    ['a fence inside a tag', xml(fence(READ, 'json'))],
    ['an unclosed tag', `<tool_call>\n${READ}`],
    ['an unclosed fence', `\`\`\`tool_call\n${READ}\n`],
    ['an unclosed tag in a closed fence', `\`\`\`xml\n<tool_call>\n${READ}\n\`\`\``],
    ['an opening tag where the closing one belongs', `<tool_call>\n${READ}\n<tool_call>`],
    ['JSON in a fence', fence(READ, 'json')],
    ['JSON in an unclosed fence', `\`\`\`json\n${READ}`],
    ['mere JSON', ` ${READ}\n`],
  ])('%s is recognized', (_, reply) => {
    expect(parse(reply)).toEqual({ text: '', calls: [read] });
  });

  test('missing arguments are an empty object', () => {
    for (const body of [
      '{"name": "Read"}',
      '{"name": "Read", "arguments": null}',
      '{"name": "Read", "args": ""}',
    ])
      expect(parse(xml(body))).toEqual({ text: '', calls: [{ name: 'Read', json: '{}' }] });
  });

  test('several calls keep their order, whatever their layout', () => {
    const both = { text: '', calls: [read, bash] };
    expect(parse(xml(READ) + xml(BASH))).toEqual(both);
    expect(parse(`${xml(READ)}\n\n${fence(BASH)}`)).toEqual(both);
    expect(parse(xml(`${READ}\n${BASH}`))).toEqual(both);
    expect(parse(fence(`[${READ}, ${BASH}]`))).toEqual(both);
    expect(parse(fence(`${xml(READ)}\n${xml(BASH)}`, 'xml'))).toEqual(both);
    expect(parse(`<tool_call>${READ}<tool_call>${BASH}</tool_call>.`)).toEqual({ ...both, text: '.' });
  });

  test('text before, between and after is kept; the block and the space around it are removed', () => {
    expect(parse(`First.\n\n${xml(READ)}\n\nThen.\n${fence(BASH)}Last.\n`)).toEqual({
      text: 'First.\n\nThen.\nLast.\n',
      calls: [read, bash],
    });
    expect(parse(`One.${xml(READ)}Two.`).text).toBe('One.\nTwo.');
    expect(parse(`\n\n${xml(READ)}\n\nDone.`).text).toBe('Done.');
    expect(parse(`Look:\n\n${xml(READ)}\n`).text).toBe('Look:');
  });

  test('a code block before a tag is closed by its own fence', () => {
    const code = '```ts\nlet x;\n```';
    expect(parse(`${code}\n\n${xml(READ)}`)).toEqual({ text: code, calls: [read] });
    expect(parse(`${fence(xml(READ), 'xml')}\n\n${code}`)).toEqual({ text: code, calls: [read] });
    expect(parse(`\`\`\`xml\n${xml(READ)}\n\n${code}`)).toEqual({ text: code, calls: [read] });
  });

  test('an end marker inside a string does not end the block', () => {
    for (const content of [
      '</tool_call>',
      '```',
      'a <tool_call> {',
      '```tool_call\n{}\n```',
      'say "</tool_call>"',
    ]) {
      const json = JSON.stringify({ content });
      const calls = [{ name: 'Write', json }];
      const body = `{"name": "Write", "parameters": ${json}}`;
      expect(parse(`a ${xml(body)} b`)).toEqual({ text: 'a b', calls });
      expect(parse(`a ${fence(body)} b`)).toEqual({ text: 'a b', calls });
    }
  });

  test('line breaks and stray backslashes in strings are kept', () => {
    const body = '{"name": "Grep", "parameters": {"pattern": "a\\d+", "text": "one\n```\ntwo"}}';
    const json = JSON.stringify({ pattern: 'a\\d+', text: 'one\n```\ntwo' });
    expect(parse(fence(body))).toEqual({ text: '', calls: [{ name: 'Grep', json }] });
  });

  test('a call of an unknown tool is still a call: the router answers it', () => {
    expect(parse(xml('{"name": "Fly", "parameters": {}}')).calls).toEqual([{ name: 'Fly', json: '{}' }]);
  });
});

describe('a block that is not a parseable call', () => {
  test('with a name becomes a call with the raw arguments', () => {
    expect(parse(`So: ${xml('{"name": "Bash", "parameters": {"command": "echo "hi" there"}}')} ok`)).toEqual({
      text: 'So: ok',
      calls: [{ name: 'Bash', json: '{"command": "echo "hi" there"}}' }],
    });
    expect(parse(xml('{"name": "Bash" oops}')).calls).toEqual([
      { name: 'Bash', json: '{"name": "Bash" oops}' },
    ]);
    expect(parse(xml('{"name": "Bash", "arguments": "ls"}')).calls).toEqual([{ name: 'Bash', json: 'ls' }]);
  });

  test('truncated after its arguments is a call with them', () => {
    expect(parse(`<tool_call>${READ.slice(0, -1)}`)).toEqual({
      text: '',
      calls: [{ name: 'Read', json: '{"file_path": "a.ts"}' }],
    });
  });

  test('truncated within its arguments is never completed', () => {
    expect(parse('<tool_call>{"name": "Bash", "parameters": {"command": "rm -rf /tmp/a').calls).toEqual([
      { name: 'Bash', json: '{"command": "rm -rf /tmp/a' },
    ]);
    expect(parse('<tool_call>{"name": "Bash", "parameters": {"command": "ls",').calls).toEqual([
      { name: 'Bash', json: '{"command": "ls",' },
    ]);
  });

  test('with an unbalanced quote ends at its own end marker, and the next call is found', () => {
    const odd = xml("{'name': 'Bash', 'parameters': {'command': 'it's'}}");
    expect(parse(`${odd} Then it's ${xml(READ)} it`)).toEqual({
      text: "Then it's it",
      calls: [{ name: 'Bash', json: "{'command': 'it's'}}" }, read],
    });
  });

  test.each([
    'The `<tool_call>` tag opens a call.',
    '<tool_call>',
    '<tool_call>\n{"foo": 1}\n</tool_call> and on',
    '<tool_call>{"foo": {"name": "Bash", "arguments": {}}}</tool_call>',
    '```tool_call\nnot json\n```\n',
    '```tool_call\n{"foo": \n',
    '<tool_call>{ <tool_call>[ ```tool_call\n{',
  ])('without a name stays text: %j', (reply) => {
    expect(parse(reply)).toEqual({ text: reply, calls: [] });
  });

  test('does not hide the call after it', () => {
    expect(parse(`<tool_call>{oops ${xml(READ)}`)).toEqual({ text: '<tool_call>{oops', calls: [read] });
  });
});

describe('JSON in a reply', () => {
  test.each([
    ['of a tool that does not exist', fence('{"name": "my-app", "arguments": {}}', 'json')],
    ['of which only a part is a tool', `[${READ}, {"name": "Fly", "arguments": {}}]`],
    ['without arguments', fence('{"name": "Read", "version": "1"}', 'json')],
    ['followed by text', `${fence(READ, 'json')}\nThat is how.`],
    ['in another language', fence(READ, 'js')],
    ['in the middle of a line', `Write ${READ}`],
    ['inside a code block', `\`\`\`ts\n${READ}`],
  ])('%s is text', (_, reply) => {
    expect(parse(reply)).toEqual({ text: reply, calls: [] });
  });

  test.each([
    'Action: Read the docs first.\nThen go.',
    'Read(s) the file.',
    'Mistral writes `[TOOL_CALLS]` before calls.',
    'The `<function=` tag is of Qwen.',
    'Use <tools> to list them.',
    '&lt;tool_call&gt; is escaped HTML',
    '{"type":"function","name":"other"}',
    '```python\ndef Read(x):\n    pass\n```',
    '[Read the docs](http://x)',
  ])('words about calls stay text: %j', (reply) => {
    expect(parse(reply)).toEqual({ text: reply, calls: [] });
  });

  test.each([
    ['JSON', '{"name": "Read", "arguments": {', '{'],
    ['Python', 'Read(file_path="a.ts"', 'Read(file_path="a.ts"'],
    ['a marked call', '[TOOL_CALLS]Read[ARGS]{"file_path": "a', '[TOOL_CALLS]Read[ARGS]{"file_path": "a'],
  ])('%s that was meant as a call and cannot be read is a call with the raw text', (_, reply, json) => {
    expect(parse(reply)).toEqual({ text: '', calls: [{ name: 'Read', json }] });
  });

  test('after an introduction is a call if it ends the reply', () => {
    expect(parse(`I will read it:\n${fence(READ, 'json')}\n`)).toEqual({
      text: 'I will read it:',
      calls: [read],
    });
  });

  test('is streamed as soon as it cannot be a call', () => {
    const parser = new CallParser(TOOLS);
    expect(parser.push('```json\n{"name": "R')).toBe('');
    expect(parser.push('oot"')).toBe('```json\n{"name": "Root"');
    expect(new CallParser(TOOLS).push(`{${' '.repeat(400)}`)).toBe('{');
  });
});

const pieces = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(xml(READ), fence(BASH), fence(xml(READ), 'xml'), fence(READ, 'json')),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '```tool_call\n',
      '```json\n',
      '```',
      '`',
      READ,
      BASH,
      '{"name": "Read", ',
      '"arguments": {',
      '}',
      '{',
      '[',
      '"',
      "'",
      '\\',
      '<',
      'tool_call',
      '<function=Read>',
      '</function>',
      '<parameter=file_path>',
      '</parameter>',
      'Read\n<arg_key>',
      '[TOOL_CALLS]',
      '<|python_tag|>',
      ' ',
      '\n',
      '\n\n',
      'word',
      '💡',
    ),
  },
);
const replies = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(''));

/** The text cut at each position; repeated positions give empty chunks. */
function cut(text: string, places: number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
}

describe('whatever the chunking [Z09]', () => {
  sweep([200, 2000])('calls and text are the same (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(replies, fc.array(fc.nat(), { maxLength: 10 }), (reply, places) => {
        const whole = parse(reply);
        expect(parse(...cut(reply, places))).toEqual(whole);
        expect(parse(...reply.split(''))).toEqual(whole);
      }),
      { numRuns },
    );
  });

  sweep([200, 2000])(
    'nothing is dropped: without a call the text is the reply, with one the text around it remains (%i runs)',
    (numRuns) => {
      fc.assert(
        fc.property(replies, (reply) => {
          const { text, calls } = parse(reply);
          if (calls.length === 0) expect(text).toBe(reply);
          const kept = `${text} ${calls.map(({ name, json }) => `${name} ${json}`).join(' ')}`;
          const count = (words: RegExp, from: string) => [...from.matchAll(words)].length;
          // Text after a fence may be its label, which is removed with it.
          expect(count(/word/g, kept)).toBeGreaterThanOrEqual(count(/(?<!```[ \t]*\w*)word/g, reply));
          expect(count(/word/g, kept)).toBeLessThanOrEqual(count(/word/g, reply));
        }),
        { numRuns },
      );
    },
  );

  test('text without markers passes unchanged, and only a possible marker is held back', () => {
    const markers = ['<tool_call>', '```', ...MARKS, ...LINE_MARKS, ...looseHeads(TOOLS)].map((marker) =>
      marker.replace(/\s/g, ''),
    );
    const words = fc.constantFrom('a', '<', '<tool', '`', '``', '{', '[', ' ', '\n', '"', 'name', '</', '💡');
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 8 }), (text, places) => {
        fc.pre(!/<tool_call>|```/.test(text));
        const parser = new CallParser(TOOLS);
        let seen = '';
        let said = '';
        for (const chunk of cut(text, places)) {
          seen += chunk;
          said += parser.push(chunk);
          const held = seen.slice(said.length).replace(/\s/g, '').replaceAll("'", '"');
          expect(markers.filter((marker) => marker.startsWith(held))).not.toEqual([]);
        }
        expect({ text: said + parser.end().text }).toEqual({ text });
      }),
      { numRuns: 1000 },
    );
  });

  test('a long call in small chunks is parsed in linear time', () => {
    const content = 'line with "quotes" and ```fences```\n'.repeat(3000);
    const json = JSON.stringify({ content });
    const reply = `Go.\n${fence(`{"name": "Write", "arguments": ${json}}`)}`;
    const started = performance.now();
    expect(parse(...(reply.match(/[\s\S]{1,5}/g) ?? []))).toEqual({
      text: 'Go.',
      calls: [{ name: 'Write', json }],
    });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
