import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import { type Message, textOf, toolCallsOf } from '../../contract/message.ts';
import type { Access } from '../../contract/permission.ts';
import type { Provider } from '../../contract/provider.ts';
import { closedOutput } from '../../firewall/closed-output.ts';
import { guardProvider } from '../../firewall/firewall.ts';
import { peek } from '../../lib/files/peek.ts';
import { createAudit } from '../../observability/audit/audit.ts';
import { TraceIds } from '../../observability/telemetry/trace-ids.ts';
import type { Guard } from '../../sandbox/guard.ts';
import type { Parts } from '../parts.ts';
import { machineFirewall } from './machine-firewall.ts';

/**
 * Tools that stay on this machine: they get the values that placeholders stand for. A tool that is not named here
 * gets the placeholders.
 */
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
]);

/** Larger files are not read as a whole. */
const MAX_LEARNED = 1024 * 1024;
const MAX_FILES = 50;

export type Privacy = {
  /** Nothing secret leaves through it. */
  guard(provider: Provider): Provider;
  localInput(tool: string, input: unknown): unknown;
  /** Placeholders in a local tool's input that stand for nothing this process knows. */
  unknownPlaceholders(tool: string, input: unknown): string[];
  /** Learns from what a call printed, and what it touched, before any of it is sent. */
  printed(callId: string, accesses: readonly Access[], output: string): void;
  /** Placeholders for what is secret in a text, or in the texts of a plain value. */
  hide<T>(value: T): T;
  /** The same for what leaves this machine; the value itself where the user wants it to leave. */
  outgoing<T>(value: T): T;
  /** Writes the audit log, and lets others watch; a listener for the controller. */
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
    key: choice.key?.key,
    folders: [cwd, ...config.additionalDirectories],
    isClosed,
    isPlain: (tool) => tool === 'Read' || tool === 'Bash',
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
  const traces = new TraceIds();
  const hide = <T>(value: T): T => firewall.hide(value);

  /** Of a file only a part may be shown; whether that part is secret, the whole of it says. */
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

  /** A session that is resumed was learned from by another process. */
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

/** Words of a command that may name files. */
function filesIn(command: string): string[] {
  const words = command.match(/[^\s'"`;|&()<>=$*?]+/g) ?? [];
  return words.filter((word) => !word.startsWith('-')).slice(0, MAX_FILES);
}

/** What a call of a local tool was about, as its input says. */
function touchedBy(input: unknown): Access[] {
  const { file_path, path: under, command } = (input ?? {}) as Record<string, unknown>;
  return [
    ...[file_path, under].flatMap((target) =>
      typeof target === 'string' ? [{ kind: 'read' as const, target }] : [],
    ),
    ...(typeof command === 'string' ? [{ kind: 'execute' as const, target: command }] : []),
  ];
}
