import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { hubOf, oddServer, published, startEverything } from '../../../test/support/mcp.ts';
import { soak } from '../../../test/support/soak.ts';
import type { Hub } from '../hub.ts';
import type { CallOptions, Connection } from './connection.ts';

const alone: CallOptions = {
  signal: new AbortController().signal,
  progress: () => undefined,
  ask: async () => null,
};

function named(hub: Hub, name: string): Connection {
  const found = hub.find(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !what(); tries++) await sleep(20);
  expect(what()).toBe(true);
}

describe('one server', () => {
  test('[Q01] connects, lists what it offers, answers, and is off once closed', async () => {
    const { hub } = await hubOf({ every: published('everything'), off: { command: 'x', disabled: true } });
    await hub.settled(28_000);
    const every = named(hub, 'every');
    expect([every.phase, named(hub, 'off').phase]).toEqual(['ready', 'off']);
    expect(every.offers.tools.map(({ name }) => name)).toContain('echo');
    expect(every.offers.prompts.find(({ name }) => name === 'args-prompt')?.arguments).toEqual([
      { name: 'city', description: expect.any(String), required: true },
      { name: 'state', description: expect.any(String), required: false },
    ]);
    expect(await every.callTool('echo', { message: 'a' }, alone)).toMatchObject({
      content: [{ type: 'text', text: 'Echo: a' }],
    });
    await hub.close();
    expect(every.phase).toBe('off');
    await expect(every.callTool('echo', { message: 'a' }, alone)).rejects.toThrow(
      'MCP server every not connected: it is turned off',
    );
  });

  test.each([
    ['http://127.0.0.1:9/mcp', true],
    ['http://localhost:9/mcp', true],
    ['http://[::1]:9/mcp', true],
    ['https://mcp.example.com/mcp', false],
    ['http://localhost.example.com/mcp', false],
    ['http://10.0.0.8/mcp', false],
  ])('at %s gets the folders of this machine: %s', async (url, isOffered) => {
    const sent: string[] = [];
    const fetch = async (_url: unknown, init?: RequestInit) => {
      sent.push(String(init?.body));
      return new Response('', { status: 500 });
    };
    const { hub } = await hubOf({ web: { url, type: 'http' } }, { fetch });
    await hub.settled(28_000);
    const { capabilities } = JSON.parse(sent[0] ?? '').params;
    expect('roots' in capabilities).toBe(isOffered);
    await hub.close();
  });

  test('[Q02] progress sent together with the result is delivered before it', async () => {
    const { hub } = await hubOf({ odd: oddServer('hurries') });
    await hub.settled(28_000);
    const told: string[] = [];
    await named(hub, 'odd').callTool('say', {}, { ...alone, progress: (text) => told.push(text) });
    expect(told).toEqual(['1 of 3\n', '2 of 3\n', '3 of 3\n']);
    await hub.close();
  });

  test('restarts after a crash, a call waits for it, and repeated crashes end the attempts', async () => {
    const { hub } = await hubOf({ odd: oddServer('dies in calls') }, { backoffMs: 5 });
    const told: string[] = [];
    hub.onNotice((text) => told.push(text));
    await hub.settled(28_000);
    const odd = named(hub, 'odd');
    for (let death = 0; death < 5; death++)
      await expect(odd.callTool('say', {}, alone)).rejects.toThrow('Connection closed');
    await until(() => odd.phase === 'ready');
    await expect(odd.callTool('say', {}, alone)).rejects.toThrow('Connection closed');
    await until(() => odd.phase === 'failed');
    expect(odd.offers.tools).toEqual([]);
    expect(told).toEqual(['MCP server odd not connected: it keeps exiting. Continuing without its tools.']);
    await odd.restart();
    expect(odd.phase).toBe('ready');
  });

  test('a cancelled call ends at once, and the server is notified', async () => {
    const { hub } = await hubOf({ odd: oddServer('hangs in calls') });
    await hub.settled(28_000);
    const stop = new AbortController();
    const call = named(hub, 'odd').callTool('say', {}, { ...alone, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('called off')), 50);
    await expect(call).rejects.toThrow('called off');
    await until(() => named(hub, 'odd').log.includes('info: heard: Error: called off'));
    expect(named(hub, 'odd').phase).toBe('ready');
  });

  test('a changed list is read again', async () => {
    const { hub } = await hubOf({ odd: oddServer('grows') });
    await hub.settled(28_000);
    const odd = named(hub, 'odd');
    expect(odd.offers.tools.map(({ name }) => name)).toEqual(['say']);
    await odd.callTool('say', {}, alone);
    await until(() => odd.offers.tools.length === 2);
  });

  test('a restarted HTTP server is initialized again, and the rejected call is repeated', soak, async () => {
    const port = await freePort();
    const first = await startEverything('streamableHttp', port);
    const { hub } = await hubOf({ web: { url: first.url } }, { backoffMs: 5 });
    await hub.settled(28_000);
    const web = named(hub, 'web');
    const echo = () => web.callTool('echo', { message: 'a' }, alone);
    expect(await echo()).toMatchObject({ content: [{ text: 'Echo: a' }] });

    await first.stop();
    await startEverything('streamableHttp', port);
    expect(await echo()).toMatchObject({ content: [{ text: 'Echo: a' }] });
  });

  test('missing variables and programs are reported', async () => {
    const { hub } = await hubOf({
      bare: { command: 'node', args: [['$', '{NOT_SET_ANYWHERE}'].join('')] },
      // Not the PATH of this machine: it may name folders that the user of the tests may not enter.
      gone: { command: 'no-such-program-here', env: { PATH: '/usr/bin' } },
      inside: { command: `${process.execPath}/tool` },
    });
    await hub.settled(28_000);
    expect(named(hub, 'bare').trouble).toBe('NOT_SET_ANYWHERE is not set in the environment');
    expect(named(hub, 'gone').trouble).toBe(
      'the program no-such-program-here is not installed, or not in the PATH',
    );
    expect(named(hub, 'inside').trouble).toContain('does not exist');
  });
});
