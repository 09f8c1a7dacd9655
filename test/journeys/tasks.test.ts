import { afterAll, expect, test } from 'vitest';
import { aca, comparable, doors, parseStream, protocolNames } from '../support/aca.ts';
import { type ModelServer, startModelServer } from '../support/model-server/server.ts';
import { sampled, sweepGroups } from '../support/soak.ts';
import { type Task, tasks } from '../support/tasks.ts';
import { workspace } from '../support/workspace.ts';

const servers: ModelServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function play(task: Task, protocol: (typeof protocolNames)[number]) {
  const space = await workspace(task.files);
  const server = await startModelServer(task.script);
  servers.push(server);
  const { model, env } = doors[protocol](server.url);
  const args = ['-p', task.prompt, '--model', model, '--output-format', 'stream-json', ...task.flags];
  const outcome = await aca(space, args, { env });
  return { outcome, space, server };
}

sweepGroups(sampled(tasks, 3))('[Z11] [R09] $name', (task) => {
  /** What each protocol's run told, without what may differ. */
  const told = new Map<string, unknown[]>();

  test.each(protocolNames)('over %s', async (protocol) => {
    const { outcome, space, server } = await play(task, protocol);
    expect(outcome.stderr).toBe('');
    const { report, events } = parseStream(outcome.stdout.replaceAll(space.root, '/project'));
    expect(outcome.code).toBe(0);
    expect(report).toMatchObject({
      stopReason: 'done',
      result: task.result,
      turns: task.script.length,
      denials: [],
    });
    expect(await space.tree()).toEqual(task.tree);
    expect(server.requests.length).toBe(task.script.length);
    expect(server.requests.every((request) => request.protocol === protocol)).toBe(true);
    expect(server.refusals).toEqual([]);
    told.set(protocol, comparable(events));
  });

  test('tells the same events whichever protocol the server speaks', () => {
    expect([...told.keys()]).toEqual(protocolNames);
    for (const events of told.values()) expect(events).toEqual(told.get('anthropic'));
  });
});
