import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import { aca, protocolNames } from '../support/aca.ts';
import { door, KEY } from '../support/faults/fault.ts';
import { midText } from '../support/faults/streams.ts';
import type { ProtocolName } from '../support/model-server/protocol.ts';
import { calls, fails, failsMidway, rawChunks, type Step, says } from '../support/model-server/script.ts';
import { startModelServer } from '../support/model-server/server.ts';
import { soak, sweepFor, sweepGroups } from '../support/soak.ts';
import { type WhenDone, workspace } from '../support/workspace.ts';

/** Everything a run leaves behind: what it printed, and every file in the project and in the data root. */
async function traces(
  script: Step[],
  { protocol, whenDone, flags = [] }: { protocol: ProtocolName; whenDone: WhenDone; flags?: string[] },
) {
  const space = await workspace({}, whenDone);
  const server = await startModelServer(script);
  whenDone(() => server.close());
  const { model, env } = door(protocol, server.url);
  const keyed = protocol === 'ollama' ? { ...env, OLLAMA_API_KEY: KEY } : env;
  const args = ['-p', 'go', '--model', model, '--verbose', ...flags];
  const { code, stdout, stderr } = await aca(space, args, { env: keyed });
  const base = path.dirname(space.home);
  const files = await Promise.all(filesBelow(base).map((file) => readFile(file, 'utf8')));
  return { code, stdout, stderr, files, server };
}

/** Every way a server has of saying the key back. */
const echoes: [string, (protocol: ProtocolName) => Step][] = [
  ['a refusal', () => fails(401, { message: `Incorrect API key provided: ${KEY}` })],
  ['a server error nobody tries again', () => fails(400, { message: `Bad header: ${KEY}` })],
  [
    'an error frame',
    (protocol) =>
      failsMidway(says('Half an answer is all there is.'), {
        after: midText[protocol],
        message: `Upstream said ${KEY}`,
      }),
  ],
  ['a page', () => rawChunks([`<html><body>Request: ${KEY}</body></html>`])],
  ['JSON of no known protocol', () => rawChunks([JSON.stringify({ seen: KEY })])],
];

sweepGroups(protocolNames)(
  '%s: the key',
  (protocol) => {
    test(
      'is sent to the vendor, and is nowhere else: not on screen, in files, or in the environment of commands',
      soak,
      async ({ onTestFinished: whenDone }) => {
        const script = [calls(['Bash', { command: 'env' }]), says('done')];
        const flags = ['--allow', 'Bash(env)', '--output-format', 'stream-json'];
        const { code, stdout, stderr, files, server } = await traces(script, { protocol, whenDone, flags });
        expect(code).toBe(0);
        expect(JSON.stringify(server.requests.map(({ headers }) => headers))).toContain(KEY);
        const told = server.requests[1]?.messages.at(-1)?.results[0]?.text;
        expect(told).toContain('PATH=');
        expect(files.some((text) => text.includes('PATH='))).toBe(true);
        expect([stdout, stderr, told, ...files].filter((text) => text?.includes(KEY))).toEqual([]);
      },
    );

    sweepFor(echoes, (echo) => echo === echoes[0])(
      'is left out of what is told of %s that repeats it',
      async ([, step], { onTestFinished }) => {
        const { code, stdout, stderr, files } = await traces([step(protocol)], {
          protocol,
          whenDone: onTestFinished,
        });
        expect(code).toBe(1);
        expect(stderr).not.toBe('');
        expect([stdout, stderr, ...files].filter((text) => text.includes(KEY))).toEqual([]);
      },
    );
  },
  { concurrent: true },
);
