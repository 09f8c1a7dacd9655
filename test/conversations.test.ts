import fc from 'fast-check';
import { expect, test } from 'vitest';
import { doors, protocolNames } from './support/aca.ts';
import { ChangingConversation, changes, LATE_SECRET } from './support/changing-conversation.ts';
import type { ProtocolName, SeenRequest } from './support/model-server/protocol.ts';
import { type Answer, but, calls, cuts, type Step, says, stalls } from './support/model-server/script.ts';
import { startModelServer } from './support/model-server/server.ts';
import { type Interruption, playSessions } from './support/played-sessions.ts';
import { firstDifference, promptBlocks } from './support/prompt-blocks.ts';
import { rounds, sweep, sweepGroups } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

/** Known from the start: no request ever has it. */
const KNOWN_SECRET = 'c0rrect-Horse-7battery';
const FOR_SUBAGENT = 'Look around for me.';
const CUT_CALL = calls(['Write', {}, { rawArguments: '{"file_path":"e.txt","content":"ha' }]);

/** What becomes of the model's last reply to a prompt. */
const endings = [
  'whole',
  'output limit',
  'output limit in a call',
  'broken in the text',
  'broken in a thought',
  'broken in a call',
  'empty',
  'interrupted in the text',
  'interrupted in a call',
] as const;

const INTERRUPTIONS: Partial<Record<(typeof endings)[number], Interruption>> = {
  'interrupted in the text': 'text',
  'interrupted in a call': 'tool_start',
};

/** What the model does before its last reply. */
const TASKS: readonly Answer[][] = [
  [calls(['Read', { file_path: 'a.txt' }])],
  [calls(['Read', { file_path: 'sub/d.txt' }], ['Grep', { pattern: 'alpha' }])],
  [calls(['Read', { file_path: 'missing.txt' }])],
  [calls(['Read', { file_path: 'shown.txt' }])],
  [calls(['Read', { file_path: 'known.txt' }])],
  [calls(['Write', { file_path: 'c.txt', content: 'new\n' }])],
  [calls(['Glob', {}, { noArguments: true }])],
  [calls(['mcp__odd__say', { text: 'hi' }])],
  [calls(['Task', { description: 'Looks', prompt: FOR_SUBAGENT }]), says('Nothing there.')],
];
const round = fc.record({
  change: fc.constantFrom(...changes),
  acts: fc.array(fc.nat(TASKS.length - 1), { maxLength: 3 }),
  ending: fc.constantFrom(...endings),
  /** Which prompt a rewind goes back to. */
  back: fc.nat(3),
});
type Round = typeof round extends fc.Arbitrary<infer R> ? R : never;

const FILES = {
  'a.txt': 'alpha\n',
  'shown.txt': `retry with ${LATE_SECRET}\n`,
  'known.txt': `connect with ${KNOWN_SECRET}\n`,
  '.env': `DB_PASSWORD=${KNOWN_SECRET}\n`,
  'AGENTS.md': 'Tabs.\n',
  'sub/AGENTS.md': 'Spaces here.\n',
  'sub/d.txt': 'delta\n',
};

const LONG = 'It goes on. '.repeat(60);

/** Google's arguments are objects: there is no half of one. */
const isCutInWords = (ending: Round['ending'], protocol: ProtocolName) =>
  ending === 'output limit' || (ending === 'output limit in a call' && protocol === 'google');

/** `at`: texts of different rounds differ, since servers recognize what they said by its text. */
function repliesOf({ acts, ending }: Round, at: number, protocol: ProtocolName): Step[] {
  const last = says(`That is how it is (${at}). ${LONG}`);
  const before = acts.flatMap((at) => TASKS[at] ?? []);
  const half = (answer: Answer, after: 'content' | number) => [...before, cuts(answer, { after }), last];
  if (isCutInWords(ending, protocol))
    return [...before, but(says(`Half. ${LONG}`), { stop: 'max_tokens' }), last];
  switch (ending) {
    case 'output limit in a call':
      return [...before, but(CUT_CALL, { stop: 'max_tokens' }), last];
    case 'broken in the text':
      return half(says(`Half. ${LONG}`), 'content');
    case 'broken in a thought':
      return half(says('Half.'), 4);
    case 'broken in a call':
      return half(calls(['Read', { file_path: 'a.txt' }]), 'content');
    case 'empty':
      return [...before, says(''), last];
    // What calls tools is heard to its end: an interruption comes with the first text or call.
    case 'interrupted in the text':
      return [stalls(last, { after: 'content' })];
    case 'interrupted in a call':
      return [calls(['Read', { file_path: 'a.txt' }])];
    case 'output limit':
    case 'whole':
      return [...before, last];
    default:
      return ending satisfies never;
  }
}

/** Models of each vendor that bind or sign their reasoning, so that every edit of what was sent is found. */
const MODELS: Record<ProtocolName, readonly [string, string]> = {
  anthropic: ['anthropic/claude-sonnet-5-5', 'anthropic/claude-opus-5-5'],
  'openai-responses': ['openai/gpt-6.1-sol', 'openai/gpt-6-sol'],
  'openai-chat': ['openai-chat/gpt-4.1', 'openai-chat/gpt-4.1-mini'],
  google: ['google/gemini-3.1-pro-preview', 'google/gemini-3.8-flash'],
  ollama: ['ollama/qwen3:8b', 'ollama/gpt-oss:20b'],
};

