import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { noted, noting, run, sent, toolTexts, writeHooks } from '../support/hooks.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const read: Step = calls(['Read', { file_path: 'a.txt' }]);

test('each event is told what it is about, as JSON on standard input', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const events = [
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'Stop',
    'SessionStart',
    'SessionEnd',
  ];
  await writeHooks(space, Object.fromEntries(events.map((event) => [event, [noting(event)]])));
  const { code, stderr } = await run(space, [read, calls(['Read', { file_path: 'none.txt' }]), says('done')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const common = { cwd: space.root, permission_mode: 'default' };
  const call = (file_path: string) => ({
    tool_name: 'Read',
    tool_input: { file_path },
    tool_use_id: expect.any(String),
  });
  const answered = { ...call('a.txt'), tool_response: { success: true, output: '1\tone' } };
  const failed = { ...call('none.txt'), error: expect.stringContaining('none.txt'), is_interrupt: false };
  expect(await Promise.all(events.map((event) => noted(space, event)))).toEqual(
    [
      [call('a.txt'), call('none.txt')],
      [answered],
      [failed],
      [{ prompt: 'go on' }],
      [{ stop_hook_active: false, last_assistant_message: 'done' }],
      [{ source: 'startup', model: expect.any(String) }],
      [{ reason: 'other' }],
    ].map((runs, i) => runs.map((facts) => ({ ...common, hook_event_name: events[i], ...facts }))),
  );
});

test('the transcript is readable in the sandbox, in the format of Claude Code', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const node = `const { transcript_path } = JSON.parse(fs.readFileSync(0)); fs.writeFileSync('seen.jsonl', fs.readFileSync(transcript_path))`;
  await writeHooks(space, { Stop: [{ command: `node -e "${node}"` }] });
  const { stderr } = await run(space, [read, says('done')]);
  expect(stderr).toBe('');
  const text = await readFile(path.join(space.root, 'seen.jsonl'), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { type: 'user', parentUuid: null, message: { role: 'user', content: [{ text: 'go on' }] } },
    { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Read' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', is_error: false }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'done' }] } },
  ]);
  expect(lines[3].parentUuid).toBe(lines[2].uuid);
});

test('subagents have hooks of their own: one adds to the task, one sends it back to work', soak, async () => {
  const space = await workspace();
  const context = { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'be brief' } };
  await writeHooks(space, {
    SubagentStart: [
      { matcher: 'general', command: `tee -a start.jsonl >/dev/null; echo '${JSON.stringify(context)}'` },
      { matcher: 'explore', command: 'exit 2' },
    ],
    SubagentStop: [
      {
        command:
          'tee -a stop.jsonl | grep -q \'"stop_hook_active":true\' || { echo "look again" >&2; exit 2; }',
      },
    ],
    Stop: [noting('main')],
  });
  const played = await run(space, [
    calls(['Task', { description: 'look', prompt: 'look around' }]),
    says('first'),
    says('second'),
    says('all done'),
  ]);
  expect(played.report.result).toBe('all done');
  expect(sent(played, 1)).toContain('look around\\n\\n[From a hook:]\\nbe brief');
  expect(sent(played, 2)).toContain('[A hook says the work is not done:]\\nlook again');
  const agent = { agent_type: 'general', agent_id: expect.any(String) };
  expect(await noted(space, 'start')).toMatchObject([agent]);
  expect(await noted(space, 'stop')).toMatchObject([
    { ...agent, stop_hook_active: false, last_assistant_message: 'first' },
    { ...agent, stop_hook_active: true, last_assistant_message: 'second' },
  ]);
  expect(await noted(space, 'main')).toMatchObject([{ last_assistant_message: 'all done' }]);
});

test('PermissionRequest answers for the user and Notification learns of a question', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const answer = (behavior: string, more: object = {}) =>
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior, ...more } } })}'`;
  await writeHooks(space, {
    PermissionRequest: [
      {
        matcher: 'Write',
        command: `grep -q new.txt && ${answer('allow')} || ${answer('deny', { message: 'not that one' })}`,
      },
    ],
    Notification: [{ matcher: 'permission_prompt', ...noting('notified') }],
  });
  const server = await serve([
    calls(
      ['Write', { file_path: 'new.txt', content: 'x' }],
      ['Write', { file_path: 'other.txt', content: 'x' }],
      ['WebFetch', { url: 'https://example.com/page' }],
    ),
    says('Done.'),
  ]);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model, 'go'], env);
  await terminal.waitFor('[y/n] ');
  terminal.type('n\r');
  await terminal.waitFor('Done.');
  terminal.type('/quit\r');
  await terminal.exitCode;
  expect(Object.keys(await space.tree()).sort()).toEqual(['a.txt', 'new.txt', 'notified.jsonl']);
  expect(JSON.stringify(server.requests[1]?.body)).toContain('denied by a hook: not that one');
  expect(await noted(space, 'notified')).toMatchObject([
    { notification_type: 'permission_prompt', message: expect.stringContaining('example.com') },
  ]);
});

test('an http hook gets the input and decides like a command', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const got: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push(body);
    const decision = { permissionDecision: 'deny', permissionDecisionReason: 'says the server' };
    response.end(JSON.stringify({ hookSpecificOutput: decision }));
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  const url = `http://127.0.0.1:${port}/`;
  const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'http', url, timeout: 5 }] }] };
  await writeFile(path.join(root, 'config.json'), JSON.stringify({ hooks }));
  const played = await run(space, [read, says('ok')]);
  http.closeAllConnections();
  http.close();
  expect(toolTexts(played)).toEqual(['It did not run: blocked by a hook: says the server']);
  expect(got.map((body) => JSON.parse(body))).toMatchObject([
    { hook_event_name: 'PreToolUse', tool_name: 'Read' },
  ]);
});
