import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { binary } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const examples = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../examples');

/** The user's own settings. */
async function settings(space: Workspace, config: object): Promise<string> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
  return root;
}

async function run(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(
    space,
    ['-p', 'go', '--model', model, '--output-format', 'stream-json', ...args],
    {
      env,
    },
  );
  return { ...outcome, ...parseStream(outcome.stdout), server };
}

function toolTexts(events: Awaited<ReturnType<typeof run>>['events']) {
  return events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'tool'
      ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
}

describe('[G01] [G02] the plugin of the examples', () => {
  test('its tool is called by the model, its hook refuses, its skill is in the prompt', async () => {
    const space = await workspace({ 'a.ts': '// TODO one\n// TODO two\n', 'generated/x.ts': 'x\n' });
    await settings(space, { plugins: [path.join(examples, 'plugin')] });
    const { events, server, stderr } = await run(
      space,
      [
        calls(
          ['todo-count:count', { file: 'a.ts' }],
          ['Write', { file_path: 'generated/x.ts', content: 'y\n' }],
          ['Skill', { name: 'release-notes' }],
        ),
        says('done'),
      ],
      ['--mode', 'accept-edits'],
    );
    expect(stderr).toContain('blocked by the plugin todo-count');
    const [count, write, skill] = toolTexts(events);
    expect(count).toBe('a.ts: 2 to do');
    expect(write).toBe(
      'It did not run: blocked by the plugin todo-count: files in generated/ are made by a script; change the script instead',
    );
    expect(skill).toContain('Breaking changes come first');
    expect(await readFile(path.join(space.root, 'generated/x.ts'), 'utf8')).toBe('x\n');
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('- release-notes: How to write release notes.');
    expect(sent).not.toContain('Breaking changes come first');
    expect(sent).toContain('todo-count__count');
  });
});

/** A module that is a plugin of this name; `body` is what else stands in it. */
const plugin = (name: string, body: string) =>
  `export default { name: '${name}', version: '1.0.0', ${body} };\n`;