/** A summary is asked for by a prompt that begins like this. */
const isAskedToSummarize = (text: string) => text.startsWith('Below ');

/** Blocks up to the last reply: what comes after it has bound nothing yet, and may be sent together with more. */
function settled(blocks: readonly string[]): string[] {
  const last = blocks.findLastIndex((block) =>
    /"role":"(?:assistant|model)"|"type":"function_call"/.test(block),
  );
  return blocks.slice(0, last + 1);
}

/** The blocks of a request, and how many messages and epochs the conversation had after its run. */
type Sent = { messages: number; epochs: number; model: unknown; blocks: string[] };

/** Plays the rounds; says what a vendor objected to, or where a request changed what was sent in its epoch. */
async function firstObjection(protocol: ProtocolName, plan: readonly Round[]): Promise<string[]> {
  const space = await workspace(FILES);
  const script = plan.flatMap((one, at) => repliesOf(one, at, protocol));
  let next = 0;
  const play: Step = (request) => {
    if (isAskedToSummarize(request.messages.at(-1)?.text ?? '')) return says('[Completed: a round]');
    const step = script[next++] ?? says('Nothing more.');
    return typeof step === 'function' ? step(request) : step;
  };
  await using server = await startModelServer([play], {
    loop: true,
    enforce: 'all',
    thinks: true,
    degrades: 'they are compared below',
  });
  const [model, otherModel] = MODELS[protocol];
  const otherVendor = protocol === 'anthropic' ? MODELS['openai-responses'][0] : MODELS.anthropic[0];
  const env = Object.assign({}, ...protocolNames.map((name) => doors[name](server.url).env));
  const player = playSessions({ space, env, model });
  const conversation = new ChangingConversation({
    space,
    player,
    models: { model, otherModel, otherVendor },
  });
  const problems: string[] = [];
  let sent: Sent[] = [];
  let seen = 0;
  for (const [at, { change, ending, back }] of plan.entries()) {
    if (at > 0) await conversation.make(change, back);
    const played = await conversation.open();
    sent = sent.filter(({ messages }) => messages <= played.messageCount());
    const interruption = INTERRUPTIONS[ending];
    await played
      .run([{ type: 'text', text: `After: ${change}.` }], interruption ? { interruptAt: interruption } : {})
      .catch((error: unknown) => void problems.push(`after ${change}: ${String(error)}`));
    const epochs = played.epochs();
    for (const request of server.requests.slice(seen).filter(isOfConversation)) {
      // The first block has the settings, such as the model.
      const [, ...blocks] = promptBlocks(request);
      const model = request.body.model ?? request.path;
      // Each model has a cache of its own, and may not be able to read the reasoning of another.
      const last = sent.findLast((one) => one.epochs === epochs && one.model === model);
      const difference = last ? firstDifference(settled(last.blocks), blocks) : null;
      if (difference !== null) problems.push(`after ${change}: ${difference}`);
      sent.push({ epochs, model, blocks, messages: played.messageCount() });
    }
    seen = server.requests.length;
    if (problems.length > 0) break;
  }
  await conversation.close();
  const leaks = server.requests.filter(({ body }) => JSON.stringify(body).includes(KNOWN_SECRET));
  return [
    ...problems,
    ...leaks.map(() => 'a request has a secret that was known from the start'),
    ...server.refusals.map(String),
    ...server.degradations.map(({ rule, detail }) => `${rule}: ${detail}`),
  ];
}

/** A vendor that summarizes a conversation gets the part that it is to summarize. */
const isOfConversation = ({ body, tools, messages }: SeenRequest) =>
  tools.length > 0 &&
  body.compaction === undefined &&
  !messages.some(({ text }) => text.startsWith(FOR_SUBAGENT));

sweepGroups(protocolNames)('over %s', (protocol) => {
  sweep([2, rounds(25, 2000)])(
    'no vendor objects to a conversation, and within an epoch it only grows (%i runs)',
    (numRuns) =>
      fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), async (plan) => {
          expect(await firstObjection(protocol, plan)).toEqual([]);
        }),
        // Shrinking would take longer than reading the plan.
        { numRuns, endOnFailure: true },
      ),
    { timeout: rounds(1_200_000, 14_400_000) },
  );
});

test.each(['rewind', 'fork'] as const)(
  'a secret stays hidden, and what was sent stays, after a %s to before a refresh',
  async (way) => {
    const space = await workspace(FILES);
    await using server = await startModelServer(
      [calls(['Read', { file_path: 'known.txt' }]), says('one'), says('two'), says('three')],
      { enforce: 'all', thinks: true },
    );
    const player = playSessions({ space, env: doors.anthropic(server.url).env, model: MODELS.anthropic[0] });
    const first = await player.begin();
    for (const text of ['one', 'two']) await first.run([{ type: 'text', text }]);
    const [, keep = 0] = first.promptStarts();
    await first.refresh();
    if (way === 'rewind') await first.rewind(keep);
    else await first.close();
    const played = way === 'rewind' ? first : await player.fork(first.id, keep);
    await played.run([{ type: 'text', text: 'three' }]);
    await played.close();
    const sent = server.requests.map((request) => JSON.stringify(request.body));
    expect(sent.filter((text) => text.includes(KNOWN_SECRET))).toEqual([]);
    expect(server.refusals).toEqual([]);
    const [before, , last] = server.requests.slice(-3).map((request) => promptBlocks(request).slice(1));
    expect(firstDifference(settled(before ?? []), last ?? [])).toBeNull();
  },
);
