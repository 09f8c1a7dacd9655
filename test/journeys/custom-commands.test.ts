import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const examples = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../examples');

/** Files of the user, in the data root. */
async function own(space: Workspace, files: Record<string, string>): Promise<string> {
  const root = path.join(space.home, '.ai-assistant');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

async function run(space: Workspace, prompt: string, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(
    space,
    ['-p', prompt, '--model', model, '--output-format', 'stream-json', ...args],
    {
      env,
    },
  );
  return { ...outcome, server };
}

type Played = Awaited<ReturnType<typeof run>>;

function promptOf({ server }: Pick<Played, 'server'>, at = 0): string {
  const body = server.requests[at]?.body as
    | { messages: { content: string | { text?: string }[] }[] }
    | undefined;
  const content = body?.messages[0]?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

describe('[C10] commands from Markdown files', () => {
  test('arguments, files and commands are put in; headless, too', async () => {
    const space = await workspace({ 'src/a.ts': 'export const a = 1;\n', 'b.txt': 'bee\n' });
    await own(space, {
      'commands/look.md':
        '---\ndescription: Look at a file\nargument-hint: FILE WHY\n---\nLook at @$1 because of "$2".\nAll: $ARGUMENTS\nHere is: !`ls src`\nNobody is @someone.\n',
    });
    const played = await run(space, '/look src/a.ts "bad style"', [says('ok')]);
    expect(promptOf(played)).toBe(
      '<file path="src/a.ts">\n1\texport const a = 1;\n</file>\n\nLook at @src/a.ts because of "bad style".\nAll: src/a.ts "bad style"\nHere is: a.ts\nNobody is @someone.',
    );
  });

  test(
    'a command in it is judged like any other: headless it is refused, and nothing is sent',
    soak,
    async () => {
      const space = await workspace();
      await own(space, { 'commands/make.md': 'Now: !`touch made`\n' });
      const refused = await run(space, '/make', [says('never')]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('/make was not sent: Bash touch made needs approval');
      expect(refused.server.requests).toEqual([]);
      expect(await space.tree()).toEqual({});

      const allowed = await run(space, '/make', [says('ok')], ['--allow', 'Bash(touch made)']);
      expect(promptOf(allowed)).toBe('Now: (no output)');
      expect(await space.tree()).toEqual({ made: '' });
    },
  );

  test('what is typed cannot become a second command', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    await own(space, { 'commands/show.md': 'It says: !`cat "$1"`\n' });
    const played = await run(
      space,
      '/show \'$(touch made);`touch made`";touch made;"\'',
      [says('ok')],
      ['--allow', 'Bash'],
    );
    expect(promptOf(played)).toContain('failed');
    expect(Object.keys(await space.tree())).toEqual(['a.txt']);
  });

  test('its model answers, and no tool but its own is used', async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    await own(space, {
      'commands/ask.md': '---\nmodel: anthropic/claude-opus-4-1\ntools: Read, Grep\n---\nGo.\n',
    });
    const played = await run(space, '/ask', [
      calls(['Read', { file_path: 'a.txt' }], ['Glob', { pattern: '*' }]),
      says('ok'),
    ]);
    expect(played.server.requests[0]?.body).toMatchObject({ model: 'claude-opus-4-1' });
    const { events } = parseStream(played.stdout);
    const texts = events.flatMap((event) =>
      event.type === 'message' && event.message.role === 'tool'
        ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
        : [],
    );
    expect(texts).toEqual(['1\tone', 'It did not run: only Read, Grep may be used for this']);
  });

  test(
    'a project brings its own to those who trust it, and cannot take a name of the user',
    soak,
    async () => {
      const space = await workspace({
        '.ai-assistant/commands/hello.md': 'Hello from the project.\n',
        '.ai-assistant/commands/git/fix.md': 'Fix it.\n',
        '.claude/commands/other.md': 'From another assistant.\n',
        '.ai-assistant/commands/help.md': 'Never.\n',
      });
      await own(space, { 'commands/hello.md': 'Hello from me.\n' });
      const untrusted = await run(space, '/git:fix', []);
      expect(untrusted.code).toBe(2);
      expect(untrusted.stderr).toContain('There is no command /git:fix.');
      expect(untrusted.stderr).toContain(
        'ignored until this folder is trusted: .ai-assistant/commands/git/fix.md',
      );

      const texts: string[] = [];
      for (const prompt of ['/git:fix', '/other', '/hello'])
        texts.push(promptOf(await run(space, prompt, [says('ok')], ['--trust'])));
      expect(texts).toEqual(['Fix it.', 'From another assistant.', 'Hello from me.']);
      const { stderr } = await run(space, 'hi', [says('ok')], ['--trust']);
      expect(stderr).toContain('help.md: /help is a built-in command.');
      expect(stderr).toContain(
        `hello.md: /hello is ${path.join(space.home, '.ai-assistant/commands/hello.md')}.`,
      );
    },
  );

  test(
    'in a terminal they are listed, ask before they run something, and their prompt is sent',
    soak,
    async () => {
      const space = await workspace();
      await own(space, { 'commands/make.md': '---\ndescription: Make it\n---\nMade: !`touch made`\n' });
      const server = await serve([says('I see.')]);
      const { model, env } = doors.anthropic(server.url);
      const terminal = openTerminal(space, ['--plain', '--model', model], env);
      await terminal.waitFor('/help for commands');
      terminal.type('/help\r');
      await terminal.waitFor('Make it (user)');
      terminal.type('/mak');
      await terminal.waitFor('> /mak');
      terminal.type('\t');
      await terminal.waitFor('> /make');
      terminal.type('\r');
      await terminal.waitFor('Allow: Bash touch made?');
      terminal.type('y\r');
      await terminal.waitFor('I see.');
      expect(await space.tree()).toEqual({ made: '' });
      terminal.type('/quit\r');
      expect(await terminal.exitCode).toBe(0);
    },
  );
});

describe('[C10] built-in commands', () => {
  test('/init, /plan and /diff do what they say', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: space.root });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    await writeFile(path.join(space.root, 'a.txt'), 'two\n');
    await writeFile(path.join(space.root, 'new.txt'), '');
    const server = await serve([
      calls(['Write', { file_path: 'AGENTS.md', content: '# Agents\n' }]),
      says('Written.'),
      calls(['Write', { file_path: 'x.txt', content: 'x' }]),
      says('The plan.'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model, '--trust'], env);
    await terminal.waitFor('/help for commands');
    terminal.type('/diff\r');
    await terminal.waitFor('+two');
    await terminal.waitFor('Untracked files:');
    terminal.type('/diff ;ls\r');
    await terminal.waitFor('/diff takes commits, options and paths');
    terminal.type('/init in German\r');
    await terminal.waitFor('Allow: Write AGENTS.md?');
    terminal.type('y\r');
    await terminal.waitFor('Written.');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('The user adds: in German');
    terminal.type('/plan add a file\r');
    await terminal.waitFor('The plan.');
    expect(Object.keys(await space.tree()).filter((name) => !name.startsWith('.git/'))).toEqual([
      'AGENTS.md',
      'a.txt',
      'new.txt',
    ]);
    terminal.type('/plan done\r');
    await terminal.waitFor('Plan mode off');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });
});

