import type { ToolCall, ToolCallPart, ToolMessage } from '../contract/message.ts';
import type { Access, HookDecision, JudgedCall, Opening } from '../contract/permission.ts';
import { fail, type Tool, type ToolResult } from '../contract/tool.ts';
import {
  explainBadInput,
  explainCut,
  explainMalformed,
  explainPlaceholders,
  explainUnknownTool,
  unreadable,
} from './explain.ts';

/** How calls are looked up and parsed. */
export type PrepareDeps = {
  find(name: string): Tool | undefined;
  /** The actual call, where a tool only forwards to another. The answer keeps the forwarding tool's name. */
  resolveCall?(call: ToolCall): { name: string; input: unknown } | undefined;
  toolNames(): string[];
  /** A path as titles show it. If absent, the path itself. */
  shownPath?(path: string): string;
  /** The input that is judged and run, with redacted values restored. If absent, the input itself. */
  localInput?(tool: string, input: unknown): unknown;
  /**
   * Placeholders in that input that match no known secret; text with such placeholders must not be written or
   * run.
   */
  unknownPlaceholders?(tool: string, input: unknown): string[];
  /** The existing answer to the call with this id. */
  answerTo(callId: string): ToolMessage | undefined;
};

/** A call in progress: already answered, or ready to run. */
export type Prepared = {
  call: ToolCallPart;
  /** The tool name in its answer, if different from the tool that runs. */
  answersAs?: string;
  tool?: Tool;
  input?: unknown;
  title: string;
  accesses: Access[];
  opens?: readonly Opening[];
  /** What a hook decided, and texts of hooks for the model. */
  hook?: HookDecision;
  notes?: readonly string[];
  answer?: ToolResult;
  /** The earlier answer to the same call. */
  given?: ToolMessage;
};

/** Looks up the tool and parses the input. */
export function prepareCall(sent: ToolCallPart, deps: PrepareDeps): Prepared {
  if (sent.cut)
    return { call: sent, title: sent.name, accesses: [], answer: fail(explainCut(sent.name), CUT) };
  const resolved = sent.malformed === undefined ? deps.resolveCall?.(sent) : undefined;
  const call = resolved ? { ...sent, ...resolved } : sent;
  const answersAs = resolved && { answersAs: sent.name };
  const item = { call, title: call.name, accesses: [], ...answersAs };
  const given = call.repeats === undefined ? undefined : deps.answerTo(call.repeats);
  const tool = deps.find(call.name);
  if (!tool) return { ...item, answer: unreadable(explainUnknownTool(call.name, deps.toolNames())) };
  if (call.malformed !== undefined)
    return { ...item, answer: unreadable(explainMalformed(tool.name, call.malformed)) };
  const local = deps.localInput ? deps.localInput(tool.name, call.input) : call.input;
  const parsed = tool.input.safeParse(local);
  if (!parsed.success) return { ...item, answer: unreadable(explainBadInput(tool.name, parsed.error)) };
  const input = parsed.data;
  const accesses = local === call.input ? tool.access(input) : tool.access(input).map(withSecret);
  const unknown = deps.unknownPlaceholders?.(tool.name, local) ?? [];
  if (unknown.length > 0 && accesses.some(({ kind }) => kind === 'write' || kind === 'execute'))
    return { ...item, answer: fail(explainPlaceholders(unknown)) };
  return {
    call,
    tool,
    input,
    title: tool.title(input, deps.shownPath ?? ((path) => path)),
    accesses,
    ...answersAs,
    ...(given && { given }),
  };
}

function withSecret(access: Access): Access {
  return access.kind === 'execute' ? { ...access, holdsSecret: true } : access;
}

/** Marked, so that a model that only writes calls too long for one answer is eventually stopped. */
const CUT = { metadata: { cut: true } };

/** What is judged; empty if it is already answered. */
export function judgedCall({
  call,
  tool,
  input,
  title: operation,
  accesses,
  hook,
  answer,
}: Prepared): JudgedCall[] {
  if (!tool || answer) return [];
  return [
    { callId: call.id, tool: tool.name, operation, accesses, because: '', input, ...(hook && { hook }) },
  ];
}
