import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import { type Message, textOf, toolCallsOf } from '../../contract/message.ts';
import type { Access } from '../../contract/permission.ts';
import type { Provider } from '../../contract/provider.ts';
import { closedOutput } from '../../firewall/closed-output.ts';
import { guardProvider } from '../../firewall/firewall.ts';
import { peek } from '../../lib/files/peek.ts';
import { createAudit } from '../../observability/audit/audit.ts';
import { parseTraceparent, TraceIds } from '../../observability/telemetry/trace-ids.ts';
import type { Guard } from '../../sandbox/guard.ts';
import type { Parts } from '../parts.ts';
import { machineFirewall } from './machine-firewall.ts';

/** Local tools: they get the real values of placeholders. All other tools get the placeholders. */
const LOCAL = new Set([
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'Delete',
  'List',
  'Glob',
  'Grep',
  'Search',
  'Bash',
  'RenameSymbol',
]);

/** Larger files are not read completely. */
const MAX_LEARNED = 1024 * 1024;

export type Privacy = {
  /** Redacts secrets in all requests. */
  guard(provider: Provider): Provider;
  localInput(tool: string, input: unknown): unknown;
  /** Placeholders in a local tool's input that this process cannot resolve. */
  unknownPlaceholders(tool: string, input: unknown): string[];
  /** Learns secrets from a call's output and the files it touched, before any of it is sent. */
  printed(callId: string, accesses: readonly Access[], output: string): void;
  /** Replaces secrets by placeholders in a text, or in the strings of a plain value. */
  hide<T>(value: T): T;
  /** The same for what leaves this machine; unchanged if the user disabled redaction. */
  outgoing<T>(value: T): T;
  /** A controller listener: writes the audit log, and feeds other watchers. */
  watch(event: AgentEvent): void;
};

/** Keeps secrets on this machine, and writes the audit log. */
export function createPrivacy(
  parts: Parts,
  { guard, notice }: { guard: Pick<Guard, 'closedBecause'>; notice(text: string): void },
): Privacy {
  const { config, cwd, dataRoot, opened, choice } = parts;
  const isClosed = (file: string) => guard.closedBecause(file, 'read') !== null;
  const firewall = machineFirewall({
    ...parts,
    keys: [choice.key?.key, searchKey(parts)],
    folders: [cwd, ...config.additionalDirectories],
    isClosed,
    isPlain: (tool) => tool === 'Read' || tool === 'Bash',
    ...(config.redactSecrets && { notice }),
  });
  const known = new Map<string, string>();
  const learned = new Set<string>();
  const audit = createAudit({
    file: path.join(dataRoot, 'audit.jsonl'),
    sessionId: opened.session.id,
    cwd,
    redact: (record) => firewall.hide(record),
    onTrouble: notice,
  });
  const traces = new TraceIds({ parent: parseTraceparent(parts.env.TRACEPARENT) });
  const hide = <T>(value: T): T => firewall.hide(value);

  /** A tool may show only part of a file; whether that part is secret depends on the whole file. */
  function learnFile(file: string): void {
    const found = peek.file(file);
    if (!found || found.size > MAX_LEARNED || known.get(file) === found.stamp) return;
    known.set(file, found.stamp);
    firewall.learn(peek.text(file));
  }

  function learn(callId: string, accesses: readonly Access[], output: string): void {
    if (!config.redactSecrets || learned.has(callId)) return;
    learned.add(callId);
    for (const { kind, target } of accesses) {
      if (kind === 'read' || kind === 'write') learnFile(path.resolve(cwd, target));
      if (kind !== 'execute') continue;
      for (const file of filesIn(target)) learnFile(path.resolve(cwd, file));
      const isClosedName = (name: string) => isClosed(path.resolve(cwd, name));
      firewall.learn(output, closedOutput({ command: target, output }, isClosedName));
    }
  }

  /** The secrets in a resumed session were learned by another process. */
  function learnHistory(messages: readonly Message[]): void {
    const open = new Map<string, Access[]>();
    for (const message of messages) {
      if (message.role === 'assistant')
        for (const { id, input } of toolCallsOf(message))
          if (!learned.has(id)) open.set(id, touchedBy(input));
      const accesses = message.role === 'tool' ? open.get(message.callId) : undefined;
      if (message.role === 'tool' && accesses) learn(message.callId, accesses, textOf(message));
    }
  }

  return {
    guard(provider) {
      if (!config.redactSecrets) return provider;
      return guardProvider(provider, {
        outgoing(request) {
          learnHistory(request.messages);
          return firewall.outgoing(request);
        },
      });
    },
    localInput: (tool, input) => (LOCAL.has(tool) ? firewall.restore(input) : input),
    unknownPlaceholders: (tool, input) =>
      LOCAL.has(tool) && config.redactSecrets ? firewall.unknownIn(input) : [],
    printed: learn,
    hide,
    outgoing: (value) => (config.redactSecrets ? hide(value) : value),
    watch: (event) => {
      if (config.auditLog) audit.take(event);
      parts.watch?.(event, { ids: traces.of(event), hide });
    },
  };
}

function searchKey({ webSearch }: Parts): string | undefined {
  return webSearch?.backend?.type === 'service' ? webSearch.backend.key : undefined;
}

/** Words of a command that may be file names. */
function filesIn(command: string): string[] {
  const words = command.match(/[^\s'"`;|&()<>=$*?]+/g) ?? [];
  return words.filter((word) => !word.startsWith('-'));
}

/** What a call of a local tool accesses, according to its input. */
function touchedBy(input: unknown): Access[] {
  const { file_path, path: under, command } = (input ?? {}) as Record<string, unknown>;
  return [
    ...[file_path, under].flatMap((target) =>
      typeof target === 'string' ? [{ kind: 'read' as const, target }] : [],
    ),
    ...(typeof command === 'string' ? [{ kind: 'execute' as const, target: command }] : []),
  ];
}
