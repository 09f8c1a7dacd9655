// @module-tag soak
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { prepared } from '../support/aca-server.ts';
import { answerIn, ask, startedEditor } from '../support/acp.ts';
import { openLab } from '../support/lab.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { isRunning, leftAfter, pidIn } from '../support/processes.ts';
import { openScreen, type ScreenOptions } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { sampled } from '../support/soak.ts';
import {
  microphone,
  needs,
  silence,
  slowMicrophone,
  speech,
  withVoice,
} from '../support/speech/microphone.ts';
import { speechServer } from '../support/speech/server.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const F5 = '\u001b[15~';
const F5_RELEASED = '\u001b[15;1:3~';
const KITTY = '\u001b[?1u';

beforeEach(({ skip }) => needs(skip, 'espeak-ng', 'arecord'));

/** The program with a draft in its prompt. */
async function withDraft(
  voice: object,
  { sound = silence(15), ...options }: ScreenOptions & { sound?: Buffer } = {},
) {
  const space = await workspace();
  const env = await microphone(space, sound);
  await withVoice(space, { recorder: 'arecord', ...voice });
  const { lab, server: model } = await openScreen(space, [says('Done.')], {
    ...options,
    env: { ...env, ...options.env },
  });
  lab.type('my draft');
  await lab.waitFor('> my draft');
  return { space, lab, model };
}

const words = (lab: { rows(): string[] }) => lab.rows().join(' ').replaceAll(/\s+/g, ' ');

describe('what goes wrong is said with what to do next, and the draft stays', () => {
  const rows: [what: string, voice: object, screen: ScreenOptions, message: string][] = [
    [
      'no recorder',
      {},
      { env: { PATH: '/nowhere' } },
      'arecord was not found. Install it, or remove voice.recorder',
    ],
    ['a microphone that is not there', { device: 'usb' }, {}, 'arecord could not record: ALSA lib pcm.c'],
    [
      'only silence',
      { baseUrl: 'http://127.0.0.1:9/v1' },
      {},
      'The microphone delivers only silence. Unmute it, let your terminal use it, or choose another with voice.device.',
    ],
    [
      'a recorder that ends at once',
      { recordCommand: 'echo "no permission" >&2; exit 7' },
      {},
      'voice.recordCommand could not record: no permission. Check that there is a microphone',
    ],
    [
      'offline, a server elsewhere',
      { baseUrl: 'https://speech.example.com/v1' },
      { args: ['--offline'] },
      'Offline mode: your voice is not sent to speech.example.com.',
    ],
    [
      'a provider without a key',
      { provider: 'groq' },
      {},
      'No API key for groq. Store one with `aca keys set groq`.',
    ],
    [
      'a provider that does not exist',
      { provider: 'grok' },
      {},
      'There is no provider grok. Correct voice.provider',
    ],
  ];
  test.each(sampled(rows, 5))('%s', async (_, voice, options, message) => {
    const { lab, model } = await withDraft(voice, options);
    lab.type(F5);
    await lab.waitFor(() => words(lab).includes(message));
    await lab.waitFor(() => !words(lab).includes('Recording'));
    expect(words(lab)).toContain('> my draft');
    expect(model.requests).toEqual([]);
  });

  const replies: [what: string, answer: Parameters<typeof speechServer>[0], message: string][] = [
    ['a rejected key', { status: 401, body: '{}' }, 'rejected the key. Set voice.provider'],
    ['another path', { status: 404, body: 'x' }, 'has no transcription at /v1/audio/transcriptions'],
    ['too large', { status: 413, body: '' }, 'The recording is too long'],
    ['garbage', { body: '<html>' }, 'did not answer with a transcription. Check voice.baseUrl'],
    ['no words', '  ', 'No words were recognized.'],
    ['a broken connection', 'reset', 'Could not reach 127.0.0.1:'],
  ];
  test.each(sampled(replies, 5))('a server that answers: %s', async (_, answer, message) => {
    const said = await speech('nobody will read this');
    const { url } = await speechServer(answer);
    const { lab } = await withDraft({ baseUrl: url }, { sound: Buffer.concat([said, silence(4)]) });
    lab.type(F5);
    await lab.waitFor(() => words(lab).includes(message));
    expect(words(lab)).toContain('> my draft');
  });

  test('a server that never answers: Esc ends the wait', async () => {
    const said = await speech('nobody will read this');
    const { url, requests } = await speechServer('hang');
    const { lab, model } = await withDraft({ baseUrl: url }, { sound: Buffer.concat([said, silence(4)]) });
    lab.type(F5);
    await lab.waitFor('Transcribing to 127.0.0.1:');
    // Enter would send the draft without what was said.
    lab.type('\r');
    await expect.poll(() => requests.length).toBe(1);
    lab.type('\u001b');
    await lab.waitFor(() => !words(lab).includes('Transcribing'));
    expect(words(lab)).toContain('> my draft');
    expect(model.requests).toEqual([]);
  });

  test('a recorder that hangs is ended with all its processes', async () => {
    const { lab } = await withDraft({
      recordCommand: "trap '' TERM; sleep 98765.25 & wait",
      baseUrl: 'http://127.0.0.1:9/v1',
    });
    lab.type(F5);
    await lab.waitFor('voice.recordCommand delivers no sound.');
    expect(await leftAfter('98765.25', 10_000)).toEqual([]);
  });

  test('a recording that is too short', async () => {
    const { lab } = await withDraft({ recordCommand: 'sleep 98765.5', baseUrl: 'http://127.0.0.1:9/v1' });
    lab.type('\u0000');
    await lab.waitFor('● Recording to 127.0.0.1:9');
    lab.type('\r');
    await lab.waitFor('The recording is too short.');
    expect(await leftAfter('98765.5', 10_000)).toEqual([]);
  });
});

test('a command transcribes: it can read the recording twice', async () => {
  const said = await speech('hello');
  const sound = Buffer.concat([said, silence(4)]);
  const command = 'cat >/dev/null; head -c 4 /dev/stdin; wc -c </dev/stdin';
  const { lab } = await withDraft({ command }, { sound });
  lab.type(F5);
  await lab.waitFor(() => /> my draft RIFF\d{5,}/.test(words(lab)));
});

test('a command that fails', async () => {
  const said = await speech('hello');
  const { lab } = await withDraft(
    { command: 'echo no model >&2; exit 3' },
    { sound: Buffer.concat([said, silence(4)]) },
  );
  lab.type(F5);
  await lab.waitFor(() => words(lab).includes('voice.command failed: no model. Try it in a shell'));
});

describe('the key', () => {
  async function speaking(settings: object = {}) {
    const said = await speech('one two three four five six seven eight nine ten');
    const server = await speechServer('Counted.');
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const recordCommand = await slowMicrophone(space, Buffer.concat([said, silence(60)]));
    await withVoice(space, { recordCommand, baseUrl: server.url, silenceSeconds: 0 }, settings);
    return { space, server };
  }
  const loud = /Recording to \S+ 0:0[1-9] .*[▃▄▅▆▇█]/;

  test('held, in a terminal that reports when it is let go', async () => {
    const { space, server } = await speaking();
    const { lab } = await openScreen(space, []);
    lab.type(KITTY);
    await lab.waitFor(() => lab.written().includes('\u001b[>1u'));
    lab.type(F5);
    await lab.waitFor(() => loud.test(words(lab)));
    expect(lab.written()).toContain('\u001b[=3;1u');
    lab.type(F5_RELEASED);
    await lab.waitFor('> Counted.');
    await lab.waitFor(() => lab.written().includes('\u001b[=1;1u'));
    expect(server.requests).toHaveLength(1);
  });

  test('held, in a terminal where it repeats', async () => {
    const { space } = await speaking();
    const { lab } = await openScreen(space, []);
    lab.type(F5);
    await lab.waitFor('● Recording');
    const holding = setInterval(() => lab.type(F5), 30);
    onTestFinished(() => clearInterval(holding));
    await lab.waitFor(() => loud.test(words(lab)) && words(lab).includes('release to finish'));
    clearInterval(holding);
    await lab.waitFor('> Counted.');
  });

  test('pressed twice, and moved to another key', async () => {
    const { space } = await speaking({ keys: { voice: 'f8' } });
    const { lab } = await openScreen(space, []);
    lab.type('\u001b[19~');
    await lab.waitFor(() => loud.test(words(lab)));
    lab.type('\u001b[19~');
    await lab.waitFor('> Counted.');
  });

  test('/voice works while a run goes on, and a question ends the recording', async () => {
    const { space, server } = await speaking();
    const edit = calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]);
    const { lab } = await openScreen(space, [slowly(edit, { firstMs: 6_000 })]);
    lab.type('change it\r');
    await lab.waitFor('esc to interrupt');
    lab.type('/voice\r');
    await lab.waitFor(() => loud.test(words(lab)));
    await lab.waitFor((it) => it.rows().some((row) => /\+ beta/.test(row)));
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
  });

  test('Esc drops what was said, and stops neither the run nor the draft', async () => {
    const { space, server } = await speaking();
    const { lab } = await openScreen(space, []);
    lab.type(`keep this${F5}`);
    await lab.waitFor(() => loud.test(words(lab)));
    lab.type('\u001b');
    await lab.waitFor(() => !words(lab).includes('Recording'));
    expect(words(lab)).toContain('> keep this');
    expect(server.requests).toEqual([]);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends the recorder, and leaves no file',
    async (signal) => {
      const { space } = await speaking();
      const { lab } = await openScreen(space, []);
      lab.type(F5);
      await lab.waitFor(() => loud.test(words(lab)));
      const pid = await pidIn(path.join(space.home, 'slow.raw.pid'));
      process.kill(lab.pid, signal);
      await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
      expect((await readdir(tmpdir())).filter((name) => name.startsWith(`aca-input-${lab.pid}-`))).toEqual(
        [],
      );
    },
  );
});

