import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { FileDiagnostics, Finding } from '../contract/code-intelligence.ts';
import { type DiagnoseOptions, diagnose, findingsOf, isPulled } from './diagnose.ts';
import { textOnDisk } from './disk.ts';

/**
 * `before`: the text before it was changed, null if there was no file; absent if nobody asks for it. `isOther`: it did
 * not change itself, so it comes after those that did.
 */
export type WantedFile = { path: string; before?: string | null; isOther?: boolean };

/** `before` is what was wrong with the earlier text; absent if it was not asked for or is not known. */
export type CheckedFile = { now: FileDiagnostics; before?: readonly Finding[] };

export type CheckRequest = {
  files: readonly WantedFile[];
  /** Called for each file as soon as it is checked. */
  onChecked(file: CheckedFile): void;
  answer(checked: CheckedFile[]): void;
  fail(error: unknown): void;
};

/**
 * Checks the files of several requests at once: the server gets all texts, and then works on each of them once, while no
 * text changes. Each request is answered as soon as its own files are checked.
 */
export async function checkFiles(
  requests: readonly CheckRequest[],
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<void> {
  const { texts } = options;
  const files = requests.flatMap((request) => request.files);
  const paths = [...new Set(files.map((file) => file.path))];
  const before = await findingsBefore(files, options, signal);
  texts.followDisk();
  for (const file of paths) texts.showAsOnDisk(file);
  // What is published for an unchanged text may be older than the last change of another.
  if (!isPulled(options)) for (const file of paths) texts.showAsOnDisk(file, { afresh: true });
  const now = inOrder(files, (file) => diagnosticsNow(file, options, signal));
  const answers = requests.map((request) =>
    Promise.all(
      request.files.map(async ({ path: file, before: text }): Promise<CheckedFile> => {
        const earlier = text === null ? [] : before.get(keyOf(file, text));
        const found = (await now.get(file)) ?? { path: file, type: 'unknown', because: 'it was not checked' };
        const checked: CheckedFile = { now: found, ...(earlier && { before: earlier }) };
        request.onChecked(checked);
        return checked;
      }),
    ),
  );
  // After an abort, the server knows better what happened.
  for (const [at, { answer, fail }] of requests.entries())
    answers[at]?.then(answer, (error) => signal.aborted || fail(error));
  await Promise.allSettled(answers);
}

/** Each file once: those that changed together, and the others after them. */
function inOrder<T>(
  files: readonly WantedFile[],
  check: (file: string) => Promise<T>,
): Map<string, Promise<T>> {
  const changed = new Set(files.flatMap(({ path: file, isOther }) => (isOther ? [] : [file])));
  const results = new Map([...changed].map((file) => [file, check(file)]));
  const done = Promise.allSettled(results.values());
  for (const { path: file } of files)
    if (!results.has(file))
      results.set(
        file,
        done.then(() => check(file)),
      );
  return results;
}

const keyOf = (file: string, text: string | undefined) => `${file}\0${text}`;

/** What was wrong with the texts before they changed: all at once, unless a file has several of them. */
async function findingsBefore(
  files: readonly WantedFile[],
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<Map<string, readonly Finding[]>> {
  const left = new Map<string, { path: string; text: string }>();
  for (const { path, before } of files)
    if (typeof before === 'string') left.set(keyOf(path, before), { path, text: before });
  const found = new Map<string, readonly Finding[]>();
  while (left.size > 0) {
    const round = new Map([...left].map(([key, wanted]) => [wanted.path, { key, ...wanted }]));
    for (const { path, text, key } of round.values()) {
      options.texts.show(path, text);
      left.delete(key);
    }
    await Promise.all(
      [...round.values()].map(async ({ path, text, key }) => {
        const items = await diagnose(path, options, signal);
        found.set(key, findingsIn(path, text, { items, options }));
      }),
    );
  }
  return found;
}

async function diagnosticsNow(
  file: string,
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<FileDiagnostics> {
  const { documents } = options;
  const text = documents.text(file);
  // It was deleted, or is not a text.
  if (text === undefined) return { path: file, type: 'known', findings: [] };
  const items = await diagnose(file, options, signal);
  if (documents.text(file) !== text || textOnDisk(file) !== text)
    return { path: file, type: 'unknown', because: 'it was changed while it was checked' };
  return { path: file, type: 'known', findings: findingsIn(file, text, { items, options }) };
}

function findingsIn(
  file: string,
  text: string,
  { items, options }: { items: readonly Diagnostic[]; options: DiagnoseOptions },
): Finding[] {
  return findingsOf(file, text, { items, source: options.program.name });
}
