import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/contract/message.ts';
import { SessionStore } from '../../src/session/store.ts';
import { aca, doors } from '../support/aca.ts';
import { dataRootOf, runProgram, sessionsIn } from '../support/crash/program.ts';
import { typeAndKill } from '../support/crash/pty.ts';
import { goOn, headless, type Stage, setStage, startOf, withServer } from '../support/crash/round.ts';
import { counter, permissions, script, sentences } from '../support/crash/scenario.ts';
import { countedIn, undoAll } from '../support/crash/verify.ts';
import { calls, says } from '../support/model-server/script.ts';
import { soak, sweep } from '../support/soak.ts';
import { pictureOf } from '../support/undo.ts';

describe('[S04] [S06] [T14] [L12] killed at any moment', () => {
  sweep([
    'I make new.txt an',
    'Now I lo',
    'I count one.',
    'The first hal',
    'I count tw',
    'The second half is don',
  ])('a conversation in a terminal, at "%s": what was on the screen comes back', async (text) => {
    const stage = await setStage();
    const shown = await withServer(script(), (server) => {
      const { model, env } = doors.anthropic(server.url);
      const args = ['--model', model, ...permissions];
      return typeAndKill(stage.space, { args, env, killAfterText: text });
    });
    const [id = ''] = sessionsIn(stage.space);
    const session = await storeOf(stage).read(id);
    const kept = session?.messages.map((message) => textOf(message)).join('') ?? '';
    const seen = sentences.flatMap(
      (sentence) => beginningsOf(sentence).findLast((part) => shown.includes(part)) ?? [],
    );
    expect(seen.filter((part) => !kept.includes(part))).toEqual([]);
    expect(kept).toContain(text);
    await goOn(stage, id);
    await undoAll(stage.space, id);
    expect(pictureOf(stage.space.root)).toEqual(stage.before);
  });
});

describe('[T14] a call that was under way', () => {
  test('is answered with the plain truth, and not run again', soak, async () => {
    const stage = await setStage();
    const { space } = stage;
    const command = `echo one >> ${counter}; sleep 2`;
    await withServer([calls(['Bash', { command }])], async (server) => {
      const start = startOf(server, [...headless, ...permissions, '--allow', `Bash(${command})`]);
      const ran = await runProgram(space, start, {
        at: (child) => {
          const timer = setInterval(() => {
            if (existsSync(path.join(space.root, counter))) child.kill('SIGKILL');
          }, 5);
          child.once('exit', () => clearInterval(timer));
        },
      });
      expect(ran.signal).toBe('SIGKILL');
    });
    const [id = ''] = sessionsIn(space);
    const { requests } = await goOn(stage, id);
    const told = requests[0]?.messages ?? [];
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(told[2]?.results[0]?.text).toContain('its outcome is unknown. Check before repeating it.');
  });

  test('[L12] and is answered as before when the model sends it once more under its id', soak, async () => {
    const stage = await setStage();
    const { space } = stage;
    const call = calls(['Bash', { command: `echo one >> ${counter}` }, { id: 'toolu_first_and_only' }]);
    const { sessionId } = await withServer([call, says('Done.')], async (server) => {
      const { model, env } = doors.anthropic(server.url);
      const outcome = await aca(
        space,
        ['-p', 'go', '--model', model, ...permissions, '--output-format', 'json'],
        {
          env,
        },
      );
      return JSON.parse(outcome.stdout) as { sessionId: string };
    });
    expect(countedIn(space)).toEqual(['one']);
    await withServer([call, says('Again.')], async (server) => {
      const { model, env } = doors.anthropic(server.url);
      const args = ['-p', 'again', '--resume', sessionId, '--model', model, ...permissions];
      expect(await aca(space, args, { env })).toMatchObject({ code: 0, stdout: 'Again.\n' });
      expect(server.requests[1]?.messages.filter(({ role }) => role === 'tool').length).toBe(2);
    });
    expect(countedIn(space)).toEqual(['one']);
  });
});

/** Long enough to be told from one another. */
function beginningsOf(sentence: string): string[] {
  return Array.from(sentence, (_, i) => sentence.slice(0, i + 1)).slice(8);
}

function storeOf({ space }: Stage): SessionStore {
  return new SessionStore(path.join(dataRootOf(space), 'sessions'));
}
