// @module-tag soak
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { deadUrl } from '../support/loopback.ts';
import { calls, fails, says } from '../support/model-server/script.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const PROMPT = 'say what the secret plan is';
const KEY = 'sk-test-4Qv9xN2mLw8RzTb6KyHc3JfD';

async function ask(
  space: Workspace,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] },
) {
  const server = await serve([
    calls(['Read', { file_path: 'plan.txt' }], ['Bash', { command: 'rm -rf /' }]),
    says('The plan is cake.', { usage: { inputTokens: 70, outputTokens: 5, cacheReadTokens: 30 } }),
  ]);
  const door = doors.anthropic(server.url);
  return aca(space, ['-p', PROMPT, '--model', door.model, ...args], {
    env: { ...door.env, ANTHROPIC_API_KEY: KEY, ...env },
  });
}

async function plan(telemetry?: object): Promise<Workspace> {
  const space = await workspace({ 'plan.txt': `cake, key ${KEY}\n` });
  const home = path.join(space.home, '.ai-assistant');
  await mkdir(home, { recursive: true });
  if (telemetry) await writeFile(path.join(home, 'config.json'), JSON.stringify({ telemetry }));
  return space;
}

/** On a busy machine what is sent may take its time. */
const PATIENT = { enabled: true, farewellMs: 20_000 };

/** What a metric came to, by the values of its labels. */
function numbersOf({ metrics }: OtlpReceiver, name: string): Record<string, number> {
  const points = metrics.get(name)?.points ?? [];
  return Object.fromEntries(points.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

describe('[O01] [O02] [O03] a run, as a collector sees it', () => {
  sweep(['http/protobuf', 'http/json'])('over %s: numbers, and one trace', async (protocol) => {
    const collector = await startOtlpReceiver();
    const outcome = await ask(await plan(PATIENT), {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
        OTEL_SERVICE_NAME: 'my-assistant',
        OTEL_RESOURCE_ATTRIBUTES: 'team=tools',
      },
    });

    expect(outcome).toMatchObject({ code: 3, stdout: 'The plan is cake.\n' });
    const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
    const kinds = collector.requests.map(({ path, contentType, headers }) =>
      [path, contentType, headers['x-tenant']].join(' '),
    );
    expect([...new Set(kinds)].sort()).toEqual([`/v1/metrics ${type} a b`, `/v1/traces ${type} a b`]);
    expect(collector.resource).toMatchObject({ 'service.name': 'my-assistant', team: 'tools' });

    expect(numbersOf(collector, 'tool_execution_count')).toEqual({ 'Read success': 1, 'Bash denied': 1 });
    expect(numbersOf(collector, 'llm_api_calls')).toEqual({ 'anthropic claude-sonnet-4-20250514': 2 });
    expect(Object.values(numbersOf(collector, 'permission_denials'))).toEqual([1]);
    expect(numbersOf(collector, 'tool_execution_duration_seconds')).toEqual({ Read: 1 });
    expect(numbersOf(collector, 'llm_response_time_seconds')).toEqual({ anthropic: 2 });
    expect(numbersOf(collector, 'active_context_tokens')).toEqual({ '': 105 });
    expect(numbersOf(collector, 'context_window_tokens')).toEqual({ '': 200_000 });
    expect(numbersOf(collector, 'session_message_count')).toEqual({ '': 5 });

    const [run] = collector.spans.filter(({ parentSpanId }) => parentSpanId === null);
    expect(collector.spans.map(({ name }) => name).sort()).toEqual([
      'chat claude-sonnet-4-20250514',
      'chat claude-sonnet-4-20250514',
      'execute_tool Read',
      'invoke_agent ai-code-assistant',
    ]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(collector.spans.filter((span) => span !== run).map(({ parentSpanId }) => parentSpanId)).toEqual([
      run?.spanId,
      run?.spanId,
      run?.spanId,
    ]);
    const last = collector.spans.find(({ attributes }) => attributes['gen_ai.usage.output_tokens'] === 5);
    expect(last).toMatchObject({
      kind: 3,
      isError: false,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.response.finish_reasons': ['end'],
      },
    });
  });

  test('[N11] a request that fails is an error in numbers and in the trace', async () => {
    const collector = await startOtlpReceiver();
    const server = await serve([fails(401)]);
    const { model, env } = doors.anthropic(server.url);
    const outcome = await aca(await plan(PATIENT), ['-p', 'hi', '--model', model], {
      env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });

    expect(outcome.code).toBe(1);
    expect(numbersOf(collector, 'errors')).toEqual({ 'auth llm': 1 });
    expect(numbersOf(collector, 'llm_api_errors_total')).toEqual({ '': 1 });
    expect(collector.spans.map(({ isError, attributes }) => [isError, attributes['error.type']])).toEqual([
      [true, 'auth'],
      [true, 'auth'],
    ]);
  });
});

describe('what was said stays here', () => {
  test('no text of a prompt, an answer or a file is sent', async () => {
    const collector = await startOtlpReceiver();
    await ask(await plan(PATIENT), { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });

    const sent = collector.requests.map(({ text }) => text).join('\n');
    expect(sent).toContain('execute_tool Read');
    expect(['secret plan', 'cake', 'plan.txt', KEY].filter((text) => sent.includes(text))).toEqual([]);
  });

  test('unless it is asked for; even then no key', async () => {
    const collector = await startOtlpReceiver();
    await ask(await plan(PATIENT), {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
    });

    const sent = collector.requests.map(({ text }) => text).join('\n');
    expect(sent).toContain(PROMPT);
    expect(sent).toContain('The plan is cake.');
    expect(sent).toContain('plan.txt');
    expect(sent).not.toContain(KEY);
  });

  test('an address in the environment alone switches nothing on, nor can a project, however trusted', async () => {
    const space = await plan();
    const collector = await startOtlpReceiver();
    await writeFile(
      path.join(space.root, '.ai-assistant.json'),
      JSON.stringify({ telemetry: { enabled: true } }),
    );
    const outcome = await ask(space, {
      args: ['--trust'],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });

    expect(outcome.stdout).toBe('The plan is cake.\n');
    expect(outcome.stderr).toContain('telemetry is ignored; set it in');
    expect(collector.requests).toEqual([]);
  });

  test('offline, nothing goes to another machine', async () => {
    const outcome = await ask(await plan(PATIENT), {
      args: ['--offline'],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.invalid:4318' },
    });
    expect(outcome.stdout).toBe('The plan is cake.\n');
    expect(outcome.stderr.match(/Offline: collector\.invalid:4318/g)?.length).toBe(1);
  });
});

/** Longer than a test may take: it can only pass by not waiting for it. */
const HOURS = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' };

describe('a collector in trouble costs the run nothing but one warning', () => {
  sweep([
    ['nobody listens', deadUrl],
    ['it takes everything and never answers', async () => (await startOtlpReceiver({ silent: true })).url],
  ])('%s', async (_, address) => {
    const outcome = await ask(await plan(), {
      env: { AI_ASSISTANT_TELEMETRY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: await address(), ...HOURS },
    });

    expect(outcome).toMatchObject({ code: 3, stdout: 'The plan is cake.\n' });
    expect(outcome.stderr.match(/Could not send telemetry/g)?.length).toBe(1);
  });
});
