import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  demoLanguage,
  type ServerScript,
  scriptedServer,
  startPlainly,
} from '../../test/support/language-server/scripted.ts';
import { soak, sweep, sweepGroups } from '../../test/support/soak.ts';
import { freshFolder } from '../../test/support/workspace.ts';
import { LanguageServer, type ServerOptions } from './server.ts';

const servers: LanguageServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function demo(script: ServerScript = {}, limits: ServerOptions['limits'] = {}) {
  const root = await freshFolder();
  const language = demoLanguage(script);
  const [program] = language.programs;
  if (!program) throw new Error('no program');
  const server = new LanguageServer({
    language,
    root,
    program: { ...program, file: scriptedServer },
    start: startPlainly,
    limits: { backoffMs: 0, ...limits },
  });
  servers.push(server);
  const file = (name: string) => path.join(root, name);
  const write = (name: string, text: string) => writeFile(file(name), text);
  const check = async (name: string, before?: string | null, ms = 20_000) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), ms);
    const wanted = { path: file(name), ...(before !== undefined && { before }) };
    const [checked] = await server.check([wanted], limit.signal);
    clearTimeout(timer);
    return checked;
  };
  const messages = async (name: string, before?: string | null) => {
    const checked = await check(name, before);
    if (checked?.now.type !== 'known') return checked?.now.because;
    return checked.now.findings.map(({ line, message }) => `${line}: ${message}`);
  };
  return { server, root, file, write, check, messages };
}

sweepGroups(['pull', 'register', 'push'] as const)('a server that reports by %s', (mode) => {
  test('says what is wrong with the text on disk, after every change', async () => {
    const { write, messages } = await demo({ mode });
    await write('a.demo', 'fine\nBAD one\n');
    expect(await messages('a.demo')).toEqual(['2: bad: BAD one']);
    await write('a.demo', 'fine\n');
    expect(await messages('a.demo')).toEqual([]);
    await write('a.demo', 'BAD two\nBAD three');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD two', '2: bad: BAD three']);
  });

  test('says what was wrong before the change, too', async () => {
    const { write, check, file } = await demo({ mode });
    await write('a.demo', 'BAD old\nBAD new\n');
    const checked = await check('a.demo', 'BAD old\n');
    expect(checked?.before?.map(({ message }) => message)).toEqual(['bad: BAD old']);
    expect(checked?.now).toMatchObject({ path: file('a.demo'), type: 'known' });
    expect((await check('a.demo', null))?.before).toEqual([]);
  });

  test('knows of other files that appear and disappear', async () => {
    const { write, messages, server, file } = await demo({ mode });
    await write('a.demo', 'needs b.demo\n');
    expect(await messages('a.demo')).toEqual(['1: b.demo is missing']);
    await write('b.demo', 'fine\n');
    server.noticed(file('b.demo'), { isNew: true });
    expect(await messages('a.demo')).toEqual([]);
    await unlink(file('b.demo'));
    server.noticed(file('b.demo'), { isNew: false });
    expect(await messages('a.demo')).toEqual(['1: b.demo is missing']);
  });

  test('has nothing to say about a deleted file', async () => {
    const { write, messages, file } = await demo({ mode });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toHaveLength(1);
    await unlink(file('a.demo'));
    expect(await messages('a.demo')).toEqual([]);
  });

  test('says nothing that counts while it still loads the project', async () => {
    const { write, check, messages } = await demo({ mode, loadMs: 1_500 });
    await write('a.demo', 'BAD\n');
    expect((await check('a.demo', undefined, 700))?.now).toMatchObject({ type: 'unknown' });
    expect(await messages('a.demo')).toEqual(['1: bad: BAD']);
  });
});

test('results for other versions of a text are never shown', async () => {
  const { write, messages } = await demo({ mode: 'push', fault: 'stale', delayMs: 20 });
  for (const number of [1, 2, 3, 4, 5]) {
    await write('a.demo', `BAD ${number}\n`);
    expect(await messages('a.demo')).toEqual([`1: bad: BAD ${number}`]);
  }
});

