import path from 'node:path';
import type { CallVoice, RouterDeps } from '../../agent/tool-router.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { Access, PermissionRequest } from '../../contract/permission.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { Shell, ToolResult } from '../../contract/tool.ts';
import { sha256 } from '../../lib/sha256.ts';
import { diffOf, type LineDiff } from '../../lib/text/diff-lines.ts';
import { putContent, type SetAside, type StartupWatch } from '../../sandbox/startup/startup-watch.ts';

export type StartupCheckOptions = {
  cwd: string;
  shell: Shell;
  watch: StartupWatch;
  decide: RouterDeps['decide'];
  /** Whether nobody may write a file, whatever is answered. */
  isClosed(file: string): boolean;
  /** Before a file that was agreed to is put in its place. */
  onBeforeWrite(change: FileChange): Promise<void>;
  /** Told what a command in the background did. */
  warn(text: string): void;
};

export type StartupCheck = {
  /** For commands that may change something. */
  shell: Pick<Shell, 'run' | 'start'>;
  /** Asks about what commands changed, and adds what came of it to the answer of a call. */
  settle(result: ToolResult, signal: AbortSignal, voice: CallVoice): Promise<ToolResult>;
  /** Once no command runs any more. */
  close(): Promise<void>;
};

/** How often commands in the background are looked after. */
const EVERY_MS = 3_000;

/**
 * Files that other programs run and that a sandboxed command made or changed are put back at once; then the person is
 * asked about all of them together, as for a write of the same files.
 */
