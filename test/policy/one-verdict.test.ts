import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createAgent } from '../../src/api/create-agent.ts';
import type { AgentEvent } from '../../src/contract/event.ts';
import type { PermissionMode, PermissionRequest } from '../../src/contract/permission.ts';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import type { AuditRecord } from '../../src/observability/audit/audit.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';

/** Names of files in the project, beside it and in the home folder; some are closed for good. */
const FILES = [
  'project/a.txt',
  'project/src/b.txt',
  'project/.env',
  'outside/c.txt',
  'outside/deep/d.txt',
  'outside/.env',
  'home/e.txt',
  'home/.ssh/id_rsa',
];
const CLOSED = /(^|\/)(\.env|\.ssh)(\/|$)|\.ai-assistant|^\/(proc|dev|sys)\//;

/** How a path may be written. `BASE` stands for the folder that holds them all. */
const written = fc.constantFrom(
  ...['a.txt', './src/../a.txt', 'src/b.txt', 'new.txt', 'src/new/deep.txt', '.env', 'A.TXT', 'src'],
  ...['BASE/outside/c.txt', '../outside/c.txt', '../outside/deep/d.txt', '../outside/none.txt', '../outside'],
  ...['BASE/outside/.env', '../outside/deep/../c.txt', '~/e.txt', '~/.ssh/id_rsa', 'BASE/home/e.txt', '~'],
  ...['to-file', 'to-folder/c.txt', 'to-folder/deep/d.txt', 'to-folder/../home/e.txt', 'to-env', 'to-secret'],
  ...[
    'to-nowhere',
    'to-self',
    'loop',
    'BASE/home/.ai-assistant/config.json',
    '/proc/self/environ',
    '/dev/null',
  ],
);

const LINKS: Record<string, string> = {
  'to-file': '../outside/c.txt',
  'to-folder': '../outside',
  'to-env': '.env',
  'to-secret': '../home/.ssh/id_rsa',
  'to-nowhere': '../outside/made-by-link.txt',
  'to-self': 'a.txt',
  loop: 'loop',
};

const call = written.chain((file) =>
  fc.constantFrom<CallWords>(
    ['Read', { file_path: file }],
    ['Write', { file_path: file, content: 'written' }],
    ['Edit', { file_path: file, old_string: 'canary', new_string: 'edited' }],
    ['MultiEdit', { edits: [{ file_path: file, old_string: 'canary', new_string: 'edited' }] }],
    ['Delete', { file_path: file }],
    ['Grep', { pattern: 'canary', path: file }],
    ['List', { path: file }],
    ['Glob', { pattern: '*', path: file }],
  ),
);
const WRITING = new Set(['Write', 'Edit', 'MultiEdit', 'Delete']);

type Case = {
  wanted: CallWords[];
  mode: PermissionMode;
  rules: string[];
  /** What the person says, question by question; none where nobody is there. */
  answers: boolean[] | null;
};

const cases: fc.Arbitrary<Case> = fc.record({
  // Equal calls of one reply run once.
  wanted: fc.uniqueArray(call, { minLength: 4, maxLength: 14, selector: (one) => JSON.stringify(one) }),
  mode: fc.constantFrom<PermissionMode>('default', 'accept-edits', 'auto', 'plan', 'read-only'),
  rules: fc.subarray(['Read(BASE/outside/**)', 'Edit(BASE/outside/**)', 'Read', 'Edit', 'Read(BASE/home)']),
  answers: fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), { nil: null }),
});

async function build(): Promise<string> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-verdict-')));
  for (const name of FILES) {
    await mkdir(path.dirname(path.join(base, name)), { recursive: true });
    await writeFile(path.join(base, name), `canary of ${name}\n`);
  }
  for (const [name, target] of Object.entries(LINKS)) await symlink(target, path.join(base, 'project', name));
  return base;
}

/** Every file but those the assistant keeps for itself, by its path. */
async function contents(base: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of filesBelow(base)) {
    if (file.includes('.ai-assistant')) continue;
    found.set(path.relative(base, file), await readFile(file, 'utf8'));
  }
  return found;
}

sweep([6, 60])(
  'what the events, the result, the audit log, the question and the disk say of a call is one verdict (%i runs)',
  async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const base = await build();
        try {
          await check(base, one);
        } finally {
          await rm(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
        }
      }),
      { numRuns },
    );
  },
  { timeout: 300_000 },
);

