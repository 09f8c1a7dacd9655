import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import type { ToolMessage } from '../../contract/message.ts';
import { metricDefinitions } from './metric-definitions.ts';
import { EventMetrics, type Observation } from './metrics.ts';

const usage = { inputTokens: 70, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 10 };

function request(extra: Partial<Extract<AgentEvent, { type: 'model_call' }>> = {}): AgentEvent {
  const call = { provider: 'p', model: 'm', purpose: 'main', durationMs: 1500, contextWindow: 1000 } as const;
  return { type: 'model_call', ...call, ...extra };
}

function judged(verdict: 'allow' | 'deny', by = 'default'): AgentEvent {
  return { type: 'judged', callId: 'c', tool: 'Bash', verdict, by, because: '', accesses: [] };
}

const starts: AgentEvent = { type: 'tool_start', call: { id: 'c', name: 'Bash', input: {} }, title: '' };

function finishes({ success, name = 'Bash' }: { success: boolean; name?: string }): AgentEvent {
  return { type: 'tool_end', callId: 'c', name, success, durationMs: 250 };
}

function answer(message: Partial<ToolMessage> = {}): AgentEvent {
  const tool: ToolMessage = {
    role: 'tool',
    callId: 'c',
    name: 'Bash',
    success: false,
    content: [],
    timestamp: '',
  };
  return { type: 'message', message: { ...tool, ...message } };
}

function within(event: AgentEvent): AgentEvent {
  return { type: 'subagent', callId: 'outer', agent: 'explore: x', event };
}

/** All observations of the events, as `name{label values} value`. */
function worth(...events: AgentEvent[]): string[] {
  const metrics = new EventMetrics();
  return events.flatMap((event) => metrics.take(event)).map(asText);
}

function asText({ metric, value, labels }: Observation): string {
  return `${metric}{${Object.values(labels).join(',')}} ${value}`;
}

