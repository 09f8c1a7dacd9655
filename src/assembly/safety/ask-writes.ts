import type { CallReporter, Decision, RouterDeps } from '../../agent/router-deps.ts';
import type { JudgedCall, PermissionRequest } from '../../contract/permission.ts';
import type { LineDiff } from '../../lib/text/diff-lines.ts';

export type AskedWrites = Pick<JudgedCall, 'tool' | 'operation' | 'accesses' | 'agent'> & {
  callId: string;
  /** The same input is not asked about twice. */
  input: { files: readonly { path: string; sha256: string }[] };
  diffs: readonly LineDiff[];
};

export type AskDeps = {
  decide: RouterDeps['decide'];
  emit: CallReporter['emit'];
  signal: AbortSignal;
  /** Makes the changes, if they are allowed. */
  perform(): Promise<void>;
};

/** Changes that are judged, asked about and shown like a call of the model, though none made them. */
export async function askWrites(asked: AskedWrites, deps: AskDeps): Promise<Decision> {
  const { callId, tool, operation, accesses, agent, input, diffs } = asked;
  const { decide, emit, signal, perform } = deps;
  const preview = diffs.length > 0 ? { preview: { kind: 'diffs' as const, diffs: [...diffs] } } : {};
  const beforeAsking = async (question: PermissionRequest) => {
    const full = { ...question, ...preview };
    await emit({ type: 'question', request: full });
    return full;
  };
  const startedAt = performance.now();
  const request = {
    callId,
    tool,
    operation,
    accesses,
    because: '',
    input,
    ...(agent !== undefined && { agent }),
  };
  const decision = await decide(request, { signal, beforeAsking, asked: 0, later: [] });
  const { verdict, by, because } = decision;
  await emit({ type: 'judged', callId, tool, verdict, by, because, accesses: [...accesses] });
  const isAllowed = verdict === 'allow';
  let isDone = false;
  try {
    if (isAllowed) {
      await emit({ type: 'tool_start', call: { id: callId, name: tool, input }, title: operation });
      await perform();
      isDone = true;
    }
  } finally {
    const durationMs = Math.round(performance.now() - startedAt);
    const display = isDone && preview.preview ? { display: preview.preview } : {};
    await emit({ type: 'tool_end', callId, name: tool, success: isDone, durationMs, ...display });
  }
  return decision;
}
