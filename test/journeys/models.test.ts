import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../src/lib/sha256.ts';
import type { ModelTable } from '../../src/providers/models/facts.ts';
import { builtIn } from '../../src/providers/models/models-data.ts';
import { aca, doors } from '../support/aca.ts';
import { fails, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

describe('[V03][V04] the default model', () => {
  const gone = fails(404, { message: 'no such model' });

  sweep([
    ['anthropic', 'anthropic', 'Anthropic', 'claude-sonnet-5-5', 'claude-sonnet-4-20250514'],
    ['openai-responses', 'openai', 'OpenAI', 'gpt-6.1-sol', 'gpt-4-turbo'],
    ['google', 'google', 'Google Gemini', 'gemini-4-argon', 'gemini-3.1-pro-preview'],
  ] as const)(
    'of %s is its current one; an older one answers if the account does not have it',
    async (protocol, provider, label, current, older) => {
      const space = await workspace();
      const server = await serve([says('new'), gone, says('old')]);
      const { env } = doors[protocol](server.url);
      expect(await aca(space, ['-p', 'go'], { env })).toMatchObject({ code: 0, stdout: 'new\n' });
      const { code, stdout, stderr } = await aca(space, ['-p', 'go'], { env });
      expect([code, stdout]).toEqual([0, 'old\n']);
      expect(stderr).toContain(
        `${label} does not offer ${current} to your account. ${provider}/${older} is used instead; run \`aca models list\` to choose another model.\n`,
      );
      expect(server.requests.map(({ model }) => model)).toEqual([current, current, older]);
    },
  );

  test('is followed by an alive one if the older one is retired, too', soak, async () => {
    const space = await workspace();
    const server = await serve([gone, gone, says('alive')]);
    const { env } = doors['openai-responses'](server.url);
    expect(await aca(space, ['-p', 'go'], { env })).toMatchObject({ code: 0, stdout: 'alive\n' });
    expect(server.requests.map(({ model }) => model)).toEqual(['gpt-6.1-sol', 'gpt-4-turbo', 'gpt-4.1']);
  });

  test(
    'is not replaced if the user named it; a retired or unknown one is reported with what to do',
    soak,
    async () => {
      const space = await workspace();
      const server = await serve([gone, gone, gone]);
      const { env } = doors.anthropic(server.url);
      const told = async (model: string) => {
        const { code, stderr } = await aca(space, ['-p', 'go', '--model', model], { env });
        expect(code).toBe(1);
        return stderr;
      };
      const next = 'Run `aca models list` to see what you can use.';
      expect(await told('anthropic/claude-sonnet-5-5')).toContain(
        `Anthropic does not offer claude-sonnet-5-5: it may be misspelled, retired or unavailable to your account. ${next}`,
      );
      expect(await told('claude-sonnet-4-20250514')).toContain(
        `Anthropic retired claude-sonnet-4-20250514 on 2026-06-15. ${next}`,
      );
      expect(await told('anthropic/claude-of-tomorrow')).toContain(
        'Anthropic does not offer claude-of-tomorrow',
      );
      expect(server.requests).toHaveLength(3);
      const { code, stderr } = await aca(space, ['-p', 'go', '--model', 'nobody-knows'], { env });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('Run `aca models list` to see what you can use'),
      ]);
    },
  );
});

