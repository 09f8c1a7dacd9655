import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { cleanEnv, doors } from '../../test/support/aca.ts';
import type { SeenRequest } from '../../test/support/model-server/protocol.ts';
import { calls, fails, type Step, says, stalls } from '../../test/support/model-server/script.ts';
import { serve } from '../../test/support/serve.ts';
import { sweep } from '../../test/support/soak.ts';
import { setUpVendor, vendors } from '../../test/support/vendors.ts';
import { workspace } from '../../test/support/workspace.ts';
import type { Preset } from '../providers/presets.ts';
import { defineAgentTool } from './agent-tool.ts';
import { createAgent } from './create-agent.ts';
import type { AgentOptions, AgentRun } from './types.ts';

type Used = (signal: AbortSignal) => Promise<string> | string;

/** An agent with one tool, whose work is given by the test. */
async function stage(script: Step[], { vendor, ...options }: AgentOptions & { vendor?: Preset } = {}) {
  const server = await serve(script);
  const space = await workspace();
  const { model, env } = vendor ? await setUpVendor(space, vendor, server.url) : doors.anthropic(server.url);
  let used: Used = () => 'done';
  const work = defineAgentTool({
    name: 'work',
    description: 'Works.',
    input: z.object({}),
    requiresApproval: false,
    execute: async (_input, { signal }) => used(signal),
  });
  const agent = await createAgent({
    cwd: space.root,
    model,
    env: cleanEnv(space, env),
    tools: [work],
    ...options,
  });
  onTestFinished(() => agent.close());
  return {
    agent,
    server,
    space,
    whenUsed: (next: Used) => {
      used = next;
    },
  };
}

const work = calls(['app__work', {}]);
const refusals = (requests: readonly SeenRequest[]) => requests.flatMap(({ refused }) => refused ?? []);

describe('a prompt sent to a run', () => {
  test('is taken with the next tool results, and true says so', async () => {
    const { agent, server, whenUsed } = await stage([work, says('ok')]);
    const run = agent.run('go');
    let taken: Promise<boolean> | undefined;
    whenUsed(() => {
      taken = run.steer('use tabs');
      return 'done';
    });
    expect((await run.result).text).toBe('ok');
    expect(await taken).toBe(true);
    expect(server.requests[1]?.messages.at(-1)?.text).toContain('use tabs');
    expect(agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
    ]);
  });

  test('waits for an approval, and follows the result of the approved call', async () => {
    const steering: { run?: AgentRun } = {};
    const { agent, server, space } = await stage(
      [calls(['Write', { file_path: 'a.txt', content: 'a' }]), says('ok')],
      {
        permissions: {
          approve: () => {
            void steering.run?.steer('use tabs');
            return true;
          },
        },
      },
    );
    steering.run = agent.run('go');
    expect((await steering.run.result).text).toBe('ok');
    expect(await space.tree()).toEqual({ 'a.txt': 'a' });
    expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    expect(server.requests[1]?.messages.at(-1)?.text).toBe('use tabs');
  });

  test('is sent again with a request that is retried, and is in the session once', async () => {
    const { agent, server, whenUsed } = await stage([work, fails(529, { retryAfter: 0 }), says('ok')]);
    const run = agent.run('go');
    whenUsed(() => {
      void run.steer('use tabs');
      return 'done';
    });
    expect((await run.result).text).toBe('ok');
    const last = server.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(last).toEqual(['go', 'use tabs', 'use tabs']);
    expect(agent.messages.filter(({ role }) => role === 'user').length).toBe(2);
  });

  test('waits for a running subagent, and goes to the agent that started it', async () => {
    const steering: { run?: AgentRun } = {};
    const { agent, server } = await stage([
      calls(['Explore', { description: 'look', prompt: 'Look around.' }]),
      () => {
        void steering.run?.steer('use tabs');
        return says('Nothing here.');
      },
      says('ok'),
    ]);
    steering.run = agent.run('go');
    expect((await steering.run.result).text).toBe('ok');
    expect(server.requests.map(({ messages }) => messages.at(-1)?.text.includes('use tabs'))).toEqual([
      ...[false, false, true],
    ]);
  });

  test('is not sent when the run makes no more calls, has ended, or never starts; false says so', async () => {
    const { agent, server } = await stage([says('one'), says('two')]);
    const run = agent.run('go');
    const early = run.steer('too late');
    const never = agent.run('never', { signal: AbortSignal.abort() });
    const unsent = never.steer('nor this');
    await run.result;
    expect(await Promise.all([early, unsent, run.steer('even later')])).toEqual([false, false, false]);
    await agent.run('next').result;
    expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['go', 'next']);
  });
});

sweep(
  vendors.map((vendor) => [vendor.name, vendor] as const),
  5,
)(
  '%s accepts a prompt behind tool results, and one after an interrupted call or text',
  async (_name, vendor) => {
    const { agent, server, whenUsed } = await stage(
      [
        work,
        says('steered'),
        work,
        says('instead'),
        stalls(says('Half an answer'), { after: 'content' }),
        says('end'),
      ],
      { vendor },
    );
    const first = agent.run('go');
    whenUsed(() => {
      void first.steer('use tabs');
      return 'done';
    });
    expect((await first.result).text).toBe('steered');

    const stop = new AbortController();
    const second = agent.run('go on', { signal: stop.signal });
    whenUsed((signal) => {
      stop.abort();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    expect((await second.result).stopReason).toBe('interrupted');
    expect((await agent.run('do this instead').result).text).toBe('instead');

    const third = agent.run('tell me');
    for await (const event of third) if (event.type === 'text') break;
    expect((await third.result).stopReason).toBe('interrupted');
    expect((await agent.run('no').result).text).toBe('end');

    expect(refusals(server.requests)).toEqual([]);
    const [, steered, , instead] = server.requests;
    expect(steered?.messages.at(-1)).toMatchObject({ role: 'user', text: 'use tabs' });
    expect(instead?.messages.at(-1)).toMatchObject({ role: 'user', text: 'do this instead' });
    expect(instead?.messages.flatMap(({ results }) => results).length).toBe(2);
  },
);
