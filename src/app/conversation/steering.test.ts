import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { controllerOf } from '../../../test/support/controller.ts';
import { calls, says } from '../../../test/support/model-server/script.ts';
import { scripted } from '../../../test/support/scripted.ts';
import { sweep } from '../../../test/support/soak.ts';
import { type Message, textOf, toolCallsOf } from '../../contract/message.ts';
import { PromptQueue, type TypedPrompt } from './prompt-queue.ts';
import { contentOf, steeringFrom } from './steering.ts';

const prompt = (text: string): TypedPrompt => ({ text, images: [] });
const rolesAndWords = (messages: readonly Message[]) =>
  messages.map((message) => (message.role === 'user' ? textOf(message) : message.role));
const read = calls(['Read', {}]);

/** A controller whose runs take prompts from a queue. */
function steered(...[model, options = {}]: Parameters<typeof controllerOf>) {
  const shown: string[] = [];
  const history: string[] = [];
  const obeyed: string[] = [];
  const queue = new PromptQueue({
    onChange: () => undefined,
    onClaimed: (prompts) => shown.push(...prompts.map(({ text }) => text)),
  });
  const made = controllerOf(model, options);
  made.controller.steerWith(
    steeringFrom({
      waiting: () => queue.forNextStep(),
      expand: async (content) => content,
      history: { add: async (text) => void history.push(text) },
      obey: async ({ text }) => void obeyed.push(text),
    }),
  );
  return {
    ...made,
    queue,
    shown,
    history,
    obeyed,
    go: (text: string) => made.controller.submit(contentOf(prompt(text))),
  };
}

describe('a prompt sent during a run', () => {
  test('reaches the model with the next tool results, is saved, and is reported once', async () => {
    const model = scripted(read, says('ok'));
    const { controller, queue, shown, history, saved, session, go } = steered(model);
    controller.listen((event) => {
      if (event.type === 'call_start') queue.add(prompt('use tabs'));
    });
    expect((await go('go')).reason).toBe('done');
    const messages = ['go', 'assistant', 'tool', 'use tabs', 'assistant'];
    expect(rolesAndWords(model.requests[1]?.messages ?? [])).toEqual(messages.slice(0, -1));
    expect(rolesAndWords(session.messages)).toEqual(messages);
    expect(saved).toEqual(session.messages);
    expect([shown, history, queue.length]).toEqual([['use tabs'], ['use tabs'], 0]);
  });

  test('a command for the run is obeyed before the next request; what was typed after it reaches the model', async () => {
    const model = scripted(read, says('ok'));
    const { controller, queue, obeyed, shown, session, go } = steered(model);
    controller.listen((event) => {
      if (event.type !== 'call_start') return;
      for (const text of ['/effort high', 'use tabs', '/cost']) queue.add(prompt(text));
    });
    expect((await go('go')).reason).toBe('done');
    expect(obeyed).toEqual(['/effort high']);
    expect(shown).toEqual(['/effort high', 'use tabs']);
    expect(rolesAndWords(session.messages)).toEqual(['go', 'assistant', 'tool', 'use tabs', 'assistant']);
    expect(queue.length).toBe(1);
  });

  test('several become one message, with their images', async () => {
    const model = scripted(read, says('ok'));
    const image = { type: 'image' as const, mediaType: 'image/png', data: '' };
    const { controller, queue, session, go } = steered(model);
    controller.listen((event) => {
      if (event.type !== 'call_start') return;
      queue.add({ text: 'like this', images: [image] });
      queue.add(prompt('and use tabs'));
    });
    await go('go');
    expect(session.messages[3]?.content).toEqual([
      { type: 'text', text: 'like this', typed: true },
      image,
      { type: 'text', text: 'and use tabs', typed: true },
    ]);
  });

  test.each<[string, ReturnType<typeof scripted>, number]>([
    ['the run makes no more calls', scripted(says('ok')), 10],
    ['the run has no turns left', scripted(read), 1],
  ])('stays in the queue when %s', async (_name, model, maxTurns) => {
    const { controller, queue, session, go } = steered(model, { run: { maxTurns } });
    controller.listen((event) => {
      if (event.type === 'turn_start') queue.add(prompt('next'));
    });
    await go('go');
    expect(rolesAndWords(session.messages)).not.toContain('next');
    expect(await queue.next()).toEqual(prompt('next'));
  });

  test('stays in the queue when the run is interrupted, also while it is being checked', async () => {
    for (const when of ['tool', 'check'] as const) {
      const { controller, queue, session, go } = steered(scripted(read, says('never')), {
        beforePrompt: async (content) => {
          if (when === 'check' && queueOf().length > 0) controllerNow().interrupt();
          return { type: 'go', content };
        },
      });
      const queueOf = () => queue;
      const controllerNow = () => controller;
      controller.listen((event) => {
        if (event.type === 'call_start') queue.add(prompt('instead'));
        if (when === 'tool' && event.type === 'message' && event.message.role === 'tool')
          controller.interrupt();
      });
      expect((await go('go')).reason).toBe('interrupted');
      expect(rolesAndWords(session.messages)).toEqual(['go', 'assistant', 'tool']);
      expect(queue.length).toBe(1);
    }
  });

  test('can be taken back until the moment it is sent', async () => {
    const { controller, queue, session, go } = steered(scripted(read, says('ok')), {
      beforePrompt: async (content) => {
        queueOf().takeBack();
        return { type: 'go', content };
      },
    });
    const queueOf = () => queue;
    controller.listen((event) => {
      if (event.type === 'call_start') queue.add(prompt('no, wait'));
    });
    await go('go');
    expect(rolesAndWords(session.messages)).toEqual(['go', 'assistant', 'tool', 'assistant']);
  });

  test('is checked like any prompt: a hook may extend or refuse it, and news goes with it', async () => {
    const { controller, queue, session, events, go } = steered(scripted(read, read, says('ok')), {
      beforePrompt: async (content) =>
        JSON.stringify(content).includes('bad')
          ? { type: 'block', because: 'it is bad' }
          : { type: 'go', content: [...content, { type: 'text', text: '!' }] },
    });
    let turn = 0;
    controller.listen((event) => {
      if (event.type === 'call_start') queue.add(prompt(turn++ === 0 ? 'bad' : 'good'));
    });
    await go('go');
    expect(rolesAndWords(session.messages)).toEqual([
      ...['go!', 'assistant', 'tool'],
      ...['assistant', 'tool', 'good!', 'assistant'],
    ]);
    expect(events.filter(({ type }) => type === 'notice')).toEqual([
      { type: 'notice', level: 'warn', text: 'The prompt was not sent: it is bad' },
    ]);
    expect(queue.length).toBe(0);
  });

  test('is part of what a compaction before the next request sees', async () => {
    const seen: unknown[] = [];
    const made = steered(scripted(read, says('ok')), {
      run: {
        async *makeRoom() {
          yield* [];
          seen.push(rolesAndWords(made.session.messages).at(-1));
          return false;
        },
      },
    });
    made.controller.listen((event) => {
      if (event.type === 'call_start') made.queue.add(prompt('use tabs'));
    });
    await made.go('go');
    expect(seen).toEqual(['go', 'use tabs']);
  });

  test('starts a new step for permissions and undo, with its own text', async () => {
    const steps: string[] = [];
    const { controller, queue, go } = steered(scripted(read, says('ok')), {
      run: { steered: (message) => void steps.push(textOf(message)) },
    });
    controller.listen((event) => {
      if (event.type === 'call_start') queue.add(prompt('yes, do it'));
    });
    await go('go');
    expect(steps).toEqual(['yes, do it']);
  });
});