describe('[O01] [O02] [O03] the metrics of an event', () => {
  test('a successful request', () => {
    expect(worth(request({ usage, stop: 'end' }))).toEqual([
      'llm_api_calls{p,m} 1',
      'llm_response_time_seconds{p} 1.5',
      'context_token_count{request} 100',
      'context_window_tokens{} 1000',
      'active_context_tokens{} 105',
      'context_tokens_used{} 105',
    ]);
  });

  test('[Y29] a failed request is counted under both names', () => {
    expect(worth(request({ error: 'overloaded' }))).toEqual([
      'llm_api_calls{p,m} 1',
      'llm_response_time_seconds{p} 1.5',
      'errors{overloaded,llm} 1',
      'llm_api_errors_total{} 1',
      'context_window_tokens{} 1000',
    ]);
  });

  test('background jobs and subagents do not affect the conversation’s window', () => {
    const counted = ['llm_api_calls{p,m} 1', 'llm_response_time_seconds{p} 1.5'];
    expect(worth(request({ usage, purpose: 'helper' }))).toEqual([
      ...counted,
      'context_token_count{side_job} 100',
    ]);
    expect(worth(within(request({ usage })))).toEqual([...counted, 'context_token_count{request} 100']);
  });

  test('a call that ran, successful or not', () => {
    expect(worth(judged('allow'), starts, finishes({ success: true }), answer({ success: true }))).toEqual([
      'tool_execution_count{Bash,success} 1',
      'tool_execution_duration_seconds{Bash} 0.25',
      'session_message_count{} 1',
    ]);
    expect(worth(judged('allow'), starts, finishes({ success: false }))).toEqual([
      'tool_execution_count{Bash,error} 1',
      'tool_execution_duration_seconds{Bash} 0.25',
      'errors{failed,tool} 1',
      'tool_execution_errors_total{} 1',
    ]);
  });

  test('a refused call, by the pattern of the rule that refused it', () => {
    expect(
      worth(judged('deny', 'rule deny Bash(git push *)'), finishes({ success: false }), answer()),
    ).toEqual([
      'permission_denials{Bash,Bash(git push *)} 1',
      'tool_execution_count{Bash,denied} 1',
      'session_message_count{} 1',
    ]);
    expect(worth(judged('deny', 'user'))).toEqual(['permission_denials{Bash,user} 1']);
  });

  test('an invalid call; a name made up by the model is not a label', () => {
    const invalid = ['errors{invalid_call,tool} 1', 'session_message_count{} 1'];
    expect(worth(finishes({ success: false, name: 'Made-Up' }), answer({ name: 'Made-Up' }))).toEqual([
      'tool_execution_count{unknown,invalid} 1',
      ...invalid,
    ]);
    expect(worth(judged('allow'), answer({ callId: 'other' }))).toEqual([
      'tool_execution_count{Bash,invalid} 1',
      ...invalid,
    ]);
  });

  test('a call sent twice is counted once', () => {
    expect(worth(finishes({ success: false }), answer({ metadata: { repeats: 'b' } }))).toEqual([
      'session_message_count{} 1',
    ]);
  });

  test('a resumed session starts with its messages', () => {
    const run = {
      type: 'run_start',
      sessionId: 's',
      provider: 'p',
      model: 'm',
      cwd: '/',
      messages: 7,
    } as const;
    expect(worth(run, answer({ success: true }))).toEqual([
      'session_message_count{} 7',
      'session_message_count{} 8',
    ]);
  });

  test('a compaction', () => {
    expect(worth({ type: 'compacted', before: 900, after: 200, by: 'p/m' })).toEqual([
      'context_token_count{before_compaction} 900',
      'context_token_count{after_compaction} 200',
      'active_context_tokens{} 200',
      'context_tokens_used{} 200',
    ]);
  });

  test('lookups, and the ratio over all sessions of the process', () => {
    const lookups = { hits: 0, misses: 0 };
    const look = (outcome: 'hit' | 'miss'): AgentEvent => ({
      type: 'cache',
      kind: 'glob',
      outcome,
      entries: 3,
    });
    const [one, other] = [new EventMetrics(lookups), new EventMetrics(lookups)];
    expect(one.take(look('miss')).map(asText)).toEqual([
      'cache_misses{glob} 1',
      'cached_entries{glob} 3',
      'cache_hit_ratio{} 0',
    ]);
    expect(other.take(look('hit')).map(asText)).toEqual([
      'cache_hits{glob} 1',
      'cached_entries{glob} 3',
      'cache_hit_ratio{} 0.5',
    ]);
  });

  test('a run that failed for another reason than a model', () => {
    const error = { message: 'round in circles' };
    expect(worth({ type: 'end', reason: 'error', turns: 1, error })).toEqual(['errors{run_failed,agent} 1']);
    expect(worth({ type: 'end', reason: 'error', turns: 1, error: { ...error, kind: 'auth' } })).toEqual([]);
    expect(worth({ type: 'end', reason: 'done', turns: 1 })).toEqual([]);
  });
});

test('every observation has exactly the labels that its metric declares, whatever the events', () => {
  const label = fc.string({ maxLength: 3 });
  const outer: fc.Arbitrary<AgentEvent> = fc.oneof(
    fc.constantFrom(judged('allow'), judged('deny'), starts, finishes({ success: false }), answer()),
    label.map((name) => answer({ name, callId: name })),
    fc.constantFrom(request({ usage }), request({ error: 'cut' }), request({ purpose: 'helper', usage })),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(outer, outer.map(within))), (events) => {
      const metrics = new EventMetrics();
      for (const { metric, labels, value } of events.flatMap((event) => metrics.take(event))) {
        const definition = metricDefinitions.find(({ name }) => name === metric);
        expect(Object.keys(labels)).toEqual([...(definition?.labels ?? ['?'])]);
        expect(value).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
