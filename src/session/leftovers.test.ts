import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, header, prompt, reply } from '../../test/support/crash/journals.ts';
import { workspace } from '../../test/support/workspace.ts';
import { toolCallsOf } from '../contract/message.ts';
import { markOf } from './leftovers.ts';
import { SessionStore } from './store.ts';

const temporary = `.aca-${markOf('s')}0123456789abcdef.tmp`;
const backup = `.aca-${markOf('s')}0123456789abcdef.old`;

test('[S04] incomplete writes left by a kill are removed when the session is opened; nothing else is', async () => {
  const { root, home } = await workspace({
    [`src/${temporary}`]: 'half',
    [`src/${backup}`]: 'old',
    'src/.aca-0123.tmp': 'of somebody else',
    [`other/${temporary}`]: 'of a folder no open call speaks of',
  });
  const others = path.join(root, 'src', `.aca-${markOf('t')}0123456789abcdef.tmp`);
  writeFileSync(others, 'of another session that is still at it');
  const slow = Date.now() / 1000 + 3600;
  utimesSync(path.join(root, 'src', temporary), slow, slow);
  const folder = path.join(home, 'sessions');
  mkdirSync(folder);
  writeFileSync(path.join(folder, '.s.json.tmp.0123456789ab'), 'half a copy');
  writeFileSync(path.join(folder, '.t.json.tmp.0123456789ab'), "another session's");
  const message = reply('I write.', ['one']);
  const call = message.role === 'assistant' && toolCallsOf(message)[0];
  if (call) call.input = { edits: [{ file_path: 'src/new.txt', old_string: 'a', new_string: 'b' }] };
  writeFileSync(
    path.join(folder, 's.jsonl'),
    bytesOf([
      { ...header, workingDirectory: root } as typeof header,
      prompt('go'),
      { type: 'message', message },
      { type: 'call_started', callId: 'one' },
    ]),
  );

  const open = await new SessionStore(folder).resume('s');
  await open?.close();
  expect(readdirSync(path.join(root, 'src')).sort()).toEqual(['.aca-0123.tmp', path.basename(others)].sort());
  expect(readdirSync(path.join(root, 'other'))).toEqual([temporary]);
  expect(readdirSync(folder).sort()).toEqual(['.t.json.tmp.0123456789ab', 's.jsonl']);
});
