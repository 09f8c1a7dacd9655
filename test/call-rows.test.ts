import { expect, test } from 'vitest';
import { summaryText } from '../src/commands/format/summary.ts';
import { summaryOf } from '../src/contract/display.ts';
import { shownPath } from '../src/lib/paths/shown-path.ts';
import { builtinTools } from '../src/tools/index.ts';
import { bench, use } from './support/tool-context.ts';

const tool = (name: string) => {
  const found = builtinTools().find((one) => one.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};

const place = { cwd: '/home/ann/app', home: '/home/ann' };
const edit = (file_path: string) => ({ file_path, old_string: 'a', new_string: 'b' });

test.each<[string, object, string]>([
  ['Read', { file_path: '/home/ann/app/src/a.ts' }, 'Read src/a.ts'],
  ['Read', { file_path: '/home/ann/.profile' }, 'Read ~/.profile'],
  ['Write', { file_path: '/home/ann/app/a.ts', content: '' }, 'Write a.ts'],
  ['Edit', edit('/home/ann/app/src/a.ts'), 'Edit src/a.ts'],
  ['MultiEdit', { edits: [edit('/home/ann/app/a.ts'), edit('b.ts')] }, 'Edit a.ts, b.ts'],
  ['Delete', { file_path: '/home/ann/app/src' }, 'Delete src'],
  ['List', { path: '/home/ann/app' }, 'List .'],
  ['Grep', { pattern: 'login', path: '/home/ann/app/src' }, 'Grep login in src'],
  ['Grep', { pattern: 'login' }, 'Grep login'],
  ['Search', { query: 'retry', path: '/etc' }, 'Search retry in /etc'],
  ['Glob', { pattern: '**/*.ts', path: '/home/ann/app/src' }, 'Glob **/*.ts in src'],
  ['Glob', { pattern: '/home/ann/app/src/**/*.ts' }, 'Glob src/**/*.ts'],
])('the title of %s %j is %s', (name, input, title) => {
  const { input: schema, title: titleOf } = tool(name);
  expect(titleOf(schema.parse(input), (file) => shownPath(file, place))).toBe(title);
});

const files = {
  'src/a.ts': 'login one\nlogin two\n',
  'src/b.ts': 'login three\n',
  'long.txt': 'x\n'.repeat(5_000),
  'empty.txt': '',
};

test.each<[string, object, string]>([
  ['Read', { file_path: 'src/a.ts' }, '2 lines'],
  ['Read', { file_path: 'long.txt', limit: 7 }, '7 of 5,000 lines'],
  ['Read', { file_path: 'empty.txt' }, '0 lines'],
  ['Read', { file_path: 'src' }, '2 entries'],
  ['List', { path: '.' }, '3 entries'],
  ['Grep', { pattern: 'login' }, '3 matches in 2 files'],
  ['Grep', { pattern: 'two', context: 1 }, '1 match in 1 file'],
  ['Grep', { pattern: 'nothing' }, '0 matches'],
  ['Grep', { pattern: 'login', mode: 'files' }, '2 files'],
  ['Grep', { pattern: 'login', mode: 'count' }, '2 files'],
  ['Glob', { pattern: '*.ts' }, '2 files'],
  ['Search', { query: 'login' }, '3 places'],
  ['Edit', { file_path: 'src/b.ts', old_string: 'three', new_string: '3\n4' }, '+2 −1'],
  ['Write', { file_path: 'new.ts', content: 'a\nb\n' }, '+2'],
  ['Delete', { file_path: 'src/a.ts' }, '−2'],
  ['Bash', { command: 'exit 2' }, 'exit 2'],
  ['Bash', { command: 'sleep 9', timeout: 50 }, 'started as bg_1'],
])('the result of %s %j is %s', async (name, input, words) => {
  const { context } = await bench(files);
  const { summary, display } = await use(tool(name), input, context);
  const said = summary ?? summaryOf(display);
  expect(said && summaryText(said)).toBe(words);
});
