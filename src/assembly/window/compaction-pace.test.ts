import { expect } from 'vitest';
import { epochsOf } from '../../../test/support/epochs.ts';
import { answer, prompt, reply } from '../../../test/support/histories.ts';
import { sweep } from '../../../test/support/soak.ts';
import { noUsage } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { changeView, type ViewChange, wholeView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { ConversationView } from './conversation-view.ts';

/** A long session: 60 tasks of 5 calls each, with outputs as long as tools allow in such a window. */
async function play(window: number, maxOutput: number) {
  const outputs = Math.min(6000, Math.floor(window * 0.3));
  const system = 's'.repeat(Math.min(40_000, window));
  const session: Session = {
    id: 's',
    workingDirectory: '/',
    startedAt: '',
    messages: [],
    permissions: [],
    settings: { model: 'm' },
  };
  const writer = {
    changeView: async (change: ViewChange) => {
      session.view = changeView(session.view ?? wholeView, change);
    },
  };
  let summaries = 0;
  const view = new ConversationView({
    session,
    ready: Promise.resolve(),
    answering: () => ({ model: 'm', contextWindow: window, maxOutput }),
    threshold: 0.9,
    epochs: epochsOf({ session, writer }, system),
    settings: () => ({ model: 'm' }),
    backgroundModel: async () => ({
      provider: undefined as never,
      model: 'h',
      contextWindow: 200_000,
      async complete(_text, { maxTokens }) {
        summaries += 1;
        const text = `[Completed: ${'things were done, '.repeat(maxTokens / 8)}]\n[Open: more]`;
        return { text, usage: noUsage, by: 'p/h' };
      },
    }),
    todos: () => [],
    writer,
    isWatched: false,
  });
  const seen = { turns: 0, compactions: 0, fullest: 0, starts: [] as number[] };
  const { signal } = new AbortController();
  async function turn() {
    for await (const event of view.makeRoom('routine', signal)) {
      if (event.type !== 'compacted') continue;
      seen.compactions += 1;
      seen.starts.push(event.before / window);
    }
    const request = view.request(session.messages);
    seen.turns += 1;
    seen.fullest = Math.max(seen.fullest, estimateTokens(request) / window);
  }
  for (let task = 0; task < 60; task++) {
    session.messages.push(prompt(`Task ${task}: ${'please do it well '.repeat(6)}`));
    for (let step = 0; step < 5; step++) {
      await turn();
      const id = `${task}.${step}`;
      const call =
        step % 2 === 0
          ? { id, name: 'Read', input: { file_path: `src/file-${(task * 5 + step) % 23}.ts` } }
          : {
              id,
              name: 'Edit',
              input: { file_path: 'a.ts', old_string: 'x'.repeat(200), new_string: 'y'.repeat(300) },
            };
      session.messages.push(
        reply('Looking.', call),
        answer(id, call.name, 'line of code\n'.repeat(outputs / 13)),
      );
    }
    await turn();
    session.messages.push(reply('Done, and this is what it was about. '.repeat(12)));
  }
  const start = seen.starts.reduce((sum, share) => sum + share, 0) / Math.max(1, seen.starts.length);
  return { window, ...seen, starts: `${Math.round(start * 100)} %`, summaries };
}

sweep([
  [4096, 1024, 160],
  [8192, 2048, 130],
  [32_768, 8192, 52],
  [128_000, 16_384, 9],
  [200_000, 64_000, 5],
])(
  'a session of 360 turns in a window of %i is compacted occasionally, not constantly',
  async (window, maxOutput, most) => {
    const played = await play(window, maxOutput);
    expect(played.compactions).toBeLessThanOrEqual(most);
    expect(played.fullest).toBeLessThanOrEqual(1);
  },
);
