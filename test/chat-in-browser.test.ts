// @module-tag soak
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../web/chat/connection.ts';
import * as demo from '../web/chat/demo/session.ts';
import { promptOf, useChatInBrowser } from './support/chat-in-browser.ts';

const it = useChatInBrowser();

const says = (text: string, messageId = 'm1'): ChatEvent => ({
  type: 'update',
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId },
});
const started: ChatEvent = { type: 'turn_started' };
/** Long enough for a card to take keys, also after typing. */
const settled = (page: Page) => page.waitForTimeout(1_200);

describe('a question', () => {
  const approvals = async () => (await it.chat.calls('answerPermission')).map(({ args }) => args);

  test('is answered by a digit and Enter, but not by a stray Enter, nor by a key pressed as it appears', async () => {
    const page = await it.open(started);
    await promptOf(page).focus();
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        const card = document.querySelector('.ask');
        if (!card) return;
        watch.disconnect();
        card.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true }));
      });
      watch.observe(document, { subtree: true, childList: true });
    });
    await it.chat.emit(...demo.asked);
    await page.getByRole('region', { name: 'Approval needed' }).waitFor();
    await page.keyboard.press('Enter');
    await settled(page);
    await page.keyboard.press('Enter');
    await settled(page);
    // The early digit was text: the focus is in the prompt.
    await page.keyboard.press('Alt+3');
    expect(await approvals()).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(approvals).toEqual([['r1', 'no']]);
  });

  test('leaves somebody who writes alone: digits are text, Alt and a digit selects', async () => {
    const page = await it.open(started);
    await promptOf(page).pressSequentially('also ');
    await it.chat.emit(...demo.asked);
    await page.getByRole('region', { name: 'Approval needed' }).waitFor();
    await settled(page);
    await page.keyboard.type('1 more');
    expect(await promptOf(page).inputValue()).toBe('also 1 more');
    expect(await approvals()).toEqual([]);
    await page.keyboard.press('Alt+1');
    await page.keyboard.press('Enter');
    expect(await approvals()).toEqual([]);
    await settled(page);
    await page.keyboard.press('Alt+1');
    await page.keyboard.press('Enter');
    await expect.poll(approvals).toEqual([['r1', 'once']]);
  });

  test('is answered once by Enter that is pressed twice at once', async () => {
    const page = await it.open(started, ...demo.asked);
    await page.getByRole('region', { name: 'Approval needed' }).waitFor();
    await settled(page);
    await page.evaluate(async () => {
      for (const key of ['1', 'Enter', 'Enter']) {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        await Promise.resolve();
      }
    });
    await expect.poll(approvals).toEqual([['r1', 'once']]);
  });

  test.each(['no, wait', '2 things by you', '1 more', '12 of 34', ' y', 'ye\u0301s 3'])(
    'lets text through to the prompt, however slow: "%s"',
    async (text) => {
      const page = await it.open(started);
      await it.chat.emit(...demo.asked);
      await page.getByRole('region', { name: 'Approval needed' }).waitFor();
      await settled(page);
      for (const key of text) {
        await page.keyboard.type(key);
        await page.waitForTimeout(key === ' ' ? 1_200 : 100);
      }
      expect(await promptOf(page).inputValue()).toBe(text);
      expect(await approvals()).toEqual([]);
      await page.keyboard.press('Enter');
      await expect.poll(() => it.chat.calls('prompt')).toHaveLength(1);
      expect(await approvals()).toEqual([]);
    },
  );

  test('lets a paste through to the prompt', async () => {
    const page = await it.open(started, ...demo.asked);
    await page.getByRole('region', { name: 'Approval needed' }).waitFor();
    await settled(page);
    await page.keyboard.press('1');
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ' of 3');
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(paste);
    });
    await expect.poll(() => promptOf(page).inputValue()).toBe('1 of 3');
    expect(await approvals()).toEqual([]);
  });

  test('is selected with a digit or the arrow keys', async () => {
    const page = await it.open(started, ...demo.asked);
    await page.getByRole('region', { name: 'Approval needed' }).waitFor();
    await settled(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('3');
    await page.keyboard.press('ArrowDown');
    expect(await approvals()).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(approvals).toEqual([['r1', 'once']]);
  });

  test('shows the whole command, and is answered once by a click', async () => {
    const page = await it.open(started);
    await it.chat.emit({ type: 'permission_asked', request: demo.command });
    const card = page.getByRole('region', { name: 'Approval needed' });
    await card.getByText('git push --force origin main && rm -rf dist/', { exact: true }).waitFor();
    await settled(page);
    await card.getByRole('button', { name: 'Yes', exact: true }).dblclick();
    await expect.poll(approvals).toEqual([['r2', 'once']]);
    await it.chat.emit({ type: 'permission_settled', requestId: 'r2', optionId: 'once', by: 'Ben' });
    await expect.poll(() => card.count()).toBe(0);
  });

  test('shows the whole change, however long, before it can be approved; asked again, it can be answered again', async () => {
    const newText = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const diff = { type: 'diff' as const, path: '/project/long.ts', oldText: null, newText };
    const asked = {
      type: 'permission_asked' as const,
      request: { ...demo.command, toolCall: { ...demo.command.toolCall, content: [diff] } },
    };
    const page = await it.open(started, asked);
    const card = page.getByRole('region', { name: 'Approval needed' });
    await card.waitFor();
    expect(await card.locator('.diff-row').count()).toBe(60);
    await card.locator('.diff-row').last().scrollIntoViewIfNeeded();
    expect(await card.getByText('line 59').isVisible()).toBe(true);
    expect(await card.getByRole('button', { name: /more/ }).count()).toBe(0);

    await settled(page);
    const yes = card.getByRole('button', { name: 'Yes', exact: true });
    await yes.click();
    await expect.poll(() => yes.isDisabled()).toBe(true);
    await it.chat.emit(asked);
    await yes.click();
    await expect.poll(approvals).toEqual([
      ['r2', 'once'],
      ['r2', 'once'],
    ]);
  });

  test('can be tried again when the answer was refused', async () => {
    const page = await it.open(started);
    await it.chat.answer({ failures: { answerPermission: 'The question has changed.' } });
    await it.chat.emit(...demo.asked);
    await settled(page);
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByText('The question has changed.').waitFor();
    expect(await page.getByRole('button', { name: 'Yes', exact: true }).isEnabled()).toBe(true);
  });

  test('of the agent takes a choice or own words', async () => {
    const request = { requestId: 'q1', question: 'Which database?', choices: ['SQLite', 'Postgres'] };
    const page = await it.open(started, { type: 'question_asked', request });
    await page.getByRole('textbox', { name: 'Your answer' }).fill('MariaDB 1');
    await page.getByRole('textbox', { name: 'Your answer' }).press('Enter');
    await expect
      .poll(() => it.chat.calls('answerQuestion'))
      .toEqual([{ method: 'answerQuestion', args: ['q1', 'MariaDB 1'] }]);
    await it.chat.emit({ type: 'question_settled', requestId: 'q1', answer: 'MariaDB 1', by: 'Ana' });
    await page.getByText('Ana: MariaDB 1').waitFor();
  });

  test('is not for viewers, who cannot write either', async () => {
    const page = await it.open();
    await it.chat.emit(
      { type: 'session', session: { id: 'v', cwd: '/x', title: 'Watched', role: 'viewer' } },
      started,
      ...demo.asked,
    );
    await page.getByText('Waiting for somebody who may approve.').waitFor();
    await settled(page);
    await page.keyboard.press('1');
    await page.keyboard.press('Escape');
    expect([
      await promptOf(page).count(),
      await it.chat.calls('answerPermission'),
      await it.chat.calls('cancel'),
    ]).toEqual([0, [], []]);
  });
});

