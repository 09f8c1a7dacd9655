import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { modesByStrictness, statusParts } from '../../src/config/schema/schema.ts';
import { keepLook } from '../../src/frontends/terminal/early/look-file.ts';
import { unknownStatus } from '../../src/frontends/terminal/initial-status.ts';
import { lookOf } from '../../src/frontends/terminal/theme/look.ts';
import { themeOf } from '../../src/frontends/terminal/theme/theme.ts';
import { doors } from './aca.ts';
import { type Lab, type LabOptions, openLab } from './lab.ts';
import type { Step } from './model-server/script.ts';
import type { ModelServer } from './model-server/server.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

/** Like after an earlier session on the same terminal. */
export async function knowLook(space: Workspace, env: Record<string, string> = {}): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  const theme = themeOf('dark', env.NO_COLOR ? 'none' : '256');
  const begin = { theme, status: unknownStatus, statusBar: statusParts };
  keepLook(root, { TERM: 'xterm-256color', ...env }, lookOf(begin, modesByStrictness));
}

/** Preloaded before the program: `setImmediate` callbacks also wait for a file. */
const HOLD = `const { existsSync } = require('node:fs');
const soon = globalThis.setImmediate;
globalThis.setImmediate = (go, ...rest) => {
  if (existsSync(process.env.GATE)) return soon(go, ...rest);
  const timer = setInterval(() => {
    if (!existsSync(process.env.GATE)) return;
    clearInterval(timer);
    go(...rest);
  }, 5);
  return timer;
};
`;

type Held = { lab: Lab; server: ModelServer; letGo(): Promise<void> };

type HeldOptions = Partial<LabOptions> & { args?: string[]; script?: readonly Step[] };

/** The program after painting its first rows and before loading anything else, until it is released. */
export async function openHeld(space: Workspace, options: HeldOptions = {}): Promise<Held> {
  const { args = [], script = [], env = {}, ...others } = options;
  const server = await serve(script);
  const door = doors.anthropic(server.url);
  const hold = path.join(space.home, 'hold.cjs');
  const gate = path.join(space.home, 'gate');
  await writeFile(hold, HOLD);
  const lab = openLab(space, ['--model', door.model, ...args], {
    whenDone: onTestFinished,
    ...others,
    // Each runtime has its own option for preloading.
    env: {
      ...door.env,
      NODE_OPTIONS: `--require ${hold}`,
      BUN_OPTIONS: `--preload=${hold}`,
      GATE: gate,
      ...env,
    },
  });
  return { lab, server, letGo: () => writeFile(gate, '') };
}
