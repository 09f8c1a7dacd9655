import { readFile } from 'node:fs/promises';
import { doors } from '../test/support/aca.ts';

/**
 * A program to be raced. In all texts `{url}` stands for the model server, `{home}` for an empty home folder, `{cwd}`
 * for the project, `{prompt}` for what is asked.
 */
export type Contestant = {
  name: string;
  /** Opens its screen, and runs one prompt to its end. */
  interactive: readonly string[];
  headless: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What it needs in its home, by path. */
  files?: Readonly<Record<string, string>>;
  /** A pattern that is on the screen once one can type. */
  ready: string;
  /** A call of one of its own tools that reads `{file}`. */
  read: { tool: string; input: Readonly<Record<string, unknown>> };
};

/** This project's own program, however it is started. */
export function ours(name: string, program: readonly string[]): Contestant {
  const { model, env } = doors.anthropic('{url}');
  return {
    name,
    interactive: [...program, '--model', model],
    headless: [...program, '--model', model, '-p', '{prompt}'],
    env: { ...env, AI_ASSISTANT_KEYCHAIN: '0', AI_ASSISTANT_MEMORY: '0' },
    ready: '^>',
    read: { tool: 'Read', input: { file_path: '{file}' } },
  };
}

export async function contestantFrom(file: string): Promise<Contestant> {
  const given: Partial<Contestant> = JSON.parse(await readFile(file, 'utf8'));
  const { name, interactive, headless, ready, read, env = {}, files } = given;
  if (!name || !interactive || !headless || !ready || !read)
    throw new Error(`${file} needs name, interactive, headless, ready and read; see docs/bench.md.`);
  return { name, interactive, headless, ready, read, env, ...(files && { files }) };
}

/** Everything with its places filled in. */
export function filledIn<T>(value: T, places: Readonly<Record<string, string>>): T {
  return JSON.parse(
    JSON.stringify(value, (_key, part) =>
      typeof part === 'string' ? part.replaceAll(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole) : part,
    ),
  );
}
