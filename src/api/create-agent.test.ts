import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { cleanEnv, doors } from '../../test/support/aca.ts';
import { calls, type Step, says, stalls } from '../../test/support/model-server/script.ts';
import { isRunning, pidIn } from '../../test/support/processes.ts';
import { serve } from '../../test/support/serve.ts';
import { workspace } from '../../test/support/workspace.ts';
import { UserError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { PermissionRequest } from '../contract/permission.ts';
import { defineAgentTool } from './agent-tool.ts';
import { createAgent } from './create-agent.ts';
import type { AgentOptions } from './types.ts';

type Stage = { script: Step[]; files?: Record<string, string> };

/** An agent in a fresh folder with a scripted model; closed at the end of the test. */
async function stage({ script, files = {} }: Stage, options: AgentOptions = {}) {
  const server = await serve(script);
  const space = await workspace(files);
  const { model, env } = doors.anthropic(server.url);
  const place = { cwd: space.root, model, env: cleanEnv(space, env) };
  const agent = await createAgent({ ...place, ...options });
  onTestFinished(() => agent.close());
  return { agent, server, space, place };
}

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const found: AgentEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

const edit = calls(['Edit', { file_path: 'a.ts', old_string: '1', new_string: '2' }]);

describe('a run', () => {
  test('emits events and resolves with a result', async () => {
    const { agent, space } = await stage({ script: [says('Hello.')] });
    const run = agent.run('Greet me.');

    const events = await all(run);
    const result = await run.result;

    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run_start', 'turn_start', 'text', 'usage', 'message', 'end']),
    );
    expect(result).toEqual({
      text: 'Hello.',
      stopReason: 'done',
      sessionId: agent.sessionId,
      provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      turns: 1,
      durationMs: expect.any(Number),
      usage: expect.objectContaining({ outputTokens: expect.any(Number) }),
      costUsd: expect.any(Number),
      filesChanged: [],
      changes: [],
      checks: [],
      commands: [],
      denials: [],
      sandbox: null,
    });
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await space.tree()).toEqual({});
  });

  test('needs no reader; runs are queued', async () => {
    const { agent, server } = await stage({ script: [says('one'), says('two')] });
    const runs = [agent.run('1'), agent.run('2')];
    expect(await Promise.all(runs.map(async ({ result }) => (await result).text))).toEqual(['one', 'two']);
    expect(server.requests.map(({ body }) => (body.messages as unknown[]).length)).toEqual([1, 3]);
  });

  test('a model error is a result, not an exception', async () => {
    const { agent } = await stage({ script: [{ type: 'failure', status: 401, words: {} }] });
    expect(await agent.run('hi').result).toMatchObject({
      stopReason: 'error',
      text: '',
      error: { kind: 'auth' },
    });
  });

  test('leaving the event loop early aborts the run; the agent stays usable', async () => {
    const { agent } = await stage({
      script: [stalls(says('a long story'), { after: 'content' }), says('ok')],
    });
    const run = agent.run('Tell me a story.');
    for await (const event of run) if (event.type === 'text') break;
    expect(await run.result).toMatchObject({ stopReason: 'interrupted' });
    expect((await agent.run('Enough.').result).text).toBe('ok');
  });

  test('a signal aborts one run, even before it starts', async () => {
    const stop = new AbortController();
    const { agent, server } = await stage({
      script: [stalls(says('x'), { after: 'content' }), says('third')],
    });
    const [first, second, third] = [agent.run('1', stop), agent.run('2', stop), agent.run('3')];
    for await (const event of first) if (event.type === 'text') stop.abort();
    expect((await first.result).stopReason).toBe('interrupted');
    expect(await second.result).toMatchObject({ stopReason: 'interrupted', turns: 0 });
    expect(await all(second)).toEqual([{ type: 'end', reason: 'interrupted', turns: 0 }]);
    expect((await third.result).text).toBe('third');
    expect(server.requests).toHaveLength(2);
  });
});

