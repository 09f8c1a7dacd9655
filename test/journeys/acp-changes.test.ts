import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import {
  BUSY_CODE,
  CHANGES_CHANGED,
  CONFLICT_CODE,
  type ExtensionRequests,
} from '../../src/frontends/acp/extension-methods.ts';
import { ask, type EditorOptions, startedEditor } from '../support/acp.ts';
import { calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const BASE = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
const changed = (...lines: number[]) =>
  lines.reduce((text, line) => text.replace(`line ${line}\n`, `LINE ${line}\n`), BASE);
const capabilities: ClientCapabilities = { _meta: { aca: { changes: true } } };

/** A session in which the model has changed lines 3 and 15 of a.txt, and made new.txt. */
async function edited(options: EditorOptions = {}, more: Step[] = []) {
  const space = await workspace({ 'a.txt': BASE });
  const edits = [3, 15].map((line): [string, object] => [
    'Edit',
    { file_path: 'a.txt', old_string: `line ${line}\n`, new_string: `LINE ${line}\n` },
  ]);
  const script = [
    calls(['Read', { file_path: 'a.txt' }]),
    calls(...edits, ['Write', { file_path: 'sub/new.txt', content: 'new\n' }]),
    says('Done.'),
    ...more,
  ];
  const it = await startedEditor(space, script, {
    capabilities,
    args: ['--mode', 'accept-edits'],
    ...options,
  });
  await ask(it, it.sessionId, 'change it');
  const { sessionId } = it;
  const aca = <Name extends keyof ExtensionRequests>(
    method: Name,
    params: Omit<ExtensionRequests[Name]['params'], 'sessionId'>,
  ) => it.agent.request<ExtensionRequests[Name]['result']>(method, { sessionId, ...params });
  const file = path.join(space.root, 'a.txt');
  const text = () => readFile(file, 'utf8');
  const hunksOf = async () =>
    (await aca('_aca/changes/list', {})).files.find((one) => one.path === file)?.hunks ?? [];
  return { ...it, space, aca, file, text, hunksOf };
}

test('changes are listed by hunk, one is reverted, one accepted, and an undo brings the first back', async () => {
  const { aca, file, text, hunksOf, messages, space } = await edited();
  const { files } = await aca('_aca/changes/list', {});
  expect(files).toMatchObject([
    {
      path: file,
      change: 'changed',
      added: 2,
      removed: 2,
      hunks: [
        { what: 'line 3', lines: { oldStart: 3, oldText: 'line 3\n', newStart: 3, newText: 'LINE 3\n' } },
        {
          what: 'line 15',
          lines: { oldStart: 15, oldText: 'line 15\n', newStart: 15, newText: 'LINE 15\n' },
        },
      ],
    },
    { path: path.join(space.root, 'sub/new.txt'), change: 'new', hunks: [{ what: 'new file' }] },
  ]);
  expect(await aca('_aca/changes/original', { path: file })).toEqual({ text: BASE });

  const [third, fifteenth] = await hunksOf();
  await aca('_aca/changes/accept', { path: file, hunks: [fifteenth?.id ?? ''] });
  expect(await text()).toBe(changed(3, 15));
  expect(await aca('_aca/changes/original', { path: file })).toEqual({ text: changed(15) });
  expect(await aca('_aca/changes/revert', { path: file, hunks: [third?.id ?? ''] })).toEqual({
    restored: [file],
    removed: [],
    kept: [],
  });
  expect(await text()).toBe(changed(15));
  expect(await hunksOf()).toEqual([]);

  await aca('_aca/undo', {});
  expect(await text()).toBe(changed(3, 15));
  expect(await hunksOf()).toMatchObject([{ id: third?.id }]);
  await aca('_aca/redo', {});
  expect(await text()).toBe(changed(15));
  const notes = messages.filter((message) => 'method' in message && message.method === CHANGES_CHANGED);
  expect(notes.length).toBeGreaterThanOrEqual(6);
});

describe('nothing is changed', () => {
  test('if the file is not what was listed', async () => {
    const { aca, file, text, hunksOf } = await edited();
    const [third] = await hunksOf();
    const mine = changed(3, 15).replace('LINE 3\n', 'my own line\n');
    await writeFile(file, mine);

    const hunks = [third?.id ?? ''];
    for (const method of ['_aca/changes/revert', '_aca/changes/accept'] as const)
      await expect(aca(method, { path: file, hunks })).rejects.toMatchObject({
        code: CONFLICT_CODE,
        message: 'a.txt has changed since its changes were listed.',
      });
    expect(await text()).toBe(mine);
    await expect(aca('_aca/changes/revert', { path: '/etc/passwd' })).rejects.toMatchObject({
      code: CONFLICT_CODE,
    });
    await expect(aca('_aca/changes/revert', { hunks })).rejects.toMatchObject({ code: -32602 });
  });

  test('if the editor has unsaved text in it', soak, async () => {
    const buffers = new Map<string, string>();
    const { aca, file, text } = await edited({ buffers });
    buffers.set(file, `${changed(3, 15)}unsaved`);
    for (const take of [() => aca('_aca/changes/revert', { path: file }), () => aca('_aca/undo', {})])
      await expect(take()).rejects.toMatchObject({
        code: CONFLICT_CODE,
        message: 'a.txt has unsaved changes in the editor. Save it, then try again.',
      });
    expect(await text()).toBe(changed(3, 15));
    buffers.delete(file);
    await aca('_aca/changes/revert', {});
    expect(await text()).toBe(BASE);
  });

  test('while the assistant is working', soak, async () => {
    const it = await edited({}, [hangs()]);
    const { aca, agent, sessionId, text, server } = it;
    const answered = ask(it, sessionId, 'go on');
    await expect.poll(() => server.requests.length).toBe(4);
    await expect(aca('_aca/changes/revert', {})).rejects.toMatchObject({ code: BUSY_CODE });
    await expect(aca('_aca/undo', {})).rejects.toMatchObject({ code: BUSY_CODE });
    expect((await aca('_aca/changes/list', {})).files).toHaveLength(2);
    await agent.notify('session/cancel', { sessionId });
    await answered;
    expect(await text()).toBe(changed(3, 15));
    await aca('_aca/undo', {});
    expect(await text()).toBe(BASE);
  });
});

test('files are completed as after @, and a client that does not know changes is not told of them', async () => {
  const { aca, messages } = await edited({ capabilities: {} });
  expect(await aca('_aca/files/complete', { query: 'new' })).toEqual({ paths: ['sub/new.txt'] });
  expect((await aca('_aca/files/complete', { query: '', limit: 2 })).paths).toHaveLength(2);
  expect(messages.filter((message) => 'method' in message && message.method.startsWith('_aca'))).toEqual([]);
});
