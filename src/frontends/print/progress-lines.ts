import { describeCompaction } from '../../commands/compact.ts';
import { refusalLine } from '../../commands/format/decision.ts';
import { loadingLine } from '../../commands/format/loading.ts';
import { retryLine } from '../../commands/format/retry.ts';
import { subagentLine } from '../../commands/format/subagent.ts';
import { summaryText } from '../../commands/format/summary.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type AgentEvent, innermost } from '../../contract/event.ts';

/**
 * Progress of a headless run on standard error: errors always, warnings unless quiet, every step when
 * verbose. Other events are passed to `others`.
 */
export function printProgress(
  stderr: NodeJS.WriteStream,
  verbosity: Config['verbosity'],
  others: (event: AgentEvent) => void = () => undefined,
): (event: AgentEvent) => void {
  const titles = new Map<string, string>();
  return (event) => {
    if (event.type === 'tool_start') titles.set(event.call.id, event.title);
    const line = lineOf(event, titles);
    if (!line) others(event);
    else if (rank[verbosity] >= rank[line.from]) stderr.write(`${line.text}\n`);
  };
}

const rank = { quiet: 0, normal: 1, verbose: 2 };

type Line = { from: Config['verbosity']; text: string };

function lineOf(event: AgentEvent, titles: Map<string, string>): Line | null {
  switch (event.type) {
    case 'end':
      return endLine(event);
    case 'notice':
      return { from: event.level === 'warn' ? 'normal' : 'verbose', text: event.text };
    case 'retry':
      return { from: 'normal', text: retryLine(event) };
    case 'loading':
      return event.share === 0 ? { from: 'normal', text: loadingLine(event) } : null;
    case 'compacted':
      return { from: 'verbose', text: describeCompaction(event) };
    case 'judged':
      return event.verdict === 'deny' ? { from: 'normal', text: refusalLine(event) } : null;
    case 'subagent': {
      const { event: inner, agents } = innermost(event);
      const text = subagentLine(inner);
      const from = inner.type === 'judged' ? 'normal' : 'verbose';
      return text === null ? null : { from, text: `[${agents.join(' › ')}] ${text}` };
    }
    case 'tool_start':
      return { from: 'verbose', text: `→ ${event.title}` };
    case 'tool_end':
      return {
        from: 'verbose',
        text: `${event.success ? '✓' : '✗'} ${titles.get(event.callId) ?? event.name} (${factsOf(event)})`,
      };
    case 'usage': {
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event.usage;
      return {
        from: 'verbose',
        text: `${inputTokens + cacheReadTokens + cacheWriteTokens} tokens in, ${outputTokens} out`,
      };
    }
    default:
      return null;
  }
}

function factsOf({ summary, durationMs }: Extract<AgentEvent, { type: 'tool_end' }>): string {
  return [...(summary ? [summaryText(summary)] : []), `${durationMs} ms`].join(', ');
}

function endLine({ reason, turns, error }: Extract<AgentEvent, { type: 'end' }>): Line | null {
  switch (reason) {
    case 'done':
      return null;
    case 'max_turns':
      return {
        from: 'quiet',
        text: `Stopped at the limit of ${turns} turns. Raise it with --max-turns, or resume with --continue.`,
      };
    case 'max_tokens':
      return {
        from: 'quiet',
        text: 'The last answer was cut off at the output limit. Raise maxTokens, or resume with --continue.',
      };
    case 'budget':
    case 'refusal':
      return { from: 'quiet', text: [error?.message, error?.hint].filter(Boolean).join('\n') };
    case 'interrupted':
      return { from: 'quiet', text: 'Interrupted. Resume with --continue.' };
    case 'error':
      return {
        from: 'quiet',
        text: error?.hint ? `${error.message}\n${error.hint}` : (error?.message ?? 'The run failed.'),
      };
    default:
      return reason satisfies never;
  }
}
