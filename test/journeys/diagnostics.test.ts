import { expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { demoServer, installTypeScript } from '../support/diagnostics.ts';
import { run, sent, toolTexts, writeHooks } from '../support/hooks.ts';
import { calls, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const trusted = ['--trust', '--mode', 'auto'];

test(
  'the model gets the new errors of what it changed, by tools or by commands, in the same turn',
  soak,
  async () => {
    const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\nBAD old\n', 'b.demo': 'fine\n' });
    await writeHooks(space, {}, await demoServer(space));
    const played = await run(
      space,
      [
        calls(['Read', { file_path: 'a.demo' }]),
        calls(['Edit', { file_path: 'a.demo', old_string: 'one', new_string: 'BAD new' }]),
        calls(['Bash', { command: "printf 'BAD by bash\\n' >> b.demo; rm a.demo" }]),
        calls(['Bash', { command: "printf 'fine\\n' > b.demo" }]),
        says('done'),
      ],
      trusted,
    );
    const [, edited, appended, mended] = toolTexts(played);
    expect(edited).toMatch(
      /New errors after this change, from a language server:\na\.demo:1:1 error: bad: BAD new \(scripted BAD\)$/,
    );
    expect(appended).toMatch(/a language server:\nb\.demo:2:1 error: bad: BAD by bash \(scripted BAD\)$/);
    expect(mended).not.toContain('New errors');
    expect(played.code).toBe(0);
  },
);

test('errors that a change causes in files nobody touched are reported once, by edits and by commands', async () => {
  const space = await workspace({
    'demo.json': '{}',
    'cart.demo': 'def total\ndef tax\n',
    'shop.demo': 'uses total from cart.demo\nuses gone from cart.demo\n',
    'deep/other.demo': 'BAD old\n',
    'bill.demo': 'uses tax from cart.demo\n',
  });
  await writeHooks(space, {}, await demoServer(space));
  const played = await run(
    space,
    [
      calls(['Read', { file_path: 'cart.demo' }]),
      calls(['Edit', { file_path: 'cart.demo', old_string: 'def total', new_string: 'def sum' }]),
      calls(['Bash', { command: "printf 'def tax\\n' > cart.demo" }]),
      calls(['Bash', { command: 'rm cart.demo' }]),
      says('done'),
    ],
    trusted,
  );
  const [, renamed, again, removed] = toolTexts(played);
  expect(renamed).toMatch(
    /New errors after this change, from a language server:\nshop\.demo:1:1 error: cart\.demo has no total \(scripted uses\)$/,
  );
  expect(again).not.toContain('error');
  expect(removed).toMatch(/server:\nbill\.demo:1:1 error: cart\.demo has no tax \(scripted uses\)$/);
});

test('without trust, no server starts and no tool is offered', async () => {
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\n' });
  await writeHooks(space, {}, await demoServer(space));
  const script = (file: string) => [calls(['Write', { file_path: file, content: 'BAD' }]), says('done')];
  const mode = ['--mode', 'auto'];
  const played = await run(space, script('b.demo'), mode);
  expect(sent(played, 0)).not.toContain('RenameSymbol');
  expect(toolTexts(played)).toEqual(['File created successfully']);

  const withTrust = await run(space, script('c.demo'), [...mode, '--trust']);
  expect(sent(withTrust, 0)).toContain('RenameSymbol');
  expect(toolTexts(withTrust)[0]).toContain('c.demo:1:1 error');
});

test('a configured server whose program is missing is named', soak, async () => {
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\n' });
  const settings = (await demoServer(space)) as { languageServers: { servers: object } };
  const gone = { gone: { command: 'gone-lsp', args: [], extensions: { '.gone': 'gone' }, markers: [] } };
  const said = async (servers: object) => {
    await writeHooks(space, {}, { languageServers: { ...settings.languageServers, servers } });
    const { model, env } = doors.anthropic('http://127.0.0.1:9');
    return (await aca(space, ['-p', '/lsp', '--model', model, '--trust'], { env })).stdout;
  };
  expect(await said({ ...settings.languageServers.servers, ...gone })).toContain(
    'One starts when a source file is changed.\ngone: gone-lsp was not found',
  );
  expect(await said(gone)).toContain(
    'none is installed for the languages of this folder; gone: gone-lsp was not found',
  );
});

test('the tools show all errors, navigate, and rename after a preview', soak, async () => {
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'def first\nuse first WARN\nBAD\n' });
  await writeHooks(space, {}, await demoServer(space));
  const place = { file_path: 'a.demo', line: 1, symbol: 'first' };
  const played = await run(
    space,
    [
      calls(['Diagnostics', { file_path: 'a.demo' }]),
      calls(['Navigate', { action: 'references', ...place }]),
      calls(['Navigate', { action: 'outline', file_path: 'a.demo' }]),
      calls(['Navigate', { action: 'definition', ...place, symbol: 'nobody' }]),
      calls(['RenameSymbol', { ...place, new_name: 'second' }]),
      calls(['RenameSymbol', { ...place, new_name: 'second', files: ['a.demo'] }]),
      says('done'),
    ],
    trusted,
  );
  const [all, references, outline, nobody, preview, renamed] = toolTexts(played);
  expect(all).toBe(
    'a.demo:2:11 warning: a warning (scripted WARN)\na.demo:3:1 error: bad: BAD (scripted BAD)',
  );
  expect(references).toBe('a.demo:1:5: def first\na.demo:2:5: use first WARN');
  expect(outline).toBe('a.demo:1:5: first');
  expect(nobody).toBe('There is no "nobody" on line 1.');
  expect(preview).toContain('Nothing is changed yet. Call again with files: ["a.demo"]');
  expect(renamed).toContain('Renamed first to second in a.demo');
  expect(await space.tree()).toMatchObject({ 'a.demo': 'def second\nuse second WARN\nBAD\n' });
});