export function createStartupCheck(options: StartupCheckOptions): StartupCheck {
  const { cwd, shell, watch, decide, isClosed, onBeforeWrite, warn } = options;
  let pending: SetAside[] = [];
  const background = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const shown = (file: string) => path.relative(cwd, file) || file;

  async function collect(): Promise<SetAside[]> {
    const found = await watch.check();
    // The latest content of a file is the one that counts.
    const paths = new Set(found.map((one) => one.path));
    pending = [...pending.filter((one) => !paths.has(one.path)), ...found];
    return found;
  }

  async function watched<T>(run: Parameters<Shell['start']>[0], deed: () => Promise<T>): Promise<T> {
    if (run.unconfined || !canChange(await shell.sandbox())) return deed();
    await watch.enter({ mounted: hasMounts(await shell.sandbox()) });
    try {
      return await deed();
    } finally {
      await collect();
      watch.leave();
    }
  }

  async function tend(): Promise<void> {
    const found = await collect();
    if (found.length > 0)
      warn(
        `A command in the background changed ${found.map((one) => `${shown(one.path)} (${one.because})`).join(', ')}. It was put back as it was.`,
      );
    const running = new Set(shell.background().flatMap(({ id, running }) => (running ? [id] : [])));
    for (const id of background) {
      if (running.has(id)) continue;
      background.delete(id);
      watch.leave();
    }
    if (background.size === 0) stopTimer();
  }

  function stopTimer(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function putInPlace(found: readonly SetAside[]): Promise<void> {
    for (const { path: file, before, after } of found) {
      if (after.type === 'file' && before?.type !== 'link')
        await onBeforeWrite({
          path: file,
          before: before?.bytes ?? null,
          after: after.bytes,
          ...(before && { was: { type: 'file' as const, mode: before.mode } }),
        });
      watch.expect(file, after);
      putContent(file, after);
    }
  }

  /** Null when they are in place now, else why not. */
  async function ask(
    asked: SetAside[],
    signal: AbortSignal,
    { callId, tell }: Pick<CallVoice, 'callId' | 'tell'>,
  ): Promise<string | null> {
    const diffs = await diffsOf(asked, shown);
    const accesses: Access[] = asked.map((one) => ({ kind: 'write', target: shown(one.path) }));
    const operation = `Keep what the command wrote: ${asked.map((one) => shown(one.path)).join(', ')}`;
    // The same content is not asked about twice.
    const files = asked.map((one) => ({ path: shown(one.path), sha256: sha256(one.after.bytes) }));
    const request = { callId, tool: 'Write', operation, accesses, because: '', input: { files } };
    const preview = diffs.length > 0 ? { preview: { kind: 'diffs' as const, diffs } } : {};
    const beforeAsking = async (question: PermissionRequest) => {
      const full = { ...question, ...preview };
      await tell({ type: 'question', request: full });
      return full;
    };
    const began = performance.now();
    const decision = await decide(request, { signal, beforeAsking }).catch((error: unknown) => {
      pending = [...asked, ...pending];
      throw error;
    });
    const { verdict, by, because } = decision;
    await tell({ type: 'judged', callId, tool: 'Write', verdict, by, because, accesses });
    const isAllowed = verdict === 'allow';
    if (isAllowed) {
      await tell({
        type: 'tool_start',
        call: { id: callId, name: 'Write', input: { files } },
        title: operation,
      });
      await putInPlace(asked);
    }
    const durationMs = Math.round(performance.now() - began);
    const display = isAllowed && preview.preview ? { display: preview.preview } : {};
    await tell({ type: 'tool_end', callId, name: 'Write', success: isAllowed, durationMs, ...display });
    return isAllowed ? null : because;
  }

  return {
    shell: {
      run: (run) => watched(run, () => shell.run(run)),
      async start(run) {
        if (run.unconfined || !canChange(await shell.sandbox())) return shell.start(run);
        await watch.enter({ mounted: hasMounts(await shell.sandbox()) });
        try {
          const id = await shell.start(run);
          background.add(id);
          timer ??= setInterval(
            () => void tend().catch((error: Error) => warn(error.message)),
            EVERY_MS,
          ).unref();
          return id;
        } catch (error) {
          watch.leave();
          throw error;
        }
      },
    },

    async settle(result, signal, voice) {
      if (background.size > 0) await collect();
      let settled = result;
      // One question for all that can be answered; what is closed to everybody is refused by itself.
      for (const closed of [true, false]) {
        const asked = pending.filter((one) => isClosed(one.path) === closed);
        if (asked.length === 0) continue;
        pending = pending.filter((one) => !asked.includes(one));
        const refused = await ask(asked, signal, {
          ...voice,
          callId: `${voice.callId}:${closed ? 'closed' : 'files'}`,
        });
        if (refused !== null) settled = withNote(settled, refusal(asked, refused, shown));
      }
      return settled;
    },

    async close() {
      stopTimer();
      if (background.size > 0) await collect();
      for (const _ of background) watch.leave();
      background.clear();
    },
  };
}

/** Outside a sandbox a person has agreed to the command itself; in a strict one nothing can be changed. */
function canChange({ kind, level }: SandboxState): boolean {
  return kind !== 'host' && level !== 'strict';
}

function hasMounts({ kind }: SandboxState): boolean {
  return kind === 'bubblewrap' || kind === 'seatbelt';
}

/** For the model: what became of the files, why, and what to do. */
function refusal(found: readonly SetAside[], because: string, shown: (file: string) => string): string {
  const lines = found.map(({ path: file, because: why, before, keptAs }) => {
    const state = before ? 'is as it was before' : 'was removed';
    return `- ${shown(file)} ${state}: ${why}${keptAs === null ? '' : `; what the command wrote is in ${keptAs}`}`;
  });
  return (
    `\n[The command changed files that other programs run. They were put back:\n${lines.join('\n')}\n` +
    `${because}. If such a file is needed, say so and use Write or Edit, which ask the user.]`
  );
}

function withNote(result: ToolResult, note: string): ToolResult {
  return result.success
    ? { ...result, output: `${result.output}${note}` }
    : { ...result, error: `${result.error}${note}` };
}

async function diffsOf(found: readonly SetAside[], shown: (file: string) => string): Promise<LineDiff[]> {
  const diffs: LineDiff[] = [];
  for (const { path: file, before, after } of found) {
    const texts = [before, after].map((content) => textOf(content));
    if (texts.some((text) => text === undefined)) continue;
    diffs.push(await diffOf(shown(file), texts[0] ?? null, texts[1] ?? ''));
  }
  return diffs;
}

/** Undefined where it is no text. */
function textOf(content: SetAside['before']): string | null | undefined {
  if (content === null) return null;
  if (content.type === 'link') return `link to ${content.bytes.toString('utf8')}\n`;
  return content.bytes.includes(0) ? undefined : content.bytes.toString('utf8');
}