describe('the transcript', () => {
  test('while a message streams, only its last block changes', async () => {
    const page = await it.open(
      started,
      says('# Title\n\nFirst paragraph.\n\n```ts\nlet x = 1;\n```\n\n- one\n- two\n\nLast'),
    );
    await page.getByText('Last').waitFor();
    // Colours come when the highlighter is loaded.
    await page.locator('.hl-keyword').first().waitFor();
    await page.evaluate(() => {
      const changed: string[] = [];
      new MutationObserver((records) => {
        for (const { target } of records) {
          const block = (target instanceof Element ? target : target.parentElement)?.closest('.markdown > *');
          if (block) changed.push(block.tagName);
        }
      }).observe(document.querySelector('.markdown') ?? document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      Object.assign(window, { changed });
    });
    for (const word of ['words ', 'keep ', '**coming** ', 'in `parts`']) {
      await it.chat.emit(says(word));
      await page.waitForTimeout(40);
    }
    await page.getByText('Lastwords keep coming in parts').waitFor();
    expect([
      ...new Set(await page.evaluate(() => (window as unknown as { changed: string[] }).changed)),
    ]).toEqual(['P']);
  });

  test('follows the end until the user scrolls up, and goes back on demand', async () => {
    const page = await it.open(started, says('line\n\n'.repeat(80)));
    const log = page.getByRole('log');
    const rest = () => log.evaluate((it) => Math.round(it.scrollHeight - it.clientHeight - it.scrollTop));
    await expect.poll(rest).toBe(0);
    await it.chat.emit(says('more\n\n'.repeat(20)));
    await expect.poll(rest).toBe(0);
    await log.hover();
    await page.mouse.wheel(0, -600);
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    const top = await log.evaluate((it) => it.scrollTop);
    await it.chat.emit(says('even more\n\n'.repeat(20)));
    await page.getByText('even more').last().waitFor({ state: 'attached' });
    expect(await log.evaluate((it) => it.scrollTop)).toBe(top);
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(rest).toBe(0);
  });

  test('10,000 messages: few of them are in the page, and all of them can be reached', async () => {
    const many = Array.from({ length: 5_000 }, (_, index): ChatEvent[] => [
      {
        type: 'update',
        update: {
          sessionUpdate: 'user_message_chunk',
          content: { type: 'text', text: `Question ${index}` },
          messageId: `u${index}`,
        },
      },
      says(`Answer ${index}\n\n${'with some words '.repeat(index % 40)}`, `m${index}`),
    ]).flat();
    const page = await it.open();
    await it.chat.emit(...many);
    await page.getByText('Answer 4999').waitFor();
    const count = () => page.locator('.chunk > *').count();
    expect(await count()).toBeLessThan(300);
    await page.getByRole('log').evaluate((it) => it.scrollTo(0, 0));
    await page.getByText('Question 0', { exact: true }).waitFor();
    expect(await count()).toBeLessThan(300);
  });

  test('an entry that cannot be drawn says so, and the others stay', async () => {
    const broken = {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Read',
      content: [{ type: 'diff', path: '/a' }],
    };
    const page = await it.open(
      says('Before'),
      { type: 'update', update: broken as never },
      says('After', 'm2'),
    );
    await page.getByText('This cannot be shown').waitFor();
    await page.getByText('Before').waitFor();
    await page.getByText('After').waitFor();
  });

  test('files and links open through the connection', async () => {
    const page = await it.open(says('See `src/auth.ts:42` and [the docs](https://example.org/a).'));
    await page.getByRole('button', { name: 'src/auth.ts:42' }).click();
    await page.getByRole('link', { name: 'the docs' }).click();
    await expect
      .poll(async () => (await it.chat.calls()).map(({ method, args }) => [method, ...args]))
      .toEqual([
        ['openFile', 'src/auth.ts', 42],
        ['openLink', 'https://example.org/a'],
      ]);
  });

  test('a long output shows its head and tail, and all of it on demand', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    const content = [{ type: 'content' as const, content: { type: 'text' as const, text: lines } }];
    const page = await it.open({
      type: 'update',
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'npm test',
        kind: 'execute',
        status: 'completed',
        content,
      },
    });
    const output = page.locator('.output pre');
    await output.getByRole('button', { name: '288 more lines' }).waitFor();
    expect(await output.textContent()).toContain('line 299');
    await output.getByRole('button').click();
    expect(await output.textContent()).toContain('line 150');
  });
});

