// @module-tag soak
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { methods } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { type Position, serverMethods } from '../../src/frontends/server/server-methods.ts';
import type { AuditEntry } from '../../src/observability/audit/read-audit.ts';
import { aca } from '../support/aca.ts';
import { ended, prepared } from '../support/aca-server.ts';
import { choosing, type Member } from '../support/hosted.ts';
import { openLab } from '../support/lab.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { rounds } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const CLIENTS = 10;
const CUTS = rounds(120, 1_000);

/** Always the same numbers. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

test(`${CUTS} lost connections during runs: every client has seen each update once, in order`, async () => {
  const space = await workspace();
  const words = Array.from({ length: 300 }, (_, i) => `word${i} `).join('');
  const { start, join } = await prepared(space, () =>
    slowly(says(words, { pieceLength: 20 }), { betweenMs: 5 }),
  );
  const { url } = await start();
  const ada = await join(url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  let cuts = 0;
  let runs = 0;
  /** From the connection to the answer that says what follows, in milliseconds. */
  let longest = 0;
  const talking = (async () => {
    for (; cuts < CUTS; runs++) await ada.prompt(id, `talk ${runs}`);
    await ada.until(() => ada.events.filter(({ type }) => type === 'turn_ended').length === runs);
  })();

  const watch = async (index: number) => {
    const random = chance(index + 1);
    const seen = new Map<number, string>();
    let position: Position | undefined;
    const take = (member: Member, epoch: string) => {
      // The first time, the latest of each state comes before what is not saved yet.
      const isFirst = position === undefined;
      for (const { update, meta } of member.updates) {
        if (meta.seq === undefined) continue;
        expect(seen.has(meta.seq)).toBe(false);
        if (isFirst) expect(meta.seq).toBeGreaterThan(position?.seq ?? 0);
        else expect(meta.seq).toBe((position?.seq ?? 0) + 1);
        seen.set(meta.seq, JSON.stringify(update));
        position = { epoch, seq: meta.seq };
      }
    };
    while (cuts < CUTS) {
      const asked = performance.now();
      const member = await join(url);
      const { epoch, reset } = await member.attach(id, position);
      longest = Math.max(longest, performance.now() - asked);
      expect(reset).toBe(position === undefined);
      await pause(random(60));
      member.cut();
      cuts++;
      take(member, epoch);
    }
    await talking;
    const last = await join(url);
    const { epoch, seq } = await last.attach(id, position);
    await last.until(() => (last.updates.at(-1)?.meta.seq ?? position?.seq) === seq);
    take(last, epoch);
    return seen;
  };
  const all = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => watch(index)));

  const truth = new Map(ada.updates.map(({ update, meta }) => [meta.seq ?? 0, JSON.stringify(update)]));
  for (const seen of all)
    for (const [seq, update] of seen) if (truth.has(seq)) expect(update).toBe(truth.get(seq));
  expect(ada.said).toBe(words.repeat(runs));
  // Not minutes; how long it takes is measured by `npm run bench`.
  expect(longest).toBeLessThan(60_000);
});

test('a server that is killed again and again repeats no command', async () => {
  const space = await workspace();
  let step = 0;
  const { start, join } = await prepared(space, () => {
    step++;
    return step > 30
      ? says('All done.')
      : calls(['Bash', { command: `echo ${step} >> steps.txt; sleep 0.1` }]);
  }, ['--allow', 'Bash(*)', '--mode', 'accept-edits']);
  const random = chance(7);
  let server = await start();
  const first = await join(server.url);
  const id = await first.create(space.root);
  void first.prompt(id, 'count').catch(() => undefined);
  await expect.poll(() => existsSync(path.join(space.root, 'steps.txt'))).toBe(true);
  for (let kills = 0; kills < 5; kills++) {
    await pause(200 + random(500));
    server.child.kill('SIGKILL');
    await ended(server.child);
    server = await start(server.process.pid);
    const member = await join(server.url);
    const { state } = await member.attach(id);
    if (state !== 'interrupted') break;
    void member.agent.request(serverMethods.resumeRun, { sessionId: id }).catch(() => undefined);
  }
  const last = await join(server.url);
  await last.attach(id);
  await last.until(() => last.said.includes('All done.'));

  const lines = (await readFile(path.join(space.root, 'steps.txt'), 'utf8')).trim().split('\n');
  expect(lines).toEqual([...new Set(lines)]);
  expect(lines.length).toBeGreaterThan(20);
});

