import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, histories, pairs, prompt, reply, sizeOf } from '../../test/support/histories.ts';
import { textOf } from '../contract/message.ts';
import { folderNote } from './nested-instructions.ts';
import { MAX_LEVEL, squeeze } from './squeeze.ts';

const level = fc.nat(MAX_LEVEL);

describe('[K03] shortening old messages', () => {
  test('[Y02] [Y05] every call keeps its result, no message is dropped, and the history itself is unchanged', () => {
    fc.assert(
      fc.property(histories, level, fc.nat(60), (messages, level, until) => {
        const before = structuredClone(messages);
        const squeezed = squeeze(messages, { level, until, at: messages.length });
        expect(pairs(squeezed)).toEqual(pairs(messages.slice(0, until)));
        expect(squeezed.map(({ role }) => role)).toEqual(messages.slice(0, until).map(({ role }) => role));
        expect(messages).toEqual(before);
      }),
    );
  });

  test('a higher level never sends more, and no level sends more than the original', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const all = { until: messages.length, at: messages.length };
        const sizes = Array.from({ length: MAX_LEVEL + 1 }, (_, level) =>
          sizeOf(squeeze(messages, { level, ...all })),
        );
        expect(sizes[0]).toBe(sizeOf(messages));
        for (const [i, size] of sizes.entries()) expect(size).toBeLessThanOrEqual(sizes[i - 1] ?? size);
      }),
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(histories, level, (messages, level) => {
        const how = { level, until: messages.length, at: messages.length };
        const once = squeeze(messages, how);
        expect(squeeze(once, how)).toEqual(once);
      }),
    );
  });

  test('later messages change nothing: the bytes sent stay a prefix', () => {
    fc.assert(
      fc.property(histories, histories, level, (messages, more, level) => {
        const how = { level, until: messages.length, at: messages.length };
        expect(squeeze([...messages, ...more], how)).toEqual(squeeze(messages, how));
      }),
    );
  });

  test('of reads of the same lines only the last is sent; other lines and failed reads stay', () => {
    const read = (id: string, input: object) => [
      reply('', { id, name: 'Read', input }),
      answer(id, 'Read', `text of ${id} `.repeat(20)),
    ];
    const messages = [
      prompt('go'),
      ...read('part', { file_path: 'a.ts', limit: 5 }),
      ...read('first', { file_path: 'a.ts' }),
      ...read('other', { file_path: 'a.ts', offset: 40 }),
      ...read('last', { file_path: './a.ts' }),
      reply('', { id: 'failed', name: 'Read', input: { file_path: 'a.ts' } }),
      answer('failed', 'Read', 'no such file', { success: false }),
    ];
    const sent = squeeze(messages, { level: 1, until: messages.length, at: messages.length });
    expect(
      sent.flatMap((message) =>
        message.role === 'tool' ? [[message.callId, textOf(message).slice(0, 24)]] : [],
      ),
    ).toEqual([
      ['part', '[The same lines were rea'],
      ['first', '[The same lines were rea'],
      ['other', 'text of other text of ot'],
      ['last', 'text of last text of las'],
      ['failed', 'no such file'],
    ]);
  });

  test('long output keeps its head and tail, an edit its file, an image a placeholder', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
    const messages = [
      prompt('go'),
      reply('', {
        id: 'e',
        name: 'Edit',
        input: { file_path: 'a.ts', old_string: 'x', new_string: `\n  first\n${'y\n'.repeat(200)}` },
      }),
      answer('e', 'Edit', `${'a'.repeat(6000)}${'b'.repeat(6000)}`),
      answer('i', 'Read', 'see', { content: [image] }),
    ];
    const at = (level: number) => squeeze(messages, { level, until: 4, at: 4 });
    expect(textOf(at(2)[2] ?? prompt(''))).toBe(
      `${'a'.repeat(5000)}\n... [truncated] ...\n${'b'.repeat(2000)}`,
    );
    expect(at(2)[3]).toBe(messages[3]);
    expect(textOf(at(3)[2] ?? prompt('')).length).toBe(721);
    expect(at(3)[3]?.content).toEqual([{ type: 'text', text: '[Image omitted.]' }]);
    expect(at(3)[1]).toBe(messages[1]);
    expect(at(4)[1]?.content).toEqual([
      {
        type: 'tool_call',
        id: 'e',
        name: 'Edit',
        input: { file_path: 'a.ts', old_string: 'x', new_string: '[203 lines omitted; first: first]' },
      },
    ]);
  });

  test('folder instructions survive every level, byte for byte', () => {
    const note = folderNote({ folder: 'lib', file: 'lib/AGENTS.md', text: 'rule '.repeat(900) });
    const read = (id: string) => [
      reply('', { id, name: 'Read', input: { file_path: 'lib/a.ts' } }),
      answer(id, 'Read', 'x'.repeat(9000)),
    ];
    const [call, plain] = read('1');
    const noted = {
      ...answer('1', 'Read', 'x'.repeat(9000)),
      content: [
        { type: 'text' as const, text: 'x'.repeat(9000) },
        { type: 'text' as const, text: note },
      ],
    };
    const messages = [prompt('go'), call ?? prompt(''), plain ? noted : prompt(''), ...read('2')];
    for (let level = 0; level <= MAX_LEVEL; level++)
      expect(squeeze(messages, { level, until: 5, at: 5 })[2]?.content.at(-1)).toEqual({
        type: 'text',
        text: note,
      });
  });
});
