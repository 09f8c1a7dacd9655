import { describe, expect } from 'vitest';
import { aca, doors, protocolNames } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

/** What each conversation costs before its first word, in bytes as sent. */
const MOST_BYTES = 13 * 1024;

describe('the first request of a session without settings', () => {
  sweep(protocolNames, 2)('is small enough to be paid for each time: %s', async (protocol) => {
    const space = await workspace({ 'a.txt': 'a' });
    const server = await serve([says('ok')]);
    const { model, env } = doors[protocol](server.url);
    const { code } = await aca(space, ['-p', 'go', '--model', model], { env });
    const bytes = Number(
      server.requests[0]?.headers['content-length'] ?? JSON.stringify(server.requests[0]?.body).length,
    );
    expect(code).toBe(0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });
});
