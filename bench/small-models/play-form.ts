import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calls, type Step, says } from '../../test/support/model-server/script.ts';
import { startModelServer } from '../../test/support/model-server/server.ts';
import type { NativeForm, TextForm } from './forms.ts';

const MARKER = 'alpha-marker-77';

/**
 * What became of a call. `at once`: the next request had the file's text. `later`: a request after it had, so that a turn
 * was lost. `printed`: the run ended with the call as its answer. `refused`: it never ran.
 */
export type Outcome = 'at once' | 'later' | 'printed' | 'refused';

function stepOf(form: NativeForm | TextForm): Step {
  return 'text' in form ? says(form.text) : calls([form.tool, {}, { rawArguments: form.json }]);
}

/** Runs a built program against a local server whose model sends this form, and then reads no more. */
export async function playForm(form: NativeForm | TextForm, main: string): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-form-'));
  const root = path.join(folder, 'project');
  await mkdir(root);
  await writeFile(path.join(root, 'a.txt'), `${MARKER}\n`);
  const server = await startModelServer([stepOf(form), says('finished'), says('finished')], {
    keyless: true,
    lenient: true,
  });
  try {
    const printed = await run(main, { root, home: folder, url: `${server.url}/v1` });
    const read = server.requests.findIndex(({ body }) => JSON.stringify(body).includes(MARKER));
    if (read === 1) return 'at once';
    if (read > 1) return 'later';
    return server.requests.length === 1 && printed.includes('a.txt') ? 'printed' : 'refused';
  } finally {
    await server.close().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  main: string,
  { root, home, url }: { root: string; home: string; url: string },
): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    AI_ASSISTANT_KEYCHAIN: '0',
    AI_ASSISTANT_MEMORY: '0',
    AI_ASSISTANT_NO_UPDATE_CHECK: '1',
    AI_ASSISTANT_ROOT_EXPECTED: '1',
    LLAMACPP_BASE_URL: url,
  };
  const args = [main, '-p', 'read the file', '--model', 'llamacpp/tiny'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.on('error', reject);
    child.on('close', () => resolve(stdout));
  });
}
