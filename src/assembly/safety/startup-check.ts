import path from 'node:path';
import type { CallReporter, RouterDeps } from '../../agent/router-deps.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { Access } from '../../contract/permission.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandOutcome, CommandRun, Shell, ToolResult } from '../../contract/tool.ts';
import { sha256 } from '../../lib/sha256.ts';
import { diffOf, type LineDiff } from '../../lib/text/diff-lines.ts';
import { putContent } from '../../sandbox/startup/contents.ts';
import type { SetAside, StartupWatch } from '../../sandbox/startup/startup-watch.ts';
import { askWrites } from './ask-writes.ts';

export type StartupCheckOptions = {
  cwd: string;
  shell: Shell;
  watch: StartupWatch;
  decide: RouterDeps['decide'];
  /** Whether writing this file is always forbidden. */
  isClosed(file: string): boolean;
  /** Called before an approved file is put in place. */
  onBeforeWrite(change: FileChange): Promise<void>;
  /** Called with what a background command did. */
  warn(text: string): void;
};

/** How often files are checked while background commands run. */
const EVERY_MS = 3_000;

/**
 * Guards files that other programs execute. If a sandboxed command creates or changes such files, they are
 * restored at once; then the user is asked about all of them together, as for a write of the same files.
 */
export class StartupCheck {
  readonly #options: StartupCheckOptions;
  readonly #background = new Set<string>();
  /** Files whose size the user knows about. */
  readonly #reported = new Set<string>();
  #pending: SetAside[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StartupCheckOptions) {
    this.#options = options;
  }

  /** For commands that may change something. */
  readonly shell: Pick<Shell, 'run' | 'start'> = {
    run: (run) => this.#watched(run),
    start: (run) => this.#start(run),
  };

  /** Asks about files that commands changed, and adds the outcome to the call's result. */
  async settle(result: ToolResult, signal: AbortSignal, reporter: CallReporter): Promise<ToolResult> {
    if (this.#background.size > 0) await this.#collect();
    let settled = result;
    // One question for all files that can be approved; protected ones are refused separately.
    for (const group of ['closed', 'git', 'files'] as const) {
      const asked = this.#pending.filter((one) => this.#groupOf(one) === group);
      if (asked.length === 0) continue;
      this.#pending = this.#pending.filter((one) => !asked.includes(one));
      const callId = `${reporter.callId}:${group}`;
      const refused = await this.#ask(asked, signal, { ...reporter, callId });
      if (refused !== null) settled = withNote(settled, refusal(asked, refused, this.#shown));
    }
    return settled;
  }

  /** Call when no command is running any more. */
  async close(): Promise<void> {
    this.#stopTimer();
    if (this.#background.size > 0) await this.#collect();
    for (const _ of this.#background) this.#options.watch.leave();
    this.#background.clear();
  }

  readonly #shown = (file: string) => path.relative(this.#options.cwd, file) || file;

  /** No tool may write git's config: the same command outside the sandbox could. */
  #groupOf({ path: file, sameAs }: SetAside): 'closed' | 'git' | 'files' {
    if (sameAs !== undefined) return 'git';
    return this.#options.isClosed(file) ? 'closed' : 'files';
  }

  async #watched(run: CommandRun): Promise<CommandOutcome> {
    const { shell, watch } = this.#options;
    const execute = (sealed: Pick<CommandRun, 'sealed'> = {}) =>
      shell.run({ ...run, ...sealed, ...(changesGit(run.command) && { gitConfig: true }) });
    if (run.unconfined || !canChange(await shell.sandbox())) return execute();
    const sealed = await this.#enter();
    const unfollow = changesGit(run.command) ? watch.followGit(() => void this.#restoreGit()) : undefined;
    let background: string | undefined;
    try {
      const outcome = await execute(sealed);
      background = outcome.background;
      return outcome;
    } finally {
      unfollow?.();
      await this.#collect();
      if (background === undefined) watch.leave();
      else this.#follow(background);
    }
  }

  async #start(run: Parameters<Shell['start']>[0]): Promise<string> {
    const { shell, watch } = this.#options;
    if (run.unconfined || !canChange(await shell.sandbox())) return shell.start(run);
    const sealed = await this.#enter();
    try {
      const id = await shell.start({ ...run, ...sealed });
      this.#follow(id);
      return id;
    } catch (error) {
      watch.leave();
      throw error;
    }
  }

  /** Begins to watch; what could not be restored is read-only for the command. */
  async #enter(): Promise<Pick<CommandRun, 'sealed'>> {
    const { shell, watch, warn } = this.#options;
    const mounted = hasMounts(await shell.sandbox());
    await watch.enter({ mounted });
    const files = watch.tooLarge();
    const news = files.filter((file) => !this.#reported.has(file));
    for (const file of news) this.#reported.add(file);
    if (news.length > 0)
      warn(
        `Too large to be put back if a command changes them${mounted ? ', so commands cannot change them' : ''}: ${news.map(this.#shown).join(', ')}.`,
      );
    return files.length > 0 ? { sealed: files } : {};
  }

  /** Until this command in the background ends. */
  #follow(id: string): void {
    this.#background.add(id);
    this.#timer ??= setInterval(
      () => void this.#checkBackground().catch((error: Error) => this.#options.warn(error.message)),
      EVERY_MS,
    ).unref();
  }

  /** An editor or a prompt may use git at any moment, so a changed config is not left until the command ends. */
  async #restoreGit(): Promise<void> {
    await this.#collect().catch((error: Error) => this.#options.warn(error.message));
  }

  async #collect(): Promise<SetAside[]> {
    const found = await this.#options.watch.check();
    // The latest content of a file wins.
    const paths = new Set(found.map((one) => one.path));
    this.#pending = [...this.#pending.filter((one) => !paths.has(one.path)), ...found];
    return found;
  }

  async #checkBackground(): Promise<void> {
    const { shell, watch, warn } = this.#options;
    const found = await this.#collect();
    if (found.length > 0)
      warn(
        `A command in the background changed ${found.map((one) => `${this.#shown(one.path)} (${one.because})`).join(', ')}. The original was restored.`,
      );
    const running = new Set(shell.background().flatMap(({ id, running }) => (running ? [id] : [])));
    for (const id of this.#background) {
      if (running.has(id)) continue;
      this.#background.delete(id);
      watch.leave();
    }
    if (this.#background.size === 0) this.#stopTimer();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Null if they are in place now, else the reason. */
  async #ask(
    asked: SetAside[],
    signal: AbortSignal,
    { callId, emit }: Pick<CallReporter, 'callId' | 'emit'>,
  ): Promise<string | null> {
    const names = asked.map((one) => this.#shown(one.path));
    const diffs = await diffsOf(asked, this.#shown);
    const accesses = asked.map((one) => accessOf(one, this.#shown));
    const tool = asked.some((one) => one.sameAs !== undefined) ? 'Bash' : 'Write';
    const operation = `Keep the command's changes: ${names.join(', ')}`;
    const files = asked.map((one) => ({ path: this.#shown(one.path), sha256: sha256(one.after.bytes) }));
    const { verdict, because } = await askWrites(
      { callId, tool, operation, accesses, input: { files }, diffs },
      {
        emit,
        signal,
        decide: (request, options) =>
          this.#options.decide(request, options).catch((error: unknown) => {
            this.#pending = [...asked, ...this.#pending];
            throw error;
          }),
        perform: () => this.#putInPlace(asked),
      },
    );
    return verdict === 'allow' ? null : because;
  }

  async #putInPlace(found: readonly SetAside[]): Promise<void> {
    const { onBeforeWrite, watch } = this.#options;
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
}

/** Outside a sandbox the user approved the command itself; a strict one prevents any change. */
function canChange({ kind, level }: SandboxState): boolean {
  return kind !== 'host' && level !== 'strict';
}

/** Whether a line uses git itself. Other commands find the config of repositories read-only. */
function changesGit(command: string): boolean {
  return /(^|[^\w-])(git|gh|glab)(?![\w-])/.test(command);
}

function accessOf({ path: file, sameAs }: SetAside, shown: (file: string) => string): Access {
  return sameAs === undefined
    ? { kind: 'write', target: shown(file) }
    : { kind: 'execute', target: sameAs, unconfined: true };
}

function hasMounts({ kind }: SandboxState): boolean {
  return kind === 'bubblewrap' || kind === 'seatbelt';
}

/** For the model: what happened to the files, why, and what to do. */
function refusal(found: readonly SetAside[], because: string, shown: (file: string) => string): string {
  const lines = found.map(({ path: file, because: why, before, keptAs }) => {
    const state = before ? 'was restored' : 'was removed';
    return `- ${shown(file)} ${state}: ${why}${keptAs === null ? '' : `; the command's version is in ${keptAs}`}`;
  });
  return (
    `\n[The command changed files that other programs run. They were restored:\n${lines.join('\n')}\n` +
    `${because}. To change such a file, use Write or Edit, which ask the user.]`
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

/** Undefined if it is not text. */
function textOf(content: SetAside['before']): string | null | undefined {
  if (content === null) return null;
  if (content.type === 'link') return `link to ${content.bytes.toString('utf8')}\n`;
  return content.bytes.includes(0) ? undefined : content.bytes.toString('utf8');
}
