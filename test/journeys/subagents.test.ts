import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca, parseStream } from '../support/aca.ts';
import { but, calls, fails, type Reply, type Step, says, slowly } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { answersTo, asked, configure, explore, nestedOf, start, task } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

describe('[T13][Y16] Explore', () => {
  test('two look side by side, tell what they do under their call, and answer in order', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
    let together = 0;
    let open: () => void = () => undefined;
    const met = new Promise<void>((resolve) => {
      open = resolve;
    });
    const meet =
      (reply: Reply): Step =>
      async () => {
        together += 1;
        if (together === 2) open();
        // Neither is answered before the other has asked.
        await met;
        return reply;
      };
    const { run, server } = await start(space, {
      go: [calls(explore('find alpha', 'FIRST'), explore('find beta', 'SECOND')), says('Both found.')],
      FIRST: [meet(calls(['Read', { file_path: 'a.txt' }])), says('alpha is in a.txt:1')],
      SECOND: [meet(calls(['Read', { file_path: 'b.txt' }])), says('beta is in b.txt:1')],
    });
    const { code, stdout } = await run(['-p', 'go', '--output-format', 'stream-json']);
    const { events, report } = parseStream(stdout);

    expect([code, report.result, report.turns]).toEqual([0, 'Both found.', 2]);
    const started = nestedOf(events).flatMap(({ event, agents }) =>
      event.type === 'tool_start' ? [[agents.join(), event.title]] : [],
    );
    expect(started.sort()).toEqual([
      ['Explore: find alpha', 'Read a.txt'],
      ['Explore: find beta', 'Read b.txt'],
    ]);
    const answers = answersTo(server.requests.at(-1)).map((text) => text.split('\n')[0]);
    expect(answers).toEqual(['alpha is in a.txt:1', 'beta is in b.txt:1']);
  });

  test('it has no tool that changes anything, and none that it names appears', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { run, server } = await start(space, {
      go: [calls(explore('break it', 'LOOK')), says('ok')],
      LOOK: [
        calls(
          ['Write', { file_path: 'a.txt', content: 'broken' }],
          ['Bash', { command: 'rm a.txt' }],
          task('more', 'MORE'),
        ),
        says('I could not.'),
      ],
    });
    await run(['-p', 'go', '--mode', 'accept-edits', '--allow', 'Bash', '--allow', 'Write']);
    const [first, second] = asked(server.requests, 'LOOK');
    expect(first?.tools).toEqual(['Read', 'Glob', 'Grep', 'Search', 'List']);
    expect(answersTo(second).map((text) => text.split('.')[0])).toEqual([
      'Unknown tool Write',
      'Unknown tool Bash',
      'Unknown tool Task',
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  });

  test('the model for side jobs looks, and the main one goes on where it cannot', soak, async () => {
    const space = await workspace();
    await configure(space, { helperModel: 'openai-chat/gpt-4o-mini' });
    const { run, server } = await start(space, {
      go: [calls(explore('one', 'LOOK')), says('ok')],
      LOOK: [fails(404, { message: 'no such model' }), says('seen')],
    });
    const { stdout } = await run(['-p', 'go']);
    expect(stdout).toBe('ok\n');
    expect(asked(server.requests, 'LOOK').map(({ model }) => model)).toEqual(['gpt-4o-mini', 'gpt-4-turbo']);
  });
});

