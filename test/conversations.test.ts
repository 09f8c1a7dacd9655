import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { doors, protocolNames } from './support/aca.ts';
import type { ProtocolName } from './support/model-server/protocol.ts';
import { type Answer, but, calls, cuts, type Step, says, stalls } from './support/model-server/script.ts';
import { startModelServer } from './support/model-server/server.ts';
import { type Changes, type Played, playSessions } from './support/played-sessions.ts';
import { firstDifference, promptBlocks } from './support/prompt-blocks.ts';
import { rounds, sweep, sweepGroups } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

const SECRET = 'tr0ub4dor-Zq81kXw90';

/** What happens between two prompts of a conversation. */
const changes = [
  'none',
  'resume',
  'fork',
  'rewind',
  'edit instructions',
  'remove instructions',
  'add a folder',
  'change the mode',
  'change the mode and back',
  'learn a secret',
  'compact',
  'uncompact',
  'refresh',
  'another model',
  'another vendor',
] as const;
type Change = (typeof changes)[number];

/** What becomes of the model's last reply to a prompt. */
const endings = ['whole', 'output limit', 'broken in the text', 'broken in a thought', 'empty'] as const;

const TASKS: readonly Answer[] = [
  calls(['Read', { file_path: 'a.txt' }]),
  calls(['Read', { file_path: 'sub/d.txt' }], ['Grep', { pattern: 'alpha' }]),
  calls(['Read', { file_path: 'missing.txt' }]),
  calls(['Read', { file_path: 'shown.txt' }]),
  calls(['Write', { file_path: 'c.txt', content: 'new\n' }]),
  calls(['Glob', {}, { noArguments: true }]),
];
const round = fc.record({
  change: fc.constantFrom(...changes),
  acts: fc.array(fc.nat(TASKS.length - 1), { maxLength: 3 }),
  ending: fc.constantFrom(...endings),
  isInterrupted: fc.boolean(),
});
type Round = typeof round extends fc.Arbitrary<infer R> ? R : never;

const LONG = 'It goes on. '.repeat(60);

