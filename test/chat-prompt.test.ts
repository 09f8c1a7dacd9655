// @module-tag soak
import { describe, expect, test } from 'vitest';
import { promptOf, typeAtOnce, useChatInBrowser } from './support/chat-in-browser.ts';

const it = useChatInBrowser();
const started = { type: 'turn_started' } as const;

describe('the prompt', () => {
  test('Enter sends, Shift+Enter starts a line, the arrow brings a prompt back', async () => {
    const page = await it.open();
    await promptOf(page).pressSequentially('one');
    await promptOf(page).press('Shift+Enter');
    await promptOf(page).pressSequentially('two');
    await promptOf(page).press('Enter');

    await expect
      .poll(() => it.chat.calls('prompt'))
      .toEqual([{ method: 'prompt', args: [[{ type: 'text', text: 'one\ntwo' }]] }]);
    expect(await promptOf(page).inputValue()).toBe('');
    await it.chat.emit({
      type: 'update',
      update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'one\ntwo' } },
    });
    await page.getByRole('article', { name: 'You' }).waitFor();
    await promptOf(page).press('ArrowUp');
    expect(await promptOf(page).inputValue()).toBe('one\ntwo');
    await promptOf(page).press('ArrowDown');
    expect(await promptOf(page).inputValue()).toBe('');
  });

  test('a prompt that was not accepted comes back, with the reason', async () => {
    const page = await it.open();
    await it.chat.answer({ failures: { prompt: 'The session is open elsewhere. Close it there first.' } });
    await promptOf(page).fill('Fix it');
    await promptOf(page).press('Enter');
    await page.getByText('The session is open elsewhere. Close it there first.').waitFor();
    expect(await promptOf(page).inputValue()).toBe('Fix it');
  });

  test('during a turn Enter steers and Escape stops', async () => {
    const page = await it.open(started);
    await promptOf(page).fill('Also the tests');
    await promptOf(page).press('Enter');
    await promptOf(page).press('Escape');
    await expect
      .poll(async () =>
        (await it.chat.calls()).map(({ method }) => method).filter((name) => name !== 'typing'),
      )
      .toEqual(['prompt', 'cancel']);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(async () => (await it.chat.calls('cancel')).length).toBe(2);
  });

  test('@ completes files, also into folders, and / completes commands', async () => {
    const page = await it.open();
    await it.chat.answer({
      files: [
        { path: 'src/', isFolder: true },
        { path: 'src/auth.ts', isFolder: false },
      ],
    });
    await promptOf(page).pressSequentially('see @sr');
    await page.getByRole('option', { name: 'src/auth.ts' }).waitFor();
    await promptOf(page).press('Enter');
    expect(await promptOf(page).inputValue()).toBe('see @src/');
    await promptOf(page).press('ArrowDown');
    await promptOf(page).press('Tab');
    expect(await promptOf(page).inputValue()).toBe('see @src/auth.ts ');
    await promptOf(page).fill('');
    await promptOf(page).pressSequentially('/co');
    await page.getByRole('option', { name: /\/cost/ }).click();
    expect(await promptOf(page).inputValue()).toBe('/cost ');
    expect(await it.chat.calls('prompt')).toEqual([]);
  });

  test('what is typed on at once, even before the list follows, completes what it names', async () => {
    const page = await it.open();
    await it.chat.answer({
      files: [
        { path: 'src/auth.ts', isFolder: false },
        { path: 'src/cart.ts', isFolder: false },
      ],
    });
    await promptOf(page).pressSequentially('@src');
    await page.getByRole('option', { name: 'src/cart.ts' }).waitFor();
    await typeAtOnce(page, { text: '/cart' }, { key: 'Enter' }, { text: 'and more' });
    expect(await promptOf(page).inputValue()).toBe('@src/cart.ts and more');

    await promptOf(page).fill('/co');
    await page.getByRole('option', { name: /\/cost/ }).waitFor();
    const names = await page.getByRole('option').locator('.option-name').allInnerTexts();
    expect(names.indexOf('/compact')).toBe(0);
    await typeAtOnce(page, { key: 'ArrowDown' }, { text: 'm' }, { key: 'Enter' });
    expect(await promptOf(page).inputValue()).toBe('/compact ');
  });

  test('text after a completion in the middle of a prompt stays where it was', async () => {
    const page = await it.open();
    await promptOf(page).fill(' it');
    await promptOf(page).press('Home');
    await promptOf(page).pressSequentially('/cos');
    await page.getByRole('option', { name: /\/cost/ }).waitFor();
    await typeAtOnce(page, { key: 'Tab' }, { text: '!' });
    expect(await promptOf(page).inputValue()).toBe('/cost! it');
  });

  test('a pasted image is shown, can be removed, and is sent', async () => {
    const page = await it.open();
    const paste = () =>
      promptOf(page).evaluate(async (area) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 4, height: 4 });
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
        const data = new DataTransfer();
        data.items.add(new File([blob ?? ''], 'a.png', { type: 'image/png' }));
        area.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      });
    await paste();
    await page.getByRole('img', { name: 'Attached image' }).waitFor();
    await page.getByRole('button', { name: 'Remove attachment 1' }).click();
    await expect.poll(() => page.getByRole('img', { name: 'Attached image' }).count()).toBe(0);
    await paste();
    await page.getByRole('img', { name: 'Attached image' }).waitFor();
    await promptOf(page).fill('What is this?');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect
      .poll(() => it.chat.calls('prompt'))
      .toMatchObject([
        {
          args: [
            [
              { type: 'text', text: 'What is this?' },
              { type: 'image', mimeType: 'image/png' },
            ],
          ],
        },
      ]);
  });

  test('what the editor adds is added to what is written', async () => {
    const page = await it.open();
    await promptOf(page).fill('Explain');
    await it.chat.emit({
      type: 'compose',
      text: 'src/auth.ts:3-9',
      attachments: [{ type: 'resource_link', name: 'auth.ts', uri: 'file:///auth.ts' }],
    });
    await expect.poll(() => promptOf(page).inputValue()).toBe('Explain\nsrc/auth.ts:3-9');
    await page.getByRole('button', { name: 'Remove attachment 1' }).waitFor();
  });

  test('mode and model are chosen by keyboard', async () => {
    const page = await it.open();
    await page.getByRole('button', { name: 'Mode: Ask' }).press('Enter');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => it.chat.calls('setMode')).toEqual([{ method: 'setMode', args: ['plan'] }]);
    await page.getByRole('button', { name: 'Model: Claude Sonnet 5' }).press('Enter');
    await page.getByRole('menuitemradio', { name: /Opus/ }).click();
    await expect
      .poll(() => it.chat.calls('setOption'))
      .toEqual([{ method: 'setOption', args: ['model', 'claude-opus-5'] }]);
    await page.getByRole('button', { name: 'Mode: Ask' }).press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect(await it.chat.calls('cancel')).toEqual([]);
  });

  test('Escape closes a menu and the list of sessions, even at once; the turn goes on', async () => {
    const page = await it.open(started);
    for (const [opener, opened] of [
      ['Mode: Ask', page.getByRole('menu')],
      ['Sessions', page.getByRole('region', { name: 'Sessions' })],
    ] as const) {
      // In the page, so that nothing is painted between the click and the key.
      await page.getByRole('button', { name: opener }).evaluate(async (button: HTMLElement) => {
        button.focus();
        button.click();
        await Promise.resolve();
        const key = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(key);
      });
      await expect.poll(() => opened.count()).toBe(0);
    }
    expect(await it.chat.calls('cancel')).toEqual([]);
  });
});
