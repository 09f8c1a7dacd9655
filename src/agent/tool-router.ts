import { PermissionDeniedError, ToolExecutionError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { ToolCallPart, ToolMessage } from '../contract/message.ts';
import type { Access, PermissionRequest } from '../contract/permission.ts';
import type { Tool, ToolContext, ToolResult } from '../contract/tool.ts';
import { fail } from '../contract/tool.ts';
import { raceAbort } from '../lib/abort.ts';
import { Channel } from '../lib/channel.ts';
import { boundText } from '../lib/text-bound.ts';
import { accessesConflict } from './conflict.ts';
import { explainBadInput, explainMalformed, explainUnknownTool } from './explain.ts';

export type Decision = { verdict: 'allow' | 'deny'; by: string; because: string };

export type RouterDeps = {
  find(name: string): Tool | undefined;
  toolNames(): string[];
  /** Judges a call and asks a person where the policy says so; `beforeAsking` may enrich the question. */
  decide(
    request: PermissionRequest & { input: unknown },
    options: { signal: AbortSignal; beforeAsking(request: PermissionRequest): Promise<PermissionRequest> },
  ): Promise<Decision>;
  context(signal: AbortSignal, progress: (text: string) => void): ToolContext;
};

/** A call on its way: either it already has its answer, or it is ready to run. */
type Prepared = {
  call: ToolCallPart;
  tool?: Tool;
  input?: unknown;
  title: string;
  accesses: Access[];
  answer?: ToolResult;
};

/**
 * Answers every call with exactly one message, in the model's order. Questions are asked one at a time, in call
 * order; then calls that do not touch the same things run side by side.
 */
export async function* runTools(
  calls: readonly ToolCallPart[],
  deps: RouterDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const channel = new Channel<AgentEvent>();
  answerAll(calls, deps, { channel, signal }).then(
    () => channel.close(),
    (error: unknown) => channel.fail(error),
  );
  yield* channel;
}

type Wires = { channel: Channel<AgentEvent>; signal: AbortSignal };

async function answerAll(calls: readonly ToolCallPart[], deps: RouterDeps, wires: Wires): Promise<void> {
  const prepared = calls.map((call) => prepare(call, deps));
  for (const item of prepared) {
    if (item.answer === undefined) await judge(item, deps, wires);
  }

  const finished: Promise<ToolMessage>[] = [];
  for (const [i, item] of prepared.entries()) {
    const before = prepared
      .slice(0, i)
      .flatMap((other, j) => (accessesConflict(other.accesses, item.accesses) ? finished[j] : []));
    finished.push(Promise.all(before).then(() => answer(item, deps, wires)));
  }
  for (const message of finished) await wires.channel.push({ type: 'message', message: await message });
}

function prepare(call: ToolCallPart, deps: RouterDeps): Prepared {
  const item = { call, title: call.name, accesses: [] };
  const tool = deps.find(call.name);
  if (!tool) return { ...item, answer: fail(explainUnknownTool(call.name, deps.toolNames())) };
  if (call.malformed !== undefined)
    return { ...item, answer: fail(explainMalformed(tool.name, call.malformed)) };
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return { ...item, answer: fail(explainBadInput(tool.name, parsed.error)) };
  return {
    call,
    tool,
    input: parsed.data,
    title: tool.title(parsed.data),
    accesses: tool.access(parsed.data),
  };
}

async function judge(item: Prepared, deps: RouterDeps, { channel, signal }: Wires): Promise<void> {
  const { call, tool, input, title, accesses } = item;
  if (!tool || signal.aborted) return;
  const request = { callId: call.id, tool: tool.name, operation: title, accesses, because: '', input };
  const beforeAsking = async (question: PermissionRequest) => {
    const preview = await tool
      .preview?.(
        input,
        deps.context(signal, () => undefined),
      )
      .catch(() => undefined);
    const full = preview ? { ...question, preview } : question;
    await channel.push({ type: 'question', request: full });
    return full;
  };
  try {
    const { verdict, by, because } = await raceAbort(deps.decide(request, { signal, beforeAsking }), signal);
    await channel.push({ type: 'judged', callId: call.id, verdict, by, because });
    if (verdict === 'deny') item.answer = fail(because);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function answer(item: Prepared, deps: RouterDeps, { channel, signal }: Wires): Promise<ToolMessage> {
  const started = performance.now();
  const result = item.answer ?? (await runOne(item, deps, { channel, signal }));
  const { call, tool } = item;
  const name = tool?.name ?? call.name;
  const durationMs = Math.round(performance.now() - started);
  const { success, display, metadata } = result;
  const extras = { ...(display && { display }), ...(metadata && { metadata }) };
  await channel.push({ type: 'tool_end', callId: call.id, name, success, durationMs, ...extras });

  const text = boundText(result.success ? result.output : result.error);
  const images = result.success ? (result.images ?? []) : [];
  const content: ToolMessage['content'] = [{ type: 'text', text }, ...images];
  const timestamp = new Date().toISOString();
  return { role: 'tool', callId: call.id, name, success, content, ...(metadata && { metadata }), timestamp };
}

async function runOne(item: Prepared, deps: RouterDeps, { channel, signal }: Wires): Promise<ToolResult> {
  const { call, tool, input, title } = item;
  if (!tool || signal.aborted) return fail('Interrupted by the user before it ran.');
  const shown = { id: call.id, name: tool.name, input: call.input };
  await channel.push({ type: 'tool_start', call: shown, title });
  const progress = (text: string) => void channel.push({ type: 'tool_progress', callId: call.id, text });
  try {
    return await raceAbort(tool.run(input, deps.context(signal, progress)), signal);
  } catch (error) {
    if (signal.aborted) return fail('Interrupted by the user while it was running.');
    if (error instanceof PermissionDeniedError) return fail(error.message);
    const cause = error instanceof Error ? error : new Error(String(error));
    return fail(`Error: ${new ToolExecutionError(tool.name, input, cause).message}`);
  }
}
