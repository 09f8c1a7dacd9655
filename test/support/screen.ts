import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { doors } from './aca.ts';
import { type Lab, type LabOptions, openLab } from './lab.ts';
import type { Step } from './model-server/script.ts';
import type { ModelServer } from './model-server/server.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

const screens = path.join(path.dirname(fileURLToPath(import.meta.url)), '../journeys/screens');

export type ScreenOptions = Partial<LabOptions> & {
  args?: string[];
  /** Keys that are there before the program is. */
  typed?: string;
};

/** The program on a terminal with a scripted model behind it, its prompt painted. Both are gone when the test is. */
export async function openScreen(
  space: Workspace,
  script: readonly Step[],
  { args = [], env = {}, typed, ...options }: ScreenOptions = {},
): Promise<{ lab: Lab; server: ModelServer }> {
  const server = await serve(script);
  const door = doors.anthropic(server.url);
  const lab = openLab(space, ['--model', door.model, ...args], {
    whenDone: onTestFinished,
    ...options,
    env: { ...door.env, ...env },
  });
  if (typed !== undefined) lab.type(typed);
  await lab.waitFor(promptShown);
  return { lab, server };
}

/** The prompt is there, and its model is known. */
function promptShown(lab: Lab): boolean {
  return lab.rows().some((row) => row.startsWith('>')) && lab.rows().join('\n').includes('claude-sonnet');
}

/** Compares with a file in test/journeys/screens; UPDATE_SCREENS=1 writes it anew. */
export async function expectScreen(name: string, rows: readonly string[]): Promise<void> {
  const file = path.join(screens, `${name}.txt`);
  const seen = `${rows.join('\n')}\n`;
  if (process.env.UPDATE_SCREENS) {
    await mkdir(screens, { recursive: true });
    await writeFile(file, seen);
    return;
  }
  expect(seen, `${name} looks otherwise; UPDATE_SCREENS=1 takes the new look`).toBe(
    await readFile(file, 'utf8'),
  );
}