/** Serves texts by their paths. */
async function publish(files: Record<string, string>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const text = files[request.url ?? ''];
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/models.json`, files, asked };
}

const newer: ModelTable = {
  ...builtIn,
  date: '2031-02-03',
  models: {
    ...builtIn.models,
    openai: {
      'gpt-9': {
        window: 5_000_000,
        output: 100_000,
        usd: [7, 8, 0.7],
        can: { tools: true, images: true, thinking: true },
      },
    },
  },
  aliases: { gpt: 'openai/gpt-9' },
};

function texts(table: unknown): Record<string, string> {
  const text = JSON.stringify(table);
  return { '/models.json': text, '/models.json.sha256': `${sha256(text)}  models.json\n` };
}

describe('aca models update', () => {
  const stored = (space: Workspace) => path.join(space.home, '.ai-assistant/models.json');
  const list = async (space: Workspace) => {
    const { stdout } = await aca(space, ['models', 'list', '--json'], {});
    return JSON.parse(stdout) as { date: string; sources: object; known: { id: string }[] };
  };

  test('replaces the table on request; --reset brings the built-in one back', soak, async () => {
    const space = await workspace();
    const { url } = await publish(texts(newer));
    expect(await list(space)).toMatchObject({ date: builtIn.date, sources: builtIn.sources });
    const openai = Object.keys(builtIn.models.openai ?? {}).length;
    const all = Object.values(newer.models).flatMap((rows) => Object.keys(rows)).length;
    expect(await aca(space, ['models', 'update', '--url', url])).toEqual({
      code: 0,
      stdout: `Model table of 2031-02-03: ${all} models; 1 added, ${openai} removed, 0 changed.\nTo go back, run \`aca models update --reset\`.\n`,
      stderr: '',
    });
    const after = await list(space);
    expect([after.date, after.known.some(({ id }) => id === 'gpt-9')]).toEqual(['2031-02-03', true]);

    const server = await serve([says('hi')]);
    const { env } = doors['openai-responses'](server.url);
    const { stdout } = await aca(space, ['-p', 'hi', '--model', 'gpt', '--output-format', 'json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ model: 'gpt-9' });

    expect((await aca(space, ['models', 'update', '--reset'])).stdout).toBe(
      'The built-in model table is in use.\n',
    );
    expect([(await list(space)).date, existsSync(stored(space))]).toEqual([builtIn.date, false]);
  });

  test('takes the address from the settings, and the hash from the command line', soak, async () => {
    const space = await workspace();
    const { url, files, asked } = await publish(texts(newer));
    delete files['/models.json.sha256'];
    await aca(space, ['config', 'set', 'updates.models', url]);
    const hash = sha256(files['/models.json'] ?? '').toUpperCase();
    expect(await aca(space, ['models', 'update', '--sha256', hash])).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toEqual(['/models.json']);
    expect(await readFile(stored(space), 'utf8')).toBe(files['/models.json']);
  });

  const row = { window: 1, output: 1, usd: null, can: { tools: true, images: true, thinking: true } };
  sweep<[string, Record<string, string>, RegExp]>([
    [
      'another hash',
      { ...texts(newer), '/models.json.sha256': '0'.repeat(64) },
      /has the hash [0-9a-f]{64}, not 0{64}\./,
    ],
    [
      'no hash',
      { '/models.json': JSON.stringify(newer) },
      /models\.json\.sha256 could not be downloaded: the server answered with 404/,
    ],
    ['nothing there', {}, /models\.json could not be downloaded: the server answered with 404/],
    [
      'no JSON',
      { '/models.json': '<html>', '/models.json.sha256': sha256('<html>') },
      /This is no model table/,
    ],
    ['a missing field', texts({ ...newer, date: undefined }), /This is no model table: date/],
    [
      'a price that is none',
      texts({ ...newer, models: { openai: { m: { ...row, usd: [-1, 2] } } } }),
      /This is no model table: models\.openai\.m\.usd/,
    ],
    [
      'an unknown vendor',
      texts({ ...newer, models: { ...newer.models, evil: { m: row } } }),
      /unknown provider: evil/,
    ],
    [
      'an alias of nothing',
      texts({ ...newer, aliases: { sonnet: 'openrouter/other' } }),
      /The alias sonnet points to openrouter\/other/,
    ],
    ['an older table', texts({ ...newer, date: '2020-01-01' }), /is of 2020-01-01, older than yours of/],
  ])('%s changes nothing', async (_, files, message) => {
    const space = await workspace();
    const { url } = await publish(files);
    const { code, stdout, stderr } = await aca(space, ['models', 'update', '--url', url]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(stderr).toContain('Nothing was changed.');
    expect(existsSync(stored(space))).toBe(false);
    expect(await readdir(space.root)).toEqual([]);
  });

  test('is refused offline, and over an unencrypted line', soak, async () => {
    const space = await workspace();
    const offline = await aca(space, ['models', 'update'], { env: { AI_ASSISTANT_OFFLINE: '1' } });
    expect(offline).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^You are offline: the model table was not downloaded\./),
    });
    const open = await aca(space, ['models', 'update', '--url', 'http://models.example.com/models.json']);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('is not encrypted.')]);
  });

  test('a damaged file is no reason to fail; a newer program uses its own table', soak, async () => {
    const space = await workspace();
    const { url } = await publish(texts(newer));
    await aca(space, ['models', 'update', '--url', url]);
    for (const text of ['{', '[]', 'null', JSON.stringify({ ...newer, date: '2020-01-01' })]) {
      await writeFile(stored(space), text);
      expect((await list(space)).date).toBe(builtIn.date);
    }
  });
});