describe('[G01] plugins', () => {
  test(
    'one that throws, hangs, is none or is not there costs itself and nothing else; a clash is told',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'one\n' });
      const root = await settings(space, {
        plugins: [
          'throws.mjs',
          'late.mjs',
          'none.mjs',
          'missing.mjs',
          'not-installed',
          'good.mjs',
          'twin.mjs',
        ].map((name) => (name === 'not-installed' ? name : `./${name}`)),
      });
      await writeFile(path.join(root, 'throws.mjs'), "throw new Error('no luck');\n");
      await writeFile(path.join(root, 'late.mjs'), 'await new Promise(() => setInterval(() => 0, 1000));\n');
      await writeFile(path.join(root, 'none.mjs'), 'export const x = 1;\n');
      await writeFile(
        path.join(root, 'good.mjs'),
        plugin(
          'good',
          "tools: [{ name: 'hi', description: 'x', parameters: {}, requiresApproval: false, execute: () => 'hello' }]",
        ),
      );
      await writeFile(path.join(root, 'twin.mjs'), plugin('good', 'hooks: {}'));
      const { code, stderr, events } = await run(space, [calls(['good:hi', {}]), says('ok')]);
      expect(code).toBe(0);
      expect(toolTexts(events)).toEqual(['hello']);
      const left = stderr.split('\n').filter((line) => line.startsWith('The plugin '));
      expect(left.map((line) => line.replaceAll(root, 'ROOT'))).toEqual([
        'The plugin ROOT/throws.mjs was skipped: no luck',
        'The plugin ROOT/late.mjs was skipped: It did not load within 10s.',
        'The plugin ROOT/none.mjs was skipped: Its name may contain only letters, digits, ".", "_" and "-".',
        'The plugin ROOT/missing.mjs was skipped: There is no such file, and no folder with an index.js or a package.json.',
        'The plugin not-installed was skipped: There is no such package. Install it first, for example with npm install not-installed.',
        'The plugin ROOT/twin.mjs was skipped: Another plugin is named good: ROOT/good.mjs.',
      ]);
    },
  );

  test('TypeScript runs where the runtime strips types; elsewhere a sentence says what to do', async () => {
    const space = await workspace();
    const root = await settings(space, { plugins: ['./typed.ts'] });
    await writeFile(
      path.join(root, 'typed.ts'),
      "const name: string = 'typed';\nexport default { name, version: '1.0.0', tools: [{ name: 'hi', description: 'x', parameters: {}, requiresApproval: false, execute: (): string => 'typed hello' }] };\n",
    );
    const { stderr, events } = await run(space, [calls(['typed:hi', {}]), says('ok')]);
    if (binary !== undefined || ('typescript' in process.features && process.features.typescript)) {
      expect(toolTexts(events)).toEqual(['typed hello']);
    } else {
      expect(stderr).toContain('It is TypeScript, which Node');
      expect(stderr).toContain('Use Node 22.18 or later, or compile it to JavaScript.');
    }
  });

  test(
    'packages are found beside the settings that name them, and never in a project the user did not trust',
    soak,
    async () => {
      const space = await workspace({
        'node_modules/aca-x/package.json': '{"name":"aca-x","main":"x.cjs"}',
        'node_modules/aca-x/x.cjs':
          "require('node:fs').writeFileSync('canary', ''); module.exports = { name: 'x', version: '1' };\n",
      });
      const root = await settings(space, { plugins: ['aca-x'] });
      const project = await run(space, [says('ok')]);
      expect(project.stderr).toContain('The plugin aca-x was skipped: There is no such package.');
      expect(Object.keys(await space.tree())).not.toContain('canary');

      const installed = path.join(root, 'node_modules/aca-x');
      await mkdir(installed, { recursive: true });
      await writeFile(path.join(installed, 'package.json'), '{"exports":{".":{"import":"./main.mjs"}}}');
      await writeFile(
        path.join(installed, 'main.mjs'),
        plugin(
          'x',
          "tools: [{ name: 'hi', description: 'x', parameters: {}, requiresApproval: false, execute: () => 'mine' }]",
        ),
      );
      const own = await run(space, [calls(['x:hi', {}]), says('ok')]);
      expect(toolTexts(own.events)).toEqual(['mine']);
    },
  );

  test(
    'a project names its own once it is trusted; a change of its code takes the trust away',
    soak,
    async () => {
      const tool = (text: string) =>
        plugin(
          'x',
          `tools: [{ name: 'hi', description: 'x', parameters: {}, requiresApproval: false, execute: () => words }]`,
        ).replace('export', `import { words } from './words.mjs';\n// ${text}\nexport`);
      const space = await workspace({
        '.ai-assistant.json': '{ "plugins": ["./tools/x.mjs"] }',
        'tools/x.mjs': tool('one'),
        'tools/words.mjs': "export const words = 'first';\n",
      });
      const script = [calls(['x:hi', {}]), says('ok')];
      const untrusted = await run(space, script);
      expect(toolTexts(untrusted.events)[0]).toContain('Unknown tool x:hi');
      expect(untrusted.stderr).toContain('ignored until this folder is trusted: plugins');

      const { stdout } = await aca(space, ['trust']);
      expect(stdout).toContain("+export const words = 'first';");
      expect(toolTexts((await run(space, script)).events)).toEqual(['first']);

      await writeFile(path.join(space.root, 'tools/words.mjs'), "export const words = 'second';\n");
      expect(toolTexts((await run(space, script)).events)[0]).toContain('Unknown tool x:hi');
      await aca(space, ['trust']);
      expect(toolTexts((await run(space, script)).events)).toEqual(['second']);
    },
  );
});