test('every session of a killed server resumes, and nothing runs twice', async () => {
  const space = await workspace();
  const inProject = (name: string) => path.join(space.root, name);
  // Outside the project, so that it is asked about.
  const outside = path.join(space.home, 'C.txt');
  const steps = new Map<string, number>();
  const { start, join } = await prepared(
    space,
    (request) => {
      const task = /count ([ABC])/.exec(JSON.stringify(request))?.[1] ?? '';
      if (existsSync(task === 'C' ? outside : inProject('go'))) return says('All done.');
      if (task === 'C') return calls(['Write', { file_path: outside, content: 'once' }]);
      const step = (steps.get(task) ?? 0) + 1;
      steps.set(task, step);
      return calls([
        'Bash',
        { command: `echo ${step} >> ${task}.txt; while [ ! -e go ]; do sleep 0.1; done` },
      ]);
    },
    ['--allow', 'Bash(*)', '--mode', 'accept-edits'],
  );
  const written = (task: string) => readFile(inProject(`${task}.txt`), 'utf8').catch(() => '');
  /** Both commands run, and the question is open. */
  const inRound = async (round: number, member: Member) => {
    await member.until(() => member.asked.length > 0);
    const lines = Array.from({ length: round }, (_, index) => `${index + 1}\n`).join('');
    for (const task of ['A', 'B']) await expect.poll(() => written(task), { timeout: 60_000 }).toBe(lines);
  };
  let server = await start();
  const first = await join(server.url);
  const ids: string[] = [];
  for (const task of ['A', 'B', 'C']) {
    const id = await first.create(space.root);
    ids.push(id);
    void first.prompt(id, `count ${task}`).catch(() => undefined);
  }
  await inRound(1, first);
  const [, , waiting = ''] = ids;
  for (let kills = 1; kills <= 3; kills++) {
    server.child.kill('SIGKILL');
    await ended(server.child);
    server = await start(server.process.pid);
    const member = await join(server.url);
    for (const sessionId of ids) {
      expect((await member.attach(sessionId)).state, sessionId).toBe('interrupted');
      void member.agent.request(serverMethods.resumeRun, { sessionId }).catch(() => undefined);
    }
    await inRound(kills + 1, member);
    expect(member.asked.map(({ sessionId }) => sessionId)).toEqual([waiting]);
  }
  await writeFile(inProject('go'), '');
  for (const sessionId of ids) {
    const last = await join(server.url, { answer: choosing('once') });
    await last.attach(sessionId);
    await last.until(() => last.said.includes('All done.'));
  }

  expect([await written('A'), await written('B')]).toEqual(['1\n2\n3\n4\n', '1\n2\n3\n4\n']);
  expect(await readFile(outside, 'utf8')).toBe('once');
  const { stdout } = await aca(space, ['audit', 'list', '--json', '--session', waiting, '--tail', '999']);
  const ran = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(ran.filter(({ tool, outcome }) => tool === 'Write' && outcome?.success)).toHaveLength(1);
});

test('prompts that wait survive a killed server, twice; each is answered once, and no command repeated', async () => {
  const space = await workspace();
  const inProject = (name: string) => path.join(space.root, name);
  const command = 'echo once >> ran.txt; while [ ! -e go ]; do sleep 0.1; done';
  const { start, join, model } = await prepared(
    space,
    () => (existsSync(inProject('ran.txt')) ? says('Answered.') : calls(['Bash', { command }])),
    ['--allow', 'Bash(*)', '--mode', 'accept-edits'],
  );
  const send = (member: Member, text: string, promptId: string) =>
    member.agent.request(methods.agent.session.prompt, {
      sessionId: id,
      prompt: [{ type: 'text', text }],
      _meta: { aca: { promptId } },
    });
  const waitingIn = (member: Member) => {
    const last = member.events.findLast(({ type }) => type === 'prompts_waiting');
    return last?.type === 'prompts_waiting' ? last.prompts.map(({ text, held }) => [text, held]) : [];
  };
  let server = await start();
  const ada = await join(server.url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  void send(ada, 'first', 'p-1').catch(() => undefined);
  await expect.poll(() => existsSync(inProject('ran.txt'))).toBe(true);
  void send(ada, 'second', 'p-2').catch(() => undefined);
  await ada.until(() => waitingIn(ada).length === 1);
  void send(ada, 'third', 'p-3').catch(() => undefined);
  await ada.until(() => waitingIn(ada).length === 2);

  for (let kills = 0; kills < 2; kills++) {
    server.child.kill('SIGKILL');
    await ended(server.child);
    server = await start(server.process.pid);
    const back = await join(server.url);
    expect((await back.attach(id)).state).toBe('interrupted');
    await back.until(() => waitingIn(back).length === 2);
    expect(waitingIn(back)).toEqual([
      ['second', true],
      ['third', true],
    ]);
    expect(back.prompts).toEqual(['first']);
  }
  expect(model.requests).toHaveLength(1);
  // Clients send again what was on its way.
  const again = await join(server.url);
  await again.attach(id);
  for (const [text, promptId] of [
    ['first', 'p-1'],
    ['second', 'p-2'],
    ['third', 'p-3'],
  ] as const)
    await send(again, text, promptId);
  await again.agent.request(serverMethods.resumeRun, { sessionId: id });
  await again.until(() => waitingIn(again).length === 0 && again.said.includes('Answered.'));

  const last = await join(server.url);
  const { state } = await last.attach(id);
  await last.until(() => last.isCaughtUp);
  expect([state, last.prompts]).toEqual(['done', ['first', 'second', 'third']]);
  const sent = JSON.stringify(model.requests.at(-1)?.body);
  for (const text of ['first', 'second', 'third']) expect(sent.split(`"${text}"`)).toHaveLength(2);
  expect(await readFile(inProject('ran.txt'), 'utf8')).toBe('once\n');
});

test('an attached terminal comes back when the server does, and a closed window leaves the run alone', async () => {
  const space = await workspace();
  const { start, join } = await prepared(space, [
    says('First answer.'),
    slowly(says('Slow words. '.repeat(10), { pieceLength: 12 }), { betweenMs: 200 }),
  ]);
  const server = await start();
  const ada = await join(server.url);
  const id = await ada.create(space.root);
  await ada.prompt(id, 'hello');
  const lab = openLab(space, ['attach', id], { inShell: true, whenDone: onTestFinished });
  await lab.waitFor('First answer.');

  server.child.kill('SIGKILL');
  await lab.waitFor('Reconnecting');
  expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
  const second = await start(server.process.pid);
  await lab.waitFor('First answer.', { times: 2 });
  lab.type('more\r');
  await lab.waitFor('Slow words.');
  const phone = await join(second.url);
  await phone.attach(id);
  lab.hangUp();
  await phone.until(() => phone.events.some(({ type }) => type === 'turn_ended'));
  expect(phone.said.split('Slow words.')).toHaveLength(11);
});