type Deed = 'send' | 'after' | 'command' | 'back' | 'interrupt' | 'nothing';

/** Plays a conversation as the real one does, with these deeds of the user wherever something happens. */
async function converse(deeds: readonly Deed[], turns: readonly boolean[]) {
  const left = [...deeds];
  const sent: string[] = [];
  const backAgain: string[] = [];
  const obeyed: string[] = [];
  const act = () => {
    const deed = left.shift() ?? 'nothing';
    if (deed === 'interrupt') controller.interrupt();
    else if (deed === 'back') backAgain.push(...[queue.takeBack()?.text ?? []].flat());
    else if (deed !== 'nothing') {
      const text = `${deed === 'command' ? '/do' : 'p'}${sent.length}`;
      sent.push(text);
      queue.add({ ...prompt(text), ...(deed === 'after' && { after: true as const }) });
    }
  };
  // Enough replies for any schedule; `turns` says which of them call a tool.
  const replies = Array.from({ length: 200 }, (_, i) => (turns[i] ? read : says('ok')));
  const { controller, queue, session, saved } = steered(scripted(...replies), {
    beforePrompt: async (content) => {
      act();
      await Promise.resolve();
      act();
      return { type: 'go', content };
    },
  });
  controller.listen(act);
  queue.add(prompt('first'));
  sent.push('first');
  while (queue.length > 0) {
    const next = await queue.next();
    if (next?.text.startsWith('/')) obeyed.push(next.text);
    else if (next) await controller.submit(contentOf(next));
    act();
  }
  const words = session.messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  );
  return { sent, heard: [...words, ...obeyed, ...backAgain], session, saved };
}

sweep([100, 2_000])(
  'nothing is lost, doubled or out of place, whatever happens when (%i runs)',
  async (numRuns) => {
    const deed = fc.constantFrom<Deed>(
      'send',
      'send',
      'after',
      'command',
      'back',
      'interrupt',
      'nothing',
      'nothing',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { maxLength: 60 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (deeds, turns) => {
          const { sent, heard, session, saved } = await converse(deeds, turns);
          expect(heard.toSorted()).toEqual(sent.toSorted());
          expect(saved).toEqual(session.messages);
          for (const [i, message] of session.messages.entries()) {
            if (message.role !== 'assistant') continue;
            const answers = session.messages.slice(i + 1, i + 1 + toolCallsOf(message).length);
            expect(answers.map(({ role }) => role)).toEqual(answers.map(() => 'tool'));
          }
        },
      ),
      { numRuns },
    );
  },
);
