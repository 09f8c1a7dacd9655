import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Report, Reporter } from '../../../app/conversation/run-report.ts';
import type { AgentEvent, EndReason } from '../../../contract/event.ts';
import type { AssistantMessage } from '../../../contract/message.ts';
import { ClaudeMessages, isFailure } from './messages.ts';
import type { ClaudeMessage, ContentBlock, SessionFacts } from './types.ts';

const facts = { model: 'm', cwd: '/p', tools: [] } as unknown as SessionFacts;
const timestamp = '2026-01-01T00:00:00.000Z';

function translator(partial = false) {
  return new ClaudeMessages({
    sessionId: 's',
    facts: () => facts,
    toolName: (tool) => (tool.startsWith('docs__') ? `mcp__${tool}` : tool),
    partial,
    replay: false,
  });
}

const assistant = (content: AssistantMessage['content']): AgentEvent => ({
  type: 'message',
  message: { role: 'assistant', content, provider: 'p', model: 'm', stopReason: 'tool_calls', timestamp },
});

const translate = (messages: ClaudeMessages, ...events: AgentEvent[]): ClaudeMessage[] =>
  events.flatMap((event) => [...messages.take(event)]);

test('a call, its refusal and its result, also of a subagent', () => {
  const messages = translator();
  const call = { type: 'tool_call' as const, id: 'c1', name: 'docs__read', input: { path: 'a' } };
  const judged: AgentEvent = {
    ...{ type: 'judged', callId: 'c1', tool: 'docs__read', verdict: 'deny', by: 'rule', because: 'no' },
    accesses: [],
  };
  const answer: AgentEvent = {
    type: 'message',
    message: {
      ...{ role: 'tool', callId: 'c1', name: 'docs__read', success: false, timestamp },
      content: [{ type: 'text', text: 'no' }],
    },
  };
  const seen = translate(messages, assistant([call]), judged, answer, {
    ...{ type: 'subagent', callId: 'task', agent: 'Explore' },
    event: assistant([{ type: 'text', text: 'found it' }]),
  });
  expect(seen).toMatchObject([
    {
      ...{ type: 'assistant', parent_tool_use_id: null, session_id: 's' },
      message: {
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', id: 'c1', name: 'mcp__docs__read', input: { path: 'a' } }],
      },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'c1', is_error: true }] },
    },
    {
      ...{ type: 'assistant', parent_tool_use_id: 'task' },
      message: { content: [{ type: 'text', text: 'found it' }] },
    },
  ]);
  expect(messages.result(reportOf('done')).permission_denials).toEqual([
    { tool_name: 'mcp__docs__read', tool_use_id: 'c1', tool_input: { path: 'a' } },
  ]);
});

function reportOf(stopReason: EndReason, more: Partial<Report> = {}): Report {
  return { ...new Reporter().report, stopReason, ...more };
}

describe('the result', () => {
  test.each<[EndReason, string, boolean]>([
    ['done', 'success', false],
    ['max_tokens', 'success', false],
    ['refusal', 'success', false],
    ['max_turns', 'error_max_turns', true],
    ['budget', 'error_max_budget_usd', true],
    ['error', 'error_during_execution', true],
    ['interrupted', 'error_during_execution', false],
  ])('of a run that ended with %s', (stopReason, subtype, isError) => {
    const report = reportOf(stopReason);
    expect(translator().result(report)).toMatchObject({ subtype, is_error: isError });
    expect(isFailure(report)).toBe(isError);
  });

  test('costs add up over the runs of a session', () => {
    const messages = translator();
    messages.result(reportOf('done', { costUsd: 0.25 }));
    expect(messages.result(reportOf('done', { costUsd: 0.5 })).total_cost_usd).toBe(0.75);
  });
});

/** Puts a reply together as clients of the Messages API do. */
function assemble(messages: readonly ClaudeMessage[]): ContentBlock[] {
  const blocks: (ContentBlock & { json?: string })[] = [];
  for (const message of messages) {
    if (message.type !== 'stream_event') continue;
    const { event } = message;
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block };
    if (event.type !== 'content_block_delta') continue;
    const block = blocks[event.index];
    const { delta } = event;
    if (delta.type === 'text_delta' && block?.type === 'text') block.text += delta.text;
    else if (delta.type === 'thinking_delta' && block?.type === 'thinking') block.thinking += delta.thinking;
    else if (delta.type === 'input_json_delta' && block?.type === 'tool_use')
      block.input = JSON.parse(delta.partial_json) as Record<string, unknown>;
    else throw new Error(`A ${delta.type} for ${block?.type}.`);
  }
  return blocks;
}

test('the pieces of any reply make up its message', () => {
  const piece = fc.record({
    type: fc.constantFrom('text' as const, 'thinking' as const),
    text: fc.string({ minLength: 1 }),
  });
  const input = fc.dictionary(fc.string(), fc.string());
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), fc.array(input), (pieces, inputs) => {
      const said: { type: 'text' | 'thinking'; text: string }[] = [];
      for (const { type, text } of pieces) {
        const last = said.at(-1);
        if (last?.type === type) last.text += text;
        else said.push({ type, text });
      }
      const called = inputs.map((given, i) => ({
        ...{ type: 'tool_call' as const, id: `c${i}`, name: 'Read' },
        input: given,
      }));
      const messages = translator(true);
      const seen = translate(messages, ...pieces, assistant([...said, ...called]));
      const whole = seen.find((one) => one.type === 'assistant');
      expect(assemble(seen)).toEqual(whole?.message.content);
    }),
  );
});
