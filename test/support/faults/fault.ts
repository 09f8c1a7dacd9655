import type { Report } from '../../../src/app/conversation/run-report.ts';
import type { AgentEvent } from '../../../src/contract/event.ts';
import { aca, doors, type Outcome, parseStream } from '../aca.ts';
import type { ProtocolName } from '../model-server/protocol.ts';
import type { Step } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type WhenDone, type Workspace, workspace } from '../workspace.ts';

/** Long enough to search for, and recognizable anywhere. */
export const KEY = 'sk-canary-7f3a9c2e5b1d';

/** A value per protocol. */
export type PerProtocol<T> = Record<ProtocolName, T>;

/**
 * The outcome of a run, in a few complete values. `kind` is the error's, `retries` are the kinds of failure
 * that were retried, `ran` the tools that ran, `told` the results sent to the model, in order.
 */
export type Upshot = {
  code: number | null;
  stopReason: Report['stopReason'];
  kind: string | null;
  result: string;
  requests: number;
  retries: string[];
  ran: string[];
  told: { success: boolean; text: string }[];
};

export type Played = Upshot & {
  outcome: Outcome;
  events: AgentEvent[];
  report: Report;
  server: ModelServer;
  space: Workspace;
};

export type Fault = {
  name: string;
  script: Step[] | ((protocol: ProtocolName) => Step[]);
  /** The difference from a run that succeeds after one request, with the answer `fine`. */
  upshot: Partial<Upshot> | ((protocol: ProtocolName) => Partial<Upshot>);
  /** Text that must be printed to standard error. */
  words?: string | ((protocol: ProtocolName) => string);
  /** Models other than the defaults. */
  models?: Partial<PerProtocol<string>>;
  flags?: string[];
  files?: Record<string, string>;
  /** Continues with `--continue` afterwards: the server must accept the history. */
  continues?: true;
  also?: (played: Played, protocol: ProtocolName) => void | Promise<void>;
  /** Why a protocol has no such row. */
  except?: Partial<PerProtocol<string>>;
};

export const fine: Upshot = {
  code: 0,
  stopReason: 'done',
  kind: null,
  result: 'fine',
  requests: 1,
  retries: [],
  ran: [],
  told: [],
};

/** A table row for this protocol. */
export function pick<T>(value: T | ((protocol: ProtocolName) => T), protocol: ProtocolName): T {
  // T is never a function here: rows are scripts, outcomes and text.
  return typeof value === 'function' ? (value as (protocol: ProtocolName) => T)(protocol) : value;
}

export function door(protocol: ProtocolName, url: string): { model: string; env: Record<string, string> } {
  const { model, env } = doors[protocol](url);
  const keyed = Object.entries(env).map(([name, value]) => [name, name.endsWith('_KEY') ? KEY : value]);
  return { model, env: Object.fromEntries(keyed) };
}

/** Runs the program against a server that plays the fault. */
export async function playFault(fault: Fault, protocol: ProtocolName, whenDone: WhenDone): Promise<Played> {
  const space = await workspace(fault.files ?? { 'a.txt': 'alpha', 'b.txt': 'beta' }, whenDone);
  const server = await startModelServer(pick(fault.script, protocol));
  whenDone(() => server.close());
  const { model, env } = door(protocol, server.url);
  const named = fault.models?.[protocol] ?? model;
  const args = ['-p', 'go', '--model', named, '--output-format', 'stream-json', ...(fault.flags ?? [])];
  const outcome = await aca(space, args, { env });
  return { ...upshotOf(outcome, server), outcome, server, space };
}

function upshotOf(outcome: Outcome, server: ModelServer): Upshot & Pick<Played, 'events' | 'report'> {
  const { events, report } = parseStream(outcome.stdout);
  return {
    code: outcome.code,
    stopReason: report.stopReason,
    kind: report.error?.kind ?? null,
    result: report.result,
    requests: server.requests.length,
    retries: events.flatMap((event) => (event.type === 'retry' ? [event.kind] : [])),
    ran: events.flatMap((event) => (event.type === 'tool_start' ? [event.call.name] : [])),
    told: events.flatMap((event) =>
      event.type === 'message' && event.message.role === 'tool'
        ? [{ success: event.message.success, text: event.message.content.map(textOf).join('') }]
        : [],
    ),
    events,
    report,
  };
}

function textOf(part: { type: string; text?: string }): string {
  return part.text ?? `[${part.type}]`;
}
