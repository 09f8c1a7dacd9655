import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { controllerOf } from '../../test/support/controller.ts';
import { both, calls, says } from '../../test/support/model-server/script.ts';
import { scripted } from '../../test/support/scripted.ts';
import { ProviderError } from '../contract/errors.ts';
import { type Message, textOf } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';
import { failedAnswer } from './history.ts';

const text = (words: string) => [{ type: 'text' as const, text: words }];

describe('the controller', () => {
  test('pending notices for the model go before the next prompt, once', async () => {
    const { controller, saved } = controllerOf(scripted(says('a'), says('b')), { news: ['[plan now]'] });
    await controller.submit(text('first'));
    await controller.submit(text('second'));
    const said = saved.flatMap((message) => (message.role === 'user' ? [message.content] : []));
    expect(said).toEqual([[...text('[plan now]'), ...text('first')], text('second')]);
  });

  test('beforePrompt runs before a prompt is saved: it may extend or refuse it, and a refused one is not saved', async () => {
    const { controller, saved, events } = controllerOf(scripted(says('a')), {
      beforePrompt: async (content) =>
        JSON.stringify(content).includes('bad')
          ? { type: 'block', because: 'it is bad' }
          : { type: 'go', content: [...content, ...text('added')] },
    });
    const refused = await controller.submit(text('bad'));
    expect(refused).toEqual({
      type: 'end',
      reason: 'error',
      turns: 0,
      error: { message: 'The prompt was not sent: it is bad' },
    });
    expect({ saved, last: events.at(-1) }).toEqual({ saved: [], last: refused });
    await controller.submit(text('good'));
    expect(saved[0]?.content).toEqual([...text('good'), ...text('added')]);
  });

  test('a failed run is sent again without its prompt; an answer that broke off is asked to go on', async () => {
    const down = () => new ProviderError('down', { kind: 'server_error', provider: 'scripted' });
    const half: ProviderEvent[] = [{ type: 'text', text: 'half' }];
    const model = scripted(down(), calls(['Read', {}]), down(), half, says('done'));
    const { controller, saved } = controllerOf(model);
    const ends = [await controller.submit(text('go'))];
    for (let i = 0; i < 3; i++) ends.push(await controller.retry());
    expect(ends.map(({ reason }) => reason)).toEqual(['error', 'error', 'error', 'done']);
    expect(saved.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', 'go'],
      ['assistant', ''],
      ['tool', 'no'],
      ['assistant', 'half'],
      ['user', 'Your answer broke off. Continue where it stops.'],
      ['assistant', 'done'],
    ]);
    // What failed was sent again as it was.
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
    expect(model.requests[3]?.messages).toEqual(model.requests[2]?.messages);
  });

  test('saves each message before notifying listeners', async () => {
    const log: string[] = [];
    const { controller } = controllerOf(scripted(both('a', ['Read', {}]), says('b')), {
      log: { message: async (message) => void log.push(`saved ${message.role}`) },
    });
    controller.listen((event) => event.type === 'message' && log.push(`told ${event.message.role}`));
    await controller.submit(text('go'));
    const roles = ['user', 'assistant', 'tool', 'assistant'];
    expect(log).toEqual(roles.flatMap((role) => [`saved ${role}`, `told ${role}`]));
  });

  test('prompts submitted during a run are queued', async () => {
    const model = scripted(says('one'), says('two'));
    const { controller, events } = controllerOf(model);
    const ends = await Promise.all([controller.submit(text('first')), controller.submit(text('second'))]);
    expect(ends.map((end) => end.reason)).toEqual(['done', 'done']);
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(events.filter((event) => event.type === 'run_start').length).toBe(2);
  });

  test('[Y24] [T14] calls left open by a crash are answered from the journal, and none runs again', async () => {
    const call = (id: string) => ({ type: 'tool_call' as const, id, name: 'Bash', input: {} });
    const open: Message[] = [
      { role: 'user', content: text('go'), timestamp: '' },
      {
        role: 'assistant',
        content: [call('done'), call('running'), call('waiting')],
        provider: 'scripted',
        model: 'm',
        stopReason: 'tool_calls',
        timestamp: '',
      },
    ];
    const given = failedAnswer(call('done'), 'Exit code 1', '');
    const unfinished = { started: new Set(['done', 'running']), answered: new Map([['done', given]]) };
    const model = scripted(says('ok'));
    const { controller } = controllerOf(model, { messages: open, unfinished });
    await controller.submit(text('go on'));
    const sent = model.requests[0]?.messages.slice(2) ?? [];
    expect(sent.map((message) => message.role)).toEqual(['tool', 'tool', 'tool', 'user']);
    expect(sent.slice(0, 3).map(textOf)).toEqual([
      'Exit code 1',
      'The assistant stopped while this call was running; its outcome is unknown. Check before repeating it.',
      'The assistant stopped before this call ran; it did not happen.',
    ]);
  });

  test('a failing disk causes one warning and does not stop the conversation', async () => {
    const { controller, events } = controllerOf(scripted(says('one'), says('two')), {
      log: { message: () => Promise.reject(new Error('ENOSPC: no space left on device')) },
    });
    await controller.submit(text('a'));
    const end = await controller.submit(text('b'));
    expect(end.reason).toBe('done');
    const warnings = events.filter((event) => event.type === 'notice');
    expect(warnings).toEqual([
      {
        type: 'notice',
        level: 'warn',
        text: 'Cannot save the session (ENOSPC: no space left on device). Continuing in memory only.',
      },
    ]);
  });

  test('[L01] the state reports what is pending', async () => {
    const states: number[] = [];
    const { controller } = controllerOf(scripted(calls(['A', {}], ['B', {}]), says('done')));
    controller.listen((event) => event.type === 'message' && states.push(controller.state.toolCalls.length));
    await controller.submit(text('go'));
    expect(states).toEqual([0, 2, 1, 0, 0]);
    expect(controller.state).toMatchObject({
      conversationId: 'session',
      toolCalls: [],
      context: { totalTokens: 15, maxTokens: 1000 },
    });
  });

  test('[L10] interrupt ends the run and the session can continue', async () => {
    const { controller, session } = controllerOf(scripted(says('one two three'), says('fine')));
    controller.listen((event) => event.type === 'text' && controller.interrupt());
    expect((await controller.submit(text('a'))).reason).toBe('interrupted');
    expect((await controller.submit(text('b'))).reason).toBe('interrupted');
    expect(session.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});

describe('closing a session', () => {
  const prompt = (text: string) => [{ type: 'text' as const, text }];
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));

  test('close drops the queue, waits for the run, and only then releases the journal', async () => {
    const order: string[] = [];
    const model = scripted(says('one'), says('two'));
    const { controller } = controllerOf(model, {
      beforePrompt: async () => {
        await nextTick();
        return { type: 'go', content: prompt('first') };
      },
      log: {
        message: async () => {
          await nextTick();
          order.push('message');
        },
        close: async () => void order.push('closed'),
      },
    });
    const ends = [controller.submit(prompt('first')), controller.submit(prompt('second'))];
    await nextTick();
    await controller.close();
    const dropped = { type: 'end', reason: 'interrupted', turns: 0 };
    expect((await Promise.all(ends)).map(({ reason }) => reason)).toEqual(['interrupted', 'interrupted']);
    expect(await controller.submit(prompt('third'))).toEqual(dropped);
    await nextTick();
    expect({ requests: model.requests.length, last: order.at(-1) }).toEqual({ requests: 0, last: 'closed' });
  });

  test('a hook or run preparation that never returns does not block closing', async () => {
    const { controller } = controllerOf(scripted(), { beforePrompt: () => new Promise(() => undefined) });
    const end = controller.submit(prompt('go'));
    await nextTick();
    await controller.close();
    expect(await end).toEqual({ type: 'end', reason: 'interrupted', turns: 0 });
  });

  test('property: whatever the mix of prompts, interrupts and close, every prompt ends and nothing follows close', async () => {
    const step = fc.constantFrom('submit', 'interrupt', 'tick', 'tick', 'close');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const model = scripted(...Array.from({ length: 30 }, () => says('word '.repeat(3))));
        let closed = false;
        const late: string[] = [];
        const note = async (what: string) => {
          await nextTick();
          if (closed) late.push(what);
        };
        const { controller } = controllerOf(model, {
          log: {
            message: () => note('message'),
            watch: () => note('event'),
            close: async () => {
              closed = true;
            },
          },
        });
        const ends: Promise<unknown>[] = [];
        for (const what of steps) {
          if (what === 'submit') ends.push(controller.submit(prompt('go')));
          else if (what === 'interrupt') controller.interrupt();
          else if (what === 'tick') await nextTick();
          else ends.push(controller.close());
        }
        await controller.close();
        const asked = model.requests.length;
        await Promise.all(ends);
        for (let i = 0; i < 3; i++) await nextTick();
        expect({ late, asked: model.requests.length }).toEqual({ late: [], asked });
      }),
      { numRuns: 50 },
    );
  });
});
