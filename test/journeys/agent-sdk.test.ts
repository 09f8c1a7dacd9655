// @module-tag soak
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanEnv, doors } from '../support/aca.ts';
import { fetchAgentSdk } from '../support/agent-sdk.ts';
import { calls, type Step, says, slowly, thinks } from '../support/model-server/script.ts';
import { binary, built } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const run = promisify(execFile);
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What of the client is used here; its own types are checked by the compiler below. */
type Json = Record<string, unknown>;
type SdkMessage = Json & { type: string; subtype?: string };
type Query = AsyncIterable<SdkMessage> & {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: string): Promise<void>;
  setModel(model?: string): Promise<void>;
  supportedCommands(): Promise<{ name: string }[]>;
};
type QueryFunction = (params: { prompt: string | AsyncIterable<Json>; options: Json }) => Query;

let sdk = '';
let query: QueryFunction;

beforeAll(async () => {
  sdk = await fetchAgentSdk();
  ({ query } = (await import(pathToFileURL(path.join(sdk, 'sdk.mjs')).href)) as { query: QueryFunction });
}, 120_000);

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const options = {
    cwd: space.root,
    env: cleanEnv(space, env),
    model,
    pathToClaudeCodeExecutable: binary ?? built,
    stderr: () => undefined,
  };
  return { server, options };
}

async function collect(messages: AsyncIterable<SdkMessage>): Promise<SdkMessage[]> {
  const all: SdkMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const kinds = (messages: readonly SdkMessage[]) =>
  messages.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`));

const user = (content: unknown) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
});

const edit = (file: string) => ['Edit', { file_path: file, old_string: 'one', new_string: 'two' }] as const;

describe('the Agent SDK of Claude Code drives this program', () => {
  test('a task whose calls it approves and denies', async () => {
    const space = await workspace({ 'a.txt': 'one', 'b.txt': 'one' });
    const { options, server } = await start(space, [
      thinks('hm', calls([...edit('a.txt')])),
      calls([...edit('b.txt')]),
      says('Changed one.'),
    ]);
    const asked: unknown[] = [];
    const messages = await collect(
      query({
        prompt: 'change them',
        options: {
          ...options,
          systemPrompt: 'You are a test.',
          canUseTool: async (name: string, input: Json, { toolUseID }: Json) => {
            asked.push([name, input.file_path, typeof toolUseID]);
            return input.file_path === 'a.txt'
              ? { behavior: 'allow', updatedInput: input }
              : { behavior: 'deny', message: 'leave it' };
          },
        },
      }),
    );
    expect(kinds(messages)).toEqual([
      ...['system/init', 'assistant', 'user', 'assistant', 'user', 'assistant', 'result/success'],
    ]);
    expect(asked).toEqual([
      ['Edit', 'a.txt', 'string'],
      ['Edit', 'b.txt', 'string'],
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'two', 'b.txt': 'one' });
    expect(server.requests[0]?.system.startsWith('You are a test.')).toBe(true);
    expect(JSON.stringify(messages[4])).toContain('User denied permission: leave it');
    expect(messages.at(-1)).toMatchObject({
      ...{ is_error: false, result: 'Changed one.', num_turns: 3 },
      permission_denials: [{ tool_name: 'Edit', tool_input: { file_path: 'b.txt' } }],
    });
    const ids = new Set(messages.map(({ session_id }) => session_id));
    expect(ids.size).toBe(1);
  });

  test('a conversation with images, pieces of replies, another mode and an interrupt', async () => {
    const space = await workspace({ 'a.txt': 'one' });
    const { options, server } = await start(space, [
      says('A dot.'),
      calls([...edit('a.txt')]),
      says('Done.'),
      slowly(says('word '.repeat(200)), { betweenMs: 20 }),
    ]);
    const prompts = turns();
    const session = query({
      prompt: prompts.stream,
      options: {
        ...{ ...options, includePartialMessages: true, settingSources: ['user', 'project'] },
        extraArgs: { 'replay-user-messages': null },
      },
    });
    const seen: SdkMessage[] = [];
    prompts.send(
      user([
        { type: 'text', text: 'what is this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      ]),
    );
    let results = 0;
    for await (const message of session) {
      seen.push(message);
      if (message.type === 'result' && ++results === 1) {
        expect((await session.supportedCommands()).map(({ name }) => name)).toContain('compact');
        await expect(session.setPermissionMode('nonsense')).rejects.toThrow('There is no permission mode');
        await session.setPermissionMode('acceptEdits');
        prompts.send(user('change it'));
      } else if (message.type === 'result' && results === 2) prompts.send(user('now count'));
      else if (results === 2 && message.type === 'stream_event') await session.interrupt();
      if (results === 3) prompts.end();
    }
    const outcomes = seen.filter(({ type }) => type === 'result');
    expect(outcomes.map(({ subtype }) => subtype)).toEqual(['success', 'success', 'error_during_execution']);
    expect(
      seen.filter(({ subtype }) => subtype === 'init').map(({ permissionMode }) => permissionMode),
    ).toEqual([...['default', 'acceptEdits', 'acceptEdits']]);
    expect(server.requests[0]?.messages[0]?.images).toBe(1);
    expect(seen.filter(({ isReplay }) => isReplay).length).toBe(3);
    expect((await space.tree())['a.txt']).toBe('two');
    const pieces = seen.flatMap(({ type, event }) =>
      type === 'stream_event' ? [(event as SdkMessage).type] : [],
    );
    const changes = pieces.filter((piece, i) => piece !== pieces[i - 1]);
    expect(changes.slice(0, 6)).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta'],
      ...['content_block_stop', 'message_delta', 'message_stop'],
    ]);
  });

  test('what it cannot do here is an error, and not ignored', async () => {
    const space = await workspace();
    const { options, server } = await start(space, []);
    const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] };
    await expect(collect(query({ prompt: 'go', options: { ...options, hooks } }))).rejects.toThrow(
      'hooks cannot be passed over the stream',
    );
    expect(server.requests).toEqual([]);
  });
});

test('every message that is written has a type of the published package', async () => {
  const file = path.resolve('test/journeys/agent-sdk-types.generated.ts');
  const from = JSON.stringify(path.relative(path.dirname(file), path.join(sdk, 'sdk.d.ts')));
  await writeFile(
    file,
    `import type { SDKMessage, SDKResultMessage } from ${from};
import type { ClaudeMessage, ClaudeResult } from '../../src/frontends/print/claude/types.ts';
export const message = (one: ClaudeMessage): SDKMessage => one;
export const result = (one: ClaudeResult): SDKResultMessage => one;
`,
  );
  try {
    const flags = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ];
    const types = ['--types', 'node', '--allowImportingTsExtensions'];
    await run('npx', ['tsc', ...flags, ...types, file]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
  } finally {
    await rm(file);
  }
}, 120_000);

/** Prompts that are sent one by one. */
function turns() {
  const waiting: Json[] = [];
  let wake: () => void = () => undefined;
  let ended = false;
  return {
    send(prompt: Json) {
      waiting.push(prompt);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    stream: (async function* () {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    })(),
  };
}
