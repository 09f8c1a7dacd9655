import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assemble } from '../../assembly/assemble.ts';
import { settled } from '../../config/schema/check-settings.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Approver } from '../../contract/permission.ts';
import { infoOf } from '../../providers/models/models.ts';
import { SessionStore } from '../../session/store.ts';
import { demoFiles, demoModel, demoTask } from './demo-model.ts';
import { pathWithNode } from './node-stand-in.ts';

/** Output of the demo: its own lines, and the events of its run. */
type DemoStage = { print(text: string): void; show(event: AgentEvent): void };

type DemoOptions = { env: NodeJS.ProcessEnv; approver: Approver };

/** Runs a scripted model through the real loop, with real tools, on a scratch project. */
export async function showDemo(stage: DemoStage, { env, approver }: DemoOptions): Promise<void> {
  const base = await mkdtemp(path.join(tmpdir(), 'aca-demo-'));
  const cwd = path.join(base, 'project');
  try {
    await mkdir(cwd);
    for (const [name, text] of Object.entries(demoFiles)) await writeFile(path.join(cwd, name), text);
    stage.print(
      'DEMO: the model is scripted. Everything else is real: the agent loop, the tools, the approval,',
    );
    stage.print('the edits and the undo. It runs in a temporary folder that is deleted at the end.');
    stage.print(`\n> ${demoTask}`);
    await play(stage, { base, cwd, env, approver });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function play(
  stage: DemoStage,
  { base, cwd, env, approver }: DemoOptions & { base: string; cwd: string },
): Promise<void> {
  const config = {
    ...settled({}),
    permissions: { allow: ['Bash(node greet.test.js)'], ask: [], deny: [] },
  };
  const preset = {
    name: 'demo',
    label: 'Demo',
    protocol: 'openai-chat',
    baseUrl: 'http://demo.invalid',
    keyEnv: [],
  } as const;
  const { controller, undo, close } = assemble({
    config,
    env: { PATH: await pathWithNode(env.PATH, path.join(base, 'bin')) },
    cwd,
    dataRoot: path.join(base, 'data'),
    trusted: false,
    choice: { preset, baseUrl: preset.baseUrl, model: 'script', info: infoOf('demo', 'script'), key: null },
    provider: demoModel(),
    keyVariables: [],
    opened: new SessionStore(path.join(base, 'data', 'sessions')).create(cwd, { model: 'demo/script' }),
    approver,
  });
  controller.listen((event) => stage.show(event));
  await controller.submit([{ type: 'text', text: demoTask }]);

  stage.print('\n> /undo');
  const report = await (await undo.previewUndo())?.apply();
  if (!report) return stage.print('Nothing to undo.');
  for (const file of report.restored) stage.print(`restored ${path.basename(file)}`);
  const same = (await readFile(path.join(cwd, 'greet.js'), 'utf8')) === demoFiles['greet.js'];
  stage.print(same ? 'greet.js is byte for byte the same as before.' : 'greet.js is not the same as before.');
  await close();
}
