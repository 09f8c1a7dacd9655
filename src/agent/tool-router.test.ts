import { describe, expect, test } from 'vitest';
import { call, depsOf, parallel, play, toolOf, tools } from '../../test/support/router.ts';
import { PermissionDeniedError } from '../contract/errors.ts';
import { ok } from '../contract/tool.ts';
import type { Decision, RouterDeps } from './router-deps.ts';
import { runTools } from './tool-router.ts';

describe('[T18] a call that cannot run is answered with how to fix it', () => {
  test('an unknown tool', async () => {
    const { answers, texts } = await play([call('Lok', {})]);
    expect(answers[0]).toMatchObject({ role: 'tool', callId: 'Lok', success: false });
    expect(texts).toEqual(['Unknown tool Lok. Did you mean Look? Available tools: Look, Change, Run.']);
  });

  test('a tool that was offered before and is gone', async () => {
    const { texts } = await play(
      [call('tracker:find', {})],
      depsOf({ wasOffered: (name) => name === 'tracker:find' }),
    );
    expect(texts[0]).toMatch(/^The tool tracker:find is no longer available\. Available tools: /);
  });

  test('arguments that are not JSON', async () => {
    const { texts } = await play([{ ...call('Look', {}), malformed: '{"target": "a' }]);
    expect(texts[0]).toBe(
      'The arguments of Look were not a JSON object, so it did not run (the JSON is incomplete). You sent: {"target": "a\nSend the call again with complete, valid JSON.',
    );
  });

  test('arguments of the wrong type name the field and what was expected', async () => {
    const { texts } = await play([call('Look', { target: 7 })]);
    expect(texts[0]).toContain('- target: Invalid input: expected string, received number');
  });
});

describe('[E01] [E03] [E04] a tool that fails', () => {
  test('a throwing tool becomes an error result tied to its id, and the others run', async () => {
    const broken = toolOf('Broken', 'read', { run: () => Promise.reject(new Error('disk on fire')) });
    const deps = depsOf({ tools: [broken, ...tools] });
    const { answers, texts } = await play(
      [call('Broken', { target: 'a' }), call('Look', { target: 'b' })],
      deps,
    );
    expect(texts).toEqual(['Error: Tool Broken failed: disk on fire', 'Look b']);
    expect(answers.map(({ callId, success }) => [callId, success])).toEqual([
      ['Broken', false],
      ['Look', true],
    ]);
  });

  test('a refusal by a capability is reported as a refusal', async () => {
    const reach = toolOf('Reach', 'read', {
      run: () => Promise.reject(new PermissionDeniedError({ operation: '.env holds secrets' })),
    });
    expect((await play([call('Reach', { target: 'a' })], depsOf({ tools: [reach] }))).texts).toEqual([
      'Permission denied: .env holds secrets',
    ]);
  });
});

