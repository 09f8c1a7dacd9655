import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { buildProgram, node } from '../support/build-program.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { folderOf, Served } from '../support/served.ts';
import { workspace } from '../support/workspace.ts';
import { type Editor, openEditor } from './editor.ts';
import { installCodeServer } from './install.ts';

const CART = `export type Item = { name: string; price: number; quantity: number };

/** What the items cost together. */
export function total(items: Item[]): number {
  let sum = 0;
  for (let i = 0; i <= items.length; i++) {
    sum += items[i].price * items[i].quantity;
  }
  return sum;
}

/** Ten percent of large orders. */
export function discount(sum: number): number {
  return sum > 100 ? sum * 0.1 : 0;
}
`;

const file = { file_path: 'src/cart.ts' };
const FIXED = 'i < items.length';
const ROUNDED = 'Math.round(sum * 10) / 100';

const script = [
  slowly(says('The loop in `total` reads **one item too many**: `i <= items.length`.'), { betweenMs: 30 }),
  calls(['Read', file]),
  calls(
    ['Edit', { ...file, old_string: 'i <= items.length', new_string: FIXED }],
    ['Edit', { ...file, old_string: 'sum * 0.1', new_string: ROUNDED }],
  ),
  says('Fixed both:\n\n- `total` stops at the last item\n- `discount` is rounded to cents'),
  says('It adds up the prices.'),
  slowly(calls(['Write', { file_path: 'notes.md', content: '# Notes\n' }]), { firstMs: 2_000 }),
  says('Written.'),
  says('Here again.'),
  calls(['Write', { file_path: 'served.md', content: '# Served\n' }]),
  says('From the server.'),
  says('Hello from elsewhere.'),
];

let it: Editor;
/** `ACA_SCREENSHOTS=docs/screens/vscode` updates the pictures of the docs. */
const pictures = process.env.ACA_SCREENSHOTS;

beforeAll(async () => {
  const installed = await installCodeServer();
  const vsix = path.resolve('build/ai-code-assistant.vsix');
  buildProgram();
  node('scripts/vscode-package.mjs', vsix);
  it = await openEditor({
    installed,
    vsix,
    script,
    files: { 'src/cart.ts': CART, 'README.md': '# Shop\n' },
  });
});

// What is on the screen when a step fails.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await it.page.screenshot({ path: 'build/vscode-failed.png' });
});

afterAll(async () => {
  await it?.close();
});

const onDisk = (name: string) => readFile(path.join(it.project, name), 'utf8').catch(() => null);
const said = (words: string) => it.chat.getByRole('log').getByText(words).first();
const composer = () => it.chat.getByRole('textbox', { name: 'Message' });
/** The right side of a diff. The editor paints spaces as others. */
const lines = async () => {
  const side = it.page.locator('.modified-in-monaco-diff-editor .view-lines');
  return (await side.textContent())?.replaceAll('\u00a0', ' ');
};

async function send(words: string): Promise<void> {
  await composer().fill(words);
  await composer().press('Enter');
}

/** While a session opens, prompts stay in the box. */
async function sendWhenOpen(words: string): Promise<void> {
  await composer().fill(words);
  const left = async () => {
    await composer().press('Enter');
    return composer().inputValue();
  };
  await expect.poll(left, { interval: 1_000 }).toBe('');
}

/** Says yes to the question that shows this. */
async function approve(shown: string): Promise<void> {
  const card = it.chat.getByRole('region', { name: 'Approval needed' });
  await card.getByText(shown).first().waitFor();
  // Answers of the first half second are ignored: they may be meant for the question before.
  await sleep(600);
  await card.getByRole('button', { name: 'Yes', exact: true }).click();
}

async function picture(name: string): Promise<void> {
  if (!pictures) return;
  for (const ground of ['dark', 'light'] as const) {
    await it.colors(ground);
    await it.page.screenshot({ path: path.join(pictures, `${name}-${ground}.png`) });
  }
}

test('in a folder that is not trusted nothing is started, and the view says why', async () => {
  await it.page.getByRole('tab', { name: 'aca' }).click();
  await it.widenSideBar();
  await it.chat.getByText('Restricted Mode').waitFor();
  expect(it.agents).toEqual([]);

  await it.chat.getByRole('link', { name: 'Manage Trust' }).click();
  await it.page.getByRole('button', { name: 'Trust', exact: true }).click();
  const dialog = it.page.locator('.monaco-modal-editor-block');
  await dialog.getByRole('button', { name: /^Close/ }).click();
  await dialog.waitFor({ state: 'hidden' });
  await composer().waitFor();
});

test('an answer is streamed as Markdown', async () => {
  await send('Why does the total fail?');
  await said('one item too many').waitFor();
  expect(await it.chat.locator('strong').allTextContents()).toEqual(['one item too many']);
  await expect.poll(() => it.status()).toBe('aca');
});

test('an edit is approved after a look at its diff', async () => {
  await send('Fix it, and round the discount to cents');
  await it.chat.getByText('Approval needed').first().waitFor();
  await expect.poll(() => it.status()).toContain('waiting for you');
  await it.chat.getByRole('button', { name: 'Open the diff of src/cart.ts' }).first().click();
  await it.page.getByRole('tab', { name: 'cart.ts (proposed change)' }).waitFor();
  await expect.poll(lines).toContain('i < items.length');
  expect(await onDisk('src/cart.ts')).toBe(CART);
  await picture('approval');

  await approve(FIXED);
  await approve(ROUNDED);
  await said('Fixed both').waitFor();
  expect(await onDisk('src/cart.ts')).toContain(FIXED);
  expect(await onDisk('src/cart.ts')).toContain(ROUNDED);
  await it.page.getByRole('tab', { name: 'cart.ts (proposed change)' }).waitFor({ state: 'detached' });
});