describe('changes', () => {
  test('are accepted and reverted one by one', async () => {
    const page = await it.open();
    await it.chat.answer({ changes: demo.changes });
    await it.chat.emit({ type: 'changes_changed' });
    await page.getByRole('button', { name: /2 files changed/ }).click();
    await page.getByRole('button', { name: /^src\/auth\.ts/ }).click();
    await page.getByRole('button', { name: 'Revert src/auth.ts, line 40' }).click();
    await expect
      .poll(() => it.chat.calls('revertHunks'))
      .toEqual([{ method: 'revertHunks', args: ['/home/ana/shop/src/auth.ts', ['h2']] }]);
    await page.getByRole('button', { name: 'Accept all' }).click();
    await expect.poll(() => page.getByRole('button', { name: /files? changed/ }).count()).toBe(0);
    expect((await it.chat.calls('acceptHunks')).map(({ args }) => args)).toEqual([
      ['/home/ana/shop/src/auth.ts', ['h1']],
      ['/home/ana/shop/test/auth.test.ts', ['h3']],
    ]);
  });
});

describe('sessions and people', () => {
  test('sessions are searched and opened by keyboard', async () => {
    const page = await it.open();
    await it.chat.answer({ sessions: demo.sessions });
    await page.getByRole('button', { name: 'Sessions' }).press('Enter');
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('cart');
    expect(await page.locator('.session').count()).toBe(1);
    await page.getByRole('button', { name: /Why is the cart slow/ }).press('Enter');
    await expect.poll(() => it.chat.calls('openSession')).toEqual([{ method: 'openSession', args: ['s3'] }]);
    await promptOf(page).waitFor();
  });

  test('one sees who is there, who writes, and who approved', async () => {
    const participants = [
      { id: 'p1', name: 'Ana', role: 'owner' as const },
      { id: 'p2', name: 'Ben', role: 'editor' as const },
    ];
    const page = await it.open(
      ...demo.work,
      ...demo.asked,
      { type: 'participants', participants },
      { type: 'typing', participant: 'p2', isTyping: true },
    );
    await page.getByText('Ben is writing…').waitFor();
    await it.chat.emit({ type: 'permission_settled', requestId: 'r1', optionId: 'once', by: 'Ben' });
    await page.getByText('Approved by Ben').waitFor();
  });

  test('a lost connection is said, and nothing can be sent until it is back', async () => {
    const page = await it.open({ type: 'connection', state: 'offline' });
    await page.getByText('Connection lost. Reconnecting…').waitFor();
    await promptOf(page).fill('Hello');
    await promptOf(page).press('Enter');
    expect([await it.chat.calls('prompt'), await promptOf(page).inputValue()]).toEqual([[], 'Hello']);
    await it.chat.emit({ type: 'connection', state: 'online' });
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  });
});