describe('[G02] [Y33] hooks of plugins', () => {
  test('a changed input is parsed and judged again, and shown; null and a throw are told', async () => {
    const space = await workspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const root = await settings(space, { plugins: ['./p.mjs'] });
    await writeFile(
      path.join(root, 'p.mjs'),
      plugin(
        'p',
        `hooks: { onBeforeToolCall(call) {
          if (call.name === 'Grep') throw new Error('confused');
          if (call.name === 'Glob') return null;
          if (call.input.file_path === 'a.txt') return { ...call, input: { file_path: 'b.txt' } };
          if (call.input.file_path === 'c.txt') return { ...call, input: { nothing: 1 } };
          if (call.input.command === 'echo hi') return { ...call, input: { command: 'touch made' } };
        } }`,
      ),
    );
    const { events, stderr } = await run(space, [
      calls(
        ['Read', { file_path: 'a.txt' }],
        ['Read', { file_path: 'c.txt' }],
        ['Bash', { command: 'echo hi' }],
        ['Glob', { pattern: '*' }],
        ['Grep', { pattern: 'one' }],
      ),
      says('ok'),
    ]);
    const [changed, wrong, command, refused, grep] = toolTexts(events);
    expect(changed).toBe('1\ttwo');
    expect(wrong).toContain('Read did not run; its arguments are invalid');
    expect(command).toMatch(/^Refused: it needs approval \(touch /);
    expect(refused).toBe('It did not run: blocked by the plugin p');
    expect(grep).toContain('a.txt');
    expect(stderr).toContain('The plugin p: onBeforeToolCall failed: confused.');
    const started = events.flatMap((event) => (event.type === 'tool_start' ? [event.call.input] : []));
    expect(started).toContainEqual({ file_path: 'b.txt' });
    expect(Object.keys(await space.tree())).toEqual(['a.txt', 'b.txt']);
  });

  test('the session and each message are heard of; texts can be changed, and what is changed is what is kept', async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const root = await settings(space, { plugins: ['./p.mjs'] });
    await writeFile(
      path.join(root, 'p.mjs'),
      `import { appendFileSync } from 'node:fs';
       const heard = (...words) => appendFileSync(${JSON.stringify(path.join(root, 'heard'))}, words.join(' ') + '\\n');
       ${plugin(
         'p',
         `hooks: {
           onSessionStart: (session) => heard('session', session.workingDirectory),
           onAfterToolCall: (call, result) => heard('after', call.name, result.success),
           onMessage(message) {
             heard('message', message.role);
             const content = message.content.map((part) =>
               part.type === 'text' ? { ...part, text: part.text.replaceAll('go', 'GO').replaceAll('one', 'ONE') } : part);
             return { ...message, content };
           },
         }`,
       )}`,
    );
    const { events, server, report } = await run(space, [
      calls(['Read', { file_path: 'a.txt' }]),
      says('good one'),
    ]);
    expect((await readFile(path.join(root, 'heard'), 'utf8')).split('\n')).toEqual([
      `session ${space.root}`,
      'message user',
      'message assistant',
      'after Read true',
      'message tool',
      'message assistant',
      '',
    ]);
    expect(toolTexts(events)).toEqual(['1\tONE']);
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('GO');
    expect(sent).toContain('1\\tONE');
    expect(report.result).toBe('GOod ONE');
  });

  test('an error that a plugin throws in the background is told, and the run goes on', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const root = await settings(space, { plugins: ['./p.mjs'] });
    await writeFile(
      path.join(root, 'p.mjs'),
      plugin(
        'p',
        `hooks: { onSessionStart() {
          setTimeout(() => { throw new Error('late throw'); }, 1);
          Promise.reject(new Error('late no'));
        }, onBeforeToolCall: () => new Promise((go) => setTimeout(go, 50)) }`,
      ),
    );
    const { code, stderr } = await run(space, [calls(['Read', { file_path: 'a.txt' }]), says('ok')]);
    expect(code).toBe(0);
    expect(stderr).toContain('The plugin p failed in the background: late throw.');
    expect(stderr).toContain('The plugin p failed in the background: late no.');
  });
});

describe('[C10] in a terminal', () => {
  test(
    "a plugin's command is listed and runs; /plugins lists all there is; /doctor names trouble",
    soak,
    async () => {
      const space = await workspace({ 'a.ts': '// TODO\n' });
      const root = await settings(space, {
        plugins: [path.join(examples, 'plugin'), './gone.js'],
        hooks: { Stop: [{ command: 'true' }] },
      });
      await cp(path.join(examples, 'skill/changelog'), path.join(root, 'skills/changelog'), {
        recursive: true,
      });
      const server = await serve([calls(['todo-count:count', { file: 'a.ts' }]), says('Counted.')]);
      const { model, env } = doors.anthropic(server.url);
      const terminal = openTerminal(space, ['--plain', '--model', model], env);
      await terminal.waitFor('/help for commands');
      terminal.type('count\r');
      await terminal.waitFor('Counted.');
      terminal.type('/counted\r');
      await terminal.waitFor('TODOs were counted 1 times.');
      terminal.type('/help\r');
      await terminal.waitFor('Show how often TODOs were counted (todo-count)');
      terminal.type('/plugins\r');
      await terminal.waitFor('todo-count 1.0.0');
      await terminal.waitFor('hooks: onBeforeToolCall, onAfterToolCall');
      await terminal.waitFor('gone.js: skipped.');
      await terminal.waitFor('changelog (user)');
      await terminal.waitFor('release-notes (plugin)');
      await terminal.waitFor('Stop  true');
      terminal.type('/doctor\r');
      await terminal.waitFor('BAD   plugin');
      await terminal.waitFor('ripgrep found');
      terminal.type('/config plug\r');
      await terminal.waitFor('plugins = [');
      terminal.type('/quit\r');
      expect(await terminal.exitCode).toBe(0);
    },
  );
});
