import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { createProgramPath, programOutside } from './program-path.ts';

let project = '';
let outside = '';
/**
 * Which of the folders below, in PATH before the system's own, resolve a name to a program that can be
 * changed.
 */
const at = (name: string) => name.replaceAll('%P', project).replaceAll('%O', outside);

async function program(file: string, mode = 0o755): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, mode);
}

const cleanUps: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));
beforeAll(async () => {
  const space = await workspace({}, (clean) => cleanUps.push(clean));
  project = space.root;
  outside = path.join(path.dirname(project), 'outside');
  await program(path.join(project, 'ls'));
  await program(path.join(project, 'bin/ls'));
  await program(path.join(project, 'sub/ls'));
  await program(path.join(project, 'plain/ls'), 0o644);
  await mkdir(path.join(project, 'folders/ls'), { recursive: true });
  await program(path.join(outside, 'tools/ls'));
  await program(path.join(outside, 'cache/ls'));
  await program(path.join(outside, 'loose-file/ls'));
  await chmod(path.join(outside, 'loose-file/ls'), 0o777);
  await program(path.join(outside, 'everybody/ls'));
  await chmod(path.join(outside, 'everybody'), 0o777);
  await program(path.join(outside, 'sticky/ls'));
  await program(path.join(outside, 'sticky/inner/ls'));
  await chmod(path.join(outside, 'sticky'), 0o1777);
  await program(path.join(outside, 'open/inner/ls'));
  await chmod(path.join(outside, 'open'), 0o777);
  const links: [name: string, target: string][] = [
    ['outside/to-project', at('%P/bin')],
    ['outside/links/ls', at('%P/bin/ls')],
    ['outside/good/ls', '/bin/ls'],
    ['outside/loop/ls', 'ls'],
    ['outside/nowhere/ls', '/nowhere/ls'],
    ['project/venv/ls', '/bin/ls'],
    ['project/hop', '/bin'],
    ['outside/by-hop', at('%P/hop')],
    ['outside/two-hops/ls', at('%P/venv/ls')],
  ];
  for (const [name, target] of links) {
    const file = path.join(path.dirname(project), name);
    await mkdir(path.dirname(file), { recursive: true });
    await symlink(target, file);
  }
});

const programs = (PATH: string | undefined) =>
  createProgramPath({
    env: { PATH: PATH === undefined ? undefined : at(PATH) },
    isWritable: (real) => isInside(project, real) || isInside(at('%O/cache'), real),
  });

describe('[Y06] the program that a name resolves to', () => {
  test.each([
    ['the current folder', '.:/bin', '%P/ls'],
    ['an empty entry at the start', ':/bin', '%P/ls'],
    ['an empty entry at the end, where nothing is before it', '/nowhere:', '%P/ls'],
    ['two colons', '/nowhere::/bin', '%P/ls'],
    ['nothing but an empty PATH', '', '%P/ls'],
    ['a relative folder', 'bin:/bin', '%P/bin/ls'],
    ['a relative folder with a dot', './bin/:/bin', '%P/bin/ls'],
    ['a folder of the project', '%P/bin:/bin', '%P/bin/ls'],
    ['a folder of the project with dots', '%O/../project/bin:/bin', '%P/bin/ls'],
    ['a link to a folder of the project', '%O/to-project:/bin', '%O/to-project/ls'],
    ['a link to a program of the project', '%O/links:/bin', '%O/links/ls'],
    ['a link of the project to a program of the system', '%P/venv:/bin', '%P/venv/ls'],
    ['a link that leads through a link of the project', '%O/two-hops:/bin', '%O/two-hops/ls'],
    ['a link that leads through a folder link of the project', '%O/by-hop:/bin', '%O/by-hop/ls'],
    ['a folder that commands may write', '%O/cache:/bin', '%O/cache/ls'],
    ['a file that everybody may write', '%O/loose-file:/bin', '%O/loose-file/ls'],
    ['a folder that everybody may write', '%O/everybody:/bin', '%O/everybody/ls'],
    ['one like /tmp', '%O/sticky:/bin', '%O/sticky/ls'],
    ['one in a folder that everybody may replace', '%O/open/inner:/bin', '%O/open/inner/ls'],
  ])('%s: can be changed', (_name, PATH, found) => {
    expect(programs(PATH).planted('ls', project)).toBe(at(found));
  });

  test.each([
    ['the system before the project', '/bin:.:%P/bin'],
    ['no PATH at all', undefined],
    ['a folder outside', '%O/tools:.'],
    ['a folder of one’s own in one like /tmp', '%O/sticky/inner:.'],
    ['a link outside to a program of the system', '%O/good:.'],
    ['a file that is no program', '%P/plain:/bin'],
    ['a folder of that name', '%P/folders:/bin'],
    ['links that lead nowhere or round in a circle', '%O/loop:%O/nowhere:/bin'],
    ['folders that are none', '%P/ls:/dev/null:/bin'],
  ])('%s: is trusted', (_name, PATH) => {
    expect(programs(PATH).planted('ls', project)).toBeNull();
  });

  test('depends on the folder if the entry is relative', () => {
    expect(programs('.:/bin').planted('ls', path.join(project, 'sub'))).toBe(at('%P/sub/ls'));
    expect(programs('.:/bin').planted('ls', path.join(project, 'plain'))).toBeNull();
  });

  test('in a parent of the system folders, system programs still work', () => {
    const above = createProgramPath({ env: { PATH: '/usr/bin:/bin' }, isWritable: () => true });
    expect(above.planted('ls', '/')).toBeNull();
    const inside = createProgramPath({ env: { PATH: '/bin' }, isWritable: (real) => !real.endsWith('/bin') });
    expect(inside.planted('ls', '/')).toMatch(/\/ls$/);
  });
});

test('the safe PATH has only folders that others cannot change', () => {
  const all =
    '.:bin::%P/bin:%O/to-project:%O/by-hop:%O/cache:%O/everybody:%O/sticky:%O/open/inner:%O/tools:/bin';
  expect(programs(all).safe()).toBe(at('%O/tools:/bin'));
  expect(programs('.:%P/bin').safe()).toBe('/usr/local/bin:/usr/bin:/bin');
});

test('the assistant itself uses the installed program', () => {
  const env = { PATH: at('.:%P/bin:%O/links:%P/venv:/bin') };
  expect(programOutside('ls', project, env)).toBe('/bin/ls');
  expect(programOutside('ls', project, { PATH: at('%P/bin:.') })).toBeNull();
  expect(programOutside('no-such-program', project, env)).toBeNull();
});
