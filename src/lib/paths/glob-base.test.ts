import { expect, test } from 'vitest';
import { splitGlob } from './glob-base.ts';

test.each([
  ['*.ts', { pattern: '*.ts' }],
  ['./src/*.ts', { pattern: 'src/*.ts' }],
  ['src/a.ts', { pattern: 'src/a.ts' }],
  ['..a/*.ts', { pattern: '..a/*.ts' }],
  ['/srv/app/src/**/*.ts', { base: '/srv/app/src', pattern: '**/*.ts' }],
  ['/srv/a.ts', { base: '/srv', pattern: 'a.ts' }],
  ['/*.ts', { base: '/', pattern: '*.ts' }],
  ['../lib/*.js', { base: '../lib', pattern: '*.js' }],
  ['~/x/*', { base: '~/x', pattern: '*' }],
])('%s is %j', (pattern, split) => {
  expect(splitGlob(pattern)).toEqual(split);
});
