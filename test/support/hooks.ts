import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { aca, doors, parseStream } from './aca.ts';
import type { Step } from './model-server/script.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

export type Hooks = Record<string, { matcher?: string; command: string; timeoutMs?: number }[]>;

export async function writeHooks(space: Workspace, hooks: Hooks, more: object = {}): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify({ hooks, ...more }));
}

export async function run(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(
    space,
    ['-p', 'go on', '--model', model, '--output-format', 'stream-json', ...args],
    { env },
  );
  return { ...outcome, ...parseStream(outcome.stdout), server };
}

type Played = Awaited<ReturnType<typeof run>>;

export function toolTexts({ events }: Pick<Played, 'events'>): string[] {
  return events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'tool'
      ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
}

export function sent({ server }: Played, at: number): string {
  return JSON.stringify(server.requests[at]?.body);
}

/** Writes what it is told into a file of the project. */
export const noting = (name: string) => ({ command: `cat >> ${name}.jsonl` });

export async function noted(space: Workspace, name: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(space.root, `${name}.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const { session_id, transcript_path, ...rest } = JSON.parse(line) as Record<string, unknown>;
      expect(session_id).toMatch(/^[\w-]{8,}$/);
      expect(transcript_path).toContain(`transcript-${session_id}.jsonl`);
      return rest;
    });
}
