import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { ask, startedEditor } from '../support/acp.ts';
import { calls, says } from '../support/model-server/script.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

/** A command that prints something, goes on once the test has seen it, and fails. */
const command = "printf 'one\\n'; until [ -e seen ]; do sleep 0.05; done; printf 'two\\n'; exit 3";

async function run(capabilities: ClientCapabilities) {
  const space = await workspace();
  const it = await startedEditor(space, [calls(['Bash', { command }]), says('Done.')], { capabilities });
  const ended = ask(it, it.sessionId, 'run it');
  await it.sees('tool_call_update', (update) => JSON.stringify(update).includes('one\\n'));
  await writeFile(path.join(space.root, 'seen'), '');
  await ended;
  const ofCommand = it.updates.filter(
    (update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update',
  );
  return { ...it, space, ofCommand, id: ofCommand[0]?.toolCallId ?? '' };
}

const metaOf = (updates: readonly SessionUpdate[]) => updates.flatMap(({ _meta }) => (_meta ? [_meta] : []));

test(
  'where the editor shows terminals of agents, it gets the output live and how the command ended',
  soak,
  async () => {
    const { ofCommand, space, id } = await run({ terminal: true, _meta: { terminal_output: true } });
    expect(ofCommand[0]).toMatchObject({ sessionUpdate: 'tool_call', kind: 'execute' });
    const [info, ...output] = metaOf(ofCommand);
    expect(info).toEqual({ terminal_info: { terminal_id: id, cwd: space.root } });
    expect(output).toEqual([
      { terminal_output: { terminal_id: id, data: 'one\n' } },
      { terminal_output: { terminal_id: id, data: 'two\n' } },
      { terminal_exit: { terminal_id: id, exit_code: 3, signal: null } },
    ]);
    const contents = ofCommand.flatMap(({ content }) => (content ? [content] : []));
    expect(contents.at(-1)).toEqual([{ type: 'terminal', terminalId: id }]);
    expect(ofCommand.at(-1)?.status).toBe('failed');
  },
);

sweep<ClientCapabilities>([{ terminal: true }, {}])(
  'elsewhere the output is text that grows, and the command runs in our sandbox all the same: %j',
  async (capabilities) => {
    const { ofCommand, messages } = await run(capabilities);
    const texts = ofCommand.flatMap(({ content }) =>
      (content ?? []).map((one) =>
        one.type === 'content' && one.content.type === 'text' ? one.content.text : '',
      ),
    );
    expect(texts).toContain('```\none\n```');
    expect(texts.at(-1)).toBe('```\none\ntwo\n```');
    expect(metaOf(ofCommand)).toEqual([]);
    expect(
      messages.filter((message) => 'method' in message && message.method.startsWith('terminal/')),
    ).toEqual([]);
  },
);
