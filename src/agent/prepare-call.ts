import type { ToolCall, ToolCallPart, ToolMessage } from '../contract/message.ts';
import type { Access, HookDecision, JudgedCall, Opening } from '../contract/permission.ts';
import { fail, type Tool, type ToolResult } from '../contract/tool.ts';
import { exampleCall } from './calls/example-call.ts';
import { parseInput } from './calls/parse-input.ts';
import { argumentNames, findTool, understandCall } from './calls/understand-call.ts';
import {
  explainBadInput,
  explainCut,
  explainMalformed,
  explainPlaceholders,
  explainUnknownArguments,
  explainUnknownTool,
  noteOfIgnored,
  noteOfRepair,
  unreadable,
} from './explain.ts';

/** How calls are looked up and parsed. */
export type PrepareDeps = {
  find(name: string): Tool | undefined;
  /** The actual call, where a tool only forwards to another. The answer keeps the forwarding tool's name. */
  resolveCall?(call: ToolCall): { name: string; input: unknown } | undefined;
  toolNames(): string[];
  /** Whether the model was offered a tool of this name earlier in the conversation. */
  wasOffered?(name: string): boolean;
  /** A path as titles show it. If absent, the path itself. */
  shownPath?(path: string): string;
  /** The input that is judged and run, with redacted values restored. If absent, the input itself. */
  localInput?(tool: string, input: unknown): unknown;
  /**
   * Placeholders in that input that match no known secret; text with such placeholders must not be written or
   * run.
   */
  unknownPlaceholders?(tool: string, input: unknown): string[];
  /** How many wrong calls of a tool came in a row, by its name. */
  faults?: Map<string, number>;
  /** Whether there is a file or folder of this name. */
  pathExists?(path: string): boolean;
  /** The tools whose calls were repaired, and whose correct form the model was shown. */
  shownForms?: Set<string>;
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
  onlyReads?: true;
  /** What a hook decided, and texts of hooks for the model. */
  hook?: HookDecision;
  notes?: readonly string[];
  /** Names the arguments that had no effect. */
  ignored?: string;
  /** Shows the correct form of a call that was repaired. */
  form?: string;
  answer?: ToolResult;
  /** The earlier answer to the same call. */
  given?: ToolMessage;
};

/** Looks up the tool, reads the call in its words, and parses the input. */
export function prepareCall(sent: ToolCallPart, deps: PrepareDeps): Prepared {
  if (sent.cut)
    return { call: sent, title: sent.name, accesses: [], answer: fail(explainCut(sent.name), CUT) };
  const resolved = sent.malformed === undefined ? deps.resolveCall?.(sent) : undefined;
  const call = resolved ? { ...sent, ...resolved } : sent;
  const answersAs = resolved && { answersAs: sent.name };
  const item = { call, title: call.name, accesses: [], ...answersAs };
  const given = call.repeats === undefined ? undefined : deps.answerTo(call.repeats);
  const named = findTool(call.name, deps.find);
  if (!named) {
    const fault = { tool: call.name, fault: 'name' };
    const wasOffered = deps.wasOffered?.(call.name) === true;
    return {
      ...item,
      answer: unreadable(explainUnknownTool(call.name, deps.toolNames(), { wasOffered }), fault),
    };
  }
  if (call.malformed !== undefined)
    return misread(item, named, { text: explainMalformed(named.name, call.malformed), fault: 'json' }, deps);
  const understood = understandCall(call, named, deps.find);
  if ('refuse' in understood)
    return misread(item, named, { text: understood.refuse, fault: understood.refuse }, deps);
  const { tool, unknown: unknownNames } = understood;
  const inTypes = parseInput(tool.input, understood.input);
  const local =
    inTypes.success && deps.localInput ? deps.localInput(tool.name, inTypes.input) : understood.input;
  const parsed = inTypes.success && deps.localInput ? parseInput(tool.input, local) : inTypes;
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].join(' ');
    const text = explainBadInput(tool.name, parsed.error, unknownNames);
    return misread(item, tool, { text, fault: names }, deps);
  }
  const input = parsed.data;
  const found = tool.access(input);
  if (unknownNames.length > 0 && !isOnlyReading(tool, found)) {
    const text = explainUnknownArguments(tool.name, unknownNames, argumentNames(tool) ?? []);
    return misread(item, tool, { text, fault: unknownNames.join(' ') }, deps);
  }
  deps.faults?.delete(tool.name);
  const own = inTypes.success ? inTypes.input : understood.input;
  const accesses = local === own ? found : found.map(withSecret);
  const unknown = deps.unknownPlaceholders?.(tool.name, local) ?? [];
  if (unknown.length > 0 && accesses.some(({ kind }) => kind === 'write' || kind === 'execute'))
    return { ...item, answer: fail(explainPlaceholders(unknown)) };
  return {
    call: own === call.input ? call : { ...call, name: tool.name, input: own },
    tool,
    input,
    title: tool.title(input, deps.shownPath ?? ((path) => path)),
    accesses,
    ...answersAs,
    ...(given && { given }),
    ...formOf(call, deps),
    ...(unknownNames.length > 0 && { ignored: noteOfIgnored(unknownNames, argumentNames(tool) ?? []) }),
  };
}

/** The first repaired call of a tool is answered with its correct form. */
function formOf({ name, input, repaired }: ToolCallPart, { shownForms }: PrepareDeps): { form?: string } {
  if (repaired === undefined || shownForms?.has(name)) return {};
  shownForms?.add(name);
  return { form: noteOfRepair(name, input) };
}

/** Every wrong call of a tool after the first is answered with one that can be copied. */
function misread(
  item: Prepared,
  tool: Tool,
  { text, fault }: { text: string; fault: string },
  { faults }: PrepareDeps,
): Prepared {
  const count = (faults?.get(tool.name) ?? 0) + 1;
  faults?.set(tool.name, count);
  const example = count > 1 ? `\nA call looks like this: ${exampleCall(tool)}` : '';
  return { ...item, answer: unreadable(`${text}${example}`, { tool: tool.name, fault }) };
}

function isOnlyReading({ onlyReads }: Tool, accesses: readonly Access[]): boolean {
  if (accesses.length === 0) return onlyReads ?? false;
  return accesses.every(({ kind }) => kind === 'read' || kind === 'fetch' || kind === 'search');
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
