import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, innermost } from '../../src/contract/event.ts';
import type { Session } from '../../src/contract/session.ts';
import { type AcaOptions, aca, doors } from './aca.ts';
import type { SeenRequest } from './model-server/protocol.ts';
import type { Step } from './model-server/script.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

/** Answers by agent: the first words of a conversation identify its part. Each part has its own steps. */
function parts(script: Record<string, Step[]>): Step {
  const left = new Map(Object.entries(script).map(([name, steps]) => [name, [...steps]]));
  return (request: SeenRequest) => {
    const first = request.messages.find(({ role }) => role === 'user')?.text ?? '';
    const name = [...left.keys()].find((key) => first.startsWith(key));
    const step = name === undefined ? undefined : left.get(name)?.shift();
    if (!step) throw new Error(`nothing left to say to "${first.slice(0, 60)}"`);
    return typeof step === 'function' ? step(request) : step;
  };
}

export async function start(space: Workspace, script: Record<string, Step[]>) {
  const server = await serve([parts(script)], { loop: true });
  const { model, env } = doors['openai-chat'](server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model], { ...options, env: { ...env, ...options.env } });
  return { server, run, model, env };
}

export const explore = (description: string, prompt: string, more: object = {}) =>
  ['Explore', { description, prompt, ...more }] as [string, object];
export const task = (description: string, prompt: string, more: object = {}) =>
  ['Task', { description, prompt, ...more }] as [string, object];

export async function configure(space: Workspace, config: object): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
}

export const sessionsOf = (space: Workspace) => path.join(space.home, '.ai-assistant', 'sessions');

export async function exportedOf(space: Workspace): Promise<Session> {
  const [id = ''] = (await readdir(sessionsOf(space)))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace('.jsonl', ''));
  const { stdout } = await aca(space, ['sessions', 'export', id, '--format', 'json']);
  return JSON.parse(stdout) as Session;
}

export const answersTo = (request: SeenRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ results }) => results.map(({ text }) => text));
export const asked = (requests: readonly SeenRequest[], prompt: string) =>
  requests.filter(({ messages }) => messages.find(({ role }) => role === 'user')?.text.startsWith(prompt));
export const nestedOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'subagent' ? [innermost(event)] : []));
