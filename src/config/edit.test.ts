import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { editText, setValue } from './edit.ts';

describe('setting a value', () => {
  test('keeps comments, order and formatting', async () => {
    const { root } = await workspace({
      'c.json': '{\n    // my model\n    "model": "a/b", // good\n    "maxTurns": 5,\n}\n',
    });
    const file = path.join(root, 'c.json');
    await setValue(file, ['model'], 'c/d');
    await setValue(file, ['permissions', 'deny'], ['Bash(git push *)']);

    expect(await readFile(file, 'utf8')).toBe(
      '{\n    // my model\n    "model": "c/d", // good\n    "maxTurns": 5,\n    "permissions": {\n        "deny": [\n            "Bash(git push *)"\n        ]\n    },\n}\n',
    );
  });

  test('removes the key when there is no value', async () => {
    const { root } = await workspace({ 'c.json': '{\n  // mine\n  "maxTurns": 5\n}\n' });
    const file = path.join(root, 'c.json');
    const key = ['projects', '/srv/a.b', 'granted'];
    await setValue(file, [...key, 'Bash(make "x.y")'], '2026-01-01');
    await setValue(file, [...key, 'Edit(a)'], '2026-01-02');
    await setValue(file, [...key, 'Edit(a)'], undefined);
    await setValue(file, ['projects', '/other', 'granted', 'Edit(a)'], undefined);
    const text = await readFile(file, 'utf8');
    expect(parse(text)).toEqual({
      maxTurns: 5,
      projects: { '/srv/a.b': { granted: { 'Bash(make "x.y")': '2026-01-01' } } },
    });
    expect(text).toContain('// mine');
  });

  test('creates a private file and its folder when there is none', async () => {
    const { root } = await workspace();
    const file = path.join(root, 'new/config.json');
    expect(await setValue(file, ['maxTurns'], 5)).toEqual({ notices: [], changed: true });

    expect(await readFile(file, 'utf8')).toBe('{\n  "maxTurns": 5\n}\n');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('rejects invalid values and leaves the file unchanged', async () => {
    const { root, tree } = await workspace({
      'c.json': '{ "maxTurns": 5 }',
      'broken.json': '{ "maxTurns" }',
    });
    await expect(setValue(path.join(root, 'c.json'), ['theme'], 'pink')).rejects.toThrow(
      'theme must be one of auto, dark, light',
    );
    await expect(setValue(path.join(root, 'broken.json'), ['maxTurns'], 5)).rejects.toThrow(
      `${path.join(root, 'broken.json')}:1:14: this is not valid JSON: colon expected.`,
    );
    expect(await tree()).toEqual({ 'c.json': '{ "maxTurns": 5 }', 'broken.json': '{ "maxTurns" }' });
  });

  test('a wrong value is reported without a place in the file', async () => {
    const { root, tree } = await workspace();
    const refused = await setValue(path.join(root, 'c.json'), ['effort'], 'huge').catch((error) => error);
    expect(refused).toMatchObject({
      message: 'effort must be one of none, minimal, low, medium, high, xhigh, max, default.',
      hint: 'Nothing was changed.',
    });
    expect(await tree()).toEqual({});
  });

  test('a file that is invalid can be fixed, one value at a time', async () => {
    const { root } = await workspace({ 'c.json': '{ "effort": "huge", "theme": "pink" }' });
    const file = path.join(root, 'c.json');
    await expect(setValue(file, ['maxTurns'], 5)).rejects.toThrow(
      'effort must be one of none, minimal, low, medium, high, xhigh, max, default.',
    );
    expect(await setValue(file, ['effort'], 'low')).toEqual({
      notices: [expect.stringMatching(/c\.json: theme must be one of auto, /)],
      changed: true,
    });
    expect(await setValue(file, ['theme'], undefined)).toEqual({ notices: [], changed: true });
    expect(await setValue(file, ['theme'], undefined)).toEqual({ notices: [], changed: false });
    expect(parse(await readFile(file, 'utf8'))).toEqual({ effort: 'low' });
  });

  test.runIf(process.platform !== 'win32')('writes through a link and keeps the mode', async () => {
    const { root } = await workspace();
    await mkdir(path.join(root, 'dotfiles'));
    const real = path.join(root, 'dotfiles/config.json');
    const link = path.join(root, 'config.json');
    await writeFile(real, '{}');
    await chmod(real, 0o640);
    await symlink(real, link);

    await setValue(link, ['maxTurns'], 7);

    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(parse(await readFile(real, 'utf8'))).toEqual({ maxTurns: 7 });
    expect((await stat(real)).mode & 0o777).toBe(0o640);
  });

  test('changes that value and no other, whatever the file contains', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd.e', 'ü"');
    const file = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())), {
      noNullPrototype: true,
    });
    const layout = fc.constantFrom<(string | number | undefined)[]>(undefined, 2, 4, '\t');
    fc.assert(
      fc.property(file, key, fc.jsonValue(), layout, (before, name, value, indent) => {
        // The settings parser drops this key.
        fc.pre(!JSON.stringify([before, value]).includes('__proto__'));
        const text = `// kept\n${JSON.stringify(before, null, indent)}\n`;
        const after = editText(text, [name], value);
        expect(after.startsWith('// kept\n')).toBe(true);
        expect(parse(after)).toEqual(JSON.parse(JSON.stringify({ ...before, [name]: value })));
      }),
    );
  });
});
