// @module-tag soak
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { trustFolder } from '../../src/config/trust.ts';
import { prepared } from '../support/aca-server.ts';
import { ask, startedEditor } from '../support/acp.ts';
import { demoServer } from '../support/diagnostics.ts';
import { writeHooks } from '../support/hooks.ts';
import { calls, says } from '../support/model-server/script.ts';
import { runningWith } from '../support/processes.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** A project whose server can be told from others by a word in its command line. */
async function project(): Promise<{ space: Workspace; servers(): string[] }> {
  const name = randomUUID();
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\n', 'b.demo': 'one\n' });
  await writeHooks(space, {}, await demoServer(space, { name }));
  await trustFolder(path.join(space.home, '.ai-assistant'), space.root, []);
  // The sandbox and its shell have the same words in their command lines.
  const servers = () => runningWith(name).filter((line) => /^\S+\s+(\S*\/)?node /.test(line));
  return { space, servers };
}

const writes = (file: string, content: string) => [
  calls(['Read', { file_path: file }], ['Write', { file_path: file, content }]),
  says('done'),
];

test('in an editor, the model gets the new errors, and its sessions share one server', async () => {
  const { space, servers } = await project();
  const it = await startedEditor(space, [...writes('a.demo', 'BAD a\n'), ...writes('b.demo', 'BAD b\n')], {
    args: ['--mode', 'accept-edits'],
  });
  await ask(it, it.sessionId, 'change a');
  const second = await it.agent.request(methods.agent.session.new, { cwd: space.root, mcpServers: [] });
  await ask(it, second.sessionId, 'change b');
  const sent = JSON.stringify(it.server.requests.map(({ body }) => body));
  expect(sent).toContain('a.demo:1:1 error: bad: BAD a (scripted BAD)');
  expect(sent).toContain('b.demo:1:1 error: bad: BAD b (scripted BAD)');
  expect(servers()).toHaveLength(1);
});

test('sessions of aca serve share one server, which ends with it', async () => {
  const { space, servers } = await project();
  const script = [...writes('a.demo', 'BAD a\n'), ...writes('b.demo', 'BAD b\n')];
  const { start, join, model } = await prepared(space, script, ['--mode', 'accept-edits']);
  const { url, child } = await start();
  const member = await join(url);
  for (const words of ['change a', 'change b']) {
    const session = await member.create(space.root);
    await member.prompt(session, words);
  }
  const sent = JSON.stringify(model.requests.map(({ body }) => body));
  expect(sent).toContain('a.demo:1:1 error: bad: BAD a (scripted BAD)');
  expect(sent).toContain('b.demo:1:1 error: bad: BAD b (scripted BAD)');
  expect(servers()).toHaveLength(1);
  member.close();
  child.kill('SIGTERM');
  await expect.poll(servers).toEqual([]);
});