test('a server that hangs costs the limit, and the model learns that nothing is known', soak, async () => {
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\n' });
  await writeHooks(space, {}, await demoServer(space, { fault: 'never' }, { limitMs: 300 }));
  const played = await run(
    space,
    [calls(['Write', { file_path: 'b.demo', content: 'BAD\n' }]), says('done')],
    trusted,
  );
  expect(toolTexts(played)[0]).toMatch(
    /Whether b\.demo has errors now is not known: there was no answer within 0\.3s\.$/,
  );
  expect(played.code).toBe(0);
});

test('a server that takes more memory than it may is ended, and the model learns why', soak, async () => {
  const space = await workspace({ 'demo.json': '{}', 'a.demo': 'one\n' });
  const more = { limitMs: 60_000, maxMemoryMb: 300 };
  await writeHooks(space, {}, await demoServer(space, { fault: 'allocate' }, more));
  const played = await run(
    space,
    [calls(['Write', { file_path: 'b.demo', content: 'BAD\n' }]), says('done')],
    trusted,
  );
  expect(toolTexts(played)[0]).toMatch(
    /Whether b\.demo has errors now is not known: scripted used more than 300 MB of memory \(setting languageServers\.maxMemoryMb\)\.$/,
  );
  expect(played.code).toBe(0);
});

test('TypeScript of the project itself, across project references', soak, async () => {
  const options = { composite: true, strict: true, rootDir: '.', outDir: '../out', module: 'nodenext' };
  const space = await workspace({
    'tsconfig.json': '{"files":[],"references":[{"path":"./lib"},{"path":"./app"}]}',
    'package.json': '{"type":"module"}',
    'lib/tsconfig.json': JSON.stringify({ compilerOptions: options }),
    'lib/sum.ts': 'export const sum = (a: number, b: number) => a + b;\n',
    'app/tsconfig.json': JSON.stringify({ compilerOptions: options, references: [{ path: '../lib' }] }),
    'app/main.ts': "import { sum } from '../lib/sum.ts';\nexport const x: number = sum(1, 2);\n",
  });
  await installTypeScript(space);
  await writeHooks(space, {}, { languageServers: { limitMs: 20_000 } });
  const played = await run(
    space,
    [
      calls(['Bash', { command: "sed -i 's/sum(1, 2)/sum(1, 3)/' app/main.ts" }]),
      calls(['Bash', { command: "sed -i 's/b: number/b: string/' lib/sum.ts" }]),
      says('done'),
    ],
    trusted,
  );
  const [, changed] = toolTexts(played);
  expect(changed).toMatch(
    /app\/main\.ts:2:\d+ error: Argument of type 'number' is not assignable .* \(ts 2345\)/,
  );
});
