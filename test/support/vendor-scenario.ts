import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import { aca } from './aca.ts';
import type { Step } from './model-server/script.ts';
import { type ModelServer, startModelServer } from './model-server/server.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { type Workspace, workspace } from './workspace.ts';

export const MODEL = 'anthropic/claude-sonnet-5-5';
export const FILES = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'AGENTS.md': '# Rules\n\n- Tabs.\n' };

export type Play = {
  space: Workspace;
  server: ModelServer;
  /** One headless run; false ends the scenario, as the vendor refused something. */
  run(prompt: string, ...args: string[]): Promise<void>;
  /** Several prompts or commands in one process. */
  talk(prompts: readonly string[], ...args: string[]): Promise<void>;
  terminal(...args: string[]): Terminal;
  /** Waits for a text on the screen. */
  shown(terminal: Terminal, text: string): Promise<void>;
  configure(config: ConfigInput): Promise<void>;
  write(file: string, text: string): Promise<void>;
};

export type Scenario = {
  name: string;
  files?: Record<string, string>;
  script: Step[];
  loop?: true;
  play(it: Play): Promise<void>;
};

/** Ends a scenario early: the server has already refused or degraded something. */
export class Objection extends Error {}

/** The server thinks before every reply, and follows all rules. */
export async function openScenario({ files = FILES, script, loop }: Scenario): Promise<Play> {
  const space = await workspace(files);
  const server = await startModelServer(script, {
    enforce: 'all',
    thinks: true,
    degrades: 'the scenario looks at them itself',
    ...(loop && { loop }),
  });
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: server.url };
  const objections = () => server.refusals.length + server.degradations.length;
  const root = path.join(space.home, '.ai-assistant');
  const launch = async (args: string[], stdin?: string) => {
    const model = args.includes('--model') ? [] : ['--model', MODEL];
    const { code, stderr } = await aca(space, ['-p', ...args, ...model], {
      env,
      ...(stdin !== undefined && { stdin }),
    });
    if (objections() > 0) throw new Objection();
    expect([code, stderr]).toEqual([0, expect.anything()]);
  };
  return {
    space,
    server,
    run: (prompt, ...args) => launch([prompt, ...args]),
    talk: (prompts, ...args) => {
      const stdin = prompts.map((text) => `${JSON.stringify({ type: 'user', text })}\n`).join('');
      const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
      return launch([...formats, ...args], stdin);
    },
    terminal: (...args) => openTerminal(space, ['--plain', '--model', MODEL, ...args], env),
    async shown(terminal, text) {
      const seen = new AbortController();
      const refused = async () => {
        while (!seen.signal.aborted && objections() === 0)
          await new Promise((resolve) => setTimeout(resolve, 20));
        if (!seen.signal.aborted) throw new Objection();
      };
      await Promise.race([terminal.waitFor(text).finally(() => seen.abort()), refused()]);
    },
    async configure(config) {
      await mkdir(root, { recursive: true });
      await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
    },
    async write(file, text) {
      const target = path.resolve(space.root, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    },
  };
}
