import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  demoLanguage,
  type ServerScript,
  scriptedServer,
  startPlainly,
} from '../../test/support/language-server/scripted.ts';
import { sweep } from '../../test/support/soak.ts';
import { freshFolder } from '../../test/support/workspace.ts';
import { LanguageServerPool } from './pool.ts';
import { SessionDiagnostics, type Settled } from './session-diagnostics.ts';

const LIMIT_MS = 200;

/** Sessions that share one server, each of which changes a file of its own. */
async function sessionsWith(script: ServerScript, count: number) {
  const root = await freshFolder();
  const pool = new LanguageServerPool({
    languages: [demoLanguage(script)],
    folders: [root],
    installed: () => scriptedServer,
    start: startPlainly,
  });
  onTestFinished(() => pool.close());
  const { signal } = new AbortController();
  const open = (n: number) => {
    const file = path.join(root, `${n}.demo`);
    const session = new SessionDiagnostics({ pool, limitMs: LIMIT_MS, signal });
    return {
      async change(text: string) {
        await writeFile(file, text);
        session.seen({ path: file, existed: false, before: () => null, byCall: true });
      },
      settle: (isLast = false) => session.settle(signal, { isLast }),
    };
  };
  return Array.from({ length: count }, (_, n) => open(n));
}

const texts = ({ fresh, unknown }: Settled) => ({
  fresh: fresh.map(({ message }) => message),
  unknown: unknown.map(({ path: file, because }) => `${path.basename(file)}: ${because}`),
});

sweep(
  [
    'initialize',
    'initialized',
    'textDocument/didOpen',
    'textDocument/diagnostic',
    'workspace/didChangeWatchedFiles',
  ],
  2,
)(
  'no session waits for a server that does not get past %s, and each gets its errors later',
  async (holds) => {
    const until = path.join(await freshFolder(), 'go on');
    const sessions = await sessionsWith({ holds, until }, 8);
    // This method is sent only if a file changes while the server runs.
    const isLater = holds === 'workspace/didChangeWatchedFiles';
    if (isLater) {
      for (const { change } of sessions) await change('fine\n');
      await expect
        .poll(async () =>
          (await Promise.all(sessions.map(({ settle }) => settle(true)))).flatMap((one) => one.unknown),
        )
        .toEqual([]);
    }
    for (const [n, { change }] of sessions.entries()) await change(`BAD ${n}\n`);
    // The server never answers, so these end because of the limit or not at all.
    const settled = await Promise.all(sessions.map(({ settle }) => settle()));
    expect(settled.map(texts)).toEqual(
      sessions.map((_, n) => ({ fresh: [], unknown: [`${n}.demo: there was no answer within 0.2s`] })),
    );
    // Another change while the first check still waits.
    for (const [n, { change }] of sessions.entries()) await change(`fine\nBAD ${n} again\n`);
    await Promise.all(sessions.map(({ settle }) => settle()));

    await writeFile(until, '');
    const late = await Promise.all(
      sessions.map(async ({ settle }) => {
        const found: string[] = [];
        await expect.poll(async () => found.push(...texts(await settle(true)).fresh)).toBeGreaterThan(0);
        return found;
      }),
    );
    expect(late).toEqual(sessions.map((_, n) => [`bad: BAD ${n} again`]));
  },
);

test.each(['crash-at-start', 'garbage', 'no-json', 'huge'])(
  'a server that cannot start (%s) is reported once, whatever else changes',
  async (fault) => {
    const [first, second] = await sessionsWith({ fault }, 2);
    const said: string[] = [];
    for (let n = 0; n < 4; n++) {
      await first?.change(`BAD ${n}`);
      const { unknown } = texts((await first?.settle()) as Settled);
      said.push(...unknown.filter((line) => !line.includes('no answer within')));
    }
    expect(said.length).toBeLessThanOrEqual(1);
    await second?.change('BAD');
    expect(texts((await second?.settle(true)) as Settled).unknown).toHaveLength(1);
  },
);