describe('a server that publishes without a version', soak, () => {
  test('is not believed, and is not asked again', async () => {
    const { write, check, server } = await demo({ mode: 'push', fault: 'no-version' }, { publishMs: 1_000 });
    await write('a.demo', 'BAD\n');
    expect(server.givesDiagnostics).toBe(true);
    expect((await check('a.demo'))?.now).toMatchObject({
      type: 'unknown',
      because: 'scripted published nothing for this text in 1s',
    });
    expect(server.givesDiagnostics).toBe(false);
    expect((await check('a.demo'))?.now).toMatchObject({
      because: 'scripted does not say which text its diagnostics are for',
    });
    expect(server.state()).toMatchObject({ phase: 'ready', restarts: 0 });
  });

  test('when a file is opened is believed after it was opened again', async () => {
    const { write, messages } = await demo({ mode: 'push', fault: 'first-without-version' });
    await write('a.demo', 'BAD one\n');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD one']);
    await write('a.demo', 'BAD two\n');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD two']);
  });
});

describe('a server that knows syntax errors first', () => {
  sweep<[string, ServerScript]>([
    ['and says when it is quiet', { mode: 'pull', stageMs: 300, stageSignal: 'status' }],
    ['and publishes the others later', { mode: 'push', stageMs: 300 }],
    ['and publishes the others at once', { mode: 'push', stageMs: 1 }],
  ])('%s: nothing is claimed before it knows all', async (_, script) => {
    const { write, messages } = await demo(script);
    await write('a.demo', 'BAD SYNTAX\nBAD type\n');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD SYNTAX', '2: bad: BAD type']);
    await write('a.demo', 'fine\nBAD type\n');
    expect(await messages('a.demo')).toEqual(['2: bad: BAD type']);
    await write('b.demo', 'BAD type\n');
    expect(await messages('b.demo')).toEqual(['1: bad: BAD type']);
  });

  sweep<[string, ServerScript]>(
    [
      ['publishes the others much later', { mode: 'push', stageMs: 1_500 }],
      ['asks to be asked again', { mode: 'pull', stageMs: 300, stageSignal: 'refresh' }],
    ],
    0,
  )('and %s: what it corrects is noticed', async (_, script) => {
    const { write, messages, server } = await demo(script);
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toEqual([]);
    const { news } = server;
    await expect.poll(() => server.news).not.toBe(news);
    expect(await messages('a.demo')).toEqual(['1: bad: BAD']);
  });

  test('gets as much time as it took before', soak, async () => {
    const { write, messages, server } = await demo({ mode: 'push', stageMs: 1_500 });
    await write('a.demo', 'BAD\n');
    await messages('a.demo');
    await expect.poll(() => server.news).toBe(1);
    await write('a.demo', 'BAD again\n');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD again']);
  });
});

test('a server that does not have a file yet is asked again', soak, async () => {
  const { write, messages } = await demo({ fault: 'not-yet' });
  await write('a.demo', 'BAD\n');
  expect(await messages('a.demo')).toEqual(['1: bad: BAD']);
});

test('checks that wait are answered together: each text is sent and checked once', async () => {
  const log = path.join(await freshFolder(), 'log');
  const { write, file, server } = await demo({ log, delayMs: 50 });
  const names = Array.from({ length: 8 }, (_, n) => `${n}.demo`);
  for (const name of names) await write(name, `BAD ${name}\n`);
  const until = new AbortController().signal;
  const wanted = names.map((name) => ({ path: file(name), before: 'old\n' }));
  // Each session asks for its own file and for that of its neighbour; one of them gives up.
  const gone = server.check(wanted, AbortSignal.abort());
  const checks = names.map((_, n) => server.check(wanted.slice(n, n + 2), until));
  const found = await Promise.all(checks);
  expect(
    found.flat().map(({ now }) => now.type === 'known' && now.findings.map((one) => one.message)),
  ).toEqual(names.flatMap((_, n) => names.slice(n, n + 2)).map((name) => [`bad: BAD ${name}`]));
  expect((await gone)[0]?.now.type).toBe('unknown');
  const lines = (await readFile(log, 'utf8')).split('\n');
  // The text before the change, and the text now.
  for (const name of names) expect(lines.filter((line) => line === `ask ${name}`)).toHaveLength(2);
});

