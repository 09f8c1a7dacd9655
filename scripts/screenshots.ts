import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { doors } from '../test/support/aca.ts';
import { type Lab, openLab, still } from '../test/support/lab.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { demo, type Film, projectFiles, type Shot, shots } from './screens/shots.ts';
import { type Frame, type Ground, screenOf, toAnimatedSvg, toSvg } from './screens/terminal-svg.ts';

/**
 * Screenshots of real conversations for docs/screens: the built program in a terminal, with a scripted model. Each
 * at every size, on a dark and a light background. An argument takes only the shots of this name.
 */

const folder = path.resolve('docs/screens');
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
const grounds: Ground[] = ['dark', 'light'];

type Stage = { columns: number; rows: number; ground: Ground };

async function takeShot({ play, ...shot }: Shot, stage: Stage): Promise<void> {
  const screen = await onStage(shot, stage, async (lab) => {
    await play(lab);
    if (!shot.moves) await still(lab, 600);
    await lab.settled();
    return screenOf(lab.emulator, stage.ground);
  });
  const { columns, rows, ground } = stage;
  await save(`${columns}x${rows}-${ground}/${shot.name}`, toSvg(screen, shot.title));
}

async function takeFilm({ play, ...film }: Film): Promise<void> {
  const frames: Frame[] = [];
  await onStage(film, { columns: 90, rows: 24, ground: 'dark' }, (lab) =>
    play(lab, async (ms) => {
      await still(lab, 600);
      frames.push({ screen: screenOf(lab.emulator), ms });
    }),
  );
  await save(film.name, toAnimatedSvg(frames, film.title));
}

async function save(name: string, svg: string): Promise<void> {
  const file = path.join(folder, `${name}.svg`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, svg);
  console.log(path.relative('.', file));
}

async function onStage<Result>(
  { script, files = projectFiles, args = [] }: Omit<Shot, 'play'>,
  { columns, rows, ground }: Stage,
  use: (lab: Lab) => Promise<Result>,
): Promise<Result> {
  // Always the same folder: its name is on the screen.
  const base = path.join(await realpath(tmpdir()), 'aca-screens');
  await rm(base, { recursive: true, force: true });
  const space: Workspace = {
    root: path.join(base, 'project'),
    home: path.join(base, 'home'),
    tree: async () => ({}),
  };
  await using server = await startModelServer(script);
  const { env } = doors.anthropic(server.url);
  let end = (): void => undefined;
  try {
    for (const place of [space.root, space.home]) await mkdir(place, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(space.root, file)), { recursive: true });
      await writeFile(path.join(space.root, file), text);
    }
    const lab = openLab(space, args, {
      main: path.resolve('dist/main.cjs'),
      columns,
      rows,
      env: { ...env, COLORTERM: 'truecolor', COLORFGBG: ground === 'light' ? '0;15' : '15;0' },
      whenDone: (clean) => {
        end = clean;
      },
    });
    await lab.waitFor('sonnet');
    return await use(lab);
  } finally {
    end();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

const [, , only] = process.argv;
if (only === undefined || only === demo.name) await takeFilm(demo);
for (const shot of shots.filter(({ name }) => only === undefined || only === name))
  for (const size of sizes) for (const ground of grounds) await takeShot(shot, { ...size, ground });
