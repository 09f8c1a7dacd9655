import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { answer, openLab } from '../support/lab.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const CTRL_C = '\u0003';
/** After a signal to end, the program is given this long. */
const LEAVING_MS = 8_000;

/** A registry that starts to send every package and never finishes. */
async function slowRegistry(): Promise<Record<string, string>> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 1e6 });
    response.write(Buffer.alloc(1000));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { npm_config_registry: url, HF_ENDPOINT: url };
}

const partsIn = async (space: Workspace) =>
  (await readdir(path.join(space.home, '.ai-assistant/runtime'), { recursive: true })).filter((name) =>
    name.endsWith('.part'),
  );

test('Ctrl+C in a download returns to the menu and stays there, in the terminal', soak, async () => {
  const space = await workspace();
  const env = await slowRegistry();
  const lab = openLab(space, [], { env, whenDone: onTestFinished });
  await lab.waitFor('Download a model');
  lab.type('\r');
  await lab.waitFor('Select a model to download.');
  // The memory of the machine decides which ones are offered.
  await lab.waitFor(({ rows }) =>
    /\d (GB|MB) from 127\.0\.0\.1:\d+, .+, needs \d+\.\d GB of memory/.test(rows().join('\n')),
  );
  expect(lab.rows().join('\n')).toContain('recommended for this machine');
  lab.type('\r');
  await lab.waitFor(({ rows }) =>
    /Download \S+ \(\S+ (GB|MB) from/.test(rows().join('\n').replaceAll('\n', ' ')),
  );
  await answer(lab, 'Download ', 'y\r');
  await lab.waitFor(({ all }) => /runtime {2}.*% of \d+/.test(all().join('\n')));

  lab.type(CTRL_C);

  await lab.waitFor('Stopped. Choose it again to resume.');
  await lab.waitFor('Welcome!');
  await sleep(LEAVING_MS + 1_000);
  expect(await partsIn(space)).not.toEqual([]);
  expect(lab.all().join('\n')).not.toContain('Next, download a model');
  // The menu still reacts to keys.
  lab.type('\r');
  await lab.waitFor('Select a model to download.');
});

test('Ctrl+C in a download returns to the menu and stays there, in plain lines', soak, async () => {
  const space = await workspace();
  const env = await slowRegistry();
  const terminal = openTerminal(space, ['--plain'], env);
  await terminal.waitFor('[e] download a model');
  terminal.type('e');
  await terminal.waitFor('(recommended for this machine): ');
  await terminal.waitFor('[b] back');
  terminal.type('1');
  await terminal.waitFor('Installing llama.cpp');
  await terminal.waitFor('% of ');

  terminal.type(CTRL_C);

  await terminal.waitFor('Stopped. Choose it again to resume.');
  await terminal.waitFor('[q] quit', 2);
  await sleep(LEAVING_MS + 1_000);
  terminal.type('q');
  expect(await terminal.exitCode, terminal.screen()).toBe(0);
  expect(terminal.screen()).not.toContain('Next, download a model');
});

test('the runtime can be removed, with what broken downloads of it left', async () => {
  const space = await workspace();
  const folder = path.join(space.home, '.ai-assistant/runtime');
  expect(await aca(space, ['models', 'remove', 'runtime'])).toMatchObject({
    code: 2,
    stderr: 'The runtime is not installed.\nThere is nothing to remove.\n',
  });
  await mkdir(path.join(folder, 'node-llama-cpp-1.0.0/node_modules'), { recursive: true });
  await mkdir(path.join(folder, 'node-llama-cpp-1.0.0.downloads'));
  await writeFile(path.join(folder, 'node-llama-cpp-1.0.0.downloads/a.tgz.part'), 'half');

  expect(await aca(space, ['models', 'remove', 'runtime'])).toMatchObject({
    code: 0,
    stdout: `Removed ${folder}\n`,
  });
  expect(existsSync(folder)).toBe(false);
});
