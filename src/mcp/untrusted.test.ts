import { expect, test } from 'vitest';
import { inUntrusted } from './untrusted.ts';

const start = (command: string, ...args: string[]) =>
  inUntrusted(
    { command, args, cwd: '/repo', env: { PATH: '/bin:.:node_modules/.bin:/usr/bin:' } },
    '/neutral',
  );

test("a program is the user's, not one of the folder it is started in", () => {
  const env = { PATH: '/bin:/usr/bin' };
  expect(start('npx', '-y', 'server', '.')).toEqual({
    command: 'npx',
    args: ['--prefix=/neutral', '-y', 'server', '.'],
    cwd: '/repo',
    env,
  });
  expect(start('uvx', 'server')).toEqual({ command: 'uvx', args: ['server'], cwd: '/neutral', env });
  expect(start('/opt/serve', 'a')).toEqual({ command: '/opt/serve', args: ['a'], cwd: '/repo', env });
  expect(start('node', '/opt/serve.js')).toMatchObject({ cwd: '/repo', args: ['/opt/serve.js'] });
  expect(start('serve', '.')).toMatchObject({ cwd: '/repo', args: ['.'] });
});

test.each([
  ['./serve'],
  ['bin/serve'],
  ['node', 'serve.js'],
  ['python3', 'tools/serve.py'],
  ['sh', './x.sh'],
])('a program of the folder is refused: %s %s', (...words) => {
  const [command = '', ...args] = words;
  expect(() => start(command, ...args)).toThrow('is a program in this folder, which is not trusted');
});
