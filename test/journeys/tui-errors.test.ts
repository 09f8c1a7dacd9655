import { expect, test } from 'vitest';
import { still } from '../support/lab.ts';
import { calls, fails, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

test(
  'a rejected key: the next step is named, and Enter in the empty prompt sends again, once',
  soak,
  async () => {
    const { lab, server } = await openScreen(await workspace({ 'a.txt': 'alpha\n' }), [
      fails(401, { message: 'invalid x-api-key' }),
      calls(['Read', { file_path: 'a.txt' }]),
      fails(401, { message: 'invalid x-api-key' }),
      says('It says alpha.'),
    ]);
    lab.type('what is in a.txt?\r');
    await lab.waitFor('Press enter to try again.');
    const said = lab.all().join('\n').replaceAll(/\s+/g, ' ');
    expect(said).toMatch(
      /! Your Anthropic key was rejected\. Run `aca keys set anthropic`.* invalid x-api-key/,
    );
    lab.type('\r\r\r');
    await lab.waitFor('Press enter to try again.', { times: 2 });
    await still(lab);
    expect(server.requests).toHaveLength(3);
    lab.type('\r');
    await lab.waitFor('It says alpha.');
    // Nothing failed, so there is nothing to send.
    lab.type('\r\r');
    await still(lab);
    expect(server.requests).toHaveLength(4);
    const prompts = server.requests.map(
      ({ messages }) => messages.filter(({ role }) => role === 'user').length,
    );
    expect(lab.all().filter((row) => row.startsWith('> what is in a.txt?'))).toHaveLength(1);
    expect(JSON.stringify(server.requests[3]?.body).split('what is in a.txt?')).toHaveLength(2);
    expect(prompts[1]).toBe(prompts[0]);
  },
);

test('a retry is counted down, second by second', soak, async () => {
  const { lab } = await openScreen(await workspace(), [
    fails(503, { message: 'try later', retryAfter: 3 }),
    says('Here I am.'),
  ]);
  const seen = new Set<string>();
  lab.type('go\r');
  await lab.waitFor(({ rows }) => {
    for (const row of rows()) {
      const left = /^Server overloaded, retrying (in \d+s|now) \(1 of 3\)/.exec(row)?.[1];
      if (left !== undefined) seen.add(left);
    }
    return rows().includes('Here I am.');
  });
  const order = ['in 3s', 'in 2s', 'in 1s', 'now'];
  expect([...seen]).toEqual(order.filter((left) => seen.has(left)));
  expect(seen.size).toBeGreaterThan(1);
});
