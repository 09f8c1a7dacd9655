import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { cleanEnv, doors } from '../support/aca.ts';
import { recordOf } from '../support/aca-server.ts';
import { startBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import type { Step } from '../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../support/model-server/server.ts';
import { type Workspace, workspace } from '../support/workspace.ts';
import type { Installed } from './install.ts';

const SETTINGS = {
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'window.autoDetectColorScheme': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  'editor.minimap.enabled': false,
  'diffEditor.useInlineViewWhenSpaceIsLimited': false,
  'telemetry.telemetryLevel': 'off',
};

type EditorOptions = {
  installed: Installed;
  /** The packed extension. */
  vsix: string;
  files: Record<string, string>;
  script: readonly Step[];
};

type Parts = {
  space: Workspace;
  server: ModelServer;
  code: ChildProcess;
  browser: Browser;
  page: Page;
  environment: NodeJS.ProcessEnv;
  clean(): Promise<void>;
};

/** A VS Code in a browser, with the extension and a scripted model. */
export async function openEditor({ installed, vsix, files, script }: EditorOptions): Promise<Editor> {
  let clean: Parts['clean'] = async () => undefined;
  const space = await workspace(files, (remove) => {
    clean = remove;
  });
  const { root, home } = space;
  const server = await startModelServer(script);
  const { model, env } = doors.anthropic(server.url);
  const environment = cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model });
  const bin = path.join(home, 'bin');
  await mkdir(bin);
  await symlink(path.resolve('dist/main.cjs'), path.join(bin, 'aca'));
  // The editor takes the path from a login shell.
  await writeFile(path.join(home, '.profile'), `PATH="${bin}:${environment.PATH}"\n`);
  await mkdir(path.join(home, 'data/User'), { recursive: true });
  await writeFile(path.join(home, 'data/User/settings.json'), JSON.stringify(SETTINGS));
  const folders = ['--user-data-dir', `${home}/data`, '--extensions-dir', `${home}/extensions`];
  const start = [installed.entry, ...folders];
  execFileSync(installed.node, [...start, '--install-extension', vsix], { env: environment, cwd: home });
  const address = `127.0.0.1:${await freePort()}`;
  const flags = ['--auth', 'none', '--bind-addr', address, '--disable-telemetry', '--disable-update-check'];
  const code = spawn(installed.node, [...start, ...flags], { env: environment, cwd: home, stdio: 'ignore' });
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1400, height: 820 } });
  page.setDefaultTimeout(60_000);
  await answers(`http://${address}/healthz`);
  await page.goto(`http://${address}/?folder=${encodeURIComponent(root)}`);
  await page.waitForSelector('.monaco-workbench');
  return new Editor({ space, server, code, browser, page, environment, clean });
}

export class Editor {
  readonly #parts: Parts;
  #served: ChildProcess | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get page(): Page {
    return this.#parts.page;
  }

  get server(): ModelServer {
    return this.#parts.server;
  }

  /** The folder that is open. */
  get project(): string {
    return this.#parts.space.root;
  }

  get chat(): FrameLocator {
    return this.page.frameLocator('iframe.webview').frameLocator('#active-frame');
  }

  /** The running agents, each line with its process id. */
  get agents(): string[] {
    const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(path.join(this.#parts.space.home, 'bin/aca')));
  }

  /** The text of our item in the status bar. */
  async status(): Promise<string> {
    return (await this.page.locator('.statusbar-item[id$=".aca"]').textContent())?.trim() ?? '';
  }

  /** Runs a command as a user would, by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').fill(`>${title}`);
    await this.pick(title);
  }

  /** Chooses from a list of the editor. */
  async pick(text: string): Promise<void> {
    // Away from where it was: what is shown about the row below it would cover other rows.
    await this.page.mouse.move(0, 0);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
  }

  /** Writes into the box of the editor that asks for this. */
  async enter(prompt: string, text: string): Promise<void> {
    const box = this.page.locator('.quick-input-widget', { hasText: prompt }).locator('input.input');
    await box.fill(text);
    await box.press('Enter');
  }

  /** Whether the window has written down what it keeps of this. It does so every few seconds, not when it is reloaded. */
  keeps(text: string): Promise<boolean> {
    return this.page.evaluate(async (wanted) => {
      const answered = <Value>(request: IDBRequest<Value>) =>
        new Promise<Value>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await answered(indexedDB.open(name));
        const stores = [...database.objectStoreNames].filter((store) => store === 'ItemTable');
        const kept = await Promise.all(
          stores.map((store) => answered(database.transaction(store).objectStore(store).getAll())),
        );
        database.close();
        if (JSON.stringify(kept).includes(wanted)) return true;
      }
      return false;
    }, text);
  }

  /** Changes the colors, and waits until they are on the screen. */
  async colors(colorScheme: 'dark' | 'light'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.page.locator(`.monaco-workbench.${colorScheme === 'dark' ? 'vs-dark' : 'vs'}`).waitFor();
    await this.page.mouse.move(0, 0);
    // For a picture only: colors fade.
    await sleep(1_000);
  }

  /** Drags its border to the right. */
  async widenSideBar(): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (!box) throw new Error('There is no side bar.');
    const [x, y] = [box.x + box.width, box.y + box.height / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + 110, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Runs `aca serve` until the end. */
  async serve(): Promise<void> {
    const { space, environment } = this.#parts;
    const main = path.resolve('dist/main.cjs');
    const args = [main, 'serve', '--listen', '127.0.0.1:0'];
    this.#served = spawn(process.execPath, args, { env: environment, cwd: space.home, stdio: 'ignore' });
    const { url } = await recordOf(space);
    await answers(url);
  }

  /** Ends VS Code. */
  async stop(): Promise<void> {
    const { code } = this.#parts;
    if (code.exitCode !== null || code.signalCode !== null) return;
    const ended = once(code, 'exit');
    code.kill('SIGTERM');
    await ended;
  }

  async close(): Promise<void> {
    this.#served?.kill('SIGKILL');
    await this.#parts.browser.close();
    await this.stop();
    await this.server.close();
    await this.#parts.clean();
  }
}

async function answers(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline) throw new Error(`VS Code does not answer at ${url}.`);
  }
}
