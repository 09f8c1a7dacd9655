import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { play } from '../../test/support/loopback.ts';
import { says } from '../../test/support/model-server/script.ts';
import { scripted } from '../../test/support/scripted.ts';
import type { AssistantMessage, Message, ToolMessage } from '../contract/message.ts';
import type { CompletionRequest } from '../contract/provider.ts';
import { createFirewall, guardProvider } from './firewall.ts';
import type { NamedSecret } from './looks-secret.ts';

const SECRET = 'canary/One+2 three"4';
const secrets: readonly NamedSecret[] = [{ name: 'CANARY', value: SECRET }];
const firewallFor = (list: readonly NamedSecret[] = secrets, key = 'k') =>
  createFirewall({ secrets: [() => list], key: () => key });

const timestamp = '2026-01-01T00:00:00Z';
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp });
const request = (messages: readonly Message[], system = 'Be brief.'): CompletionRequest => ({
  model: 'm',
  system,
  messages,
});

/** How one command would encode it. */
const spelled: [how: string, (text: string) => string][] = [
  ['plain', (text) => text],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 inside more, one byte on', (text) => Buffer.from(`x${text}more`).toString('base64')],
  ['base64 inside more, two bytes on', (text) => Buffer.from(`xy${text}more`).toString('base64')],
  ['base64url', (text) => Buffer.from(`>>?${text}`).toString('base64url')],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['HEX', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['url', (text) => encodeURIComponent(text)],
  ['url in lower case', (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['every byte as a url', (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')],
  ['JSON', (text) => JSON.stringify(text)],
  ['reversed', (text) => [...text].reverse().join('')],
];

describe('outgoing', () => {
  test('a summary is redacted, too, and one without secrets is unchanged', () => {
    const wall = firewallFor();
    const plain = { ...request([user('hi')]), summary: '[Open: nothing]' };
    expect(wall.outgoing(plain)).toBe(plain);
    const { summary } = wall.outgoing({ ...plain, summary: `[Decided: use ${SECRET}]` });
    expect(summary).toMatch(/^\[Decided: use \[secret:CANARY:[0-9a-f]{8}\]\]$/);
  });

  test.each(spelled)('%s: neither the value nor this encoding of it is sent', (_how, spell) => {
    const written = spell(SECRET);
    const { messages } = firewallFor().outgoing(request([user(`see: ${written}!`)]));
    const sent = JSON.stringify(messages);
    expect(sent).toMatch(/\[secret:CANARY(\.\w+)?:[0-9a-f]{8}\]/);
    // Base64 characters shared with neighbours may stay: they do not reveal the value.
    expect(sent).not.toContain(JSON.stringify(written.slice(4, -6)).slice(1, -1));
  });

  test.each([
    [
      'base64, folded',
      Buffer.from(`a long line before it ${SECRET} and behind it`.repeat(3))
        .toString('base64')
        .replaceAll(/.{76}/g, '$&\n'),
    ],
    [
      'the same with line numbers',
      Buffer.from(`a long line before it, so ${SECRET} goes on the next`.repeat(3))
        .toString('base64')
        .replaceAll(/.{60}/g, '$&\n')
        .split('\n')
        .map((line, i) => `${i + 1}\t${line}`)
        .join('\n'),
    ],
    ['hex, folded', Buffer.from(`a long line before ${SECRET}`).toString('hex').replaceAll(/.{60}/g, '$&\n')],
    [
      'od -An -tx1',
      Buffer.from(SECRET).toString('hex').replaceAll(/../g, ' $&').replaceAll(/.{48}/g, '$&\n'),
    ],
    ['xxd', dump(`0123456789${SECRET}`)],
  ])('%s: pieces on several lines are joined and hidden completely', (_how, written) => {
    const sent = firewallFor().hide(`before\n${written}\nafter`);
    expect(sent).toMatch(/^before\n\[secret:CANARY\.\w+:[0-9a-f]{8}\]\nafter$/);
  });

  test('all text is checked: system prompt, messages, calls, results, malformed arguments', () => {
    const assistant: AssistantMessage = {
      role: 'assistant',
      content: [
        { type: 'text', text: SECRET },
        { type: 'thinking', text: SECRET },
        { type: 'tool_call', id: '1', name: 'Bash', input: { a: [{ [SECRET]: SECRET }] }, malformed: SECRET },
      ],
      provider: 'p',
      model: 'm',
      stopReason: 'tool_calls',
      timestamp,
    };
    const tool: ToolMessage = {
      role: 'tool',
      callId: '1',
      name: 'Bash',
      success: true,
      content: [{ type: 'text', text: SECRET }],
      timestamp,
    };
    const tools = [{ name: 't', description: SECRET, parameters: { default: SECRET } }];
    const sent = firewallFor().outgoing({ ...request([user(SECRET), assistant, tool], SECRET), tools });
    expect(JSON.stringify(sent)).not.toContain('canary');
    expect(firewallFor().outgoing(request([])).messages).toEqual([]);
  });

  test('images and signed thinking are unchanged: a modified one would be rejected', () => {
    const thought = { type: 'thinking', text: SECRET, signature: 's' } as const;
    const image = {
      type: 'image',
      mediaType: 'image/png',
      data: Buffer.from(SECRET).toString('base64'),
    } as const;
    const message: AssistantMessage = {
      role: 'assistant',
      content: [thought],
      provider: 'p',
      model: 'm',
      stopReason: 'end',
      timestamp,
    };
    const given = request([message, { role: 'user', content: [image], timestamp }]);
    expect(firewallFor().outgoing(given)).toBe(given);
  });

  test('without secrets the identical request; with one, the other messages are identical objects', () => {
    const wall = firewallFor();
    const innocent = request([user('hello'), user('there')]);
    expect(wall.outgoing(innocent)).toBe(innocent);
    const [first, second] = [user('hello'), user(SECRET)];
    const once = wall.outgoing(request([first, second]));
    expect(once.messages[0]).toBe(first);
    expect(wall.outgoing(request([first, second])).messages[1]).toBe(once.messages[1]);
  });

  test('[U15] placeholders are the same in every process, and different under another key', () => {
    expect(firewallFor().hide(SECRET)).toBe(firewallFor().hide(SECRET));
    expect(firewallFor(secrets, 'other').hide(SECRET)).not.toBe(firewallFor().hide(SECRET));
    expect(firewallFor().hide(SECRET)).toMatch(/^\[secret:CANARY:[0-9a-f]{8}\]$/);
  });

  test('a secret that appears later hides earlier text; one that disappears stays hidden', () => {
    let list: readonly NamedSecret[] = [];
    const wall = createFirewall({ secrets: [() => list], key: () => 'k' });
    const given = request([user(SECRET)]);
    expect(wall.outgoing(given)).toBe(given);
    list = secrets;
    expect(JSON.stringify(wall.outgoing(given))).not.toContain('canary');
    list = [];
    expect(JSON.stringify(wall.outgoing(given))).not.toContain('canary');
  });

  test('a message is checked once, however often it is sent', () => {
    const wall = firewallFor();
    const long = Array.from({ length: 200 }, () => user('export const x = 1;\n'.repeat(2500)));
    const first = timed(() => wall.outgoing(request(long)));
    const again = Math.min(...[1, 2, 3].map(() => timed(() => wall.outgoing(request(long)))));
    expect(again).toBeLessThan(first / 10);
  });
});

describe('restore', () => {
  const value = fc.string({ minLength: 8, maxLength: 40 }).filter((text) => !text.includes('[secret:'));
  const words = fc.array(fc.oneof(fc.string(), fc.constantFrom('A', 'B', 'AB', '\n')), { maxLength: 6 });

  test('returns exactly what was hidden, however it was encoded', () => {
    fc.assert(
      fc.property(value, value, words, fc.nat(spelled.length - 1), (a, b, parts, n) => {
        const list = [a, b].map((text, i) => ({ name: `N${i}`, value: text }));
        const wall = firewallFor(list);
        const spell = spelled[n]?.[1] ?? String;
        const text = parts.map((part) => (part === 'A' ? spell(a) : part === 'B' ? b : part)).join('');
        const hidden = wall.hide(text);
        expect(hidden.includes(a) || hidden.includes(b)).toBe(false);
        expect(wall.restore(hidden)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test('works in any input, and returns the same object if there is nothing to restore', () => {
    const wall = firewallFor();
    const word = wall.hide(SECRET);
    expect(wall.restore({ edits: [{ new_string: `k = ${word};` }], n: 1, none: null })).toEqual({
      edits: [{ new_string: `k = ${SECRET};` }],
      n: 1,
      none: null,
    });
    const plain = { a: ['[secret:CANARY:00000000]', '[secret:]'] };
    expect(wall.restore(plain)).toBe(plain);
  });

  test('knows placeholders that another process created for the same secrets', () => {
    expect(firewallFor().restore(firewallFor().hide(SECRET))).toBe(SECRET);
  });

  test('a key found by its format is restored, too', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const wall = firewallFor([]);
    expect(wall.hide(`token ${token}`)).toMatch(/^token \[secret:github-token:[0-9a-f]{8}\]$/);
    expect(wall.restore(wall.hide(`token ${token}`))).toBe(`token ${token}`);
  });
});

test('a guarded provider gets placeholders when streaming and counting; its reply is unchanged', async () => {
  const model = scripted(says(`the secret is ${SECRET}`));
  let counted: CompletionRequest | undefined;
  const provider = guardProvider(
    {
      ...model,
      countTokens: async (asked) => {
        counted = asked;
        return 7;
      },
    },
    firewallFor(),
  );
  const { events } = await play(provider, request([user(SECRET)]));
  expect(events[0]).toEqual({ type: 'text', text: `the secret is ${SECRET}` });
  expect(JSON.stringify(model.requests)).not.toContain('canary');
  expect(await provider.countTokens(request([user(SECRET)]), new AbortController().signal)).toBe(7);
  expect(JSON.stringify(counted)).not.toContain('canary');
});

function dump(text: string): string {
  const lines = text.match(/.{1,16}/gs) ?? [];
  return lines
    .map((line, i) => {
      const bytes = Buffer.from(line).toString('hex').replaceAll(/.{4}/g, '$& ');
      return `${(i * 16).toString(16).padStart(8, '0')}: ${bytes.padEnd(41)} ${line}`;
    })
    .join('\n');
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
