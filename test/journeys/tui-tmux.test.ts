import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnv, doors } from '../support/aca.ts';
import { says, slowly } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const main = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/main.cjs');
const run = promisify(execFile);
const WAIT_MS = 30_000;

const lines = Array.from({ length: 90 }, (_, i) => `line-${i}-end`);
const answer = [
  lines.slice(0, 40).join('\n\n'),
  lines
    .slice(40)
    .map((line) => `- ${line}`)
    .join('\n'),
].join('\n\n');

test('[C11] in tmux, resized again and again while an answer arrives, every line stands once', async ({
  skip,
}) => {
  skip(
    await run('tmux', ['-V']).then(
      () => false,
      () => true,
    ),
    'tmux is not installed',
  );
  const space = await workspace();
  const server = await serve([slowly(says(answer, { pieceLength: 9 }), { betweenMs: 3 })]);
  const pane = await openPane(space, server.url);

  await pane.waitFor('sonnet-4');
  await pane.tmux('send-keys', 'go', 'Enter');
  await pane.waitFor('line-3-end');
  for (let round = 0; round < 20; round++) {
    await pane.tmux(
      'resize-window',
      '-x',
      String(40 + ((round * 37) % 80)),
      '-y',
      String(14 + ((round * 7) % 20)),
    );
  }
  await pane.waitFor('line-89-end');
  await pane.tmux('resize-window', '-x', '80', '-y', '24');
  await pane.tmux('send-keys', 'z');
  await pane.waitFor(/^> z *$/m);

  // Of one picture: the next may be taken between the erasing and the painting of a row.
  const shown = async () => {
    const text = await pane.all();
    return { lines: linesIn(text), prompts: text.match(/^> z *$/gm)?.length };
  };
  await expect.poll(shown, { timeout: WAIT_MS }).toEqual({ lines, prompts: 1 });
});

function linesIn(text: string): string[] {
  return [...text.matchAll(/line-\d+-end/g)].map(([line]) => line);
}

/** A server of its own, which no other tmux of this machine knows. */
async function openPane(space: Workspace, url: string) {
  const socket = path.join(space.home, 'tmux');
  const conf = path.join(space.home, 'tmux.conf');
  // The user of the tests may have a shell that runs nothing.
  await writeFile(conf, 'set -g history-limit 20000\nset -g status off\nset -g default-shell /bin/sh\n');
  const door = doors.anthropic(url);
  const env = { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...cleanEnv(space, door.env) };
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-S', socket, '-f', conf, ...args], { cwd: space.root, env })).stdout;
  onTestFinished(() => tmux('kill-server').then(() => undefined));
  const program = [process.execPath, main, '--model', door.model].map((word) => `'${word}'`).join(' ');
  await tmux('new-session', '-d', '-x', '80', '-y', '24', program);
  // Lines that were broken are put together again.
  const all = () => tmux('capture-pane', '-p', '-J', '-S', '-');
  return {
    tmux,
    all,
    async waitFor(text: string | RegExp) {
      const until = performance.now() + WAIT_MS;
      for (let seen = await all(); !seen.match(text); seen = await all()) {
        if (performance.now() > until) throw new Error(`${text} did not come. The screen:\n${seen}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
