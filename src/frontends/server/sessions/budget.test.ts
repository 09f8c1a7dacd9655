import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { hosting } from '../../../../test/support/hosting.ts';
import { calls, says } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';

const read = calls(['Read', { file_path: 'a.txt' }]);

test('the budget of a session holds in the server, whoever prompts, and for no other session', async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const { join, model } = await hosting(space, [read, read, says('Done.')]);
  const ada = await join();
  const { sessionId: limited } = await ada.agent.request(methods.agent.session.new, {
    cwd: space.root,
    mcpServers: [],
    _meta: { aca: { options: { budget: ['1 turns'] } } },
  });
  const bob = await join({ name: 'Bob', role: 'editor' });
  await bob.attach(limited);

  await expect(bob.prompt(limited, 'go')).rejects.toThrow('Limit reached: 1 of 1 turn');
  expect(model.requests).toHaveLength(1);

  const free = await ada.create(space.root);
  expect(await ada.prompt(free, 'go')).toBe('end_turn');
  expect(model.requests).toHaveLength(3);
});
