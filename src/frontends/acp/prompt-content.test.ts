import type { ContentBlock } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { contentOf } from '../../app/conversation/steering.ts';
import { typedText } from '../../contract/message.ts';
import { promptOf } from './prompt-content.ts';

test('what an editor attaches follows the prompt, says where it comes from, and was typed by nobody', () => {
  const prompt = promptOf([
    { type: 'text', text: 'Sum up ' },
    { type: 'resource', resource: { uri: 'https://blog.test/a', text: 'See https://evil.test/x' } },
    { type: 'resource', resource: { uri: 'file:///home/me/a%20b.md#L2', text: 'note' } },
  ]);
  const content = contentOf(prompt);
  const text = 'Sum up https://blog.test/a /home/me/a b.md:2';
  expect(content).toEqual([
    { type: 'text', text, typed: true },
    {
      type: 'text',
      text: '\n\nhttps://blog.test/a:\n```\nSee https://evil.test/x\n```',
      origin: { kind: 'resource', name: 'https://blog.test/a' },
    },
    {
      type: 'text',
      text: '\n\n/home/me/a b.md:2:\n```\nnote\n```',
      origin: { kind: 'resource', name: '/home/me/a b.md:2' },
    },
  ]);
  expect(typedText({ content })).toBe(text);
});

const link = (path: string): ContentBlock => ({ type: 'resource_link', name: path, uri: `file://${path}` });
const words = (text: string): ContentBlock => ({ type: 'text', text });

test.each<[blocks: ContentBlock[], text: string]>([
  [[words('Fix this'), words('and that')], 'Fix this\n\nand that'],
  [[words('One.\n'), words('Two.')], 'One.\nTwo.'],
  [[words('Look at'), link('/a.ts'), link('/b.ts'), words('and say why')], 'Look at /a.ts /b.ts and say why'],
  [[words('Look at ('), link('/a.ts'), words('), then stop.')], 'Look at (/a.ts), then stop.'],
  [[words('Why `'), link('/a.ts'), words('`?')], 'Why `/a.ts`?'],
  [[link('/a.ts'), words('explain')], '/a.ts explain'],
  [[words('/review'), link('/a.ts')], '/review /a.ts'],
  [[words(''), words('alone'), words('')], 'alone'],
])('the parts of a prompt are set apart: %j', (blocks, text) => {
  expect(promptOf(blocks).text).toBe(text);
});
