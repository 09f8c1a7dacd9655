// @module-tag soak
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ChatEvent } from '../web/chat/connection.ts';
import { buildChat, openChat } from './support/chat-page.ts';
import { useBrowser } from './support/use-browser.ts';

const it = useBrowser();
let files: Awaited<ReturnType<typeof buildChat>>;

beforeAll(async () => {
  files = await buildChat();
});

const PAYLOADS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)><style>*{display:none}</style>',
  '<iframe src="https://evil.test/"></iframe><base href="https://evil.test/">',
  '[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>',
  '![x](https://evil.test/pixel.png) <https://evil.test/ok> [z]: javascript:alert(1)',
  '`</code><img src=x onerror=alert(1)>` ```html\n<script>alert(1)</script>\n```',
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>\n\n| <img src=x onerror=alert(1)> |\n| - |\n| <b onmouseover=alert(1)>x</b> |',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of an attack.
  '{{constructor.constructor("alert(1)")()}} ${alert(1)} &lt;img src=x onerror=alert(1)&gt; &#x3c;script&#x3e;alert(1)',
  '\u202e</textarea><script>alert(1)</script>\u0000\u001b[31m',
];

/** Every place of the protocol where somebody else's text arrives. */
function everywhere(bad: string): ChatEvent[] {
  const update = (value: unknown): ChatEvent => ({ type: 'update', update: value as SessionUpdate, by: bad });
  const text = { type: 'text', text: bad };
  const content = [
    { type: 'content', content: text },
    {
      type: 'diff',
      path: bad,
      oldText: `${bad}\nsame`,
      newText: `other ${bad}\nsame`,
      _meta: { aca: { line: bad } },
    },
    { type: 'content', content: { type: 'resource_link', name: bad, uri: bad } },
    { type: 'content', content: { type: 'image', data: bad, mimeType: 'image/svg+xml' } },
    { type: 'content', content: { type: 'resource', resource: { uri: bad, text: bad } } },
  ];
  const call = {
    toolCallId: bad,
    title: bad,
    name: bad,
    kind: 'execute',
    status: 'failed',
    content,
    locations: [{ path: bad, line: 3 }],
  };
  const choice = { value: bad, name: bad, description: bad };
  return [
    { type: 'connection', state: 'online', message: bad },
    {
      type: 'session',
      session: {
        id: bad,
        cwd: bad,
        title: bad,
        modes: { currentModeId: bad, availableModes: [{ id: bad, name: bad, description: bad }] },
        configOptions: [
          {
            id: bad,
            name: bad,
            category: 'model',
            type: 'select',
            currentValue: bad,
            options: [{ group: bad, name: bad, options: [choice] }],
          },
          { id: `${bad}2`, name: bad, type: 'select', currentValue: bad, options: [choice] },
        ],
      },
    },
    update({ sessionUpdate: 'user_message_chunk', content: text, messageId: bad }),
    update({
      sessionUpdate: 'user_message_chunk',
      content: { type: 'image', data: bad, mimeType: bad },
      messageId: bad,
    }),
    update({
      sessionUpdate: 'user_message_chunk',
      content: { type: 'resource', resource: { uri: bad, text: bad } },
      messageId: bad,
    }),
    { type: 'turn_started', by: bad },
    update({ sessionUpdate: 'agent_thought_chunk', content: text }),
    update({ sessionUpdate: 'agent_message_chunk', content: text }),
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'resource_link', name: bad, uri: 'javascript:alert(1)' },
    }),
    update({ sessionUpdate: 'tool_call', ...call }),
    update({
      sessionUpdate: 'tool_call',
      ...call,
      toolCallId: `${bad}3`,
      kind: bad,
      status: bad,
      _meta: { aca: { parent: bad }, terminal_output: { data: bad } },
    }),
    update({ sessionUpdate: 'plan', entries: [{ content: bad, priority: bad, status: 'in_progress' }] }),
    update({
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: bad, description: bad, input: { hint: bad } }],
    }),
    update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency: bad } }),
    update({ sessionUpdate: 'notice', severity: bad, title: bad, description: bad }),
    update({ sessionUpdate: 'session_info_update', title: bad }),
    { type: 'participants', participants: [{ id: bad, name: bad, role: 'editor' }] },
    { type: 'typing', participant: bad, isTyping: true },
    { type: 'question_asked', request: { requestId: 'q0', question: bad, choices: [bad] } },
    { type: 'question_settled', requestId: 'q0', answer: bad, by: bad },
    {
      type: 'permission_asked',
      request: {
        requestId: bad,
        toolCall: call as never,
        options: [{ optionId: bad, name: bad, kind: 'allow_once' }],
      },
    },
    { type: 'question_asked', request: { requestId: 'q1', question: bad, choices: [bad, `${bad}2`] } },
    { type: 'changes_changed' },
  ];
}

/** Whatever would load, run or restyle something, apart from what the page itself consists of. */
function active(): string[] {
  const found = document.querySelectorAll(
    'body :is(script:not([src^="/assets/"]), iframe, object, embed, link, style, base, meta, form:not(.composer, .own-answer), video, audio), img:not([src^="data:image/"])',
  );
  const handlers = [...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on') || name === 'srcdoc'),
  );
  const links = [...document.querySelectorAll('a')].filter(({ href }) => !/^https?:\/\//.test(href));
  return [...found, ...handlers, ...links].map((element) => element.outerHTML.slice(0, 200));
}

async function openAll(page: Page): Promise<void> {
  // What opens may contain more that opens.
  for (let round = 0; round < 3; round++) {
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>(
        '[aria-expanded="false"]:not([aria-haspopup])',
      ))
        button.click();
    });
    await page.waitForTimeout(50);
  }
}

test.each(PAYLOADS)('nothing of %j becomes more than text, wherever it comes from', async (bad) => {
  const { page, emit, answer, problems } = await openChat(it.browser, files);
  const hunk = { id: 'h', oldStart: 1, newStart: 1, lines: [` ${bad}`, `-${bad}`, `+${bad} `] };
  await answer({
    files: [{ path: `@${bad}`, isFolder: false }],
    sessions: [{ id: bad, title: bad, cwd: bad, lastLine: bad, updatedAt: bad, state: 'failed' }],
    changes: [{ path: bad, status: 'added', hunks: [hunk, { ...hunk, id: 'h2' }] }],
    failures: { setMode: bad },
  });
  await emit(...everywhere(bad));
  await page.getByRole('region', { name: 'Approval needed' }).waitFor();
  await openAll(page);
  expect(await page.evaluate(active)).toEqual([]);

  await emit({ type: 'permission_settled', requestId: bad, optionId: bad, by: bad });
  await page.getByRole('region', { name: 'Question' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('@');
  await page.getByRole('textbox', { name: 'Message' }).press('End');
  await page.keyboard.type('@');
  await page.getByRole('button', { name: /^Mode/ }).first().click();
  expect(await page.evaluate(active)).toEqual([]);
  await page.getByRole('menuitemradio').first().click();
  await emit({ type: 'turn_failed', message: bad, hint: bad });
  await page.getByRole('button', { name: 'Sessions' }).click();
  await page.locator('.session').waitFor();
  expect(await page.evaluate(active)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});