function repliesOf({ acts, ending, isInterrupted }: Round): Step[] {
  const last = says(`That is how it is. ${LONG}`);
  if (isInterrupted) return [stalls(last, { after: 'content' })];
  const before = acts.map((at) => TASKS[at] ?? last);
  switch (ending) {
    case 'output limit':
      return [...before, but(says(`Half. ${LONG}`), { stop: 'max_tokens' }), last];
    case 'broken in the text':
      return [...before, cuts(says(`Half. ${LONG}`), { after: 'content' }), last];
    case 'broken in a thought':
      return [...before, cuts(says('Half.'), { after: 4 }), last];
    case 'empty':
      return [...before, says(''), last];
    default:
      return [...before, last];
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

class Conversation {
  readonly #player: ReturnType<typeof playSessions>;
  readonly #space: Awaited<ReturnType<typeof workspace>>;
  readonly #other: string;
  #settings: Changes = {};
  #played: Played | undefined;
  #edits = 0;

  constructor(
    space: Awaited<ReturnType<typeof workspace>>,
    player: ReturnType<typeof playSessions>,
    other: string,
  ) {
    this.#space = space;
    this.#player = player;
    this.#other = other;
  }

  async open(): Promise<Played> {
    this.#played ??= await this.#player.begin();
    return this.#played;
  }

  async make(change: Change, models: readonly [string, string]): Promise<void> {
    const played = await this.open();
    switch (change) {
      case 'none':
        return;
      case 'fork':
        return this.#reopen(() => this.#player.fork(played.id));
      case 'rewind':
        return this.#reopen(() => this.#player.fork(played.id, this.#startOfLastTurn(played)));
      case 'edit instructions':
        return this.#write('AGENTS.md', `Rule ${++this.#edits}.\n`);
      case 'remove instructions':
        return this.#write('AGENTS.md', '');
      case 'add a folder': {
        const folder = path.join(this.#space.home, `other-${++this.#edits}`);
        await mkdir(folder);
        this.#settings = { ...this.#settings, folders: [folder] };
        return this.#resume(played);
      }
      case 'change the mode':
        played.setMode(this.#edits++ % 2 === 0 ? 'plan' : 'default');
        return;
      case 'change the mode and back':
        played.setMode('plan');
        played.setMode('default');
        return;
      case 'learn a secret':
        return this.#write('.env', `PASSWORD=${SECRET}\n`);
      case 'compact':
        await played.compact();
        return;
      case 'uncompact':
        await played.uncompact();
        return;
      case 'refresh':
        return played.refresh();
      case 'another model':
        this.#settings = { ...this.#settings, model: models[this.#edits++ % 2] ?? models[0] };
        return this.#resume(played);
      case 'another vendor':
        this.#settings = { ...this.#settings, model: this.#edits++ % 2 === 0 ? this.#other : models[0] };
        return this.#resume(played);
      case 'resume':
        return this.#resume(played);
      default:
        change satisfies never;
    }
  }

  async close(): Promise<void> {
    await this.#played?.close();
  }

  #resume(played: Played): Promise<void> {
    return this.#reopen(() => this.#player.resume(played.id, this.#settings));
  }

  async #reopen(open: () => Promise<Played>): Promise<void> {
    await this.close();
    this.#played = await open();
  }

  #startOfLastTurn(played: Played): number {
    return played.promptStarts().at(-1) ?? played.messageCount();
  }

  #write(file: string, text: string): Promise<void> {
    return writeFile(path.join(this.#space.root, file), text);
  }
}

/** Blocks up to the last reply: what comes after it has bound nothing yet, and may be sent together with more. */
function settled(blocks: readonly string[]): string[] {
  const last = blocks.findLastIndex((block) =>
    /"role":"(?:assistant|model)"|"type":"function_call"/.test(block),
  );
  return blocks.slice(0, last + 1);
}

/** Plays the rounds; says what a vendor objected to, or where a request changed what was sent in its epoch. */
async function firstObjection(protocol: ProtocolName, plan: readonly Round[]): Promise<string[]> {
  const files = {
    'a.txt': 'alpha\n',
    'shown.txt': `retry with ${SECRET}\n`,
    'AGENTS.md': 'Tabs.\n',
    'sub/AGENTS.md': 'Spaces here.\n',
    'sub/d.txt': 'delta\n',
  };
  const space = await workspace(files);
  const script = plan.flatMap(repliesOf);
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
  const models = MODELS[protocol];
  const other = protocol === 'anthropic' ? MODELS['openai-responses'][0] : MODELS.anthropic[0];
  const env = Object.assign({}, ...protocolNames.map((name) => doors[name](server.url).env));
  const player = playSessions({ space, env, model: models[0] });
  const conversation = new Conversation(space, player, other);
  const problems: string[] = [];
  let sent: { epoch: string; blocks: string[] } | undefined;
  let seen = 0;
  for (const [at, { change, isInterrupted }] of plan.entries()) {
    if (at > 0) await conversation.make(change, models);
    const played = await conversation.open();
    await played
      .run([{ type: 'text', text: `After: ${change}.` }], { interruptAtText: isInterrupted })
      .catch((error: unknown) => void problems.push(`after ${change}: ${String(error)}`));
    const epoch = `${played.id} ${played.epochs()}`;
    for (const request of server.requests.slice(seen).filter(({ tools }) => tools.length > 0)) {
      // The first block has the settings, such as the model.
      const [, ...blocks] = promptBlocks(request);
      const difference = sent?.epoch === epoch ? firstDifference(settled(sent.blocks), blocks) : null;
      if (difference !== null) problems.push(`after ${change}: ${difference}`);
      sent = { epoch, blocks };
    }
    seen = server.requests.length;
    if (problems.length > 0) break;
  }
  await conversation.close();
  return [
    ...problems,
    ...server.refusals.map(String),
    ...server.degradations.map(({ rule, detail }) => `${rule}: ${detail}`),
  ];
}

sweepGroups(protocolNames)('over %s', (protocol) => {
  sweep([4, rounds(40, 2000)])(
    'no vendor objects to a conversation, and within an epoch it only grows (%i runs)',
    (numRuns) =>
      fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 6 }), async (plan) => {
          expect(await firstObjection(protocol, plan)).toEqual([]);
        }),
        { numRuns },
      ),
  );
});
