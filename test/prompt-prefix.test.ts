import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UserMessage } from '../src/contract/message.ts';
import type { CompletionRequest, Provider } from '../src/contract/provider.ts';
import { encodePng } from '../src/tools/reading/png.ts';
import { doors, protocolNames } from './support/aca.ts';
import type { ProtocolName } from './support/model-server/protocol.ts';
import {
  type Answer,
  both,
  type CallWords,
  calls,
  says,
  stalls,
  thinks,
  thinksSecretly,
} from './support/model-server/script.ts';
import { startModelServer } from './support/model-server/server.ts';
import { type Played, playSessions } from './support/played-sessions.ts';
import { firstDifference, promptBlocks } from './support/prompt-blocks.ts';
import { rounds, sweep, sweepGroups } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

const SECRET = 'tr0ub4dor-Zq81kXw90';
const png = Buffer.from(await encodePng({ width: 3, height: 2, rgba: new Uint8Array(24) }));

/** What a session goes through: prompts, each after a pause in which it may be closed, or gone on with in a copy. */
type Round = {
  /** `branch` chooses an earlier run: the copy goes on from its end. */
  pause: { type: 'none' } | { type: 'resume' } | { type: 'fork' } | { type: 'branch'; run: number };
  content: UserMessage['content'];
  /** The model's replies before its last one: each calls tools. */
  acts: Answer[];
  interrupted: boolean;
};
/** `thinker` is which of the models that think answers; null is one that does not. */
type Plan = { thinker: number | null; rounds: Round[] };

const plainWords = fc.oneof(
  fc.constantFrom('Look.', 'ünï “quoted” 💡', ' spaced \n\n out ', '\ud800 lone'),
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== ''),
);
const words = fc.oneof({ weight: 4, arbitrary: plainWords }, fc.constant(`the password is ${SECRET}`));
const call: fc.Arbitrary<CallWords> = fc.oneof(
  fc.constantFrom<CallWords>(
    ['Read', { file_path: 'a.txt' }],
    ['Read', { limit: 1, file_path: 'b.txt', offset: 0 }],
    ['Read', { file_path: 'shot.png' }],
    ['Read', { file_path: 'missing.txt' }],
    ['Read', { file_path: 'sub/d.txt' }],
    ['List', { path: 'sub' }],
    ['Grep', { pattern: 'alpha' }],
    ['Write', { file_path: 'c.txt', content: 'new\n' }],
    ['Fly', { '2': 'b', '1': 'a', nested: { z: 1, a: [null, -0, 1e21] } }],
    ['Glob', { pattern: '*.txt' }, { id: null }],
    ['List', {}, { noArguments: true }],
  ),
  plainWords.map((pattern): CallWords => ['Grep', { pattern, path: '.' }]),
);
/** Google's arguments are objects: text that is none, signed as a call, it cannot send. */
const brokenCall: CallWords = ['Read', {}, { rawArguments: '{"file_path": ' }];
const secretCall: CallWords = ['Write', { file_path: 'c.txt', content: `${SECRET}\n` }];
const actFor = (protocol: ProtocolName) => {
  const odd = protocol === 'google' ? [secretCall] : [secretCall, brokenCall];
  const any = fc.oneof({ weight: 4, arbitrary: call }, fc.constantFrom(...odd));
  return fc
    .record({ text: fc.option(words), called: fc.array(any, { minLength: 1, maxLength: 4 }) })
    .map(({ text, called }) => (text === null ? calls(...called) : both(text, ...called)));
};
const content = fc.tuple(words, fc.boolean()).map(([text, image]): UserMessage['content'] => {
  const picture = { type: 'image' as const, mediaType: 'image/png', data: png.toString('base64') };
  return [{ type: 'text', text }, ...(image ? [picture] : [])];
});
const pause = fc.oneof(
  fc.constantFrom({ type: 'none' as const }, { type: 'resume' as const }, { type: 'fork' as const }),
  fc.nat(3).map((run) => ({ type: 'branch' as const, run })),
);
const planFor = (protocol: ProtocolName): fc.Arbitrary<Plan> => {
  const acts = fc.array(actFor(protocol), { maxLength: 2 });
  const round = fc.record({ pause, content, acts, interrupted: fc.boolean() });
  return fc.record({
    thinker: fc.option(fc.nat(1)),
    rounds: fc.array(round, { minLength: 2, maxLength: 4 }),
  });
};

/** Models that think, and prove it with signatures where the protocol has such a thing. */
const THINKERS: Record<ProtocolName, readonly string[]> = {
  anthropic: ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-4-20250514'],
  'openai-responses': ['openai/gpt-5', 'openai/o3'],
  'openai-chat': ['openai-chat/gpt-5', 'openai-chat/o3'],
  google: ['google/gemini-3.1-pro-preview', 'google/gemini-2.5-pro'],
  ollama: ['ollama/qwen3:8b', 'ollama/gpt-oss:20b'],
};

type Kept = { blocks: string[]; messages: number };