describe('permissions', () => {
  test('calls that need approval are refused when there is no callback', async () => {
    const { agent, space } = await stage({ script: [edit, says('no')], files: { 'a.ts': 'x = 1' } });
    const { denials, filesChanged } = await agent.run('edit').result;
    expect(denials).toMatchObject([{ tool: 'Edit' }]);
    expect(filesChanged).toEqual([]);
    expect(await space.tree()).toEqual({ 'a.ts': 'x = 1' });
  });

  test('the callback sees what would happen, and its approval lets it happen', async () => {
    const asked: PermissionRequest[] = [];
    const approve = (request: PermissionRequest) => asked.push(request) > 0;
    const { agent, space } = await stage(
      { script: [edit, says('done')], files: { 'a.ts': 'x = 1' } },
      { permissions: { approve } },
    );
    expect(await agent.run('edit').result).toMatchObject({ filesChanged: ['a.ts'], denials: [] });
    expect(asked).toMatchObject([{ tool: 'Edit', preview: { kind: 'diff', path: 'a.ts' } }]);
    expect(await space.tree()).toEqual({ 'a.ts': 'x = 2' });
  });

  test.each([
    ['a no', async () => false],
    [
      'an exception',
      () => {
        throw new Error('broken');
      },
    ],
    ['nonsense', () => 'yes' as unknown as boolean],
    ['an object that is no answer', () => ({ yes: true }) as unknown as boolean],
    ['a choice that is none', () => ({ choice: 'yes' }) as unknown as boolean],
    ['a yes to a part of it', () => ({ choice: 'once' as const, shown: 'part' as const })],
    ['a yes to who knows what', () => ({ choice: 'once', shown: 'some' }) as unknown as boolean],
  ])('%s from the callback means no', async (_, approve) => {
    const { agent, space } = await stage(
      { script: [edit, says('no')], files: { 'a.ts': 'x = 1' } },
      { permissions: { approve } },
    );
    expect((await agent.run('edit').result).denials).toHaveLength(1);
    expect(await space.tree()).toEqual({ 'a.ts': 'x = 1' });
  });

  test('no approval overrides an unconditional refusal', async () => {
    let asked = 0;
    const approve = () => ++asked > 0;
    const { agent } = await stage(
      { script: [calls(['Bash', { command: 'rm -rf / --no-preserve-root' }]), says('no')] },
      { permissions: { approve, allow: ['Bash'], mode: 'auto' } },
    );
    expect((await agent.run('go').result).denials).toMatchObject([{ tool: 'Bash' }]);
    expect(asked).toBe(0);
  });

  test('rules from both sources apply, and an invalid rule is reported immediately', async () => {
    const { agent } = await stage(
      { script: [edit, says('no')], files: { 'a.ts': 'x = 1' } },
      { permissions: { mode: 'accept-edits' }, settings: { permissions: { deny: ['Edit(a.ts)'] } } },
    );
    expect((await agent.run('edit').result).denials).toMatchObject([{ by: 'rule deny Edit(a.ts)' }]);
    await expect(stage({ script: [] }, { permissions: { allow: ['Bash('] } })).rejects.toThrow(UserError);
    await expect(stage({ script: [] }, { settings: { maxTurns: 'many' } })).rejects.toThrow(UserError);
  });
});

describe('tools of the embedding program', () => {
  const add = (more: { requiresApproval?: boolean; readOnly?: boolean } = {}) =>
    defineAgentTool({
      name: 'add',
      description: 'Add two numbers.',
      input: z.object({ a: z.number().describe('One'), b: z.number().default(10) }),
      execute: ({ a, b }) => `${a + b}`,
      ...more,
    });
  const script = [calls(['app__add', { a: 1 }]), says('eleven')];

  test('are offered to the model, parsed by their schema, and answered', async () => {
    const { agent, server } = await stage({ script }, { tools: [add({ requiresApproval: false })] });
    const run = agent.run('add');
    const events = await all(run);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_end', name: 'app:add', success: true }),
    );
    const [first, second] = server.requests;
    expect(first?.body.tools).toContainEqual(
      expect.objectContaining({
        name: 'app__add',
        input_schema: expect.objectContaining({ required: ['a'] }),
      }),
    );
    expect(JSON.stringify(second?.body.messages)).toContain('"11"');
  });

  test('need approval like any other tool, and rules can name them', async () => {
    const refused = await stage({ script }, { tools: [add()] });
    expect((await refused.agent.run('add').result).denials).toMatchObject([{ tool: 'app:add' }]);
    const allowed = await stage({ script }, { tools: [add()], permissions: { allow: ['mcp:app:add'] } });
    expect((await allowed.agent.run('add').result).denials).toEqual([]);
    const reading = await stage(
      { script },
      { tools: [add({ requiresApproval: false })], permissions: { mode: 'read-only' } },
    );
    expect((await reading.agent.run('add').result).denials).toMatchObject([{ by: 'mode read-only' }]);
  });

  test('an invalid input is reported back to the model', async () => {
    const wrong = [calls(['app__add', { a: 'one' }]), says('sorry')];
    const { agent, server } = await stage({ script: wrong }, { tools: [add({ requiresApproval: false })] });
    await agent.run('add').result;
    expect(JSON.stringify(server.requests[1]?.body.messages)).toMatch(/"is_error":true/);
  });

  test.each([
    ['two of one name', [add(), add()], 'Two tools are named add.'],
    ['a name no rule can say', [{ ...add(), name: 'a b' }], '"a b" is not a valid tool name.'],
    [
      'a schema that JSON Schema cannot express',
      [defineAgentTool({ name: 'x', description: '', input: z.date() as never, execute: () => '' })],
      'cannot be converted to JSON Schema',
    ],
  ])('%s are refused with a message', async (_, tools, words) => {
    await expect(stage({ script: [] }, { tools })).rejects.toThrow(words);
  });
});

