import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TaskResult } from '../../src/fleet/task.ts';
import { type AcaOptions, aca, doors } from './aca.ts';
import type { SeenRequest } from './model-server/protocol.ts';
import { calls, type Reply, says } from './model-server/script.ts';
import type { ModelServerOptions } from './model-server/server.ts';
import { serve } from './serve.ts';
import { type Workspace, workspace } from './workspace.ts';

/** A repository with one commit of these files. */
export async function repository(files: Record<string, string>) {
  const space = await workspace(files);
  const git = (...args: string[]) => gitIn(space.root, ...args);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  return { space, git };
}

export function gitIn(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' }).trim();
}

/** How often each command was requested. */
type Orders = Map<string, number>;

/**
 * A model that runs the command after `run: ` in the prompt, once, and then says that it is done. Any number of
 * conversations may go on at the same time.
 */
export async function obedientModel({
  before,
  ...options
}: ModelServerOptions & { before?: (request: SeenRequest) => Promise<Reply | undefined> } = {}) {
  const orders: Orders = new Map();
  const server = await serve(
    [
      async (request) => {
        const reply = await before?.(request);
        if (reply) return reply;
        const order = orderOf(request);
        const last = request.messages.flatMap(({ results }) => results).at(-1);
        // Whoever stopped the run stopped the command, too.
        if (last?.text.startsWith('Interrupted by the user')) return calls(['Bash', { command: order }]);
        if (request.messages.some(({ role }) => role === 'assistant')) return says(`Did ${order}.`);
        orders.set(order, (orders.get(order) ?? 0) + 1);
        return calls(['Bash', { command: order }]);
      },
    ],
    { ...options, loop: true },
  );
  const { model, env } = doors.anthropic(server.url);
  return { server, orders, model, env: { ...env, AI_ASSISTANT_MODEL: model } };
}

function orderOf(request: SeenRequest): string {
  const prompt = request.messages.find(({ role, text }) => role === 'user' && text.includes('run: '));
  return /run: (.*)/.exec(prompt?.text ?? '')?.[1] ?? 'true';
}

/** `aca batch` in a workspace; results are what it printed. */
export async function batch(
  space: Workspace,
  args: string[],
  options: AcaOptions,
): Promise<{ code: number | null; stderr: string; results: TaskResult[] }> {
  const { code, stdout, stderr } = await aca(space, ['batch', ...args], options);
  const lines = stdout.split('\n').filter(Boolean);
  return { code, stderr, results: lines.map((line) => JSON.parse(line) as TaskResult) };
}

/** The folder of the only batch, or of the last one. */
export async function batchFolder(space: Workspace): Promise<string> {
  const folder = path.join(space.home, '.ai-assistant', 'batches');
  const names = (await readdir(folder)).filter((name) => /^[\d]+-\d+-[0-9a-f]{4}$/.test(name));
  return path.join(folder, names.toSorted().at(-1) ?? '');
}

export async function recordedResults(space: Workspace): Promise<TaskResult[]> {
  const text = await readFile(path.join(await batchFolder(space), 'results.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as TaskResult);
}
