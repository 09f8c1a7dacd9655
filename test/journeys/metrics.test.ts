import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEntry } from '../../src/observability/audit/read-audit.ts';
import { metricDefinitions } from '../../src/observability/telemetry/metric-definitions.ts';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { parseExposition, type Scrape } from '../support/exposition.ts';
import { openLab } from '../support/lab.ts';
import { calls, fails, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const main = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/main.cjs');

/** A running program: what it has written, and a way to wait for a line of it. */
function following(child: ChildProcess) {
  const written = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      for (const look of waiting) look();
    });
  }
  const until = (name: 'stdout' | 'stderr', match: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = match.exec(written[name]);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { until, send: (line: object) => child.stdin?.write(`${JSON.stringify(line)}\n`) };
}

async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(await response.text());
}

describe('[O01] [O02] [O03] [Y29] a long conversation can be scraped', () => {
  test('every metric is there, both names of a counter, and all add up over the runs', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const server = await serve([
      calls(['Read', { file_path: 'a.txt' }], ['Bash', { command: 'rm -rf /' }]),
      calls(['Read', { file_path: 'none.txt' }], ['Nonsense', {}]),
      says('alpha', { usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 0 } }),
      fails(401),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
    let child: ChildProcess | undefined;
    const running = aca(space, [...args, '--model', model, '--metrics-port', '0'], {
      env,
      stdin: { open: true },
      onSpawn: (spawned) => {
        child = spawned;
      },
    });
    if (!child) throw new Error('The program did not start.');
    onTestFinished(() => void child?.kill('SIGKILL'));
    const { until, send } = following(child);

    const [, url = ''] = await until('stderr', /Metrics are served at (http:\S+)\.\n/);
    const before = await scrape(url);
    expect([...before.samples].filter(([name]) => !name.includes('{'))).toEqual([
      ['llm_api_errors_total', 0],
      ['cache_missed_tokens', 0],
      ['tool_execution_errors_total', 0],
    ]);
    const aliases = metricDefinitions.flatMap((one) =>
      'alias' in one ? [[one.alias, one.type] as const] : [],
    );
    const named = metricDefinitions.map(({ name, type }) => [name, type] as const);
    expect([...before.types].sort()).toEqual([...named, ...aliases].sort());

    send({ type: 'user', text: 'what is in a.txt?' });
    await until('stdout', /"type":"result".*\n/);
    send({ type: 'user', text: 'and now?' });
    await until('stdout', /"type":"result".*\n(.*\n)*.*"type":"result".*\n/);
    const { samples } = await scrape(url);
    const claude = 'provider="anthropic",model="claude-sonnet-4-20250514"';
    expect(Object.fromEntries(samples)).toMatchObject({
      'tool_execution_count{tool="Read",status="success"}': 1,
      'tool_execution_count{tool="Read",status="error"}': 1,
      'tool_execution_count{tool="Bash",status="denied"}': 1,
      'tool_execution_count{tool="unknown",status="invalid"}': 1,
      [`llm_api_calls{${claude}}`]: 4,
      'errors{type="failed",source="tool"}': 1,
      'errors{type="invalid_call",source="tool"}': 1,
      'errors{type="auth",source="llm"}': 1,
      llm_api_errors_total: 1,
      tool_execution_errors_total: 1,
      'tool_execution_duration_seconds_count{tool="Read"}': 2,
      'llm_response_time_seconds_count{provider="anthropic"}': 4,
      'context_token_count_count{phase="request"}': 3,
      active_context_tokens: 1000,
      context_tokens_used: 1000,
      context_window_tokens: 200_000,
    });
    for (const { name, alias } of metricDefinitions.flatMap((one) => ('alias' in one ? [one] : []))) {
      const of = (wanted: string) =>
        [...samples].flatMap(([key, value]) =>
          key.split('{')[0] === wanted ? [[key.slice(wanted.length), value]] : [],
        );
      expect(of(alias)).toEqual(of(name));
    }
    expect(samples.get('session_message_count')).toBe(9);

    // As a web page would ask that has made its own name lead here.
    const rebound = await new Promise((resolve) =>
      get(url, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)),
    );
    expect(rebound).toBe(403);
    const elsewhere = await fetch(url.replace('/metrics', '/'));
    const posted = await fetch(url, { method: 'POST' });
    expect([elsewhere.status, posted.status]).toEqual([404, 405]);

    child.stdin?.end();
    expect((await running).code).toBe(1);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('a port that is taken is said before anything is asked', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const space = await workspace();
    const server = await serve([says('hi')]);
    const { model, env } = doors.anthropic(server.url);

    expect(await aca(space, ['-p', 'hi', '--model', model, '--metrics-port', String(port)], { env })).toEqual(
      {
        code: 2,
        stdout: '',
        stderr: `Cannot serve metrics on port ${port}: it is already in use.\nUse another --metrics-port, or 0 for any free port.\n`,
      },
    );
    expect(server.requests).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'so can the interactive screen, before the first prompt',
    async () => {
      const space = await workspace();
      const server = await serve([says('hi')]);
      const { model, env } = doors.anthropic(server.url);
      const lab = openLab(space, ['--model', model, '--metrics-port', '0'], {
        env,
        whenDone: onTestFinished,
      });
      await lab.waitFor('Metrics are served at');
      const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(lab.all().join('')) ?? [];
      expect((await scrape(url)).samples.get('llm_api_errors_total')).toBe(0);
    },
  );

  test(
    '[U15] a client of `mcp serve` makes calls that are counted and written to the audit log',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'alpha\n' });
      const child = spawn(process.execPath, [main, 'mcp', 'serve', '--metrics-port', '0'], {
        cwd: space.root,
        env: cleanEnv(space),
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const { until, send } = following(child);
      const [, url = ''] = await until('stderr', /Metrics are served at (http:\S+)\.\n/);
      const clientInfo = { name: 'a client', version: '1' };
      const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
      send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      await until('stdout', /"id":1\b.*\n/);
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const call = { name: 'Read', arguments: { file_path: 'a.txt' } };
      send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call });
      await until('stdout', /"id":2\b.*\n/);

      const { samples } = await scrape(url);
      expect(samples.get('tool_execution_count{tool="Read",status="success"}')).toBe(1);
      child.stdin.end();
      await ended;
      const { stdout } = await aca(space, ['audit', '--json']);
      const entries = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEntry);
      expect(entries.map(({ tool }) => tool)).toEqual(['Read']);
    },
  );
});
