import { changedFiles } from '../../agent/changed-files.ts';
import { type AgentEvent, type EndReason, innermost, type RunError } from '../../contract/event.ts';
import { addUsage, type Message, noUsage, textOf, toolCallsOf, type Usage } from '../../contract/message.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { NetChange } from '../../session/undo/net-changes.ts';
import type { Check, RequiredCheck } from '../run-facts/checks.ts';

/** The outcome of a run, folded from its events: the final JSON in headless mode. */
export type Report = {
  type: 'result';
  sessionId: string;
  provider: string;
  model: string;
  /** `check_failed`: the model is done, but a command of `--check` fails. */
  stopReason: EndReason | 'check_failed';
  result: string;
  structured?: unknown;
  turns: number;
  durationMs: number;
  usage: Usage;
  /** Null when the price of the model is unknown. */
  costUsd: number | null;
  /** What the vendor could have had in its prompt cache, and read in full: why, and at what extra cost. */
  cacheMisses?: { reason: string; tokens: number; costUsd: number | null }[];
  filesChanged: string[];
  /** `folder`: where it ran, if the model named a folder. */
  commands: { command: string; exitCode: number | null; folder?: string }[];
  /** Files that differ from before the run, whatever changed them; null if lines were not counted. */
  changes?: NetChange[];
  /** The last outcome of each command that tested, built or linted; null if it was stopped. */
  checks?: (Check | RequiredCheck)[];
  denials: { tool: string; input: unknown; by: string; because: string }[];
  /** The sandbox of the last command; null when none ran. */
  sandbox: SandboxState | null;
  error?: RunError;
};

export class Reporter {
  readonly #startedAt = performance.now();
  readonly #inputs = new Map<string, unknown>();
  #report: Omit<Report, 'durationMs'> = {
    type: 'result',
    sessionId: '',
    provider: '',
    model: '',
    // Until it has started: a prompt may be dropped before that.
    stopReason: 'interrupted',
    result: '',
    turns: 0,
    usage: noUsage,
    costUsd: 0,
    filesChanged: [],
    commands: [],
    denials: [],
    sandbox: null,
  };

  take(event: AgentEvent): void {
    const report = this.#report;
    switch (event.type) {
      case 'subagent':
        this.#takeSubagent(innermost(event).event);
        break;
      case 'run_start':
        Object.assign(report, { sessionId: event.sessionId, provider: event.provider, model: event.model });
        break;
      case 'usage':
        report.usage = addUsage(report.usage, event.usage);
        report.costUsd =
          report.costUsd === null || event.costUsd === null ? null : report.costUsd + event.costUsd;
        break;
      case 'cache_miss': {
        const { type: _, ...miss } = event;
        report.cacheMisses = [...(report.cacheMisses ?? []), miss];
        break;
      }
      case 'message':
        if (event.message.role === 'assistant') {
          report.result = textOf(event.message);
          // Because of routing or a fallback, another model than the first may have answered.
          report.provider = event.message.provider;
          report.model = event.message.model;
          this.#noteInputs(event.message);
        }
        break;
      case 'judged': {
        const { tool, by, because } = event;
        if (event.verdict === 'deny')
          report.denials.push({ tool, input: this.#inputs.get(event.callId), by, because });
        break;
      }
      case 'tool_end':
        this.#takeResult(event);
        break;
      case 'end':
        report.stopReason = event.reason;
        report.turns += event.turns;
        if (event.error) report.error = event.error;
        else delete report.error;
        break;
      default:
        break;
    }
  }

  /**
   * A subagent's usage and tool calls count; its text and stop reason belong to the agent that started it.
   */
  #takeSubagent(event: AgentEvent): void {
    if (['usage', 'judged', 'tool_end'].includes(event.type)) this.take(event);
    else if (event.type === 'message') this.#noteInputs(event.message);
  }

  #noteInputs(message: Message): void {
    if (message.role !== 'assistant') return;
    for (const { id, input } of toolCallsOf(message)) this.#inputs.set(id, input);
  }

  get report(): Report {
    return { ...this.#report, durationMs: Math.round(performance.now() - this.#startedAt) };
  }

  #takeResult(event: Extract<AgentEvent, { type: 'tool_end' }>): void {
    const { display, metadata } = event;
    const { filesChanged, commands } = this.#report;
    // Set by the tool that ran the command; metadata is untyped because every tool has its own.
    if (metadata?.sandbox) this.#report.sandbox = metadata.sandbox as SandboxState;
    if (display?.kind === 'command') {
      const { command, exitCode } = display;
      const folder = typeof metadata?.folder === 'string' ? { folder: metadata.folder } : {};
      commands.push({ command, exitCode, ...folder });
    }
    for (const file of changedFiles(event)) {
      if (!filesChanged.includes(file)) filesChanged.push(file);
    }
  }
}
