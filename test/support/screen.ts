import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { doors } from './aca.ts';
import { type Lab, type LabOptions, openLab, still } from './lab.ts';
import type { Step } from './model-server/script.ts';
import type { ModelServer } from './model-server/server.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

const screens = path.join(path.dirname(fileURLToPath(import.meta.url)), '../journeys/screens');

export type ScreenOptions = Partial<LabOptions> & {
  args?: string[];
  /** Keys typed before the program starts. */
  typed?: string;
};

/**
 * The program in a terminal with a scripted model, its prompt painted. Both are closed at the end of the
 * test.
 */
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

/** The prompt is visible, and its model is known. */
function promptShown(lab: Lab): boolean {
  return lab.rows().some((row) => row.startsWith('>')) && lab.rows().join('\n').includes('sonnet-4');
}

/** Rows without those the program starts with, which name the folder and a tip. */
export function withoutHeader(rows: readonly string[]): string[] {
  const name = rows.findIndex((row) => /^ai-code-assistant \d/.test(row));
  return name === -1 ? [...rows] : rows.toSpliced(name - 1, HEADER_ROWS);
}

const HEADER_ROWS = 6;

/** The run is over and shows this cost: nothing is animated any more. */
export async function runOver(lab: Lab, cost: string): Promise<void> {
  await lab.waitFor(({ rows }) => {
    const shown = rows();
    return (
      shown.some((row) => row.includes(` ${cost}`)) && !shown.some((row) => row.includes('esc to interrupt'))
    );
  });
  await still(lab);
}

/**
 * Waits until the screen matches a file in test/journeys/screens, and stays so; UPDATE_SCREENS=1 rewrites the
 * file.
 */
export async function expectScreen(name: string, lab: Lab, rows: () => readonly string[]): Promise<void> {
  const file = path.join(screens, `${name}.txt`);
  const seen = () => `${rows().join('\n')}\n`;
  await still(lab);
  if (process.env.UPDATE_SCREENS) {
    await mkdir(screens, { recursive: true });
    await writeFile(file, seen());
    return;
  }
  const expected = await readFile(file, 'utf8');
  const message = `${name} looks otherwise; UPDATE_SCREENS=1 takes the new look`;
  await expect.poll(seen, { timeout: 30_000, message }).toBe(expected);
  await still(lab);
  expect(seen(), message).toBe(expected);
}