test('a text that changes while it is checked is unknown', async () => {
  const { write, check } = await demo({ delayMs: 300 });
  await write('a.demo', 'BAD\n');
  await check('a.demo');
  await write('a.demo', 'BAD BAD\n');
  const checking = check('a.demo');
  setTimeout(() => void write('a.demo', 'fine\n'), 100);
  expect((await checking)?.now).toMatchObject({
    type: 'unknown',
    because: 'it was changed while it was checked',
  });
});

describe('bad servers are named', () => {
  sweep([
    ['garbage', /not the language server protocol: Hello, I am/],
    ['no-json', /not the language server protocol: .*JSON/],
    ['crash-at-start', /^scripted ended with 3: scripted: cannot start$/],
    ['huge', /sent a message of 99999999999 bytes/],
  ])('%s', async (fault, because) => {
    const { write, messages, server } = await demo({ fault }, { startMs: 10_000 });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toMatch(because);
    expect(server.state()).toMatchObject({ phase: 'failed' });
  });

  test('one that says nothing at all', soak, async () => {
    const { write, messages } = await demo({ fault: 'silent' }, { startMs: 500 });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toBe('scripted did not start in time');
  });

  test('one that never answers is stopped', async () => {
    const { write, messages, server } = await demo({ fault: 'never' }, { answerMs: 500 });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toBe('scripted did not answer for 0.5s');
    expect(server.state()).toMatchObject({ phase: 'failed', trouble: 'did not answer for 0.5s' });
  });

  test('not while one says that it is still loading', soak, async () => {
    const { write, messages } = await demo({ loadMs: 5_000 }, { answerMs: 2_000 });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toEqual(['1: bad: BAD']);
  });

  test('one that says that it is loading, and never is done', soak, async () => {
    const { write, messages } = await demo({ loadMs: 600_000 }, { answerMs: 2_000, loadMs: 4_000 });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toBe('scripted did not answer for 4s');
  });

  test('one that answers with an error', soak, async () => {
    const { write, messages } = await demo({ fault: 'error' });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toBe('scripted failure');
  });

  test('findings of the wrong type are left out, or put on the first line', soak, async () => {
    const { write, messages } = await demo({ fault: 'wrong-types' });
    await write('a.demo', 'BAD\n');
    expect(await messages('a.demo')).toEqual(['1: no range']);
  });

  test('one that crashes again and again is given up, until the user restarts it', soak, async () => {
    const log = path.join(await freshFolder(), 'log');
    const { write, messages, server } = await demo({ fault: 'crash-on-ask', log }, { mostCrashes: 3 });
    await write('a.demo', 'BAD\n');
    for (let i = 0; i < 6; i++) await messages('a.demo');
    expect(await messages('a.demo')).toMatch(/^scripted crashed 3 times: ended with 7/);
    const starts = async () =>
      (await readFile(log, 'utf8')).split('\n').filter((line) => line.startsWith('start'));
    expect(await starts()).toHaveLength(3);
    await server.restart();
    await messages('a.demo');
    expect(await starts()).toHaveLength(4);
  });

  test('after a crash it waits before it starts again', soak, async () => {
    const { write, messages } = await demo({ fault: 'crash-on-ask' }, { backoffMs: 60_000 });
    await write('a.demo', 'BAD\n');
    await messages('a.demo');
    expect(await messages('a.demo')).toMatch(/^scripted starts again soon: ended with 7/);
  });
});

test('it starts again when a file changed that it reads only once', soak, async () => {
  const root = await freshFolder();
  const log = path.join(root, 'log');
  const language = { ...demoLanguage({ log }), restartOn: ['modules/lock'] };
  const [program] = language.programs;
  if (!program) throw new Error('no program');
  const server = new LanguageServer({
    language,
    root,
    program: { ...program, file: scriptedServer },
    start: startPlainly,
  });
  servers.push(server);
  await writeFile(path.join(root, 'a.demo'), 'BAD\n');
  const check = () => server.check([{ path: path.join(root, 'a.demo') }], new AbortController().signal);
  await check();
  await check();
  await mkdir(path.join(root, 'modules'));
  await writeFile(path.join(root, 'modules/lock'), 'x');
  const [checked] = await check();
  expect(checked?.now).toMatchObject({ type: 'known' });
  expect((await readFile(log, 'utf8')).match(/^start/gm)).toHaveLength(2);
});
