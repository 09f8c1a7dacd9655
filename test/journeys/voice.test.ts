import { expect, test } from 'vitest';
import { says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { microphone, needs, silence, speech, withVoice } from '../support/speech/microphone.ts';
import { speechServer } from '../support/speech/server.ts';
import { workspace } from '../support/workspace.ts';

const F5 = '\u001b[15~';

test('[U10] what is said goes into the prompt, at the caret, and is not sent', async ({ skip }) => {
  needs(skip, 'espeak-ng', 'arecord');
  const said = await speech('please add a test for the parser');
  const server = await speechServer(' Please add a test\nfor the parser. ', { expects: said });
  const space = await workspace();
  await withVoice(space, { recorder: 'arecord', baseUrl: server.url, language: 'en' });
  const env = await microphone(space, Buffer.concat([silence(0.3), said, silence(4)]));
  const { lab, server: model } = await openScreen(space, [says('Done.')], { env });
  lab.type('first second\u001bb');
  await lab.waitFor('> first second');
  lab.type(F5);
  await lab.waitFor('> first Please add a test for the parser. second');
  expect(server.requests).toMatchObject([
    { fields: { model: 'whisper-1', language: 'en', response_format: 'json' }, key: undefined },
  ]);
  // Two seconds of the silence after it ended it.
  const seconds = (server.requests[0]?.pcm.length ?? 0) / 32_000;
  expect(seconds - said.length / 32_000).toBeGreaterThan(2);
  expect(seconds - said.length / 32_000).toBeLessThan(3);
  expect(model.requests).toEqual([]);
  lab.type('\r');
  await lab.waitFor('Done.');
  expect(model.requests[0]?.messages.at(-1)?.text).toBe('first Please add a test for the parser. second');
});