describe('skills', () => {
  test(
    'the example: only its description is in the prompt, its body comes on use, its files can be read and run',
    soak,
    async () => {
      const space = await workspace();
      const root = await own(space, {});
      await cp(path.join(examples, 'skill'), path.join(root, 'skills'), { recursive: true });
      const template = path.join(root, 'skills/changelog/template.md');
      const played = await run(space, 'go', [
        calls(['Skill', { name: 'changelog' }], ['Skill', { name: 'changelogs' }]),
        calls(['Read', { file_path: template }], ['Bash', { command: `cat ${template}` }]),
        calls(
          ['Write', { file_path: template, content: 'x' }],
          ['Read', { file_path: path.join(root, 'trust.json') }],
        ),
        says('ok'),
      ]);
      const { events } = parseStream(played.stdout);
      const texts = events.flatMap((event) =>
        event.type === 'message' && event.message.role === 'tool'
          ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
          : [],
      );
      expect(texts[0]).toContain(`Files it mentions are in ${path.join(root, 'skills/changelog')}.`);
      expect(texts[0]).toContain('The newest version comes first');
      expect(texts[1]).toBe('There is no skill changelogs. Did you mean changelog? Available: changelog.');
      expect(texts[2]).toContain('Reports can be exported as CSV.');
      expect(texts[3]).toContain('Reports can be exported as CSV.');
      expect(texts[4]).toContain('ermission');
      expect(texts[5]).toContain('ermission');
      const first = JSON.stringify(played.server.requests[0]?.body);
      expect(first).toContain('- changelog: How to write entries in CHANGELOG.md.');
      expect(first).not.toContain('The newest version comes first');
    },
  );

  test(
    'who may use one: only the user, or only the model; a subagent does the work of one that forks',
    soak,
    async () => {
      const space = await workspace();
      const skill = (name: string, lines: string) =>
        `---\ndescription: About ${name}.\n${lines}\n---\nDo ${name} $1.\n`;
      const root = await own(space, {
        'skills/deploy/SKILL.md': skill('deploy', 'disable-model-invocation: true'),
        'skills/style/SKILL.md': skill('style', 'user-invocable: false'),
        'skills/audit/SKILL.md': skill('audit', 'context: fork\nagent: Explore\nhooks: {}'),
      });
      const played = await run(space, '/deploy now', [
        calls(['Skill', { name: 'deploy' }], ['Skill', { name: 'audit', arguments: 'all of it' }]),
        says('Looked.'),
        says('ok'),
      ]);
      expect(promptOf(played)).toBe(
        `Files it mentions are in ${path.join(root, 'skills/deploy')}.\n\nDo deploy now.`,
      );
      const first = JSON.stringify(played.server.requests[0]?.body);
      expect(first).toContain('- audit: About audit.\\n- style: About style.');
      expect(first).not.toContain('About deploy');
      expect(promptOf(played, 1)).toContain('Do audit all.');
      const last = JSON.stringify(played.server.requests[2]?.body);
      expect(last).toContain('There is no skill deploy.');
      expect(last).toContain('Looked.');
      expect(played.stderr).toContain('skills/audit/SKILL.md: hooks: not supported for skills and ignored.');

      const style = await run(space, '/style x', []);
      expect(style.code).toBe(2);
      expect(style.stderr).toContain('There is no command /style.');

      const denied = await run(
        space,
        'x',
        [calls(['Skill', { name: 'audit' }], ['Skill', { name: 'style' }]), says('ok')],
        ['--deny', 'Skill(audit)'],
      );
      const { report } = parseStream(denied.stdout);
      expect(report.denials.map(({ by }) => by)).toEqual(['rule deny Skill(audit)']);
    },
  );

  test('of a project they count after trust; the list stays the same from turn to turn', soak, async () => {
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: About ${name}.\n---\nAll about ${name}.\n`;
    const space = await workspace({
      '.ai-assistant/skills/zebra/SKILL.md': skill('zebra'),
      '.claude/skills/ant/SKILL.md': skill('ant'),
      '.ai-assistant/skills/bad/SKILL.md': 'No head.\n',
    });
    const systemOf = ({ server }: Played, at: number) => {
      const { system } = (server.requests[at]?.body ?? {}) as { system?: unknown };
      return JSON.stringify(system);
    };
    const untrusted = await run(space, 'go', [says('ok')]);
    expect(systemOf(untrusted, 0)).not.toContain('zebra');
    expect(JSON.stringify(untrusted.server.requests[0]?.body)).not.toContain('"Skill"');

    const trusted = await run(space, 'go', [calls(['Skill', { name: 'ant' }]), says('ok')], ['--trust']);
    expect(systemOf(trusted, 0)).toContain('- ant: About ant.\\n- zebra: About zebra.');
    expect(systemOf(trusted, 1)).toBe(systemOf(trusted, 0));
    expect(trusted.stderr).toContain('bad/SKILL.md: a skill needs a description in its front matter.');
  });
});
