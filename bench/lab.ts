import { type Lab, openLab } from '../test/support/lab.ts';
import type { Workspace } from '../test/support/workspace.ts';

/** A program with its arguments, and the workspace it is started in. */
export type Started = { space: Workspace; program: readonly string[]; env: Record<string, string> };

/** Opens a program in a terminal for one measurement, and closes it. `started` is the time just before. */
export async function withLab<Result>(
  { space, program, env }: Started,
  use: (lab: Lab, started: number) => Promise<Result>,
): Promise<Result> {
  let end = (): void => undefined;
  const started = performance.now();
  const lab = openLab(space, [], {
    program,
    env,
    rows: 40,
    columns: 100,
    whenDone: (clean) => {
      end = clean;
    },
  });
  try {
    return await use(lab, started);
  } finally {
    end();
    await lab.exit;
  }
}