test('changes are accepted and rejected one by one in the diff', async () => {
  await it.command('aca: Review Changes');
  await it.pick('cart.ts');
  await it.page.getByRole('tab', { name: 'cart.ts (changes by aca)' }).waitFor();
  const lens = (name: string) =>
    it.page.locator('.modified-in-monaco-diff-editor .codelens-decoration a', { hasText: name });
  await expect.poll(() => lens('Reject').count()).toBe(2);
  await picture('review');

  await lens('Reject').last().click();
  await expect.poll(() => onDisk('src/cart.ts')).toBe(CART.replace('i <= items.length', FIXED));
  await expect.poll(lines).toContain('sum * 0.1');
  await expect.poll(() => lens('Reject').count()).toBe(1);

  await it.page.locator('.modified-in-monaco-diff-editor .view-line', { hasText: 'items.length' }).click();
  await it.page.keyboard.press('Control+Alt+Y');
  await expect.poll(() => lens('Accept').count()).toBe(0);
  expect(await onDisk('src/cart.ts')).toContain(FIXED);
});

test('an edit of the agent can be undone in the editor', async () => {
  await it.page.keyboard.press('Control+Z');
  await expect.poll(lines).toContain('Math.round');
  await it.page.keyboard.press('Control+Y');
  await expect.poll(lines).not.toContain('Math.round');
});

test('the selection is explained', async () => {
  await it.page.locator('.modified-in-monaco-diff-editor .view-line', { hasText: /let.sum/ }).click();
  await it.command('aca: Explain');
  await said('It adds up the prices.').waitFor();
  expect(JSON.stringify(it.server.requests.at(-1))).toContain('Explain this code:');
});

test('while the view is hidden, a question is a notification', async () => {
  await send('Write notes');
  await it.page.getByRole('tab', { name: /^Explorer/ }).click();
  const notification = it.page.locator('.notification-toast', { hasText: 'aca asks:' });
  await notification.waitFor();
  await notification.getByRole('button', { name: 'Yes', exact: true }).click();
  await expect.poll(() => onDisk('notes.md')).toBe('# Notes\n');
});

test('sessions are resumed, here and after the window is opened again', async () => {
  await it.command('aca: New Session');
  await said('Fixed both').waitFor({ state: 'detached' });
  // Last of all, the command moves the focus, which closes every list.
  await expect.poll(() => composer().evaluate((box) => box === document.activeElement)).toBe(true);
  await it.command('aca: Resume Session');
  await it.pick('Why does the total fail?');
  await said('Fixed both').waitFor();

  await it.page.reload();
  await said('Fixed both').waitFor();
});

test('a program that dies is started again', async () => {
  const [before] = it.agents;
  process.kill(Number.parseInt(before ?? '', 10), 'SIGKILL');
  await expect.poll(() => it.agents.filter((line) => line !== before).length).toBe(1);
  await sendWhenOpen('Are you there?');
  await said('Here again.').waitFor();
});

test('a session of a server is shown, also after the window is opened again, until it is left', async () => {
  await it.serve();
  await it.command('aca: Attach to Server');
  await it.pick('The server of this machine');
  await it.pick('New session in this folder');
  await said('Here again.').waitFor({ state: 'detached' });
  await expect.poll(() => it.agents).toEqual([]);
  await sendWhenOpen('Write it there');
  await approve('served.md');
  await said('From the server.').waitFor();
  expect(await onDisk('served.md')).toBe('# Served\n');
  await picture('attached');

  await it.page.reload();
  await said('From the server.').waitFor();
  expect(it.agents).toEqual([]);

  await it.command('aca: Detach from Server');
  await said('Here again.').waitFor();
  await expect.poll(() => it.agents).not.toEqual([]);
});

test('a server elsewhere is joined by an invitation, once its certificate was accepted', async () => {
  const elsewhere = await workspace();
  const { model, env } = doors.anthropic(it.server.url);
  const served = await Served.start(elsewhere, { args: ['--tls', '--model', model], env });
  await aca(elsewhere, ['--background', 'Say hello']);
  const { stdout } = await aca(elsewhere, ['serve', 'invite', '--role', 'editor', '--name', 'Ada']);
  const link = /https:\S+#code=\S+/.exec(stdout)?.[0] ?? '';
  const certificate = new X509Certificate(await readFile(path.join(folderOf(elsewhere), 'tls-cert.pem')));

  await it.command('aca: Attach to Server');
  await it.pick('Another server');
  await it.enter('Address of a server, or an invitation link', link);
  const dialog = it.page.locator('.monaco-dialog-box');
  await dialog.getByText(certificate.fingerprint256).waitFor();
  await dialog.getByText(served.url).waitFor();
  await picture('certificate');
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await it.pick('Say hello');
  await said('Hello from elsewhere.').waitFor();

  await expect.poll(() => it.keeps(new URL(served.url).host)).toBe(true);
  await it.page.reload();
  await said('Hello from elsewhere.').waitFor();
  await it.command('aca: Detach from Server');
  await said('Here again.').waitFor();
});

test('no process is left behind when the editor is closed', async () => {
  expect(it.agents).not.toEqual([]);
  await it.page.close();
  await it.stop();
  await expect.poll(() => it.agents).toEqual([]);
});