describe('[Y16][T05] Task', () => {
  test('what it wants to do is asked of the same person, who is told which subagent asks', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { model, env } = await start(space, {
      go: [calls(task('change a', 'CHANGE')), says('All done.')],
      CHANGE: [
        calls(['Read', { file_path: 'a.txt' }]),
        calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]),
        calls(['Bash', { command: 'touch made' }]),
        says('Changed.'),
      ],
    });
    const terminal = openTerminal(space, ['--plain', '--model', model, 'go'], env);
    await terminal.waitFor('Allow: Edit a.txt? [y/n] ');
    await terminal.waitFor('requested by the subagent general: change a');
    await terminal.waitFor('+beta');
    await terminal.waitFor('[general: change a] → Read a.txt');
    terminal.type('y\r');
    await terminal.waitFor('[general: change a] Allow: Bash touch made? [y/n] ');
    terminal.type('n\r');
    await terminal.waitFor('All done.');
    expect(terminal.screen()).toMatch(/openai-chat\/gpt-4-turbo: 4 turns, 3 calls, [\d,]+ tokens, \$/);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
    expect(await space.tree()).toEqual({ 'a.txt': 'beta\n' });
  });

  test('its permissions are never wider: what is refused to the main agent is refused to it', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { run } = await start(space, {
      go: [calls(task('change a', 'CHANGE')), says('ok')],
      CHANGE: [
        calls(['Write', { file_path: 'new.txt', content: 'x' }], ['Bash', { command: 'touch made' }]),
        says('Refused.'),
      ],
    });
    const { code, stdout } = await run(['-p', 'go', '--output-format', 'json']);
    const report = JSON.parse(stdout) as Report;
    expect(code).toBe(3);
    expect(report.denials.map(({ tool, input }) => [tool, input])).toEqual([
      ['Write', { file_path: 'new.txt', content: 'x' }],
      ['Bash', { command: 'touch made' }],
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  });

  test('a rule can forbid a subagent by its name', async () => {
    const space = await workspace();
    const { run, server } = await start(space, { go: [calls(task('x', 'NEVER')), says('ok')] });
    const { code, stderr } = await run(['-p', 'go', '--deny', 'Task(general)']);
    expect([code, stderr]).toEqual([3, 'refused: denied by the rule Task(general)\n']);
    expect(asked(server.requests, 'NEVER')).toEqual([]);
  });

  test('those of a subagent start no others: depth 2 is the end', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, {
      go: [calls(task('one', 'ONE')), says('ok')],
      ONE: [calls(task('two', 'TWO')), says('one is done')],
      TWO: [calls(task('three', 'THREE')), says('two is done')],
    });
    const { stdout } = await run(['-p', 'go', '--output-format', 'stream-json']);
    expect(parseStream(stdout).report.result).toBe('ok');
    const [two, after] = asked(server.requests, 'TWO');
    expect(two?.tools).not.toContain('Task');
    expect(two?.tools).not.toContain('Explore');
    expect(answersTo(after)).toEqual([
      'You are a subagent yourself and cannot start another one from here. Do this work yourself.',
    ]);
    expect(asked(server.requests, 'THREE')).toEqual([]);
  });

  test('no more work side by side than the settings say', soak, async () => {
    const space = await workspace();
    await configure(space, { subagents: { parallel: 1 } });
    const { run, server } = await start(space, {
      go: [calls(task('a', 'A-WORK'), task('b', 'B-WORK')), says('ok')],
      'A-WORK': [slowly(says('a'), { firstMs: 200 })],
      'B-WORK': [says('b')],
    });
    await run(['-p', 'go']);
    const [a] = asked(server.requests, 'A-WORK');
    const [b] = asked(server.requests, 'B-WORK');
    expect(b?.receivedAt).toBeGreaterThan(a?.endedAt ?? Number.POSITIVE_INFINITY);
  });

  test('[U14] the budget is shared, and what subagents cost counts', async () => {
    const space = await workspace();
    const figures = { usage: { inputTokens: 900, outputTokens: 100 } };
    const { run, server } = await start(space, {
      go: [but(calls(task('spend', 'SPEND')), figures), says('never said')],
      SPEND: [but(calls(['Glob', { pattern: '*' }]), figures), but(says('spent'), figures)],
    });
    const { code, stdout } = await run(['-p', 'go', '--budget', '2 turns', '--output-format', 'json']);
    const report = JSON.parse(stdout) as Report;
    expect(server.requests.length).toBe(2);
    expect([code, report.stopReason]).toEqual([4, 'budget']);
    expect(report.usage).toEqual({
      inputTokens: 1800,
      outputTokens: 200,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
    // $10 and $30 a million.
    expect(report.costUsd).toBeCloseTo(2 * (900 * 10e-6 + 100 * 30e-6), 6);
    const list = await aca(space, ['sessions', '--json']);
    expect(JSON.parse(list.stdout)[0].costUsd).toBeCloseTo(report.costUsd ?? 0, 6);
  });
});

describe('what binds the main agent binds its subagents', () => {
  test('a hook hears of their calls, and what it forbids does not run', soak, async () => {
    const space = await workspace();
    await configure(space, {
      hooks: { PreToolUse: [{ matcher: 'Bash', command: 'echo not in this house >&2; exit 2' }] },
    });
    const { run, server } = await start(space, {
      go: [calls(task('run it', 'RUN')), says('ok')],
      RUN: [calls(['Bash', { command: 'touch made' }]), says('no')],
    });
    const { code } = await run(['-p', 'go', '--allow', 'Bash']);
    expect(code).toBe(3);
    expect(answersTo(asked(server.requests, 'RUN').at(-1)).join()).toContain('not in this house');
    expect(await space.tree()).toEqual({});
  });

  test(
    'a question from two levels down names both, a grant holds for all, and the audit log knows who it was',
    soak,
    async () => {
      const space = await workspace();
      const { model, env } = await start(space, {
        go: [calls(task('outer', 'OUTER')), calls(['Bash', { command: 'touch made' }]), says('All done.')],
        OUTER: [calls(task('inner', 'INNER')), says('outer is done')],
        INNER: [calls(['Bash', { command: 'touch made' }]), says('inner is done')],
      });
      const terminal = openTerminal(space, ['--plain', '--model', model, 'go'], env);
      await terminal.waitFor('[general: outer › general: inner] Allow: Bash touch made? [y/n] ');
      terminal.type('session\r');
      await terminal.waitFor('All done.');
      expect(terminal.screen().split('Allow:').length - 1).toBe(1);
      terminal.type('/undo\r');
      await terminal.waitFor('remove  made');
      terminal.type('y\r');
      await terminal.waitFor('removed made');
      terminal.type('/quit\r');
      await terminal.exitCode;
      expect(await space.tree()).toEqual({});
      const log = await readFile(path.join(space.home, '.ai-assistant', 'audit.jsonl'), 'utf8');
      const judged = log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; tool: string; agents?: string[]; by?: string })
        .filter(({ type }) => type === 'judged');
      expect(judged.map(({ tool, agents = [], by }) => [tool, agents, by])).toEqual([
        ['Task', [], 'default'],
        ['Task', ['general: outer'], 'default'],
        ['Bash', ['general: outer', 'general: inner'], 'user'],
        ['Bash', [], 'grant Bash(touch made)'],
      ]);
    },
  );
});

