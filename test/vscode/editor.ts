import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type FrameLocator, type Page } from 'playwright-core';
import { cleanEnv, doors } from '../support/aca.ts';
import { freePort } from '../support/free-port.ts';
import type { Step } from '../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../support/model-server/server.ts';
import type { Installed } from './install.ts';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

type EditorOptions = {
  installed: Installed;
  /** The packed extension. */
  vsix: string;
  files: Record<string, string>;
  script: readonly Step[];
};

/** A VS Code in a browser, with the extension and a scripted model. */
export class Editor {
  readonly page: Page;
  readonly server: ModelServer;
  /** The folder that is open. */
  readonly project: string;
  readonly #base: string;
  readonly #code: ChildProcess;
  readonly #browser: Browser;

  static async open({ installed, vsix, files, script }: EditorOptions): Promise<Editor> {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-vscode-')));
    const [project, home, bin] = ['project', 'home', 'bin'].map((name) => path.join(base, name));
    if (!project || !home || !bin) throw new Error('unreachable');
    for (const folder of [project, home, bin, path.join(base, 'data/User')])
      await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(project, name)), { recursive: true });
      await writeFile(path.join(project, name), text);
    }
    await symlink(path.resolve('dist/main.cjs'), path.join(bin, 'aca'));
    await writeSettings(base, {});
    const server = await startModelServer(script);
    const space = { root: project, home, tree: async () => ({}) };
    const { model, env } = doors.anthropic(server.url);
    const environment = cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model });
    // The editor takes the path from a login shell.
    await writeFile(path.join(home, '.profile'), `PATH="${bin}:${environment.PATH}"\n`);
    const folders = [
      '--user-data-dir',
      path.join(base, 'data'),
      '--extensions-dir',
      path.join(base, 'extensions'),
    ];
    const run = { env: environment, cwd: base };
    execFileSync(installed.node, [installed.entry, ...folders, '--install-extension', vsix], run);
    const port = await freePort();
    const flags = [
      '--auth',
      'none',
      '--bind-addr',
      `127.0.0.1:${port}`,
      '--disable-telemetry',
      '--disable-update-check',
    ];
    const code = spawn(installed.node, [installed.entry, ...folders, ...flags, project], {
      ...run,
      stdio: 'ignore',
      detached: true,
    });
    const executablePath = process.env.CHROMIUM ?? BROWSERS.find((file) => existsSync(file));
    if (!executablePath) throw new Error('No Chromium was found. Set CHROMIUM to its path.');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const url = `http://127.0.0.1:${port}/`;
    await answers(url);
    await page.goto(`${url}?folder=${encodeURIComponent(project)}`);
    await page.waitForSelector('.monaco-workbench');
    return new Editor({ base, project, code, browser, page, server });
  }

  private constructor(parts: {
    base: string;
    project: string;
    code: ChildProcess;
    browser: Browser;
    page: Page;
    server: ModelServer;
  }) {
    this.#base = parts.base;
    this.project = parts.project;
    this.#code = parts.code;
    this.#browser = parts.browser;
    this.page = parts.page;
    this.server = parts.server;
  }

  /** The chat. */
  get chat(): FrameLocator {
    return this.page.frameLocator('iframe.webview').frameLocator('#active-frame');
  }

  get processes(): string[] {
    return execFileSync('ps', ['-eo', 'pid=,args='])
      .toString()
      .split('\n')
      .filter((line) => line.includes(path.join(this.#base, 'bin/aca')));
  }

  async settings(more: Record<string, unknown>): Promise<void> {
    await writeSettings(this.#base, more);
  }

  /** Runs a command as a user would, by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  async close(): Promise<void> {
    await this.#browser.close();
    const ended = new Promise((resolve) => this.#code.once('exit', resolve));
    if (this.#code.pid !== undefined) process.kill(-this.#code.pid, 'SIGTERM');
    await ended;
    await this.server.close();
    await rm(this.#base, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function writeSettings(base: string, more: Record<string, unknown>): Promise<void> {
  const settings = {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'chat.disableAIFeatures': true,
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'extensions.ignoreRecommendations': true,
    'editor.minimap.enabled': false,
    'telemetry.telemetryLevel': 'off',
    ...more,
  };
  await writeFile(path.join(base, 'data/User/settings.json'), JSON.stringify(settings));
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > deadline) throw new Error(`VS Code does not answer at ${url}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