/** Plays the plan; says where a request did not begin with the blocks of the one it goes on from. */
async function firstBreak(
  protocol: ProtocolName,
  { thinker, rounds }: Plan,
  wrap?: (provider: Provider) => Provider,
): Promise<string | null> {
  const files = {
    'a.txt': 'alpha\n',
    'b.txt': 'x\ny\n',
    '.env': `PASSWORD=${SECRET}\n`,
    'AGENTS.md': 'Tabs. @b.txt\n',
    'sub/AGENTS.md': 'Spaces here.\n',
    'sub/d.txt': 'delta\n',
  };
  const space = await workspace(files);
  await writeFile(path.join(space.root, 'shot.png'), png);
  await using server = await startModelServer(scriptOf(rounds, thinker !== null));
  const { model, env } = doors[protocol](server.url);
  const player = playSessions({
    space,
    env,
    ...(thinker === null ? { model } : { model: THINKERS[protocol][thinker] ?? model, effort: 'high' }),
    ...(wrap && { wrap }),
  });

  let played: Played | undefined;
  /** The last request of every run, in the session that is open. */
  let kept: Kept[] = [];
  let seen = 0;
  const keys = new Set<unknown>();
  for (const { pause, content, interrupted } of rounds) {
    if (played && pause.type !== 'none') {
      const { id } = played;
      await played.close();
      if (pause.type === 'branch') kept = kept.slice(0, (pause.run % kept.length) + 1);
      played =
        pause.type === 'resume'
          ? await player.resume(id)
          : await player.fork(id, pause.type === 'branch' ? kept.at(-1)?.messages : undefined);
    }
    played ??= await player.begin();
    await played.run(content, interrupted ? { interruptAt: 'text' } : {});
    for (const request of server.requests.slice(seen)) {
      const blocks = promptBlocks(request);
      keys.add(request.body.prompt_cache_key);
      const difference = firstDifference(kept.at(-1)?.blocks ?? [], blocks);
      if (difference !== null) return `after ${pause.type}: ${difference}`;
      kept = [...kept.filter(({ messages }) => messages > 0), { blocks, messages: 0 }];
    }
    seen = server.requests.length;
    kept = kept.map((last) => ({ ...last, messages: last.messages || (played?.messageCount() ?? 0) }));
  }
  await played?.close();
  expect({ refusals: server.refusals, exhausted: server.exhausted }).toEqual({
    refusals: [],
    exhausted: false,
  });
  expect(keys.size).toBe(1);
  return null;
}

function scriptOf(rounds: readonly Round[], thinking: boolean): Answer[] {
  const thought = (answer: Answer, i: number) => {
    if (!thinking) return answer;
    return i % 3 === 2 ? thinksSecretly('kept back', answer) : thinks(`hm ${i}`, answer);
  };
  return rounds.flatMap(({ acts, interrupted }) => {
    // What calls tools is heard to its end: an interruption comes with the first text.
    const heard = interrupted
      ? acts.map((answer) => ({ ...answer, parts: answer.parts.filter(isCall) }))
      : acts;
    const last = says('That is how it is.');
    return [...heard, interrupted ? stalls(last, { after: 'content' }) : last].map(thought);
  });
}

const isCall = ({ type }: Answer['parts'][number]) => type === 'call';

sweepGroups(protocolNames)('[K06] over %s', (protocol) => {
  sweep([3, rounds(5, 10)])(
    'a request begins with the blocks of the one it goes on from, through turns, resume and fork (%i runs)',
    (numRuns) =>
      fc.assert(
        fc.asyncProperty(planFor(protocol), async (some) => {
          expect(await firstBreak(protocol, some)).toBeNull();
        }),
        { numRuns },
      ),
  );

  test('[Y03] a compaction breaks it once, behind the system prompt; then it holds again', async () => {
    const space = await workspace();
    await using server = await startModelServer([says('ok')], { loop: true });
    const player = playSessions({ space, ...doors[protocol](server.url) });
    const prompt: UserMessage['content'] = [{ type: 'text', text: 'go on. '.repeat(200) }];
    const sent = () => server.requests.filter(({ tools }) => tools.length > 0);
    const lastSent = () => sent().slice(-1).flatMap(promptBlocks);

    const first = await player.begin();
    for (let i = 0; i < 12; i++) await first.run(prompt);
    const before = lastSent();
    expect(await first.compact()).toBe(true);
    await first.run(prompt);
    const compacted = lastSent();
    await first.close();
    const second = await player.resume(first.id);
    await second.run(prompt);
    const resumed = lastSent();
    await second.close();
    const third = await player.fork(first.id);
    await third.run(prompt);
    await third.close();

    expect(firstDifference(compacted, resumed)).toBeNull();
    expect(firstDifference(resumed, lastSent())).toBeNull();
    const broken = before.findIndex((block, i) => block !== compacted[i]);
    expect(broken).toBeGreaterThanOrEqual(sent()[0]?.tools.length ?? 0);
    expect(compacted.slice(0, broken + 1).join('')).toContain(
      'Previous context summary:\\n## Earlier conversation summary (compressed)',
    );
    expect(server.refusals).toEqual([]);
  });

  test.each<[string, (request: CompletionRequest, count: number) => CompletionRequest]>([
    [
      'the time in the system prompt',
      (request, count) => ({ ...request, system: `${count} o'clock. ${request.system}` }),
    ],
    [
      'tools in another order',
      (request, count) => ({ ...request, tools: rotate(request.tools ?? [], count) }),
    ],
    [
      'an old answer in other words',
      (request, count) => ({
        ...request,
        messages: request.messages.map((message, i) =>
          message.role === 'user' && i === 0
            ? { ...message, content: [{ type: 'text', text: `#${count}` }] }
            : message,
        ),
      }),
    ],
  ])('%s would be found', async (_name, change) => {
    let count = 0;
    const wrap = (provider: Provider): Provider => ({
      ...provider,
      stream: (request, signal) => provider.stream(change(request, count++), signal),
    });
    const ask: Round = {
      pause: { type: 'none' },
      content: [{ type: 'text', text: 'go' }],
      acts: [],
      interrupted: false,
    };
    const broken = await firstBreak(protocol, { thinker: null, rounds: [ask, ask] }, wrap);
    expect(broken).toContain('after none: block');
  });
});

function rotate<T>(list: readonly T[], by: number): T[] {
  return [...list.slice(by), ...list.slice(0, by)];
}
