import { type AgentEvent, type EndReason, innermost } from '../../contract/event.ts';
import type { LogLevel, LogLine } from './log-entry.ts';

/**
 * The log line for an event; null if there is none. Numbers and names only: never a prompt, an answer, or the
 * input or output of a call.
 */
export function logLineOf(outer: AgentEvent): LogLine | null {
  const { event, agents } = innermost(outer);
  const line = lineOf(event);
  if (!line || agents.length === 0) return line;
  // An agent's label contains the first words of its task.
  return { ...line, metadata: { ...line.metadata, depth: agents.length } };
}

function lineOf(event: AgentEvent): LogLine | null {
  switch (event.type) {
    case 'run_start': {
      const { provider, model, cwd } = event;
      return { level: 'info', message: 'run started', metadata: { provider, model, cwd } };
    }
    case 'turn_start':
      return { level: 'debug', message: 'turn started', metadata: { turn: event.turn } };
    case 'question': {
      const { callId, tool } = event.request;
      return { level: 'debug', message: 'waiting for approval', toolName: tool, metadata: { callId } };
    }
    case 'judged': {
      const { callId, tool: toolName, verdict, by, because } = event;
      if (verdict === 'allow')
        return { level: 'debug', message: 'call allowed', toolName, metadata: { callId, by } };
      return { level: 'info', message: 'call refused', toolName, metadata: { callId, by, because } };
    }
    case 'tool_start': {
      const { id: callId, name: toolName } = event.call;
      return { level: 'debug', message: 'call started', toolName, metadata: { callId } };
    }
    case 'tool_end': {
      const { callId, name: toolName, success, durationMs } = event;
      return success
        ? { level: 'debug', message: 'call done', toolName, metadata: { callId, durationMs } }
        : { level: 'info', message: 'call failed', toolName, metadata: { callId, durationMs } };
    }
    case 'cache': {
      const { kind, outcome, entries } = event;
      return { level: 'debug', message: `cache ${outcome}`, metadata: { kind, entries } };
    }
    case 'model_call': {
      const { type: _, error, ...metadata } = event;
      return error === undefined
        ? { level: 'debug', message: 'model answered', metadata }
        : { level: 'warn', message: 'model failed', metadata: { ...metadata, error } };
    }
    case 'retry': {
      const { kind, message, attempt, delayMs } = event;
      return { level: 'warn', message: `retried: ${message}`, metadata: { kind, attempt, delayMs } };
    }
    case 'compacted': {
      const { before, after, by } = event;
      return { level: 'info', message: 'older messages compacted', metadata: { before, after, by } };
    }
    case 'cache_miss': {
      const { reason, tokens, costUsd } = event;
      return { level: 'info', message: `cache missed: ${reason}`, metadata: { tokens, costUsd } };
    }
    case 'input_transformed': {
      const dropped = event.transformations.filter(({ kind }) => kind === 'thinking_dropped');
      const [first] = dropped;
      if (!first) return null;
      const metadata = { reason: first.reason, blocks: dropped.length };
      return { level: 'warn', message: 'the vendor left out reasoning of earlier replies', metadata };
    }
    case 'notice':
      return { level: event.level, message: event.text, metadata: {} };
    case 'end': {
      const { reason, turns, error } = event;
      const metadata = { reason, turns, ...(error?.kind !== undefined && { kind: error.kind }) };
      const message = error ? `run ended: ${error.message}` : 'run ended';
      return { level: LEVEL_OF_END[reason], message, metadata };
    }
    default:
      return null;
  }
}

const LEVEL_OF_END: Record<EndReason, LogLevel> = {
  done: 'info',
  interrupted: 'info',
  max_turns: 'warn',
  max_tokens: 'warn',
  budget: 'warn',
  refusal: 'warn',
  error: 'error',
};
