import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Config } from '../../config/schema/schema.ts';
import type { Finding } from '../../contract/code-intelligence.ts';
import type { Shell } from '../../contract/tool.ts';
import { newFindings } from '../../language-servers/new-findings.ts';
import { limited, unlessAborted } from '../../lib/async/abort.ts';
import { fileGlobs } from '../../lib/paths/file-globs.ts';
import { isInside } from '../../lib/paths/inside.ts';

type CheckSetting = Config['checks'][number];

export type ChecksOptions = {
  checks: readonly CheckSetting[];
  /** In the sandbox. */
  shell: Pick<Shell, 'run'>;
  cwd: string;
  /** Aborted when the session ends. */
  signal: AbortSignal;
  warn(text: string): void;
};

/** How long the first change waits for the state before it. */
const BASELINE_MS = 20_000;
const MAX_LINES = 30;
const MAX_FINDINGS = 1_000;
/** How often in one run the model gets findings: a check that it cannot satisfy must not keep it working. */
const MOST_AGAIN = 3;

/** The user's own commands that check code: they run when the model is done, and only news are reported. */
export class Checks {
  readonly #checks: Check[];

  constructor(options: ChecksOptions) {
    this.#checks = options.checks.map((setting) => new Check(setting, options));
  }

  /** Await before the first change: what is wrong already is not news. */
  async beforeChange(signal: AbortSignal): Promise<void> {
    const limit = limited(BASELINE_MS, signal);
    await Promise.all(this.#checks.map((check) => unlessAborted(check.learnBaseline(limit), limit)));
  }

  changed(file: string): void {
    for (const check of this.#checks) check.changed(file);
  }

  /** When the model is done: what is new in the output of the commands, or null. */
  async remainingWork(again: number, signal: AbortSignal): Promise<string | null> {
    if (again >= MOST_AGAIN) return null;
    const texts: string[] = [];
    // One after another: each may use all processors.
    for (const check of this.#checks) {
      const text = await check.run(signal);
      if (text !== null) texts.push(text);
    }
    return texts.join('\n\n') || null;
  }
}

class Check {
  readonly #setting: CheckSetting;
  readonly #options: ChecksOptions;
  readonly #applies: (relative: string) => boolean;
  readonly #changed = new Set<string>();
  #known: readonly Finding[] | undefined;
  #learning: Promise<void> | undefined;
  /** The last warning: the same trouble is reported once. */
  #trouble = '';

  constructor(setting: CheckSetting, options: ChecksOptions) {
    this.#setting = setting;
    this.#options = options;
    this.#applies = setting.files.length > 0 ? fileGlobs(setting.files, 'anywhere') : () => true;
  }

  /** Once: later runs of the command are the baseline of the next. */
  learnBaseline(signal: AbortSignal): Promise<void> {
    this.#learning ??= this.#findings(signal).then((findings) => {
      if (findings !== null && this.#changed.size === 0) this.#known = findings;
    });
    return this.#learning;
  }

  changed(file: string): void {
    const { cwd } = this.#options;
    if (isInside(cwd, file) && this.#applies(path.relative(cwd, file).replaceAll(path.sep, '/')))
      this.#changed.add(file);
  }

  async run(signal: AbortSignal): Promise<string | null> {
    if (this.#changed.size === 0) return null;
    const changed = new Set(this.#changed);
    this.#changed.clear();
    const findings = await this.#findings(signal);
    if (findings === null) return null;
    // Without a baseline, only what is about the changed files can be told to be new.
    const fresh = this.#known
      ? newFindings(this.#known, findings)
      : findings.filter((finding) => finding.path === '' || changed.has(finding.path));
    this.#known = findings;
    if (fresh.length === 0) return null;
    const lines = fresh.slice(0, MAX_LINES).map(({ lineText }) => lineText);
    const more = fresh.length > MAX_LINES ? [`… and ${fresh.length - MAX_LINES} more`] : [];
    return [`After your changes, \`${this.#setting.command}\` reports:`, ...lines, ...more].join('\n');
  }

  /** Null if the command could not do its work. */
  async #findings(signal: AbortSignal): Promise<Finding[] | null> {
    const { command, timeoutMs } = this.#setting;
    const { shell, cwd } = this.#options;
    const ending = AbortSignal.any([signal, this.#options.signal]);
    try {
      const outcome = await shell.run({ command, timeoutMs, signal: ending });
      if (ending.aborted) return null;
      if (outcome.timedOut) {
        this.#warn(`The check \`${command}\` did not finish within ${timeoutMs / 1_000}s (setting checks).`);
        return null;
      }
      if (outcome.exitCode === null || outcome.exitCode === 126 || outcome.exitCode === 127) {
        this.#warn(`The check \`${command}\` cannot run: ${lastLine(outcome.stderr || outcome.stdout)}`);
        return null;
      }
      this.#trouble = '';
      return outcome.exitCode === 0 ? [] : findingsIn(`${outcome.stdout}\n${outcome.stderr}`, command, cwd);
    } catch (error) {
      if (ending.aborted) return null;
      this.#warn(
        `The check \`${command}\` cannot run: ${error instanceof Error ? error.message : String(error)}`,
      );
      return null;
    }
  }

  #warn(text: string): void {
    if (text !== this.#trouble) this.#options.warn(text);
    this.#trouble = text;
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/** `file:line:column: text`, or `file(line,column): text`. */
const PLACE = /^\s*(?:\.\/)?([^\s:()][^:()]*?)(?::(\d+)(?::(\d+))?|\((\d+),(\d+)\))[:\s-]+(.*)$/;

/** What a failed command printed: lines that name a place in a file, or else the end of its output. */
export function findingsIn(output: string, source: string, cwd: string): Finding[] {
  const lines = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const finding = { severity: 'error' as const, source, code: '' };
  const placed = lines.flatMap((lineText): Finding[] => {
    const [, file, line = '', column = '1', otherLine = '1', otherColumn, message = ''] =
      PLACE.exec(lineText) ?? [];
    if (file === undefined) return [];
    return [
      {
        ...finding,
        path: path.resolve(cwd, file),
        line: Number(line || otherLine),
        column: Number(otherColumn ?? column),
        message,
        lineText,
      },
    ];
  });
  if (placed.length > 0) return placed.slice(0, MAX_FINDINGS);
  const lineText = lines.slice(-MAX_LINES).join('\n');
  return [{ ...finding, path: '', line: 0, column: 0, message: lineText.replace(/\d+/g, '0'), lineText }];
}
