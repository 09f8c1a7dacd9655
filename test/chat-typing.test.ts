// @module-tag soak
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../web/chat/connection.ts';
import * as demo from '../web/chat/demo/session.ts';
import { promptOf, useChatInBrowser } from './support/chat-in-browser.ts';
import { pastedText, pause, sentences } from './support/human-typing.ts';
import { rounds } from './support/soak.ts';

const it = useChatInBrowser();

/** The questions that appear by themselves, each with a number of its own. */
const questions: Record<string, (id: string) => ChatEvent> = {
  edit: (requestId) => ({
    type: 'permission_asked',
    request: { ...demo.command, requestId },
  }),
  choice: (requestId) => ({
    type: 'question_asked',
    request: { requestId, question: 'Which?', choices: ['red', 'blue'] },
  }),
};

/** As a keyboard, an input method or the clipboard delivers it to whatever has the focus. */
async function arrive(page: Page, text: string): Promise<void> {
  const pasted = pastedText(text);
  if (pasted !== null) {
    const isTaken = await page.evaluate((data) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', data);
      const init = { clipboardData, bubbles: true, cancelable: true };
      return document.activeElement?.dispatchEvent(new ClipboardEvent('paste', init)) === false;
    }, pasted);
    // A text field would insert it by itself.
    if (!isTaken) await page.keyboard.insertText(pasted);
    return;
  }
  for (const key of text) {
    if (/^[ -~]$/.test(key) || key === '\r') {
      await page.keyboard.press(key === '\r' ? 'Enter' : key === ' ' ? 'Space' : key);
      continue;
    }
    await page.evaluate(() =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Process', bubbles: true })),
    );
    await page.keyboard.insertText(key);
  }
}

test('typing never answers, whatever appears at whatever moment', { timeout: 300_000 }, async () => {
  const typed = fc.array(sentences, { minLength: 1, maxLength: 2 });
  const asked = fc.array(
    fc.record({ name: fc.constantFrom(...Object.keys(questions)), after: fc.nat(15_000) }),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(typed, asked, pause, async (lines, cards, enterMs) => {
      const page = await it.open({ type: 'turn_started' });
      await promptOf(page).focus();
      await page.clock.install();
      const due = cards.map((card, i) => ({ ...card, id: `q${i}` })).sort((a, b) => a.after - b.after);
      let now = 0;
      /** Time passes; what is due meanwhile appears. */
      const wait = async (ms: number) => {
        const until = now + ms;
        for (let [next] = due; next && next.after <= until; [next] = due) {
          await page.clock.runFor(Math.max(1, next.after - now));
          now = Math.max(now, next.after);
          due.shift();
          const event = questions[next.name]?.(next.id);
          if (event) await it.chat.emit(event);
        }
        await page.clock.runFor(Math.max(1, until - now));
        now = until;
      };
      for (const { keys } of lines)
        for (const { afterMs, text } of [...keys, { afterMs: enterMs, text: '\r' }]) {
          await wait(afterMs);
          await arrive(page, text);
        }
      await wait(30_000);
      await page.getByRole('region', { name: /^(Approval needed|Question)$/ }).waitFor();
      const calls = await it.chat.calls();
      const sent = calls.filter(({ method }) => method === 'prompt').map(({ args }) => promptText(args));
      expect({
        answers: calls.filter(({ method }) => method.startsWith('answer')),
        draft: await promptOf(page).inputValue(),
        sent,
      }).toEqual({ answers: [], draft: '', sent: lines.map(({ sentence }) => sentence) });
    }),
    { numRuns: rounds(8, 40) },
  );
});

/** The text of a prompt as it was sent. */
function promptText([content]: unknown[]): string {
  const parts = content as { type: string; text?: string }[];
  return parts.map(({ text = '' }) => text).join('');
}
