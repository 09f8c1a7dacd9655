import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Report } from '../../src/app/conversation/run-report.ts';
import type { AgentEvent } from '../../src/contract/event.ts';
import type { ProtocolName } from './model-server/protocol.ts';
import { program } from './program.ts';
import type { Workspace } from './workspace.ts';

export type Outcome = { code: number | null; stdout: string; stderr: string };

export type AcaOptions = {
  env?: Record<string, string>;
  /**
   * Written to standard input, which then ends; `open` is a pipe without a writer; by default there is none.
   */
  stdin?: string | { open: true };
  cwd?: string;
  /** Called with the process, for tests that signal it. */
  onSpawn?: (child: ReturnType<typeof spawn>) => void;
};

/** Of one build: Node never deletes what belongs to an earlier one. */
export const compiledCode = path.resolve('node_modules/.cache/journeys-code');

/**
 * The environment of a machine with only this configured. Memory is off: its own requests would consume steps
 * of a script for something else.
 */
export function cleanEnv(space: Workspace, env: Record<string, string> = {}): Record<string, string> {
  const root = path.join(space.home, '.ai-assistant');
  return {
    PATH: process.env.PATH ?? '',
    HOME: space.home,
    AI_ASSISTANT_HOME: root,
    AI_ASSISTANT_KEYCHAIN: '0',
    AI_ASSISTANT_MEMORY: '0',
    AI_ASSISTANT_NO_UPDATE_CHECK: '1',
    AI_ASSISTANT_ROOT_EXPECTED: '1',
    // Shared by hundreds of fresh environments, so that the code is compiled once.
    NODE_COMPILE_CACHE: compiledCode,
    ...env,
  };
}

/** Runs the built program as a process in the workspace's folder. */
export function aca(
  space: Workspace,
  args: string[],
  { env, stdin, cwd, onSpawn }: AcaOptions = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const line = program(args);
    const child = spawn(line.file, line.args, {
      cwd: cwd ?? space.root,
      env: cleanEnv(space, env),
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    onSpawn?.(child);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin?.on('error', () => undefined);
    if (typeof stdin === 'string') child.stdin?.end(stdin);
  });
}

/** How to configure a model server for each protocol, as a user would. */
export const doors: Record<ProtocolName, (url: string) => { model: string; env: Record<string, string> }> = {
  anthropic: (url) => ({
    model: 'anthropic/claude-sonnet-4-20250514',
    env: { ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: url },
  }),
  'openai-chat': (url) => ({
    model: 'openai-chat/gpt-4-turbo',
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` },
  }),
  'openai-responses': (url) => ({
    model: 'openai/gpt-4-turbo',
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` },
  }),
  google: (url) => ({
    model: 'google/gemini-2.5-pro',
    env: { GEMINI_API_KEY: 'AIza-test', GOOGLE_GEMINI_BASE_URL: url },
  }),
  ollama: (url) => ({ model: 'ollama/qwen3:8b', env: { OLLAMA_HOST: url } }),
};

export const protocolNames = Object.keys(doors) as ProtocolName[];

/** The lines of `--output-format stream-json`: the events, and the final result. */
export function parseStream(stdout: string): { events: AgentEvent[]; report: Report } {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent | Report);
  const report = lines.at(-1);
  if (report?.type !== 'result')
    throw new Error(`The stream does not end with a result: ${stdout.slice(-300)}`);
  return { events: lines.slice(0, -1) as AgentEvent[], report };
}

/**
 * Events without everything that may differ between two runs of one task: ids, times, the vendor, how text
 * and thoughts were split, and the order in which parallel calls finished.
 */
export function comparable(events: readonly AgentEvent[]): unknown[] {
  const ids = new Map<string, string>();
  const idOf = (id: string) => ids.get(id) ?? ids.set(id, `call ${ids.size + 1}`).get(id);
  const volatile = new Set([
    'timestamp',
    'durationMs',
    'sessionId',
    'provider',
    'model',
    'usage',
    'costUsd',
    'signature',
    'cwd',
    'contextWindow',
  ]);
  const clean = (value: unknown, key = ''): unknown => {
    if (volatile.has(key)) return undefined;
    if ((key === 'id' || key === 'callId') && typeof value === 'string') return idOf(value);
    if (Array.isArray(value)) return value.map((item) => clean(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner, name)]));
  };
  const joined: AgentEvent[] = [];
  for (const event of inCallOrder(events)) {
    const last = joined.at(-1);
    if (last && event.type === last.type && 'text' in event && 'text' in last && event.type !== 'notice') {
      joined[joined.length - 1] = { ...event, text: last.text + event.text } as AgentEvent;
    } else joined.push(event);
  }
  return joined.filter((event) => event.type !== 'usage').map((event) => clean(event));
}

/** A turn's call events, sorted by call; their results follow in the order they arrived. */
function inCallOrder(events: readonly AgentEvent[]): AgentEvent[] {
  const places = new Map<string, number>();
  const sorted: AgentEvent[] = [];
  let told: { place: number; event: AgentEvent }[] = [];
  let answers: AgentEvent[] = [];
  const settle = () => {
    sorted.push(...told.sort((a, b) => a.place - b.place).map(({ event }) => event), ...answers);
    told = [];
    answers = [];
  };
  for (const event of events) {
    const id = 'callId' in event ? event.callId : event.type === 'tool_start' ? event.call.id : undefined;
    if (id !== undefined) told.push({ place: places.get(id) ?? -1, event });
    else if (event.type === 'message' && event.message.role === 'tool') answers.push(event);
    else {
      settle();
      sorted.push(event);
      if (event.type !== 'message' || event.message.role !== 'assistant') continue;
      for (const part of event.message.content)
        if (part.type === 'tool_call') places.set(part.id, places.size);
    }
  }
  settle();
  return sorted;
}
