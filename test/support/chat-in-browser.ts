import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import type { ChatEvent } from '../../web/chat/connection.ts';
import * as demo from '../../web/chat/demo/session.ts';
import { buildChat, type ChatPage, openChat } from './chat-page.ts';
import { useBrowser } from './use-browser.ts';

/** A browser for a test file, in which each test opens a chat and leaves it without errors. */
export function useChatInBrowser() {
  const it = useBrowser();
  let files: Awaited<ReturnType<typeof buildChat>>;
  const open: ChatPage[] = [];

  beforeAll(async () => {
    files = await buildChat();
  });
  afterEach(async () => {
    for (const { page, problems } of open.splice(0)) {
      expect(problems).toEqual([]);
      await page.context().close();
    }
  });

  return {
    get chat(): ChatPage {
      const last = open.at(-1);
      if (!last) throw new Error('Open a chat first.');
      return last;
    },
    /** Opens the demo session, in which these events have happened. */
    async open(...events: ChatEvent[]): Promise<Page> {
      const chat = await openChat(it.browser, files);
      open.push(chat);
      await chat.emit(...demo.opened, ...events);
      await chat.page.getByRole('heading', { name: 'Reject expired sign-in tokens' }).waitFor();
      return chat.page;
    },
  };
}

export const promptOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Keys and text in the prompt, between which nothing is painted: nobody types faster. */
export async function typeAtOnce(
  page: Page,
  ...parts: ({ key: string } | { text: string })[]
): Promise<void> {
  await promptOf(page).focus();
  await page.evaluate(async (all) => {
    for (const part of all) {
      if ('text' in part) document.execCommand('insertText', false, part.text);
      else {
        const key = new KeyboardEvent('keydown', { key: part.key, bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(key);
      }
      await Promise.resolve();
    }
  }, parts);
}
