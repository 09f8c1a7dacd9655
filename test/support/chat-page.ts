import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import type { ChatEvent } from '../../web/chat/connection.ts';
import type { Answers, Call } from '../../web/chat/demo/scripted-connection.ts';

const ORIGIN = 'http://chat.test';
/** As strict as the editor's: no inline script or style, nothing from elsewhere. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:";

type File = { body: string; contentType: string };

/** The chat as browsers load it, on a connection that the test plays. */
export async function buildChat(): Promise<Map<string, File>> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      rolldownOptions: { input: 'web/chat/demo/main.tsx', checks: { bundlerTimings: false } },
    },
  });
  const files = new Map<string, File>();
  if (!('output' in built)) throw new Error('Nothing was built.');
  for (const file of built.output) {
    const isCode = file.type === 'chunk';
    const contentType = isCode ? 'text/javascript' : 'text/css';
    files.set(`/${file.fileName}`, { body: isCode ? file.code : String(file.source), contentType });
  }
  const entry = built.output.find((file) => file.type === 'chunk' && file.isEntry)?.fileName;
  const style = built.output.find(({ fileName }) => fileName.endsWith('.css'))?.fileName;
  files.set('/', {
    contentType: 'text/html',
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chat</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/${style}"></head>
<body><main id="chat"></main><script type="module" src="/${entry}"></script></body></html>`,
  });
  return files;
}

export type ChatPage = {
  page: Page;
  /** What the page asked for beyond its own files, and every error it reported. */
  problems: string[];
  emit(...events: ChatEvent[]): Promise<void>;
  answer(answers: Answers): Promise<void>;
  calls(method?: string): Promise<Call[]>;
};

export async function openChat(
  browser: Browser,
  files: Map<string, File>,
  options: BrowserContextOptions = {},
): Promise<ChatPage> {
  const context = await browser.newContext({ viewport: { width: 900, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await context.route('**/*', (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    if (!file || !route.request().url().startsWith(ORIGIN)) {
      problems.push(`requested ${route.request().url()}`);
      return route.abort();
    }
    return route.fulfill({ ...file, headers: { 'content-security-policy': POLICY } });
  });
  files.set('/favicon.ico', { body: '', contentType: 'image/x-icon' });
  await page.goto(`${ORIGIN}/`);
  await page.waitForFunction(() => 'scripted' in window);
  return {
    page,
    problems,
    emit: (...events) => page.evaluate((all) => window.scripted.emit(...all), events),
    answer: (answers) =>
      page.evaluate((value) => {
        window.scripted.answers = value;
      }, answers),
    calls: (method) =>
      page.evaluate((name) => window.scripted.calls.filter((call) => !name || call.method === name), method),
  };
}
