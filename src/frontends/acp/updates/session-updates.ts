import type { ClientCapabilities, SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk';
import { describeCompaction } from '../../../commands/compact.ts';
import { loadingLine } from '../../../commands/format/loading.ts';
import { retryLine } from '../../../commands/format/retry.ts';
import { subagentLine } from '../../../commands/format/subagent.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';
import { type Message, textOf, type Usage } from '../../../contract/message.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import { bash } from '../../../tools/bash.ts';
import type { ClientExtensions } from '../extension-methods.ts';
import { LiveTerminal, showsTerminals } from './live-terminal.ts';
import { toldError } from './run-end.ts';
import {
  changedLines,
  contentOf,
  fenced,
  kindOf,
  locationsOf,
  planEntry,
  textContent,
} from './tool-calls.ts';

/** How much of an output is shown, in characters. */
const SHOWN_OUTPUT = 8_000;

/** `ended`: its status, which is sent together with its result. */
type Call = { output: string; hasContent: boolean; ended?: ToolCallStatus; terminal?: LiveTerminal };

/** Translates the events of a session into updates of the protocol. */
export class SessionUpdates {
  readonly #cwd: string;
  readonly #client: ClientCapabilities;
  readonly #calls = new Map<string, Call>();
  #costUsd = 0;
  #window = 0;
  #messages = 0;
  #compactions = 0;

  constructor({ cwd, client }: { cwd: string; client: ClientCapabilities }) {
    this.#cwd = cwd;
    this.#client = client;
  }

  of(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case 'turn_start':
        this.#messages++;
        return [];
      case 'text':
        return [this.#chunk('agent_message_chunk', event.text)];
      case 'thinking':
        return [this.#chunk('agent_thought_chunk', event.text)];
      case 'question':
        return this.asked(event.request);
      case 'judged':
        return this.#judged(event);
      case 'tool_start':
        return this.#started(event);
      case 'tool_progress':
        return this.#progress(event.callId, event.text);
      case 'tool_end':
        return this.#ended(event);
      case 'subagent':
        return this.#subagent(event);
      case 'message':
        return this.#result(event.message);
      case 'model_call':
        if (event.purpose === 'main') this.#window = event.contextWindow;
        return [];
      case 'usage':
        return this.#used(event.usage, event.costUsd);
      case 'notice':
        return this.notice(event.level === 'warn' ? 'warning' : 'info', event.text);
      case 'retry':
        return this.notice('warning', retryLine(event));
      case 'loading':
        return event.share === 0 ? this.notice('info', loadingLine(event)) : [];
      case 'compacted':
        return this.#compacted(describeCompaction(event));
      case 'run_start':
      case 'reclassify':
      case 'call_start':
      case 'cache':
      case 'input_transformed':
      case 'cache_miss':
        return [];
      case 'end':
        return [
          ...this.#leftOpen(),
          ...(event.reason === 'refusal' && event.error
            ? this.notice('warning', toldError(event.error))
            : []),
        ];
      default:
        return event satisfies never;
    }
  }

  /** A client without notices gets warnings as text of the answer. */
  notice(severity: 'info' | 'warning', text: string): SessionUpdate[] {
    if (this.#client.session?.notices) return [{ sessionUpdate: 'notice', severity, title: text }];
    return severity === 'warning' ? [this.#chunk('agent_message_chunk', `${text}\n\n`)] : [];
  }

  /** Text that is not from the model. */
  said(text: string): SessionUpdate {
    this.#messages++;
    return this.#chunk('agent_message_chunk', `${text}\n`);
  }

  /** A call that waits for the user. */
  asked({ callId, tool, operation, accesses, preview }: PermissionRequest): SessionUpdate[] {
    if (this.#calls.has(callId)) return [];
    const { terminal } = this.#begin(callId, tool);
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: callId,
        title: operation,
        kind: kindOf(accesses),
        status: 'pending',
        locations: locationsOf(accesses, this.#cwd),
        ...(preview && { content: contentOf(preview, this.#cwd) }),
        ...terminal?.announced,
      },
    ];
  }

  #begin(callId: string, tool: string): Call {
    const isShown = tool === bash.name && showsTerminals(this.#client);
    const terminal = isShown ? { terminal: new LiveTerminal(callId, this.#cwd) } : {};
    const call = { output: '', hasContent: false, ...terminal };
    this.#calls.set(callId, call);
    return call;
  }

  #chunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
    return { sessionUpdate, content: { type: 'text', text }, messageId: `message-${this.#messages}` };
  }

  #judged(event: Extract<AgentEvent, { type: 'judged' }>): SessionUpdate[] {
    const { callId, tool, accesses, because, title } = event;
    const known = this.#calls.has(callId);
    const call = this.#calls.get(callId) ?? this.#begin(callId, tool);
    const { terminal } = call;
    const isRefused = event.verdict === 'deny';
    call.hasContent ||= isRefused;
    const facts = {
      toolCallId: callId,
      status: isRefused ? ('failed' as const) : ('pending' as const),
      ...(isRefused && { content: [textContent(because)] }),
    };
    if (known) return isRefused ? [{ sessionUpdate: 'tool_call_update', ...facts }] : [];
    const kind = kindOf(accesses);
    const locations = locationsOf(accesses, this.#cwd);
    const shown = { title: title ?? tool, kind, locations, ...terminal?.announced };
    return [{ sessionUpdate: 'tool_call', ...shown, ...facts }];
  }

  #started({ call, title, explores }: Extract<AgentEvent, { type: 'tool_start' }>): SessionUpdate[] {
    const known = this.#calls.has(call.id);
    const facts = { toolCallId: call.id, title, name: call.name, rawInput: call.input };
    const status: ToolCallStatus = 'in_progress';
    const search = explores === 'pattern' || explores === 'folder' ? { kind: 'search' as const } : {};
    if (known) return [{ sessionUpdate: 'tool_call_update', ...facts, ...search, status }];
    const { terminal } = this.#begin(call.id, call.name);
    return [{ sessionUpdate: 'tool_call', ...facts, ...search, ...terminal?.announced, status }];
  }

  #progress(callId: string, text: string): SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    if (call.terminal)
      return [{ sessionUpdate: 'tool_call_update', toolCallId: callId, ...call.terminal.printed(text) }];
    call.output = (call.output + text).slice(-SHOWN_OUTPUT);
    return [
      { sessionUpdate: 'tool_call_update', toolCallId: callId, content: [textContent(fenced(call.output))] },
    ];
  }

  #ended({ callId, success, display }: Extract<AgentEvent, { type: 'tool_end' }>): SessionUpdate[] {
    const call = this.#calls.get(callId);
    // Neither judged nor started: its result announces it.
    if (!call) return [];
    const content = display ? contentOf(display, this.#cwd) : [];
    const locations = display ? changedLines(display, this.#cwd) : [];
    const terminal = display?.kind === 'command' ? call.terminal?.ended(display) : undefined;
    call.hasContent ||= terminal !== undefined || content.length > 0;
    const plan: SessionUpdate[] =
      display?.kind === 'todos' ? [{ sessionUpdate: 'plan', entries: display.items.map(planEntry) }] : [];
    const status = success ? 'completed' : 'failed';
    if (!call.hasContent) {
      call.ended = status;
      return plan;
    }
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: callId,
        status,
        ...(content.length > 0 && { content }),
        ...(locations.length > 0 && { locations }),
        ...terminal,
      },
      ...plan,
    ];
  }

  /** What the model reads is shown where there is nothing made for people. */
  #result(message: Message): SessionUpdate[] {
    if (message.role !== 'tool') return [];
    const { callId, name, success } = message;
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (call?.hasContent) return [];
    const text = textOf(message);
    const status = call?.ended ?? (success ? 'completed' : 'failed');
    const content = text === '' ? [] : [textContent(shortened(text))];
    const facts = { toolCallId: callId, status, content };
    if (call) return [{ sessionUpdate: 'tool_call_update', ...facts }];
    // Never judged or started, such as a call of an unknown tool.
    return [{ sessionUpdate: 'tool_call', title: name, name, ...facts }];
  }

  /** Calls that ended without a result. */
  #leftOpen(): SessionUpdate[] {
    const left = [...this.#calls].flatMap(([toolCallId, { ended }]) =>
      ended ? [{ sessionUpdate: 'tool_call_update' as const, toolCallId, status: ended }] : [],
    );
    this.#calls.clear();
    return left;
  }

  /** Clients that nest calls get those of the subagent; others get a line for each, and the calls that need approval. */
  #subagent(event: Extract<AgentEvent, { type: 'subagent' }>): SessionUpdate[] {
    const { event: inner, agents, calls } = innermost(event);
    const callId = callIn(inner);
    const isShown = nestsCalls(this.#client) || inner.type === 'question' || this.#calls.has(callId ?? '');
    if (callId !== null && isShown) return this.of(inner).flatMap((update) => nested(update, calls.at(-1)));
    const line = subagentLine(inner);
    return line === null ? [] : this.#progress(event.callId, `${agents.join(' › ')}: ${line}\n`);
  }

  #compacted(text: string): SessionUpdate[] {
    if (!this.#client.session?.compaction) return this.notice('info', text);
    this.#compactions++;
    const compactionId = `compaction-${this.#compactions}`;
    const summary = [{ type: 'text' as const, text }];
    return [{ sessionUpdate: 'compaction_update', compactionId, status: 'completed', summary }];
  }

  #used(usage: Usage, costUsd: number | null): SessionUpdate[] {
    this.#costUsd += costUsd ?? 0;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const used = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
    const cost = { amount: this.#costUsd, currency: 'USD' };
    return [{ sessionUpdate: 'usage_update', used, size: Math.max(this.#window, used), cost }];
  }
}

/** The call that an event is about. */
function callIn(event: AgentEvent): string | null {
  switch (event.type) {
    case 'question':
      return event.request.callId;
    case 'judged':
    case 'tool_progress':
    case 'tool_end':
      return event.callId;
    case 'tool_start':
      return event.call.id;
    case 'message':
      return event.message.role === 'tool' ? event.message.callId : null;
    default:
      return null;
  }
}

export function nestsCalls({ _meta }: ClientCapabilities): boolean {
  return ((_meta ?? {}) as ClientExtensions).aca?.subagents === true;
}

/** Only calls, which say whose subagent made them. The plan of a subagent is not that of the session. */
function nested(update: SessionUpdate, parent: string | undefined): SessionUpdate[] {
  if (update.sessionUpdate === 'tool_call')
    return [{ ...update, _meta: { ...update._meta, aca: { parent } } }];
  return update.sessionUpdate === 'tool_call_update' ? [update] : [];
}

/** A long result, without its middle. */
function shortened(text: string): string {
  if (text.length <= SHOWN_OUTPUT) return text;
  const half = SHOWN_OUTPUT / 2;
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}
