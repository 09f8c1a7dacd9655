import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { writtenTo } from '../../../test/support/written-to.ts';
import { configJsonSchema } from '../../config/schema/reference.ts';
import { configCommand } from './config.ts';

async function setUp(projectFiles: Record<string, string> = {}, userFile?: string) {
  const { root, home } = await workspace(projectFiles);
  const file = path.join(home, 'config.json');
  if (userFile !== undefined) await writeFile(file, userFile);

  const run = async (...args: string[]) => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const env = { AI_ASSISTANT_HOME: home };
    const command = configCommand({ env, cwd: root, stdin: new PassThrough(), stdout, stderr });
    await command.parseAsync(args, { from: 'user' });
    return { out: writtenTo(stdout), err: writtenTo(stderr) };
  };
  return { root, home, file, run };
}

describe('config show', () => {
  test('prints every setting and its origin, secrets masked', async () => {
    const { run, file } = await setUp({}, '{ "apiKey": "sk-0123456789abcd", "maxTurns": 5 }');
    const { out, err } = await run('show', '--origins');
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(
      rows.filter(([key]) => ['apiKey', 'maxTurns', 'theme', 'permissions.deny'].includes(key ?? '')),
    ).toEqual([
      ['apiKey', '"…abcd"', file],
      ['maxTurns', '5', file],
      ['permissions.deny', '[]', 'default'],
      ['theme', '"auto"', 'default'],
    ]);
    expect(err).toBe('');
  });

  test('prints only JSON to standard output, and warnings to standard error', async () => {
    const { run, root } = await setUp({ '.ai-assistant.json': '{ "model": "x/y" }' });
    const { out, err } = await run('show', '--json');
    expect(JSON.parse(out)).toMatchObject({ maxTurns: 200, mode: 'default' });
    expect(err).toBe(
      `${path.join(root, '.ai-assistant.json')}: ignored until this folder is trusted: model. Review and accept it with \`aca trust\`, or pass --trust for one run.\n`,
    );
    expect(JSON.parse((await run('show', '--json', '--trust', '--origins')).out)).toMatchObject({
      config: { model: 'x/y' },
      origins: { model: path.join(root, '.ai-assistant.json') },
    });
  });
});

describe('config get', () => {
  test.each([
    ['maxTurns', '5\n'],
    ['theme', 'auto\n'],
    ['permissions.deny', '["Bash"]\n'],
    ['permissions', '{"allow":[],"ask":[],"deny":["Bash"],"trust":[]}\n'],
    ['apiKey', '…abcd\n'],
    ['streamResponses', 'true\n'],
  ])('%s', async (key, expected) => {
    const { run } = await setUp(
      {},
      '{ "maxTurns": 5, "permissions": { "deny": ["Bash"] }, "apiKey": "sk-0123456789abcd" }',
    );
    expect(await run('get', key)).toEqual({ out: expected, err: '' });
  });

  test.each([
    ['maxTurn', 'There is no setting maxTurn. Did you mean maxTurns?'],
    ['model', 'model is not set.'],
  ])('%s is refused with a message', async (key, message) => {
    const { run } = await setUp();
    await expect(run('get', key)).rejects.toThrow(message);
  });
});

describe('config set', () => {
  test.each([
    ['maxTurns', '7', { maxTurns: 7 }],
    ['model', 'a/b', { model: 'a/b' }],
    ['model', '4', { model: '4' }],
    ['requireApprovalForWrites', 'false', { requireApprovalForWrites: false }],
    ['permissions.allow', '["Read"]', { permissions: { allow: ['Read'] } }],
    ['models["openai/gpt-4.1"].contextWindow', '9', { models: { 'openai/gpt-4.1': { contextWindow: 9 } } }],
  ])('%s %s', async (key, value, expected) => {
    const { run, file } = await setUp();
    await run('set', key, value);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expected);
  });

  test('prints what was done, without the secret', async () => {
    const { run, file } = await setUp();
    expect(await run('set', 'apiKey', 'sk-0123456789abcd')).toEqual({
      out: `apiKey is now "…abcd" in ${file}\n`,
      err: '',
    });
  });

  test.each([
    ['theme', 'pink', 'theme must be one of auto, dark, light'],
    ['maxTurns', 'many', 'maxTurns must be a number'],
    ['them', 'dark', 'There is no setting them. Did you mean theme?'],
  ])('%s %s writes nothing', async (key, value, message) => {
    const { run, home } = await setUp();
    await expect(run('set', key, value)).rejects.toThrow(message);
    await expect(readFile(path.join(home, 'config.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('--project changes the project file, and says who it applies to', async () => {
    const { run, root } = await setUp({ '.ai-assistant.json': '// ours\n{}\n' });
    const file = path.join(root, '.ai-assistant.json');
    expect(await run('set', '--project', 'model', 'a/b')).toEqual({
      out: `model is now "a/b" in ${file}\n`,
      err: 'model in a project applies only after you trust the folder, with `aca trust` or --trust.\n',
    });
    expect((await run('set', '--project', 'maxTurns', '5')).err).toBe('');
    expect(await readFile(file, 'utf8')).toBe('// ours\n{\n  "model": "a/b",\n  "maxTurns": 5\n}\n');
  });

  test('--project refuses a key', async () => {
    const { run, root } = await setUp();
    await expect(run('set', '--project', 'providers.x.apiKey', 'sk-1')).rejects.toThrow(
      'Do not store API keys in a project',
    );
    await expect(readFile(path.join(root, '.ai-assistant.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('config path and schema', () => {
  test('path names the files in order', async () => {
    const { run, root, file } = await setUp({ '.ai-assistant.json': '{}' });
    expect((await run('path')).out).toBe(
      `user     ${file}\nproject  ${path.join(root, '.ai-assistant.json')}\n`,
    );
  });

  test('schema prints the JSON Schema', async () => {
    const { run } = await setUp();
    expect(JSON.parse((await run('schema')).out)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });
});

test('wrong usage throws and never exits', async () => {
  const { run } = await setUp();
  await expect(run('shw')).rejects.toThrow(CommanderError);
  await expect(run('get')).rejects.toThrow(CommanderError);
});

describe('unset', () => {
  test('removes one setting and keeps the rest, comments included', async () => {
    const { run, file } = await setUp({}, '{\n  // mine\n  "maxTurns": 5,\n  "mode": "plan"\n}\n');
    expect(await run('unset', 'mode')).toMatchObject({ out: `Removed mode from ${file}\n` });
    expect(await readFile(file, 'utf8')).toBe('{\n  // mine\n  "maxTurns": 5\n}\n');
    await expect(run('unset', 'mode')).rejects.toThrow(`mode is not set in ${file}.`);
  });

  test('removes a misspelt key, with which nothing would start', async () => {
    const { run, file } = await setUp(
      {},
      '{ "modle": "x", "permissions": { "denny": ["Bash"], "deny": [] } }',
    );
    await run('unset', 'modle').catch(() => undefined);
    await run('unset', 'permissions.denny').catch(() => undefined);
    await run('unset', 'modle').catch(() => undefined);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ permissions: { deny: [] } });
  });

  test('a file that does not exist is not made', async () => {
    const { run, file } = await setUp();
    await expect(run('unset', 'mode')).rejects.toThrow('mode is not set in');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
