import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca, doors, protocolNames } from '../support/aca.ts';
import { unreachable } from '../support/faults/refusals.ts';
import { deadUrl } from '../support/loopback.ts';
import type { ProtocolName } from '../support/model-server/protocol.ts';
import { calls, says } from '../support/model-server/script.ts';
import { startModelServer } from '../support/model-server/server.ts';
import { soak, sweepGroups } from '../support/soak.ts';
import { behindTls, caFile, refusingProxy, secretHost, tunnelTo } from '../support/tls-server.ts';
import { type WhenDone, type Workspace, workspace } from '../support/workspace.ts';

/** A model server that speaks TLS only, a proxy that knows the way to it, and a user who trusts its certificate. */
async function setUp(whenDone: WhenDone) {
  const space = await workspace({ 'a.txt': 'alpha' }, whenDone);
  const server = await startModelServer([calls(['Read', { file_path: 'a.txt' }]), says('arrived')]);
  whenDone(() => server.close());
  const port = await behindTls(Number(new URL(server.url).port), whenDone);
  const proxy = await tunnelTo(port, whenDone);
  return { space, server, port, proxy };
}

async function trust(space: Workspace): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root);
  await writeFile(path.join(root, 'config.json'), JSON.stringify({ network: { caFile } }));
}

/** The same task over each vendor's library, each of which takes its fetch in a way of its own. */
function ask(space: Workspace, protocol: ProtocolName, to: { url: string; env: Record<string, string> }) {
  const { model, env } = doors[protocol](to.url);
  return aca(space, ['-p', 'go', '--model', model], { env: { ...env, ...to.env } });
}

sweepGroups(protocolNames)(
  '[N06] %s',
  (protocol) => {
    const hint = `${unreachable[protocol]}\n`;

    test(
      'through a proxy to a server only our certificate file vouches for',
      soak,
      async ({ onTestFinished }) => {
        const { space, server, proxy } = await setUp(onTestFinished);
        await trust(space);
        const outcome = await ask(space, protocol, {
          url: `https://${secretHost}`,
          env: { HTTPS_PROXY: proxy.url },
        });
        expect(outcome).toEqual({ code: 0, stdout: 'arrived\n', stderr: '' });
        expect(new Set(proxy.asked)).toEqual(new Set([`${secretHost}:443`]));
        expect(server.requests.map((request) => request.protocol)).toEqual([protocol, protocol]);
        expect(server.refusals).toEqual([]);
      },
    );

    test('without the file, the certificate is named as what is wrong', soak, async ({ onTestFinished }) => {
      const { space, server, proxy } = await setUp(onTestFinished);
      const outcome = await ask(space, protocol, {
        url: `https://${secretHost}`,
        env: { HTTPS_PROXY: proxy.url },
      });
      expect(outcome).toEqual({
        code: 1,
        stdout: '',
        stderr: `The certificate of https://${secretHost} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set network.caFile to the PEM file of its certificate authority.\n${hint}`,
      });
      expect(server.requests).toEqual([]);
    });

    test(
      'NO_PROXY is kept: the proxy is not asked, and nobody else knows the name',
      soak,
      async ({ onTestFinished }) => {
        const { space, proxy } = await setUp(onTestFinished);
        await trust(space);
        const outcome = await ask(space, protocol, {
          url: `https://${secretHost}`,
          env: { HTTPS_PROXY: proxy.url, NO_PROXY: secretHost },
        });
        expect(outcome.code).toBe(1);
        expect(outcome.stderr).toMatch(
          /^Could not connect to https:\/\/api\.test \((ENOTFOUND|EAI_AGAIN)\)\.\n/,
        );
        expect(outcome.stderr.endsWith(`.\n${hint}`)).toBe(true);
        expect(proxy.asked).toEqual([]);
      },
    );

    test(
      'a server on this machine is reached past the proxy, its certificate checked all the same',
      soak,
      async ({ onTestFinished }) => {
        const { space, port, proxy } = await setUp(onTestFinished);
        await trust(space);
        const outcome = await ask(space, protocol, {
          url: `https://localhost:${port}`,
          env: { HTTPS_PROXY: proxy.url },
        });
        expect(outcome).toEqual({ code: 0, stdout: 'arrived\n', stderr: '' });
        expect(proxy.asked).toEqual([]);
      },
    );

    test(
      'a proxy that refuses is named as who does, and so is one that is not there',
      soak,
      async ({ onTestFinished }) => {
        const space = await workspace({}, onTestFinished);
        const url = `https://${secretHost}`;
        const refused = await ask(space, protocol, {
          url,
          env: { HTTPS_PROXY: await refusingProxy(onTestFinished) },
        });
        expect(refused).toEqual({
          code: 1,
          stdout: '',
          stderr: `The proxy refused to connect to ${url} (407). Add a user name and password to its URL.\n${hint}`,
        });
        const dead = await deadUrl();
        const gone = await ask(space, protocol, { url, env: { HTTPS_PROXY: dead } });
        expect(gone).toEqual({
          code: 1,
          stdout: '',
          stderr: `Could not connect to ${url} (ECONNREFUSED ${new URL(dead).host}).\n${hint}`,
        });
      },
    );
  },
  { concurrent: true },
);
