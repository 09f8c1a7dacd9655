// @module-tag soak
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors, parseStream, protocolNames } from '../support/aca.ts';
import { type Canaries, canaryProject, leaksIn, settings } from '../support/canary.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';

async function start(
  project: Canaries,
  script: Step[],
  protocol: (typeof protocolNames)[number] = 'openai-chat',
) {
  const server = await serve(script);
  const { model, env } = doors[protocol](server.url);
  const run = (...args: string[]) =>
    aca(project.space, ['-p', 'go', '--model', model, ...args], { env: { ...env, ...project.env } });
  return { server, run };
}

/** The first placeholder in the last answer a request carries. */
function placeholderIn({ messages }: SeenRequest): string {
  const texts = messages.flatMap((message) => message.results.map((result) => result.text));
  return /\[secret:[\w.-]+:[0-9a-f]{8}\]/.exec(texts.at(-1) ?? '')?.[0] ?? 'none';
}

const printsToken = ['Bash', { command: 'git show HEAD~1:config.js' }] as const;
const allowed = ['--allow', 'Bash(git show *)', '--mode', 'accept-edits'];

describe('a secret that a tool prints with the user’s leave', () => {
  sweep(protocolNames)(
    '%s: the model works with a placeholder, the file gets the value',
    async (protocol) => {
      const project = await canaryProject();
      const { server, run } = await start(
        project,
        [
          calls([...printsToken]),
          (request) =>
            calls([
              'Write',
              { file_path: 'restored.js', content: `export default '${placeholderIn(request)}';\n` },
            ]),
          calls(['Read', { file_path: 'restored.js' }]),
          (request) =>
            calls([
              'Edit',
              { file_path: 'restored.js', old_string: placeholderIn(request), new_string: 'edited' },
            ]),
          says('done'),
        ],
        protocol,
      );
      const { code, stderr } = await run(...allowed);
      expect({ code, refusals: server.refusals }, stderr).toEqual({ code: 0, refusals: [] });
      expect(leaksIn(server.requests, project.secret)).toEqual([]);
      const [, second, third, fourth] = server.requests;
      const placeholder = second ? placeholderIn(second) : '';
      expect(placeholder).toMatch(/^\[secret:github-token:[0-9a-f]{8}\]$/);
      // The write was answered, the file read back, and the model saw the same word again.
      expect(third && JSON.stringify(third.body)).toContain('restored.js');
      expect(fourth && placeholderIn(fourth)).toBe(placeholder);
      expect(await readFile(path.join(project.space.root, 'restored.js'), 'utf8')).toBe(
        "export default 'edited';\n",
      );
    },
  );

  test('the file holds the value itself, and so does a command', async () => {
    const project = await canaryProject();
    const { server, run } = await start(project, [
      calls([...printsToken]),
      (request) =>
        calls(
          ['Write', { file_path: 'restored.txt', content: placeholderIn(request) }],
          ['Bash', { command: `printf %s '${placeholderIn(request)}' > by-command.txt` }],
        ),
      says('done'),
    ]);
    await run(...allowed, '--allow', 'Bash(printf *)', '--allow', 'Bash');
    const { root } = project.space;
    expect(await readFile(path.join(root, 'restored.txt'), 'utf8')).toBe(project.secret.committed);
    expect(await readFile(path.join(root, 'by-command.txt'), 'utf8')).toBe(project.secret.committed);
    expect(leaksIn(server.requests, project.secret)).toEqual([]);
  });

  test('a command that only looks does not get the value unasked: it could print it backwards', async () => {
    const project = await canaryProject();
    const { server, run } = await start(project, [
      calls([...printsToken]),
      (request) => calls(['Bash', { command: `printf %s '${placeholderIn(request)}' | rev` }]),
      says('done'),
    ]);
    await run();
    const backwards = [...project.secret.committed].reverse().join('');
    expect(JSON.stringify(server.requests)).not.toContain(backwards);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('receives a secret');
  });

  test('what leaves the machine is not restored: WebFetch is judged with the placeholder in it', async () => {
    const project = await canaryProject();
    const { run } = await start(project, [
      calls([...printsToken]),
      (request) => calls(['WebFetch', { url: `http://127.0.0.1:1/?t=${placeholderIn(request)}` }]),
      says('done'),
    ]);
    const { stdout } = await run(...allowed, '--output-format', 'stream-json');
    const { events } = parseStream(stdout);
    const judged = events.filter((event) => event.type === 'judged' && event.tool === 'WebFetch');
    expect(JSON.stringify(judged)).toContain('[secret:github-token:');
    expect(JSON.stringify(judged)).not.toContain(project.secret.committed);
  });

  test('a resumed session sends the same bytes for the same past', async () => {
    const project = await canaryProject();
    const { server, run } = await start(project, [calls([...printsToken]), says('one'), says('two')]);
    await run(...allowed);
    await run(...allowed, '--continue');
    const [, before, after] = server.requests.map(({ body }) => body.messages as unknown[]);
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(JSON.stringify(after)).toContain('[secret:github-token:');
  });

  test('a secret in the prompt is hidden, too', async () => {
    const project = await canaryProject();
    const { server, run } = await start(project, [says('ok')]);
    await run(`use ${project.secret.environment} and ${project.secret.dotenv}`);
    expect(leaksIn(server.requests, project.secret)).toEqual([]);
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(
      /use \[secret:DEPLOY_TOKEN:\w+\] and \[secret:SERVICE_TOKEN:/,
    );
  });

  test('what is judged is the call with the value in it, not with the placeholder', async () => {
    const project = await canaryProject();
    const hostile = 'harmless-1234; touch pwned; echo';
    await writeFile(path.join(project.space.root, '.env.local'), `API_TOKEN="${hostile}"\n`);
    const { server, run } = await start(project, [
      ({ messages }) => {
        const placeholder = /\[secret:API_TOKEN:\w+\]/.exec(messages[0]?.text ?? '')?.[0] ?? 'none';
        return calls(['Bash', { command: `echo ${placeholder}` }]);
      },
      says('done'),
    ]);
    const { code } = await run(`say ${hostile}`);
    expect(code).toBe(3);
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/echo \[secret:API_TOKEN:/);
    expect(Object.keys(await project.space.tree())).not.toContain('pwned');
  });

  test('redactSecrets false is the user’s own word: the value is sent', async () => {
    const project = await canaryProject();
    await settings(project, { redactSecrets: false });
    const { server, run } = await start(project, [calls([...printsToken]), says('ok')]);
    await run(...allowed);
    expect(leaksIn(server.requests, project.secret)).toEqual(['committed']);
  });

  test('a project that nobody trusts cannot switch it off', async () => {
    const project = await canaryProject();
    await writeFile(path.join(project.space.root, '.ai-assistant.json'), '{"redactSecrets": false}');
    const { server, run } = await start(project, [calls([...printsToken]), says('ok')]);
    await run(...allowed);
    expect(server.requests.length).toBe(2);
    expect(leaksIn(server.requests, project.secret)).toEqual([]);
  });
});
