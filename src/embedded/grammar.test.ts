import { expect, test } from 'vitest';
import { callGrammar, schemaGrammar } from './grammar.ts';

const form = { open: '<tool_call>', close: '</tool_call>', argumentsKey: 'arguments' } as const;

/** The rules by name. */
function rulesOf(grammar: string): Map<string, string> {
  return new Map(
    grammar
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [name = '', body = ''] = line.split(' ::= ', 2);
        return [name, body];
      }),
  );
}

/** An interpreter for the subset of GBNF used here: whether a grammar accepts a text. */
function accepts(grammar: string, text: string): boolean {
  const rules = rulesOf(grammar);
  const parsed = new Map([...rules].map(([name, body]) => [name, parse(body)]));
  return match({ type: 'rule', name: 'root' }, 0).has(text.length);

  function match(node: Node, at: number): Set<number> {
    switch (node.type) {
      case 'text':
        return text.startsWith(node.text, at) ? new Set([at + node.text.length]) : new Set();
      case 'class':
        return at < text.length && node.pattern.test(text.charAt(at)) ? new Set([at + 1]) : new Set();
      case 'rule': {
        const rule = parsed.get(node.name);
        if (!rule) throw new Error(`No rule ${node.name}.`);
        return match(rule, at);
      }
      case 'all': {
        let places = new Set([at]);
        for (const next of node.nodes)
          places = new Set([...places].flatMap((place) => [...match(next, place)]));
        return places;
      }
      case 'any':
        return new Set(node.nodes.flatMap((choice) => [...match(choice, at)]));
      case 'repeat': {
        const found = new Set<number>(node.least === 0 ? [at] : []);
        let edge = new Set([at]);
        for (let round = 0; edge.size > 0 && round < node.most; round++) {
          edge = new Set([...edge].flatMap((place) => [...match(node.node, place)]));
          for (const place of edge) found.add(place);
        }
        return found;
      }
    }
    return node satisfies never;
  }
}

type Node =
  | { type: 'text'; text: string }
  | { type: 'class'; pattern: RegExp }
  | { type: 'rule'; name: string }
  | { type: 'all' | 'any'; nodes: Node[] }
  | { type: 'repeat'; node: Node; least: 0 | 1; most: number };

function parse(body: string): Node {
  const tokens = body.match(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[\w-]+|[()|?*+]/g) ?? [];
  let at = 0;

  function alternatives(): Node {
    const choices = [sequence()];
    while (tokens[at] === '|') {
      at++;
      choices.push(sequence());
    }
    return { type: 'any', nodes: choices };
  }

  function sequence(): Node {
    const nodes: Node[] = [];
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') nodes.push(item());
    return { type: 'all', nodes };
  }

  function item(): Node {
    const token = tokens[at++] ?? '';
    let node: Node;
    if (token === '(') {
      node = alternatives();
      at++;
    } else if (token.startsWith('"')) node = { type: 'text', text: JSON.parse(token) };
    else if (token.startsWith('[')) node = { type: 'class', pattern: new RegExp(`^${token}$`, 'u') };
    else node = { type: 'rule', name: token };
    const mark = tokens[at] ?? '';
    if (!['?', '*', '+'].includes(mark)) return node;
    at++;
    const most = mark === '?' ? 1 : Number.POSITIVE_INFINITY;
    return { type: 'repeat', node, least: mark === '+' ? 1 : 0, most };
  }

  return alternatives();
}

const read = {
  name: 'Read',
  description: '',
  parameters: {
    type: 'object',
    properties: {
      file_path: { type: 'string' },
      offset: { type: 'integer' },
      limit: { type: 'integer' },
    },
    required: ['file_path'],
  },
};
const list = {
  name: 'List "it"',
  description: '',
  parameters: {
    type: 'object',
    properties: {
      deep: { type: 'boolean' },
      order: { enum: ['name', 'size'] },
      names: { type: 'array', items: { type: 'string' } },
    },
  },
};

test('a call with its required arguments is accepted, with optional ones or without', () => {
  const grammar = callGrammar([read, list], form);
  const yes = [
    '\n{"name": "Read", "arguments": {"file_path": "a.ts"}}\n</tool_call>',
    '{"name": "Read", "arguments": {"file_path": "a \\"b\\" \\u00e9 ü", "limit": -3}}</tool_call>',
    '\n{"name": "Read", "arguments": {"file_path": "", "offset": 1, "limit": 20}}\n</tool_call>',
    '\n{"name": "List \\"it\\"", "arguments": {}}\n</tool_call>',
    '\n{"name": "List \\"it\\"", "arguments": {"order": "size", "names": ["a", "b"]}}\n</tool_call>',
    '\n{"name": "List \\"it\\"", "arguments": {"deep": true}}\n</tool_call>\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}\n</tool_call>',
  ];
  expect(yes.filter((text) => !accepts(grammar, text))).toEqual([]);
});

test('anything else is rejected', () => {
  const grammar = callGrammar([read, list], form);
  const no = [
    '',
    'Hello',
    '\n{"name": "Write", "arguments": {}}\n</tool_call>',
    '\n{"name": "Read", "arguments": {}}\n</tool_call>',
    '\n{"name": "Read", "arguments": {"file_path": 3}}\n</tool_call>',
    '\n{"name": "Read", "arguments": {"file_path": "a", "limit": "3"}}\n</tool_call>',
    '\n{"name": "Read", "arguments": {"file_path": "a"}}',
    '\n{"name": "Read", "arguments": {"file_path": "line\nbreak"}}\n</tool_call>',
    '\n{"name": "List \\"it\\"", "arguments": {"order": "time"}}\n</tool_call>',
    '\n{"name": "List \\"it\\"", "arguments": {, "deep": true}}\n</tool_call>',
  ];
  expect(no.filter((text) => accepts(grammar, text))).toEqual([]);
});

test('what a grammar accepts is JSON that names a tool', () => {
  const grammar = callGrammar([read], { open: '```tool_call', close: '```', argumentsKey: 'parameters' });
  const text = '{"name": "Read", "parameters": {"file_path": "a```b"}}';

  expect(accepts(grammar, `\n${text}\n\`\`\``)).toBe(true);
  expect(JSON.parse(text)).toEqual({ name: 'Read', parameters: { file_path: 'a```b' } });
});

test('a schema for a whole reply is enforced, nested and with alternatives', () => {
  const grammar = schemaGrammar({
    type: 'object',
    properties: {
      say: { type: ['string', 'null'] },
      calls: {
        type: 'array',
        items: {
          anyOf: [{ type: 'object', properties: { n: { const: 1 } }, required: ['n'] }, { type: 'number' }],
        },
      },
      free: {},
    },
    required: ['say', 'calls'],
  });
  const yes = [
    '{"say": null, "calls": []}',
    '{"say": "x", "calls": [{"n": 1}, -2.5e3], "free": {"a": [1, true]}}',
  ];
  const no = ['{"calls": [], "say": null}', '{"say": 1, "calls": []}', '{"say": "x", "calls": [{"n": 2}]}'];
  expect([...yes, ...no].map((text) => accepts(grammar, text))).toEqual([true, true, false, false, false]);
});
