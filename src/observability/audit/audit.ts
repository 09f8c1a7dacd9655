import { type AgentEvent, innermost } from '../../contract/event.ts';
import type { Access } from '../../contract/permission.ts';
import type { LogOptions } from '../log/log.ts';
import { ChainedLog } from './chained-log.ts';

/** One line of the audit log: the decision about a call, or the outcome of a call that ran. */
export type AuditRecord = { time: string; session: string; callId: string; tool: string } & (
  | {
      type: 'judged';
      cwd: string;
      /** The subagents that made the call, outermost first. */
      agents?: string[];
      accesses: Access[];
      verdict: 'allow' | 'deny';
      /** What decided: a rule, a mode, a grant, the user. */
      by: string;
      because: string;
    }
  | { type: 'outcome'; success: boolean; exitCode?: number | null; durationMs: number }
);

export type AuditOptions = Omit<LogOptions, 'level'> & { cwd: string };

const LONGEST_TEXT = 10_000;

export type Audit = { take(event: AgentEvent): void };

/** Writes a line for every judged call and one for its outcome, each chained to the previous one. */
export function createAudit(options: AuditOptions): Audit {
  const { file, sessionId, cwd, redact, onTrouble, now = () => new Date(), maxBytes } = options;
  const log = new ChainedLog(file, maxBytes);
  const running = new Set<string>();
  let troubled = false;

  function write(record: AuditRecord): void {
    try {
      log.append(record);
    } catch (error) {
      if (!troubled)
        onTrouble(`Cannot write the audit log (${(error as Error).message}). The run continues.`);
      troubled = true;
    }
  }

  return {
    take(outer) {
      const { event, agents, calls } = innermost(outer);
      // Ids are unique within one conversation, and a subagent has its own.
      const idOf = (callId: string) => [...calls, callId].join('/');
      if (event.type === 'judged') {
        const { tool, verdict } = event;
        const callId = idOf(event.callId);
        const { accesses, by, because } = redact({
          accesses: event.accesses,
          by: event.by,
          because: event.because,
        });
        if (verdict === 'allow') running.add(callId);
        else running.delete(callId);
        write({
          type: 'judged',
          time: now().toISOString(),
          session: sessionId,
          callId,
          tool,
          cwd,
          ...(agents.length > 0 && { agents: redact(agents).map(cut) }),
          accesses: accesses.map((access) => ({ ...access, target: cut(access.target) })),
          verdict,
          by: cut(by),
          because: cut(because),
        });
      } else if (event.type === 'tool_end' && running.delete(idOf(event.callId))) {
        const { name, success, durationMs, metadata } = event;
        const exitCode = metadata?.exitCode;
        write({
          type: 'outcome',
          time: now().toISOString(),
          session: sessionId,
          callId: idOf(event.callId),
          tool: name,
          success,
          ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
          durationMs,
        });
      }
    },
  };
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters in total)`;
}
