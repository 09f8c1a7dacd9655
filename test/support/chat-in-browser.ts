import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ChatEvent } from '../../web/chat/connection.ts';
import * as demo from '../../web/chat/demo/session.ts';
import { startBrowser } from './browser.ts';
import { buildChat, type ChatPage, openChat } from './chat-page.ts';

/** A browser for a test file, in which each test opens a chat and leaves it without errors. */
export function useChatInBrowser() {
  let browser: Browser;
  let files: Awaited<ReturnType<typeof buildChat>>;
  const open: ChatPage[] = [];

  beforeAll(async () => {
    [browser, files] = await Promise.all([startBrowser(), buildChat()]);
  });
  afterAll(() => browser.close());
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
      const chat = await openChat(browser, files);
      open.push(chat);
      await chat.emit(...demo.opened, ...events);
      await chat.page.getByRole('heading', { name: 'Reject expired sign-in tokens' }).waitFor();
      return chat.page;
    },
  };
}

export const promptOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });
