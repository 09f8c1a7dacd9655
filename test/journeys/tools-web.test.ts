import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { loopback } from '../support/loopback.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { behindTls, caFile, secretHost, tunnelTo } from '../support/tls-server.ts';
import { workspace } from '../support/workspace.ts';

/** A headless run in which the model makes these calls; what it was told, and what watchers saw. */
async function runCalls(
  script: Step[],
  flags: string[] = [],
  { extraEnv = {}, config }: { extraEnv?: Record<string, string>; config?: object } = {},
) {
  const space = await workspace();
  if (config) {
    const root = path.join(space.home, '.ai-assistant');
    await mkdir(root);
    await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
  }
  const server = await serve(script);
  const { model, env } = doors['openai-chat'](server.url);
  const args = ['-p', 'go', '--output-format', 'stream-json', '--model', model, ...flags];
  const outcome = await aca(space, args, { env: { ...env, ...extraEnv } });
  const { events, report } = parseStream(outcome.stdout);
  const answers = events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'tool'
      ? [
          {
            success: event.message.success,
            text: event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
          },
        ]
      : [],
  );
  return { answers, events, report, code: outcome.code, stderr: outcome.stderr };
}

describe('[Y15] [U17] WebFetch', () => {
  test('no spelling of a private address is fetched, although the tool is allowed', async () => {
    const inside = await loopback((response) => void response.end('inside'));
    const port = new URL(inside.url).port;
    const hosts = [
      ...[
        '127.0.0.1',
        'localhost',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '2130706433',
        '0x7f000001',
        '017700000001',
      ],
      ...['0177.0.0.1', '0x7f.1', '127.1', '0', 'x.localhost', '10.0.0.1', '169.254.169.254'],
    ];
    const urls = hosts.map((host) => `http://${host}:${port}/`);
    const { answers, code } = await runCalls(
      [calls(...urls.map((url): [string, object] => ['WebFetch', { url }])), says('Could not.')],
      ['--allow', 'WebFetch'],
    );
    expect(answers.map(({ success }) => success)).toEqual(hosts.map(() => false));
    for (const { text } of answers) {
      expect(text).toMatch(/^Permission denied: fetch http:.*; only public addresses can be fetched\./);
    }
    expect(inside.requests).toEqual([]);
    expect(code).toBe(3);
  });

  test(
    'through the user’s proxy: a page as Markdown, redirects within the host, and news of others',
    soak,
    async () => {
      const site = await loopback((response, { path: place }) => {
        if (place === '/old') response.writeHead(302, { location: '/page' }).end();
        else if (place === '/away') response.writeHead(302, { location: 'https://elsewhere.test/' }).end();
        else {
          response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' });
          response.end(Buffer.from('<title>Caf\xe9</title><p>See <a href="/menu">the menu</a>.', 'latin1'));
        }
      });
      const port = await behindTls(Number(new URL(site.url).port), onTestFinished);
      const proxy = await tunnelTo(port, onTestFinished);
      const base = `https://${secretHost}`;
      const { answers, events } = await runCalls(
        [
          calls(['WebFetch', { url: `${base}/old` }], ['WebFetch', { url: `${base}/away` }]),
          calls(['WebFetch', { url: `${base}/old`, offset: 8 }], ['WebFetch', { url: 'http://localhost/' }]),
          says('Read.'),
        ],
        ['--allow', `WebFetch(domain:${secretHost})`, '--allow', 'WebFetch(domain:localhost)'],
        { extraEnv: { HTTPS_PROXY: proxy.url }, config: { network: { caFile } } },
      );
      expect(answers).toEqual([
        { success: true, text: `# Café\n\nSee [the menu](${base}/menu).` },
        {
          success: true,
          text: `${base}/away redirects to another host: https://elsewhere.test/\nFetch that address if it is what you want.`,
        },
        { success: true, text: `See [the menu](${base}/menu).` },
        { success: false, text: expect.stringMatching(/^Permission denied: .*only public addresses/) },
      ]);
      expect(events.find((event) => event.type === 'tool_end')).toMatchObject({ display: { kind: 'text' } });
      expect(site.requests.map((request) => request.path).sort()).toEqual(['/away', '/old', '/page']);
      expect(new Set(proxy.asked)).toEqual(new Set([`${secretHost}:443`]));
    },
  );

  sweep([
    ['nothing set', undefined],
    ['certificates of the user’s own', { network: { caFile } }],
  ])('with no proxy, names are resolved and pinned here: %s', async (_name, config) => {
    const { answers } = await runCalls(
      [calls(['WebFetch', { url: 'https://nobody.invalid/' }]), says('Could not.')],
      ['--allow', 'WebFetch'],
      config ? { config } : {},
    );
    expect(answers).toEqual([
      { success: false, text: expect.stringContaining('The host nobody.invalid was not found (') },
    ]);
  });

  test('without a yes nothing is fetched at all, and the flag that would help is named', async () => {
    const inside = await loopback((response) => void response.end('inside'));
    const { answers, report, stderr } = await runCalls([
      calls(['web_fetch', { url: 'https://example.org/' }], ['WebFetch', { url: inside.url }]),
      says('Could not.'),
    ]);
    expect(answers[0]?.text).not.toContain('--allow');
    expect(stderr).toContain("--allow 'WebFetch(https://example.org/)'");
    expect(report.denials.map(({ input }) => input)).toEqual([
      { url: 'https://example.org/' },
      { url: inside.url },
    ]);
    expect(inside.requests).toEqual([]);
  });

  sweep([
    ['file:///etc/passwd', /^Permission denied: .*only http and https URLs can be fetched/],
    ['http://user:secret@example.org/', /^Permission denied: .*a user name or password/],
    ['example.org', /^example\.org is not a full URL\. Use one such as/],
  ])('%s is answered with what is wrong', async (url, words) => {
    const { answers } = await runCalls([calls(['WebFetch', { url }]), says('ok')], ['--allow', 'WebFetch']);
    expect(answers).toEqual([{ success: false, text: expect.stringMatching(words) }]);
  });
});

describe('[U17] Todo', () => {
  test('the list is in the events, for every face to show; no question is asked', async () => {
    const items = [
      { text: 'look', status: 'done' },
      { text: 'mend', status: 'in_progress' },
      { text: 'test', status: 'pending' },
    ];
    const { answers, events, code } = await runCalls([calls(['Todo', { items }]), says('ok')]);
    expect(answers).toEqual([{ success: true, text: '1 done, 1 in progress, 1 pending.' }]);
    expect(events.find((event) => event.type === 'tool_end')).toMatchObject({
      name: 'Todo',
      success: true,
      display: { kind: 'todos', items },
    });
    expect(events.filter((event) => event.type === 'question')).toEqual([]);
    expect(code).toBe(0);
  });

  test('[T18] a list of another shape is answered with the field that is wrong', soak, async () => {
    const items = [{ text: 'look', status: 'later' }];
    const { answers } = await runCalls([calls(['Todo', { items }]), says('ok')]);
    expect(answers).toEqual([{ success: false, text: expect.stringContaining('status') }]);
  });
});

describe('[U17] AskUser', () => {
  const ask = calls(['AskUser', { question: 'Which colour?', choices: ['red', 'blue'] }]);

  test('where nobody is there, the model is told to choose for itself', async () => {
    const { answers, code } = await runCalls([ask, says('Red, then.')]);
    expect(answers).toEqual([
      {
        success: false,
        text: 'No user is available to answer. Choose the most sensible option and say which.',
      },
    ]);
    expect(code).toBe(0);
  });

  test('in a terminal a number picks a choice; todos are shown in plain signs', async () => {
    const space = await workspace();
    const items = [
      { text: 'ask', status: 'done' },
      { text: 'paint', status: 'pending' },
    ];
    const server = await serve([ask, calls(['Todo', { items }]), says('Blue it is.')]);
    const { model, env } = doors['openai-chat'](server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('> ');
    terminal.type('paint it\r');
    await terminal.waitFor('Answer (1-2, or type your own): ');
    await terminal.waitFor('Which colour?\n  1. red\n  2. blue\n');
    terminal.type('2\r');
    await terminal.waitFor('Blue it is.');
    await terminal.waitFor('  [x] ask\n  [ ] paint\n');
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ text: 'blue' }] });
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  test('[L10] Ctrl-C calls the question off and ends the run', soak, async () => {
    const space = await workspace();
    const server = await serve([ask]);
    const { model, env } = doors['openai-chat'](server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('> ');
    terminal.type('paint it\r');
    await terminal.waitFor('Answer (1-2, or type your own): ');
    terminal.type('\x03');
    await terminal.waitFor('Interrupted.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });
});
