import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { aca, doors } from '../aca.ts';
import { type Answer, says } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { nobodyIn } from '../processes.ts';
import { pictureOf } from '../undo.ts';
import { type Workspace, workspace } from '../workspace.ts';
import { dataRootOf, type Ran, runProgram, type Start, type Treatment } from './program.ts';
import { files, permissions, prompts, script } from './scenario.ts';
import { countedIn, undoAll, verifyKilled } from './verify.ts';

/** Sandboxing each command takes time, and is tested elsewhere. */
const config = { sandbox: { kind: 'off' } };

export type Stage = { space: Workspace; before: Record<string, string> };

/** A folder and data root like used ones, with warm caches. */
export async function setStage(warm?: Workspace): Promise<Stage> {
  const space = await workspace(files);
  const root = dataRootOf(space);
  await mkdir(root);
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
  const cache = warm && path.join(dataRootOf(warm), 'cache');
  if (cache && existsSync(cache)) await cp(cache, path.join(root, 'cache'), { recursive: true });
  return { space, before: pictureOf(space.root) };
}

export const headless = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const typed = prompts.map((text) => `${JSON.stringify({ type: 'user', text })}\n`).join('');

/** Plays the scenario once with this treatment. */
export async function play({ space }: Stage, treatment: Treatment = {}): Promise<Ran> {
  return withServer(script(), (server) =>
    runProgram(space, startOf(server, [...headless, ...permissions]), treatment),
  );
}

export function startOf(server: ModelServer, args: readonly string[]): Start {
  const { model, env } = doors.anthropic(server.url);
  return { args: [...args, '--model', model], env, stdin: typed };
}

/** Closed afterwards, not at the end of the test: a test plays many rounds. */
export async function withServer<T>(
  steps: Parameters<typeof startModelServer>[0],
  deed: (server: ModelServer) => Promise<T>,
): Promise<T> {
  const server = await startModelServer(steps);
  try {
    const result = await deed(server);
    expect(server.refusals).toEqual([]);
    return result;
  } finally {
    await server.close();
  }
}

/** One round: killed, verified, optionally resumed, and undone. */
export async function round(
  stage: Stage,
  treatment: Treatment,
  { resume }: { resume: boolean },
): Promise<Ran> {
  const ran = await play(stage, treatment);
  await nobodyIn(stage.space.root);
  const id = await verifyKilled(stage.space, ran);
  if (id === null) return ran;
  if (resume) await goOn(stage, id);
  await undoAll(stage.space, id);
  expect(pictureOf(stage.space.root)).toEqual(stage.before);
  return ran;
}

/** The program itself resumes the session; the server rejects an invalid history. */
export async function goOn(
  { space }: Stage,
  id: string,
  answer: Answer = says('Went on.'),
): Promise<ModelServer> {
  // A command that was just started may still write its mark.
  await nobodyIn(space.root);
  const counted = countedIn(space);
  return withServer([answer], async (server) => {
    const { model, env } = doors.anthropic(server.url);
    const outcome = await aca(space, ['-p', 'Go on.', '--resume', id, '--model', model], { env });
    expect(outcome).toEqual({ code: 0, stdout: 'Went on.\n', stderr: '' });
    expect(countedIn(space)).toEqual(counted);
    return server;
  });
}