describe('where it goes', () => {
  test('a local server that lists a model for speech is found; one for chats is not', async () => {
    const said = await speech('find the server');
    const chat = await speechServer('Wrong.', { models: ['llama3'] });
    const found = await speechServer('Found.', { expects: said });
    const space = await workspace();
    const env = await microphone(space, Buffer.concat([said, silence(4)]));
    const providers = { chat: { baseUrl: chat.url }, speech: { baseUrl: found.url } };
    await withVoice(space, { recorder: 'arecord' }, { providers });
    const { lab } = await openScreen(space, [], { env });
    // Nothing is looked for before it is needed.
    expect([chat.paths, found.paths]).toEqual([[], []]);
    lab.type(F5);
    await lab.waitFor('> Found.');
    expect(found.requests).toMatchObject([
      { fields: { model: 'Systran/faster-whisper-small' }, key: undefined },
    ]);
    expect(chat.requests).toEqual([]);
  });

  test('a provider gets its own key', async () => {
    const said = await speech('with a key');
    const server = await speechServer('Paid.');
    const space = await workspace();
    const env = await microphone(space, Buffer.concat([said, silence(4)]));
    const providers = { acme: { baseUrl: server.url, apiKeyEnv: 'ACME_KEY' } };
    await withVoice(space, { recorder: 'arecord', provider: 'acme', model: 'ears-2' }, { providers });
    const { lab } = await openScreen(space, [], { env: { ...env, ACME_KEY: 'sk-acme-1' } });
    lab.type(F5);
    await lab.waitFor('> Paid.');
    expect(server.requests).toMatchObject([{ fields: { model: 'ears-2' }, key: 'Bearer sk-acme-1' }]);
  });
});