describe('[L05] [L06] [Z01] questions one at a time, approved calls in parallel', () => {
  test('questions come in call order, one at a time, and before anything runs', async () => {
    const log: string[] = [];
    const decide: RouterDeps['decide'] = async (request, { beforeAsking }): Promise<Decision> => {
      log.push(`ask ${request.callId}`);
      await beforeAsking(request);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`answered ${request.callId}`);
      return {
        verdict: request.callId === '2' ? 'deny' : 'allow',
        by: 'user',
        because: 'User denied permission',
      };
    };
    const parts = ['1', '2', '3'].map((id) => call('Look', { target: id }, id));
    const { events, texts } = await play(parts, depsOf({ decide }));
    expect(log).toEqual(['ask 1', 'answered 1', 'ask 2', 'answered 2', 'ask 3', 'answered 3']);
    expect(events.map((event) => event.type).indexOf('tool_start')).toBeGreaterThan(
      events.map((event) => event.type).lastIndexOf('judged'),
    );
    expect(texts).toEqual(['Look 1', 'User denied permission', 'Look 3']);
  });

  test('nobody is asked about a call that cannot succeed, unless an earlier call may change that', async () => {
    const asked: string[] = [];
    const decide: RouterDeps['decide'] = async (request, { beforeAsking }): Promise<Decision> => {
      const opens = request.operation.includes('outside')
        ? [{ path: '/x', mode: 'write' as const }]
        : undefined;
      await beforeAsking({ ...request, ...(opens && { opens }) });
      asked.push(request.callId);
      return { verdict: 'allow', by: 'user', because: '' };
    };
    const stale = toolOf('Stale', 'write', {
      preview: async () => ({ kind: 'refused', error: 'String not found in file' }),
    });
    const parts = [
      call('Stale', { target: 'a' }, '1'),
      call('Change', { target: 'b' }, '2'),
      call('Stale', { target: 'b' }, '3'),
      call('Stale', { target: 'outside' }, '4'),
    ];
    const { texts, events } = await play(
      parts,
      depsOf({ decide, tools: [toolOf('Change', 'write'), stale] }),
    );
    expect(asked).toEqual(['2', '3', '4']);
    expect(texts).toEqual(['String not found in file', 'Change b', 'Stale b', 'Stale outside']);
    expect(events.filter(({ type }) => type === 'question')).toHaveLength(3);
  });

  test('[Y01] reads run in parallel; answers keep the call order, whichever finishes first', async () => {
    parallel.most = 0;
    const parts = [30, 20, 10].map((ms, i) => call('Look', { target: `f${i}`, ms }, `id${i}`));
    const { answers } = await play(parts);
    expect(parallel.most).toBe(3);
    expect(answers.map((answer) => answer.callId)).toEqual(['id0', 'id1', 'id2']);
  });

  test('[Y01] writes to one file and commands run one after another', async () => {
    parallel.most = 0;
    const parts = [
      call('Change', { target: 'a', ms: 10 }, '1'),
      call('Change', { target: 'a', ms: 5 }, '2'),
      call('Run', { target: 'ls', ms: 5 }, '3'),
      call('Look', { target: 'b', ms: 5 }, '4'),
    ];
    const { events } = await play(parts);
    expect(parallel.most).toBe(1);
    const order = events.flatMap((event) => (event.type === 'tool_start' ? [event.call.id] : []));
    expect(order).toEqual(['1', '2', '3', '4']);
  });
});

test('[C05] the question includes the preview', async () => {
  const shown = toolOf('Change', 'write', { preview: async () => ({ kind: 'text', text: 'a -> b' }) });
  const decide: RouterDeps['decide'] = async (request, { beforeAsking }) => {
    const full = await beforeAsking(request);
    return { verdict: 'allow', by: 'user', because: full.preview?.kind ?? 'none' };
  };
  const { events } = await play([call('Change', { target: 'a' })], depsOf({ tools: [shown], decide }));
  expect(events[0]).toMatchObject({
    type: 'question',
    request: { operation: 'Change a', preview: { kind: 'text', text: 'a -> b' } },
  });
});

test('progress of a running tool is reported while it runs', async () => {
  const chatty = toolOf('Chatty', 'read', {
    run: async (_input, { progress }) => {
      progress('half way');
      return ok('done');
    },
  });
  const { events } = await play([call('Chatty', { target: 'a' })], depsOf({ tools: [chatty] }));
  expect(events.map((event) => event.type)).toEqual([
    'judged',
    'tool_start',
    'tool_progress',
    'tool_end',
    'message',
  ]);
});

test('[K03] of a huge result the model gets a fifth from its start and the rest from its end', async () => {
  const huge = toolOf('Huge', 'read', { run: async () => ok('x'.repeat(50_000)) });
  const { texts } = await play([call('Huge', { target: 'a' })], depsOf({ tools: [huge] }));
  expect(texts[0]).toBe(`${'x'.repeat(7995)}\n... [truncated] ...\n${'x'.repeat(31_984)}`);
});

