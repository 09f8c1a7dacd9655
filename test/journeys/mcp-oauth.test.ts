// @module-tag soak
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { configure } from '../support/mcp.ts';
import { calls, says } from '../support/model-server/script.ts';
import { type OAuthServer, startOAuthServer } from '../support/oauth-server.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** A browser that goes where it is sent, redirect by redirect, and says nothing. */
async function browser(space: Workspace): Promise<string> {
  const file = path.join(space.home, 'browser');
  await writeFile(file, `#!${process.execPath}\nfetch(process.argv[2]).then((page) => page.text());\n`);
  await chmod(file, 0o755);
  return file;
}

async function setUp(guarded: OAuthServer) {
  const space = await workspace();
  const root = await configure(space, { mcpServers: { guarded: { url: guarded.url } } });
  const login = async () =>
    aca(space, ['mcp', 'login', 'guarded'], { env: { BROWSER: await browser(space) } });
  const ask = async () => {
    const server = await serve([calls(['guarded__whoami', {}]), says('done')]);
    const { model, env } = doors.anthropic(server.url);
    const args = ['-p', 'go', '--model', model, '--allow', 'mcp:guarded:*'];
    const { stderr } = await aca(space, args, { env });
    return { stderr, answer: server.requests[1]?.messages.at(-1)?.results[0]?.text };
  };
  return { space, logins: path.join(root, 'mcp/logins'), login, ask };
}

describe('a server that wants a login', () => {
  test('authorization code with PKCE over real redirects; the tokens are private, renewed, and forgotten', async () => {
    const guarded = await startOAuthServer();
    const { space, logins, login, ask } = await setUp(guarded);

    const before = await ask();
    expect(before.stderr).toContain('MCP server guarded not connected: log in with `aca mcp login guarded`');
    expect(before.answer).toContain('not connected: log in with');

    const { code, stdout, stderr } = await login();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Logged in to guarded.\n' });
    expect(stderr).toContain('/authorize?');
    expect(guarded.asked).toEqual([
      'POST /register',
      'GET /authorize',
      'GET /consent',
      'POST /token authorization_code',
    ]);
    const [file = ''] = await readdir(logins);
    expect((await stat(path.join(logins, file))).mode & 0o777).toBe(0o600);
    expect(await ask()).toEqual({ stderr: '', answer: 'somebody with a token' });

    guarded.expire();
    expect((await ask()).answer).toBe('somebody with a token');
    expect(guarded.asked.at(-1)).toBe('POST /token refresh_token');

    guarded.expire();
    guarded.revoke();
    expect((await ask()).stderr).toContain('log in with `aca mcp login guarded`');

    expect((await login()).code).toBe(0);
    expect((await ask()).answer).toBe('somebody with a token');
    expect((await aca(space, ['mcp', 'logout', 'guarded'])).stdout).toBe('Logged out of guarded.\n');
    expect(await readdir(logins)).toEqual([]);
    expect((await ask()).answer).toContain('not connected');
  });

  test('a refusal is said, and nothing is kept that would pass for a login', async () => {
    const { logins, login } = await setUp(await startOAuthServer({ refuse: true }));
    const { code, stderr } = await login();
    expect(code).toBe(1);
    expect(stderr).toContain('The login failed: access_denied.');
    const [file = ''] = await readdir(logins);
    expect(JSON.parse(await readFile(path.join(logins, file), 'utf8'))).not.toHaveProperty('tokens');
  });
});
