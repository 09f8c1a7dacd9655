import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { settled } from '../../config/schema/check-settings.ts';
import { createFirewall } from '../../firewall/firewall.ts';
import { keyPatterns } from '../../firewall/keys/key-patterns.ts';
import { logFileIn } from '../../observability/log/log.ts';
import { TraceIds } from '../../observability/telemetry/trace-ids.ts';
import type { Host } from '../host.ts';
import { logCrash } from './crash-log.ts';
import { recordSession } from './session-record.ts';

const session = { id: 'session-1', startedAt: '2026-01-01T00:00:00Z' };

/** What each pattern extracts from its examples. */
const secrets = keyPatterns.flatMap(({ match, examples }) => {
  const anywhere = new RegExp(match.source, match.flags.replace('y', ''));
  return examples.hits.map((hit) => ({ hit, secret: anywhere.exec(hit)?.[1] ?? '' }));
});

async function recording(known: { name: string; value: string }[] = []) {
  const { home } = await workspace();
  const firewall = createFirewall({ secrets: [() => known], key: () => 'key' });
  const record = recordSession({ config: settled({}), root: home }, session, () => undefined);
  const ids = new TraceIds();
  const warn = (text: string) => {
    const event = { type: 'notice' as const, level: 'warn' as const, text };
    record.watch(event, { ids: ids.of(event), hide: (value) => firewall.hide(value) });
  };
  return { home, record, warn, text: () => readFile(logFileIn(home), 'utf8') };
}

test('[O06] no key pattern and no known secret gets into the log', async () => {
  const { warn, text, record } = await recording([{ name: 'MY_PASSWORD', value: 'correct horse battery' }]);
  expect(secrets.length).toBeGreaterThanOrEqual(keyPatterns.length);
  for (const { hit } of secrets) warn(`the server said: ${hit}`);
  warn('and correct horse battery');

  const log = await text();

  const leaked = [...secrets.map(({ secret }) => secret), 'correct horse battery'].filter(
    (secret) => secret === '' || log.includes(JSON.stringify(secret).slice(1, -1)),
  );
  expect(leaked).toEqual([]);
  expect(await record.log.warnings(1)).toMatchObject([
    { level: 'warn', message: expect.stringMatching(/^and /) },
  ]);
});

test('a bug leaves its stack in the log, without secrets from the environment', async () => {
  const { home, root } = await workspace();
  const env = { AI_ASSISTANT_HOME: home, SERVICE_TOKEN: 'f81d4fae7dec11d0a76500a0c91e6bf6' };
  // Only the environment of the terminal is used.
  const terminal = { env, cwd: root } as unknown as Host;
  const file = logCrash(new Error(`no answer for ${env.SERVICE_TOKEN}`), terminal);
  expect(file).toBe(path.join(home, 'logs', 'aca.jsonl'));
  const entry = JSON.parse(await readFile(file ?? '', 'utf8'));
  expect(entry).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/^uncaught error: no answer for /),
  });
  expect(entry.metadata.stack).toContain('session-record.test.ts');
  expect(JSON.stringify(entry)).not.toContain(env.SERVICE_TOKEN);
  expect(logCrash(new Error('x'), { ...terminal, env: { ...env, AI_ASSISTANT_LOG: 'off' } })).toBe(null);
});
