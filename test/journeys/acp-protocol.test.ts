import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type InitializeResponse,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { ask, startedEditor } from '../support/acp.ts';
import { calls, hangs, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const { agent: names } = methods;

test('after a logout, sessions open only once the client has authenticated again', async () => {
  const space = await workspace();
  const it = await startedEditor(space, [says('Still here.')]);
  const { agent, sessionId } = it;
  const place = { cwd: space.root, mcpServers: [] };
  await agent.request(names.logout, {});

  await expect(agent.request(names.session.new, place)).rejects.toMatchObject({ code: -32000 });
  expect(await ask(it, sessionId, 'hello')).toEqual({ stopReason: 'end_turn' });
  const unknown = agent.request(names.authenticate, { methodId: 'magic' });
  await expect(unknown).rejects.toMatchObject({ code: -32602 });
  await agent.request(names.authenticate, { methodId: 'environment' });
  expect(await agent.request(names.session.new, place)).toHaveProperty('sessionId');
});

test('setting up in a terminal is offered to clients that can open one', soak, async () => {
  const { agent } = await startedEditor(await workspace(), []);
  const methodsFor = async (terminal: boolean) => {
    const request = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: { auth: { terminal } } };
    const { authMethods, agentCapabilities }: InitializeResponse = await agent.request(
      names.initialize,
      request,
    );
    expect(agentCapabilities?.auth).toEqual({ logout: {} });
    return authMethods?.map(({ id }) => id);
  };
  expect(await methodsFor(true)).toEqual(['terminal', 'environment']);
  expect(await methodsFor(false)).toEqual(['environment']);
});

test('additional roots belong to the session, and must be absolute', soak, async () => {
  const space = await workspace();
  const other = path.join(space.home, 'other');
  const file = path.join(other, 'b.txt');
  await mkdir(other);
  await writeFile(file, 'one\n');
  const edit = ['Edit', { file_path: file, old_string: 'one', new_string: 'two' }] as [string, object];
  const it = await startedEditor(space, [calls(['Read', { file_path: file }]), calls(edit), says('Done.')], {
    args: ['--mode', 'accept-edits'],
  });
  const place = { cwd: space.root, mcpServers: [] };
  const wrong = it.agent.request(names.session.new, { ...place, additionalDirectories: ['other'] });
  await expect(wrong).rejects.toMatchObject({ code: -32602 });

  const roots: NewSessionRequest = { ...place, additionalDirectories: [other] };
  const { sessionId } = await it.agent.request(names.session.new, roots);
  await ask(it, sessionId, 'change it');
  expect(it.asked).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe('two\n');
});

test('a prompt is cancelled by its request too', soak, async () => {
  const it = await startedEditor(await workspace(), [hangs(), says('Here.')]);
  const { agent, sessionId, server } = it;
  const cancel = new AbortController();
  const prompt = [{ type: 'text' as const, text: 'go' }];
  const answered = agent.request(
    names.session.prompt,
    { sessionId, prompt },
    { cancellationSignal: cancel.signal },
  );
  await expect.poll(() => server.requests.length).toBe(1);
  cancel.abort();
  expect(await answered).toEqual({ stopReason: 'cancelled' });
  expect(await ask(it, sessionId, 'again')).toEqual({ stopReason: 'end_turn' });
});