test('an attached terminal records where the user sits', async () => {
  const said = await speech('from the other side');
  const { url } = await speechServer('From here.', { expects: said });
  const space = await workspace();
  await withVoice(space, { recorder: 'arecord', baseUrl: url });
  const { start, join } = await prepared(space, [says('Hello.')]);
  const ada = await join((await start()).url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  // The server itself has no microphone.
  const env = await microphone(space, Buffer.concat([said, silence(4)]));
  const lab = openLab(space, ['attach', id.slice(0, 8)], { env, whenDone: onTestFinished });
  await lab.waitFor(
    (it) => it.rows().some((row) => row.startsWith('>')) && it.rows().join().includes('sonnet-4'),
  );
  lab.type(`go${F5}`);
  await lab.waitFor('> go From here.');
});

test('an attached terminal without a recorder says what to install', async () => {
  const space = await workspace();
  await withVoice(space, { baseUrl: 'http://127.0.0.1:9/v1' });
  const { start, join } = await prepared(space, [says('Hello.')]);
  const ada = await join((await start()).url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  const lab = openLab(space, ['attach', id.slice(0, 8)], {
    env: { PATH: '/nowhere' },
    whenDone: onTestFinished,
  });
  await lab.waitFor(
    (it) => it.rows().some((row) => row.startsWith('>')) && it.rows().join().includes('sonnet-4'),
  );
  lab.type('/voice\r');
  await lab.waitFor(() => words(lab).includes('No program that records was found. Install pipewire-bin,'));
});

test('without a screen, /voice says that it needs one', async () => {
  const space = await workspace();
  const server = await serve([says('no')]);
  const { model, env } = doors.anthropic(server.url);
  const { code, stderr } = await aca(space, ['-p', '/voice', '--model', model], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('/voice needs a terminal.')]);
  expect(server.requests).toEqual([]);
});

test('nor in plain lines, and an editor is not offered it', async () => {
  const space = await workspace();
  const server = await serve([says('no')]);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model], env);
  terminal.type('/voice\r');
  await terminal.waitFor(
    'Voice input needs the interactive screen: start `aca` in a terminal, without --plain.',
  );
  expect(server.requests).toEqual([]);

  const it = await startedEditor(space, [says('no')]);
  const { availableCommands } = await it.sees('available_commands_update');
  const names = availableCommands.map(({ name }) => name);
  expect(names).toContain('help');
  expect(names).not.toContain('voice');
  await ask(it, it.sessionId, '/voice');
  expect(answerIn(it.updates)).toContain('/voice');
  expect(it.server.requests).toEqual([]);
});

test('a project cannot change who hears the microphone', async () => {
  const said = await speech('only for my own server');
  const [own, theirs] = [await speechServer('Mine.'), await speechServer('Theirs.')];
  const space = await workspace();
  const env = await microphone(space, Buffer.concat([said, silence(4)]));
  await withVoice(space, { recorder: 'arecord', baseUrl: own.url });
  await writeFile(
    path.join(space.root, '.ai-assistant.json'),
    JSON.stringify({ voice: { baseUrl: theirs.url } }),
  );
  const { lab } = await openScreen(space, [], { env, args: ['--trust'] });
  lab.type(F5);
  await lab.waitFor('> Mine.');
  expect(theirs.requests).toEqual([]);
});