describe('subagents from files', () => {
  const reviewer = (name: string) =>
    `---\nname: ${name}\ndescription: Looks for mistakes\ntools: Read, Grep\nmodel: gpt-4o\n---\nYou are ${name}.\n`;

  test('of the user and of a trusted project: their own prompt, tools and model', async () => {
    const space = await workspace({ '.ai-assistant/agents/ours.md': reviewer('ours') });
    const own = path.join(space.home, '.ai-assistant', 'agents');
    await mkdir(own, { recursive: true });
    await writeFile(path.join(own, 'mine.md'), reviewer('mine'));
    const { run, server } = await start(space, {
      go: [calls(task('a', 'A', { agent: 'mine' }), task('b', 'B', { agent: 'ours' })), says('ok')],
      A: [says('a')],
      B: [says('b')],
    });
    await run(['-p', 'go', '--trust']);
    for (const [prompt, name] of [
      ['A', 'mine'],
      ['B', 'ours'],
    ] as const) {
      const [request] = asked(server.requests, prompt);
      expect([request?.model, request?.tools]).toEqual(['gpt-4o', ['Read', 'Grep']]);
      expect(request?.system).toMatch(new RegExp(`You are ${name}\\.$`));
    }
  });

  test(
    'what it may not use it does not have, its mode only restricts, its turns are counted, and unknown keys are named',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'one\n' });
      const own = path.join(space.home, '.ai-assistant', 'agents');
      await mkdir(own, { recursive: true });
      const careful =
        'disallowedTools: Write, Edit, Bash(touch:*)\npermissionMode: bypassPermissions\nmaxTurns: 1\nmemory: user';
      await writeFile(path.join(own, 'careful.md'), `---\n${careful}\n---\nYou are careful.\n`);
      await writeFile(path.join(own, 'planner.md'), '---\npermissionMode: plan\n---\nYou plan.\n');
      const { run, server } = await start(space, {
        go: [calls(task('a', 'A', { agent: 'careful' }), task('b', 'B', { agent: 'planner' })), says('ok')],
        A: [calls(['Bash', { command: 'touch made' }], ['Write', { file_path: 'made', content: 'x' }])],
        B: [calls(['Write', { file_path: 'made', content: 'x' }]), says('b')],
      });
      const args = ['--allow', 'Bash', '--allow', 'Edit', '--mode', 'accept-edits'];
      const { stdout, stderr } = await run(['-p', 'go', '--output-format', 'json', ...args]);
      const report = JSON.parse(stdout) as Report;
      expect(report.denials.map(({ tool, by }) => [tool, by]).sort()).toEqual([
        ['Bash', 'rule deny Bash(touch:*)'],
        ['Write', 'mode plan'],
      ]);
      expect(report.filesChanged).toEqual([]);
      const tools = asked(server.requests, 'A')[0]?.tools ?? [];
      expect(
        ['Read', 'Bash', 'Write', 'Edit', 'MultiEdit', 'Delete', 'Task'].map((name) => tools.includes(name)),
      ).toEqual([...[true, true, false, false, false, false, false]]);
      expect(asked(server.requests, 'A')).toHaveLength(1);
      const file = path.join(own, 'careful.md');
      expect(stderr).toContain(`${file}: memory: not supported for subagents and ignored.`);
      expect(stderr).toContain(`${file}: permissionMode bypassPermissions only restricts`);
    },
  );

  test("an untrusted project's subagents do not exist", soak, async () => {
    const space = await workspace({ '.ai-assistant/agents/ours.md': reviewer('ours') });
    const { run, server } = await start(space, {
      go: [calls(task('b', 'B', { agent: 'ours' })), says('ok')],
    });
    const { stderr } = await run(['-p', 'go']);
    expect(stderr).toContain('.ai-assistant/agents/ours.md');
    expect(answersTo(server.requests.at(-1))).toEqual([
      'Unknown subagent ours. Available: general, Explore.',
    ]);
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('Looks for mistakes');
  });
});