test('[nothing is global] two agents in one process keep their own folders, models and permissions', async () => {
  const files = { 'a.ts': 'x = 1' };
  const [bold, shy] = await Promise.all([
    stage({ script: [edit, says('bold')], files }, { permissions: { mode: 'accept-edits' } }),
    stage({ script: [edit, says('shy')], files }),
  ]);
  const results = await Promise.all([bold, shy].map(({ agent }) => agent.run('edit').result));
  expect(results.map(({ text }) => text)).toEqual(['bold', 'shy']);
  expect(await Promise.all([bold, shy].map(({ space }) => space.tree()))).toEqual([
    { 'a.ts': 'x = 2' },
    files,
  ]);
});

test('instructions are part of the system prompt', async () => {
  const { agent, server } = await stage({ script: [says('ok')] }, { instructions: 'Answer in Latin.' });
  await agent.run('hi').result;
  expect(JSON.stringify(server.requests[0]?.body.system)).toContain('Answer in Latin.');
});

describe('sessions', () => {
  const sessionsOf = async (home: string) =>
    readdir(path.join(home, '.ai-assistant/sessions')).catch((): string[] => []);

  test('a session is resumed by its id', async () => {
    const { agent, place, server } = await stage({ script: [says('Ada.'), says('Your name is Ada.')] });
    await agent.run('My name is Ada.').result;
    await agent.close();
    const again = await createAgent({ ...place, session: { resume: agent.sessionId } });
    onTestFinished(() => again.close());
    expect((await again.run('Who am I?').result).sessionId).toBe(agent.sessionId);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('My name is Ada.');
    await expect(createAgent({ ...place, session: { resume: 'nowhere' } })).rejects.toThrow(
      'There is no session "nowhere".',
    );
  });

  test('`none` saves nothing', async () => {
    const { agent, space } = await stage({ script: [says('ok')] }, { session: 'none' });
    await agent.run('hi').result;
    await agent.close();
    expect(await sessionsOf(space.home)).toEqual([]);
  });
});

describe('closing', () => {
  test('closing aborts runs and background commands; nothing runs afterwards', async () => {
    const background = calls([
      'Bash',
      { command: 'echo $$ > pid; exec sleep 1000', run_in_background: true },
    ]);
    const space = await workspace();
    const server = await serve([background, stalls(says('waiting'), { after: 'content' })]);
    const { model, env } = doors.anthropic(server.url);
    const agent = await createAgent({
      cwd: space.root,
      model,
      env: cleanEnv(space, env),
      permissions: { allow: ['Bash'] },
      settings: { sandbox: { kind: 'off' } },
    });
    const run = agent.run('wait');
    for await (const event of run) if (event.type === 'text') break;
    const child = await pidIn(path.join(space.root, 'pid'));
    expect(await isRunning(child)).toBe(true);

    await Promise.all([agent.close(), agent.close()]);

    expect(await isRunning(child)).toBe(false);
    expect((await run.result).stopReason).toBe('interrupted');
    expect(() => agent.run('more')).toThrow('This agent is closed.');
  });

  test('closing stops the servers that were started', async () => {
    const space = await workspace();
    const pidFile = path.join(space.home, 'pid');
    const code = "require('fs').writeFileSync(process.argv[1], String(process.pid)); process.stdin.resume();";
    const { agent } = await stage(
      { script: [] },
      { settings: { mcpServers: { mute: { command: process.execPath, args: ['-e', code, pidFile] } } } },
    );
    const child = await pidIn(pidFile);
    await agent.close();
    expect(await isRunning(child)).toBe(false);
  });

  test('a tool that never returns does not keep the agent open', async () => {
    const hang = defineAgentTool({
      name: 'hang',
      description: 'Hangs.',
      input: z.object({}),
      requiresApproval: false,
      execute: () => new Promise<string>(() => undefined),
    });
    const { agent } = await stage({ script: [calls(['app__hang', {}])] }, { tools: [hang] });
    const run = agent.run('hang');
    for await (const event of run) if (event.type === 'tool_start') void agent.close();
    expect((await run.result).stopReason).toBe('interrupted');
    await agent.close();
  });

  test("the agent's signal closes it", async () => {
    const stop = new AbortController();
    const { agent } = await stage(
      { script: [stalls(says('x'), { after: 'content' })] },
      { signal: stop.signal },
    );
    const run = agent.run('wait');
    for await (const event of run) if (event.type === 'text') stop.abort();
    expect((await run.result).stopReason).toBe('interrupted');
    expect(() => agent.run('more')).toThrow('This agent is closed.');
    await expect(stage({ script: [] }, { signal: stop.signal })).rejects.toThrow('aborted');
  });

  test('without any model there is a clear error message', async () => {
    const space = await workspace();
    const env = cleanEnv(space, { OLLAMA_HOST: 'http://127.0.0.1:9' });
    await expect(createAgent({ cwd: space.root, env, settings: { provider: 'embedded' } })).rejects.toThrow(
      'No model configured.',
    );
  });
});
