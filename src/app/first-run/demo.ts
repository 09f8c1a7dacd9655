import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Choice } from '../../assembly/models/choose-model.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Approver } from '../../contract/permission.ts';
import type { Provider } from '../../contract/provider.ts';
import { infoOf } from '../../providers/models/models.ts';
import type { Host } from '../host.ts';
import { openAssistant } from '../open-assistant.ts';
import type { SessionOptions } from '../options.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { demoFiles, demoModel, demoTask } from './demo-model.ts';
import { pathWithNode } from './node-stand-in.ts';

/** A scripted model, and a scratch project to use it in. */
export type Demo = {
  host: Host;
  options: Partial<SessionOptions>;
  settings: Settings;
  choice: Choice;
  provider: Provider;
};

export const demoIntro =
  'DEMO: the model is scripted. Everything else is real: the tools, the approval, the edits and the undo. It runs in a temporary folder that is deleted at the end.';

/** What concerns the terminal; the user's own settings and keys stay out of the demo. */
const PASSED = /^(TERM.*|COLOR.*|NO_COLOR|FORCE_COLOR|TMUX|STY|LANG|LC_.*|VISUAL|EDITOR|SHELL|SystemRoot)$/;

/** Calls `use` with a demo in a temporary folder, and removes that afterwards. */
export async function withDemo<Result>(
  { env }: Pick<Host, 'env'>,
  use: (demo: Demo) => Promise<Result>,
): Promise<Result> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-demo-')));
  try {
    return await use(await setUp(base, env));
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function setUp(base: string, env: Host['env']): Promise<Demo> {
  const cwd = path.join(base, 'greeter');
  await mkdir(cwd);
  for (const [name, text] of Object.entries(demoFiles)) await writeFile(path.join(cwd, name), text);
  const look = Object.entries(env).filter(([name]) => PASSED.test(name));
  const host: Host = {
    cwd,
    env: {
      ...Object.fromEntries(look),
      PATH: await pathWithNode(env.PATH, path.join(base, 'bin')),
      HOME: base,
      AI_ASSISTANT_HOME: path.join(base, 'data'),
      AI_ASSISTANT_MEMORY: '0',
    },
  };
  const options = { offline: true, allow: ['Bash(node greet.test.js)'] };
  const preset = {
    name: 'demo',
    label: 'Demo',
    protocol: 'openai-chat',
    baseUrl: 'http://demo.invalid',
    keyEnv: [],
    local: true,
  } as const;
  const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const info = { ...infoOf('demo', 'demo'), price };
  return {
    host,
    options,
    settings: loadSettings(options, host),
    choice: { preset, baseUrl: preset.baseUrl, model: 'demo', info, key: null },
    provider: demoModel(),
  };
}

/** Output of the demo: its own lines, and the events of its run. */
type DemoStage = { print(text: string): void; show(event: AgentEvent): void };

type DemoOptions = { env: NodeJS.ProcessEnv; approver: Approver };

/** Plays the demo from its task to the undo, without further prompts. */
export function showDemo(stage: DemoStage, { env, approver }: DemoOptions): Promise<void> {
  stage.print(demoIntro);
  return withDemo({ env }, async ({ host, options, settings, choice, provider }) => {
    const { controller, undo, close } = await openAssistant(choice, {
      settings,
      options,
      host,
      provider,
      approver,
    });
    controller.listen((event) => stage.show(event));
    stage.print(`\n> ${demoTask}`);
    await controller.submit([{ type: 'text', text: demoTask }]);
    stage.print('\n> /undo');
    const report = await (await undo.previewUndo())?.apply();
    for (const file of report?.restored ?? []) stage.print(`restored ${path.basename(file)}`);
    const same = (await readFile(path.join(host.cwd, 'greet.js'), 'utf8')) === demoFiles['greet.js'];
    if (!report) stage.print('Nothing to undo.');
    else
      stage.print(
        same ? 'greet.js is byte for byte the same as before.' : 'greet.js is not the same as before.',
      );
    await close();
  });
}
