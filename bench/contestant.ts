import { readFile } from 'node:fs/promises';
import { doors } from '../test/support/aca.ts';

/**
 * A program to compare. In all strings `{url}` is the model server, `{home}` an empty home folder, `{cwd}`
 * the project, and `{prompt}` the prompt.
 */
export type Contestant = {
  name: string;
  /** Arguments that open its screen, and that run one prompt to completion. */
  interactive: readonly string[];
  headless: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Files it needs in its home folder, by path. */
  files?: Readonly<Record<string, string>>;
  /** A pattern that is on the screen once it accepts input. */
  ready: string;
  /** A call of its own read tool on `{file}`. */
  read: { tool: string; input: Readonly<Record<string, unknown>> };
};

/** This project's own program, started in one of several ways. */
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

/** Replaces all placeholders. */
export function filledIn<T>(value: T, places: Readonly<Record<string, string>>): T {
  return JSON.parse(
    JSON.stringify(value, (_key, part) =>
      typeof part === 'string' ? part.replaceAll(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole) : part,
    ),
  );
}