test('[Y39] a huge result is saved in full where the model can read it, and the metadata has the path', async () => {
  const huge = toolOf('Huge', 'read', { run: async () => ok('x'.repeat(50_000)) });
  const kept = new Map<string, string>();
  const keepOutput = async (id: string, text: string) => {
    kept.set(id, text);
    return `/data/${id}.txt`;
  };
  const { texts, answers } = await play(
    [call('Huge', { target: 'a' })],
    depsOf({ tools: [huge], keepOutput }),
  );
  expect(kept.get('Huge')).toBe('x'.repeat(50_000));
  expect(texts[0]).toMatch(
    /x\n\[40000 of 50000 characters; all of them are in \/data\/Huge\.txt: Grep it for what you need, or Read it with offset 1\]$/,
  );
  expect(answers[0]?.metadata).toEqual({ cutCharacters: 10_000, fullOutput: '/data/Huge.txt' });
});

describe('[L12] [T14] [H04] a call the vendor sends twice', () => {
  test('is answered with the known answer, without judging or running it', async () => {
    const before = (await play([call('Look', { target: 'a' }, 'old')])).answers[0];
    const decide: RouterDeps['decide'] = () => Promise.reject(new Error('nobody should be asked'));
    const deps = depsOf({ decide, answerTo: (id) => (id === 'old' ? before : undefined) });
    const { answers, events } = await play(
      [{ ...call('Look', { target: 'a' }, 'new'), repeats: 'old' }],
      deps,
    );
    expect(answers).toEqual([{ ...before, callId: 'new', metadata: { repeats: 'old' } }]);
    expect(events.map((event) => event.type)).toEqual(['tool_end', 'message']);
  });

  test('in the same reply waits for the first one', async () => {
    let runs = 0;
    const counted = toolOf('Run', 'execute', { run: async () => ok(`run ${++runs}`) });
    const twin = { ...call('Run', { target: 'x' }, 'second'), repeats: 'first' };
    const { texts } = await play([call('Run', { target: 'x' }, 'first'), twin], depsOf({ tools: [counted] }));
    expect(texts).toEqual(['run 1', 'run 1']);
  });

  test('runs when no answer is known', async () => {
    const { texts } = await play([{ ...call('Look', { target: 'a' }), repeats: 'lost' }]);
    expect(texts).toEqual(['Look a']);
  });
});

test('[L12] a call is journalled before it runs, and its answer before it is emitted', async () => {
  const log: string[] = [];
  const deps = depsOf({
    log: {
      started: async (id, { changes }) => void log.push(`started ${id}, ${changes ? 'changes' : 'looks'}`),
      answered: async (message) => void log.push(`answered ${message.callId}`),
    },
  });
  for await (const event of runTools(
    [call('Look', { target: 'a' }, '1')],
    deps,
    new AbortController().signal,
  )) {
    log.push(event.type);
  }
  expect(log).toEqual(['judged', 'started 1, looks', 'tool_start', 'answered 1', 'tool_end', 'message']);
});

test('each command is asked about once, and again if it had to wait for another', async () => {
  const asked: string[] = [];
  const isReadOnly: RouterDeps['isReadOnly'] = ({ target }) => asked.push(target) > 0 && target !== 'change';
  const targets = ['one', 'two', 'three', 'change', 'four'];
  await play(
    targets.map((target) => call('Run', { target }, target)),
    depsOf({ isReadOnly }),
  );
  expect(asked).toEqual([...targets, 'change', 'four']);
});

test('[Y01] read-only commands run in parallel, also with reads', async () => {
  parallel.most = 0;
  const parts = [1, 2, 3].map((n) => call('Run', { target: `ls ${n}`, ms: 10 }, String(n)));
  await play(
    [...parts, call('Look', { target: 'b', ms: 10 })],
    depsOf({ isReadOnly: ({ kind }) => kind === 'execute' }),
  );
  expect(parallel.most).toBe(4);
});
