import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What a module loads, at the start or later, if it can reach other machines. */
const OPENS =
  /(?:from|import\()\s*'(?:node:https?|node:net|node:tls|node:dgram|node:http2|undici|ws|ioredis|bullmq|@aws-sdk\/[\w-]+|google-auth-library|@azure\/identity|@opentelemetry\/exporter[\w-]+|@modelcontextprotocol\/sdk\/client[^']*)'|\bfetch\(|\bnew WebSocket\(/;
/** Also as a type: what takes a client sends with it. */
const OWN_CLIENT = /from '[\w./-]+\/network\/(?:http-client|network|download|routed-network)\.ts'/;

/** Where those modules are, and the row of docs/privacy.md that says what they send. The longest place counts. */
const rows: Readonly<Record<string, string>> = {
  'src/providers/': '| Every turn ',
  'src/providers/cloud/': '| With a model of a [cloud]',
  'src/providers/local/': '| At start without a model',
  'src/app/opening/': '| Every turn ',
  'src/app/update/': '| Once a day, ',
  'src/app/voice/': '| When you use voice input without naming a server ',
  'src/voice/': '| [Voice input]',
  'src/assembly/models/': '| At start without a model',
  'src/assembly/memory/': '| If you name an [embedding model]',
  'src/memory/': '| If you name an [embedding model]',
  'src/cache/': '| If you configure [Redis]',
  'src/embedded/models/': '| `--repo-id` ',
  'src/embedded/runtime/': '| `aca models setup` and `pull`',
  'src/cli/subcommands/models/update.ts': '| `aca models update`',
  'src/cli/subcommands/mcp/': '| `aca mcp login NAME`',
  'src/mcp/connection/': '| MCP servers and plugins ',
  'src/mcp/login/': '| `aca mcp login NAME`',
  'src/plugins/hooks/http-hook.ts': '| Hooks that are a URL ',
  'src/observability/telemetry/': '| If you enable [telemetry]',
  'src/fleet/queue/': '| [`aca batch`](fleet.md) with `--queue`',
  'src/fleet/store/': '| `--store s3://…` ',
  'src/frontends/server/': '| [`aca serve`]',
  'src/frontends/server/server-socket.ts': '| `aca attach`, ',
  'src/sandbox/confine/network-proxy.ts': '| Commands in the sandbox ',
  'src/sandbox/web/': '| WebFetch, ',
};

/** They reach only this machine, look at addresses, or are what the modules above send with. */
const elsewhere = [
  'src/lib/network/',
  'src/config/keys/dbus-secrets.ts',
  'src/observability/spending/budget-client.ts',
  'src/observability/spending/budget-server.ts',
  'src/sandbox/confine/local-sockets.ts',
  'src/mcp/serve/serve-http.ts',
  // Its `fetch` downloads what `aca models` downloads.
  'src/frontends/terminal/first-run.ts',
];

const sending = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  .filter((file) => {
    const text = readFileSync(file, 'utf8');
    return OWN_CLIENT.test(text) || OPENS.test(text.replaceAll(/^import type [^;]*;$/gm, ''));
  })
  .filter((file) => !elsewhere.some((place) => file.startsWith(place)));

test('every module that can send something has a row on the privacy page', () => {
  const page = readFileSync('docs/privacy.md', 'utf8');
  const places = Object.keys(rows).sort((a, b) => b.length - a.length);
  const named = sending.map((file) => places.find((place) => file.startsWith(place)) ?? file);
  expect(named.filter((place) => !(place in rows))).toEqual([]);
  expect(places.filter((place) => !named.includes(place))).toEqual([]);
  expect(Object.values(rows).filter((row) => !page.includes(`\n${row}`))).toEqual([]);
});