async function check(base: string, { wanted, mode, rules, answers }: Case): Promise<void> {
  const inPlace = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('BASE', base)) as T;
  const server = await serve([calls(...inPlace(wanted)), says('done')]);
  const { model, env } = doors.anthropic(server.url);
  const space = { root: path.join(base, 'project'), home: path.join(base, 'home'), tree: async () => ({}) };
  const asked: PermissionRequest[] = [];
  const agreed = new Set<string>();
  const approve = (request: PermissionRequest) => {
    const yes = answers?.[asked.length % answers.length] ?? false;
    asked.push(request);
    if (yes) agreed.add(request.callId);
    return yes;
  };
  const before = await contents(base);
  const home = process.env.HOME;
  process.env.HOME = space.home;
  const agent = await createAgent({
    cwd: space.root,
    model,
    env: cleanEnv(space, env),
    permissions: { mode, allow: inPlace(rules), ...(answers && { approve }) },
  });
  const events: AgentEvent[] = [];
  try {
    const run = agent.run('go');
    for await (const event of run) events.push(event);
    const { denials } = await run.result;
    const after = await contents(base);
    const audit = await auditOf(path.join(space.home, '.ai-assistant/audit.jsonl'));
    const judged = events.filter((event) => event.type === 'judged');
    const ends = new Map(
      events.flatMap((event) => (event.type === 'tool_end' ? [[event.callId, event]] : [])),
    );
    const last = new Map(judged.map((event) => [event.callId, event]));

    // Every call has its verdict, and all that tell it tell the same; one that cannot succeed needs none.
    const hopeless = [...ends].filter(([callId]) => !last.has(callId));
    expect(last.size + hopeless.length).toBe(wanted.length);
    for (const [callId, { success }] of hopeless) {
      expect(success).toBe(false);
      expect(asked.some((request) => request.callId === callId)).toBe(false);
    }
    const denied = judged.filter(({ verdict }) => verdict === 'deny');
    expect(denials.map(({ tool, because }) => [tool, because])).toEqual(
      denied.map(({ tool, because }) => [tool, because]),
    );
    expect([...last].map(([callId, { verdict }]) => [callId, verdict])).toEqual(
      [...last.keys()].map((callId) => [callId, audit.get(callId)]),
    );

    let mayChange = false;
    for (const [callId, { tool, verdict, because, by, accesses }] of last) {
      // A write is named a write.
      expect(accesses.map(({ kind }) => kind)).toEqual([WRITING.has(tool) ? 'write' : 'read']);
      const refusal = /^Permission denied: (\w+) /.exec(because);
      if (refusal) expect(refusal[1]).toBe(WRITING.has(tool) ? 'write' : 'read');
      if (verdict === 'deny') expect(ends.get(callId)?.success).toBe(false);
      // What can never be opened is not asked about; what was agreed to, runs.
      if (by === 'path guard') expect(asked.some((request) => request.callId === callId)).toBe(false);
      if (agreed.has(callId)) expect(verdict).toBe('allow');
      mayChange ||= verdict === 'allow' && WRITING.has(tool);
    }

    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    );
    if (!mayChange) expect(changed).toEqual([]);
    for (const name of changed) {
      expect(CLOSED.test(name)).toBe(false);
      if (name.startsWith('project/')) continue;
      // Outside, only what somebody opened.
      const isOpened =
        (rules.includes('Edit(BASE/outside/**)') && name.startsWith('outside/')) ||
        asked.some(
          ({ callId, opens = [] }) =>
            agreed.has(callId) &&
            opens.some(({ path: file, mode }) => mode === 'write' && file === path.join(base, name)),
        );
      expect([name, isOpened]).toEqual([name, true]);
    }
    // No secret was ever told to the model.
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toMatch(
      /canary of \S*(\.env|id_rsa)/,
    );
  } finally {
    await agent.close();
    process.env.HOME = home;
  }
}

async function auditOf(file: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (!existsSync(file)) return found;
  for (const line of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
    const record = JSON.parse(line) as AuditRecord;
    if (record.type === 'judged') found.set(record.callId, record.verdict);
  }
  return found;
}
