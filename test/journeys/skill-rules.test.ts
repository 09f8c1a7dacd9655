import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { doors, parseStream } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { answersTo, asked, start, task } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const skill = (lines: string) =>
  `---\ndescription: About notes.\n${lines}\n---\nWrite the notes. $ARGUMENTS\n`;
const write = (file: string) => ['Write', { file_path: file, content: 'x' }] as [string, object];

async function own(space: Workspace, files: Record<string, string>): Promise<string> {
  const root = path.join(space.home, '.ai-assistant');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

const written = async (space: Workspace) =>
  Object.keys(await space.tree()).filter((name) => !/^\.(claude|ai-assistant)/.test(name));

describe('allowed-tools of a skill', () => {
  test('allow what they name to the agent that uses it, and no more than a rule of the user could', async () => {
    const space = await workspace({});
    const root = await own(space, {
      'skills/notes/SKILL.md': skill('allowed-tools:\n  - Edit(notes/**)\n  - Edit(AGENTS.md)\n  - Wrte(x)'),
    });
    const { run, server } = await start(space, {
      go: [
        calls(write('notes/early')),
        calls(['Skill', { name: 'notes' }]),
        calls(write('notes/a'), write('src/a'), write('notes/secret'), write('AGENTS.md')),
        calls(task('more', 'MORE')),
        says('ok'),
      ],
      MORE: [
        calls(write('notes/b')),
        calls(['Skill', { name: 'notes' }]),
        calls(write('notes/c')),
        says('Done.'),
      ],
    });
    const args = ['-p', 'go', '--output-format', 'stream-json', '--deny', 'Edit(notes/secret)'];
    const { stdout, stderr } = await run(args);
    expect((await written(space)).sort()).toEqual(['notes/a', 'notes/c']);
    const { events, report } = parseStream(stdout);
    const judged = events.flatMap((event) =>
      event.type === 'judged' && event.tool === 'Write' ? [event.by] : [],
    );
    expect(judged).toEqual([
      'default',
      'skill notes allow Edit(notes/**)',
      'default',
      'rule deny Edit(notes/secret)',
      'built-in start-up files',
    ]);
    expect(report.denials).toHaveLength(5);
    const [early, loaded, later] = answersTo(asked(server.requests, 'MORE').at(-1));
    expect([early, loaded, later]).toEqual([
      expect.stringContaining('needs approval'),
      expect.stringContaining('Write the notes.'),
      expect.not.stringContaining('approval'),
    ]);
    expect(
      events.flatMap((event) => (event.type === 'notice' && event.level === 'info' ? [event.text] : [])),
    ).toEqual(['The skill notes allows until this run ends: Edit(notes/**), Edit(AGENTS.md), Wrte(x)']);
    const file = path.join(root, 'skills/notes/SKILL.md');
    expect(stderr).toContain(`${file}:6: the allow rule Wrte(x) names no known tool and allows nothing.`);
  });

  test('end with the run that it was started for; the next prompt is asked about again', async () => {
    const space = await workspace({});
    await own(space, {
      'skills/notes/SKILL.md': skill('allowed-tools: Write'),
      'commands/now.md': '---\nallowed-tools: Write\ndisallowed-tools: Read\n---\nGo.\n',
    });
    const read = ['Read', { file_path: 'a' }] as [string, object];
    const server = await serve([
      ...[calls(write('a')), says('One.'), calls(write('b')), says('Two.')],
      ...[calls(read, write('c')), says('Three.'), calls(read), says('Four.')],
    ]);
    const { model, env } = doors.anthropic(server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('\n> ');
    terminal.type('/notes\r');
    await terminal.waitFor('The skill notes allows until this run ends: Write');
    await terminal.waitFor('One.');
    terminal.type('more\r');
    await terminal.waitFor('Allow: Write b? [y/n] ');
    terminal.type('n\r');
    await terminal.waitFor('Two.');
    terminal.type('/now\r');
    await terminal.waitFor('refused: denied by the command /now: Read');
    await terminal.waitFor('Three.');
    terminal.type('/permissions\r');
    await terminal.waitFor('No remembered answers.');
    expect(terminal.screen()).not.toContain('Until this run ends:');
    terminal.type('read\r');
    await terminal.waitFor('Four.');
    expect(terminal.screen().match(/refused:|Allow: /g)).toHaveLength(2);
    expect((await written(space)).sort()).toEqual(['a', 'c']);
    terminal.type('/quit\r');
    await terminal.exitCode;
  });

  test('of a project count once the folder is trusted', soak, async () => {
    const space = await workspace({ '.claude/skills/notes/SKILL.md': skill('allowed-tools: Write') });
    const steps = () => ({ go: [calls(['Skill', { name: 'notes' }]), calls(write('a')), says('ok')] });
    const untrusted = await start(space, steps());
    const { stderr } = await untrusted.run(['-p', 'go']);
    expect(await written(space)).toEqual([]);
    expect(stderr).toContain('ignored until this folder is trusted: .claude/skills/notes/SKILL.md');

    const trusted = await start(space, steps());
    await trusted.run(['-p', 'go', '--trust']);
    expect(await written(space)).toEqual(['a']);
  });

  test('belong to the subagent that does its work, and to the commands in its text', soak, async () => {
    const space = await workspace({});
    await own(space, {
      'skills/forked/SKILL.md': skill('context: fork\nallowed-tools: Write'),
      'commands/make.md': '---\nallowed-tools: Bash(touch:*)\n---\nMade: !`touch made`\n',
    });
    const { run, server } = await start(space, {
      go: [calls(['Skill', { name: 'forked', arguments: 'one' }]), calls(write('main')), says('ok')],
      'Files it mentions': [calls(write('one')), says('Did it.'), calls(write('two')), says('Did it.')],
      '/forked': [calls(write('main')), says('ok')],
      'Made: ': [calls(['Bash', { command: 'touch more' }]), says('ok')],
    });
    await run(['-p', 'go']);
    await run(['-p', '/forked two']);
    await run(['-p', '/make']);
    expect((await written(space)).sort()).toEqual(['made', 'more', 'one', 'two']);
    expect(server.requests).toHaveLength(11);
  });
});
