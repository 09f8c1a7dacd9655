import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { ChatEvent } from '../web/chat/connection.ts';
import { reduce } from '../web/chat/state/reduce.ts';
import { emptyView } from '../web/chat/state/view.ts';
import { type LinkSocket, ServerLink } from '../web/wire/server-link.ts';
import { SessionLink } from '../web/wire/session-link.ts';
import { hosting } from './support/hosting.ts';
import { says, slowly } from './support/model-server/script.ts';
import { rounds, sweep } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

const words = Array.from({ length: 12 }, (_, index) => `w${index}`).join(' ');

/** After how many messages a connection breaks, and whether the last one that was sent still arrives. */
type Cut = { sent: number; received: number; arrives: boolean };

const cuts: fc.Arbitrary<Cut[]> = fc.array(
  fc.record({
    sent: fc.integer({ min: 2, max: 6 }),
    received: fc.integer({ min: 2, max: 25 }),
    arrives: fc.boolean(),
  }),
  { maxLength: 6 },
);

/** A page on this session, whose connections break as told; those after them hold. */
function pageOn(url: string, sessionId: string, broken: Cut[]) {
  const events: ChatEvent[] = [];
  const left = [...broken];
  const open = (): LinkSocket => {
    const cut = left.shift();
    const who = { id: 'owner', name: 'Ada', role: 'owner', sessions: 'all' };
    const socket = new WebSocket(url, { headers: { 'x-who': JSON.stringify(who) } });
    // A close event follows.
    socket.on('error', () => undefined);
    let sent = 0;
    let received = 0;
    return {
      close: () => socket.close(),
      send: (text) => {
        sent++;
        if (cut && sent >= cut.sent) {
          if (cut.arrives) socket.send(text, () => socket.terminate());
          else socket.terminate();
        } else socket.send(text);
      },
      addEventListener: (type: string, listener: (event: never) => void) =>
        socket.addEventListener(
          type as 'message',
          ((event: never) => {
            if (type === 'message' && cut && ++received >= cut.received) socket.terminate();
            else listener(event);
          }) as never,
        ),
    };
  };
  const link = new ServerLink({ open, name: 'test', delay: () => 5 });
  const session = new SessionLink({
    link,
    sessionId,
    openSession: () => undefined,
    newSession: () => undefined,
    openLink: () => undefined,
  });
  session.connection.onEvent((event) => events.push(event));
  session.start();
  return {
    prompt: (text: string) => session.connection.prompt([{ type: 'text', text }]),
    view: () => reduce(emptyView, events, 0),
    close: () => {
      session.close();
      link.close();
    },
  };
}

describe('property: whenever connections break', () => {
  sweep([3, rounds(15, 60)])(
    'each prompt arrives exactly once, and is shown once (%i runs)',
    async (numRuns) => {
      const space = await workspace();
      const { url, join, hosted } = await hosting(
        space,
        Array(1_000).fill(slowly(says(words), { betweenMs: 2 })),
      );
      const ada = await join();
      await fc.assert(
        fc.asyncProperty(
          cuts,
          fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
          async (broken, awaits) => {
            const id = await ada.create(space.root);
            const page = pageOn(url, id, broken);
            const texts = awaits.map((_, index) => `prompt ${index}`);
            const accepted: Promise<void>[] = [];
            for (const [index, isAwaited] of awaits.entries()) {
              accepted.push(page.prompt(texts[index] ?? ''));
              if (isAwaited) await accepted.at(-1);
            }
            await Promise.all(accepted);
            const found = await hosted.get(id);
            await expect.poll(() => found.session.isBusy || found.session.waiting.length > 0).toBe(false);

            const { messages } = found.session.opened.controller.session;
            const saved = messages.flatMap(({ role, content }) =>
              role === 'user'
                ? content.flatMap((part) => (part.type === 'text' && part.sent ? [part.text] : []))
                : [],
            );
            expect(saved.toSorted()).toEqual(texts);
            const shown = () =>
              page.view().items.flatMap((item) => (item.type === 'user' ? [item.text] : []));
            await expect.poll(() => shown().toSorted()).toEqual(texts);
            expect(page.view().sending).toEqual([]);
            page.close();
          },
        ),
        { numRuns },
      );
    },
  );
});
