import { expect, test } from 'vitest';
import { aca, protocolNames } from '../support/aca.ts';
import { oddCalls } from '../support/faults/calls.ts';
import { door, type Fault, fine, KEY, type Played, pick, playFault } from '../support/faults/fault.ts';
import { refusals, unreachable } from '../support/faults/refusals.ts';
import { streams } from '../support/faults/streams.ts';
import { deadUrl } from '../support/loopback.ts';
import type { ProtocolName } from '../support/model-server/protocol.ts';
import { fails, says } from '../support/model-server/script.ts';
import { rounds, soak, sweepFor, sweepGroups } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const REQUIREMENTS = /^(\[[A-Z]\d\d\] ?)+/;
const faults: Fault[] = [...refusals, ...streams, ...oddCalls];

/** The first that names these requirements. */
function isUsual(name: string): boolean {
  const named = REQUIREMENTS.exec(name)?.[0];
  return named !== undefined && faults.find((fault) => fault.name.startsWith(named))?.name === name;
}

sweepGroups(protocolNames)(
  '%s',
  (protocol) => {
    // The first protocol meets every fault, each other one a part of them.
    const place = protocolNames.indexOf(protocol);
    const share = place === 0 ? 1 : rounds(4, 1);
    const rows = faults
      .filter((fault) => fault.except?.[protocol] === undefined)
      .filter((_, index) => index % share === place % share)
      .map((fault) => [fault.name, fault] as const);

    sweepFor(rows, ([name]) => isUsual(name))('%s', async ([, fault], { onTestFinished }) => {
      const played = await playFault(fault, protocol, onTestFinished);
      expectUpshot(fault, played, protocol);
      await fault.also?.(played, protocol);
      if (fault.continues) await goOn(played, protocol);
      expect(played.server.refusals).toEqual([]);
      expect(played.server.exhausted).toBe(false);
    });

    test('[N11] nobody listens: the address is told, and it is not tried again', async ({
      onTestFinished,
    }) => {
      const url = await deadUrl();
      const { model, env } = door(protocol, url);
      const space = await workspace({}, onTestFinished);
      const { code, stdout, stderr } = await aca(space, ['-p', 'go', '--model', model], { env });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe(`Could not connect to ${url} (ECONNREFUSED).\n${unreachable[protocol]}\n`);
    });
  },
  { concurrent: true },
);

test.concurrent(
  '[V06] [Y21] three failures cost three retries, after 1, 2 and 4 seconds',
  soak,
  async ({ onTestFinished }) => {
    const script = [fails(500), fails(500), fails(500), says('fine')];
    const played = await playFault({ name: '', script, upshot: {} }, 'openai-chat', onTestFinished);
    const retries = played.events.filter((event) => event.type === 'retry');
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(played.retries).toEqual(Array(3).fill('server_error'));
    expect(played.outcome.stderr).toMatch(/^Server error, retrying in 1s \(1 of 3\)\. /m);
    for (const { attempt, delayMs } of retries) {
      const seconds = 2 ** (attempt - 1);
      expect(delayMs).toBeGreaterThanOrEqual(seconds * 1000);
      expect(delayMs).toBeLessThanOrEqual(seconds * 1100);
    }
    const times = played.server.requests.map(({ receivedAt }) => receivedAt);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7000);
    expect(played).toMatchObject({ code: 0, result: 'fine', requests: 4 });
  },
);

function expectUpshot(fault: Fault, played: Played, protocol: ProtocolName): void {
  const { code, stopReason, kind, result, requests, retries, ran, told, outcome } = played;
  expect({ code, stopReason, kind, result, requests, retries, ran, told }).toEqual({
    ...fine,
    ...pick(fault.upshot, protocol),
  });
  if (fault.words !== undefined) expect(outcome.stderr).toContain(pick(fault.words, protocol));
  else if (retries.length === 0 && code === 0) expect(outcome.stderr).toBe('');
  expect(outcome.stdout + outcome.stderr).not.toContain(KEY);
}

/** A second process takes the session up; the server, as strict as the vendor, must take its history. */
async function goOn({ space, server, result }: Played, protocol: ProtocolName): Promise<void> {
  const { model, env } = door(protocol, server.url);
  const before = server.requests.length;
  const again = await aca(space, ['-p', 'go on', '--model', model, '--continue'], { env });
  expect(again).toEqual({ code: 0, stdout: 'went on\n', stderr: '' });
  const messages = server.requests[before]?.messages ?? [];
  const said = messages.map(({ role, text, calls }) => ({ role, text, calls }));
  const spoke = (role: string, text: string) => ({ role, text, calls: [] });
  if (result !== '')
    expect(said).toEqual([spoke('user', 'go'), spoke('assistant', result), spoke('user', 'go on')]);
  // Where turns must alternate, two messages of the user travel as one.
  else
    expect([[spoke('user', 'go'), spoke('user', 'go on')], [spoke('user', 'gogo on')]]).toContainEqual(said);
}
