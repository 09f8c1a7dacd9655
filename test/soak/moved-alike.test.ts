// @module-tag soak
import { cp, lstat, readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { conversations } from '../support/recorded/conversations.ts';
import type { Recorded } from '../support/recorded/recording.ts';
import { runs } from '../support/recorded/runs.ts';
import { ALLOWED, replay } from '../support/replay.ts';
import { serve } from '../support/serve.ts';
import { sampled } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Where a session is moved to. */
const places = ['project', 'a/rather/deep/folder/of/another/user/project', 'my project', 'проект-é'];

/** Each session to each place, which differ among the few of a short run, too. */
const rows = Object.entries<Recorded>({ ...runs, ...conversations }).flatMap(([name, row], i) =>
  places.map((_, k) => [name, places[(i + k) % places.length] ?? '', row] as const),
);

test.each(sampled(rows, 4))('%s, moved to %s, is the same', { timeout: 300_000 }, async (_, folder, row) => {
  const here = await workspace(row.files ?? { 'a.txt': 'one\n', 'keep.txt': 'kept\n' });
  const id = await row.record(here);
  const there = await moved(here, { id, folder });
  expect(await statesIn(there.root)).toEqual(await statesIn(here.root));

  const { report } = await replay(there, id);
  expect(report.differences).toEqual([]);

  expect(await resumed(there, id)).toEqual(await resumed(here, id));
  expect(await undone(there, id)).toEqual(await undone(here, id));
  expect(await statesIn(there.root)).toEqual(await statesIn(here.root));
});

/** The session on another machine: the settings of its user are there, but nothing else. */
async function moved(here: Workspace, { id, folder }: { id: string; folder: string }): Promise<Workspace> {
  const file = path.join(here.home, 's.aca');
  const exported = await aca(here, ['sessions', 'export', id, '--bundle', '--all-files', '-o', file]);
  expect(exported).toMatchObject({ code: 0 });
  const other = await workspace();
  await rm(other.root, { recursive: true });
  const own = path.join(here.home, '.ai-assistant');
  await cp(here.home, other.home, {
    recursive: true,
    filter: (from) => !from.startsWith(own) || from === own || from === path.join(own, 'config.json'),
  });
  const root = path.join(path.dirname(other.root), folder);
  const there = { ...other, root };
  const imported = await aca(there, ['sessions', 'import', file, '--at', root], { cwd: other.home });
  expect(imported).toMatchObject({ code: 0, stdout: `${id}\n` });
  return there;
}

/** What a model gets when the session goes on. */
async function resumed(space: Workspace, id: string): Promise<unknown> {
  const server = await serve([says('Again.')]);
  const { model, env } = doors.anthropic(server.url);
  const more = ['-p', 'go on', '--model', model, '--mode', 'accept-edits', '--resume', id, ...ALLOWED];
  expect((await aca(space, more, { env })).stdout).toContain('Again.');
  // An imported session begins a new epoch, whose system prompt says this instead of a message.
  const messages = JSON.stringify(server.requests[0]?.messages).replace(
    /\[Nobody watches this run:[^\]]*\]/,
    '',
  );
  return JSON.parse(anywhere(messages, space));
}

async function undone(space: Workspace, id: string): Promise<void> {
  expect(await aca(space, ['undo', '--yes', '--session', id])).toMatchObject({ code: 0 });
}

function anywhere(text: string, { root, home }: Workspace): string {
  return text.replaceAll(root, '/PROJECT').replaceAll(home, '/HOME');
}

/** Every file and link but those of git, with mode and content. */
async function statesIn(root: string): Promise<Record<string, string>> {
  const names = await readdir(root, { recursive: true });
  const states = await Promise.all(
    names
      .filter((name) => !/^\.git(\/|$)/.test(name))
      .map(async (name): Promise<[string, string][]> => {
        const file = path.join(root, name);
        const stat = await lstat(file);
        if (stat.isSymbolicLink()) return [[name, `link ${await readlink(file)}`]];
        if (!stat.isFile()) return [];
        return [[name, `${(stat.mode & 0o777).toString(8)} ${await readFile(file, 'base64')}`]];
      }),
  );
  return Object.fromEntries(states.flat().sort());
}
