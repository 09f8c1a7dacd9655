import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aca, doors } from '../aca.ts';
import { answer } from '../lab.ts';
import { calls, type Step, says } from '../model-server/script.ts';
import { ALLOWED, bash, play, write } from '../replay.ts';
import { serve } from '../serve.ts';
import { openTerminal } from '../terminal.ts';
import type { Workspace } from '../workspace.ts';
import { onScreen, type Recorded, sessionIn } from './recording.ts';

const ESC = '\u001b';
const CTRL_C = '\u0003';

/** A run that is killed when the file `started` appears. */
async function killed(space: Workspace, script: Step[]): Promise<string> {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  await aca(space, ['-p', 'go', '--model', model, '--mode', 'accept-edits', ...ALLOWED], {
    env,
    onSpawn(child) {
      const timer = setInterval(() => {
        if (existsSync(path.join(space.root, 'started'))) child.kill('SIGKILL');
      }, 5);
      child.once('exit', () => clearInterval(timer));
    },
  });
  return sessionIn(space);
}

/** Sessions in which the user interferes. */
export const conversations: Record<string, Recorded> = {
  'rewound twice, with files and without': {
    record: (space) =>
      onScreen(
        space,
        [
          write('b.txt', 'one\n'),
          says('First.'),
          bash('cat b.txt; echo two > c.txt'),
          says('Second.'),
          bash('ls; echo three > c.txt'),
          says('Third.'),
          bash('cat c.txt'),
          says('Fourth.'),
        ],
        async (lab) => {
          lab.type('make b\r');
          await lab.waitFor('First.');
          lab.type('make c\r');
          await lab.waitFor('Second.');
          lab.type('/rewind 2 both\r');
          await answer(lab, 'Rewind files and conversation?', 'y\r');
          await lab.waitFor('Rewound to before');
          lab.type('make c again\r');
          await lab.waitFor('Third.');
          lab.type('/rewind 2 conversation\r');
          await lab.waitFor('Rewound to before "make c again"');
          lab.type('show c\r');
          await lab.waitFor('Fourth.');
        },
      ),
    runs: 4,
  },
  'a subagent whose id was used again after a rewind': {
    record(space) {
      const work = { description: 'read', prompt: 'read it', subagent_type: 'general' };
      const task = calls(['Task', work, { id: 'toolu_again' }]);
      return onScreen(
        space,
        [
          ...[task, bash('cat a.txt'), says('It is one.'), says('First.')],
          ...[task, bash('cat keep.txt'), says('It is kept.'), says('Second.')],
        ],
        async (lab) => {
          lab.type('read a\r');
          await lab.waitFor('First.');
          lab.type('/rewind 1 conversation\r');
          await lab.waitFor('Rewound to before');
          lab.type('read the other\r');
          await lab.waitFor('Second.');
        },
      );
    },
    runs: 2,
  },
  'steered while a command ran': {
    record: (space) =>
      onScreen(
        space,
        [bash('while [ ! -e go ]; do sleep 0.05; done; echo gone'), bash('ls'), says('Both done.')],
        async (lab) => {
          lab.type('wait\r');
          await lab.waitFor('esc to interrupt');
          lab.type('and list\r');
          await lab.waitFor('Will be sent with the next step');
          await writeFile(path.join(space.root, 'go'), '');
          await lab.waitFor('Both done.');
        },
      ),
  },
  'interrupted in a command, then continued': {
    record: (space) =>
      onScreen(
        space,
        [
          calls(['Bash', { command: 'echo half > half.txt; touch started; sleep 100' }]),
          bash('cat half.txt'),
          says('Continued.'),
        ],
        async (lab) => {
          lab.type('sleep\r');
          await lab.waitFor(() => existsSync(path.join(space.root, 'started')));
          lab.type(ESC);
          await lab.waitFor('nterrupted');
          lab.type('continue\r');
          await lab.waitFor('Continued.');
        },
      ),
    fromJournal: ['it was interrupted'],
    runs: 2,
  },
  'interrupted in a reply': {
    record: (space) =>
      onScreen(
        space,
        [
          { ...says('Half of a'), delivery: { stall: { after: 'content' } } },
          write('b.txt', 'b\n'),
          says('Whole.'),
        ],
        async (lab) => {
          lab.type('talk\r');
          await lab.waitFor('Half of a');
          lab.type(CTRL_C);
          await lab.waitFor('nterrupted');
          lab.type('continue\r');
          await lab.waitFor('Whole.');
        },
      ),
    runs: 2,
  },
  'killed in a command': {
    record: (space) => killed(space, [bash('echo 1 > one.txt'), bash('touch started; sleep 100')]),
    fromJournal: ['the program ended while it ran'],
    notes: /^1 file changed after the session ended/,
    runs: 1,
  },
  'killed in a subagent': {
    record: (space) =>
      killed(space, [
        bash('echo 1 > one.txt'),
        calls(['Task', { description: 'x', prompt: 'do it', subagent_type: 'general' }]),
        write('two.txt', '2\n'),
        bash('touch started; sleep 100'),
      ]),
    fromJournal: ['the program ended while it ran'],
    notes: /^1 file changed after the session ended/,
    runs: 1,
  },
  'killed in a command, and resumed': {
    async record(space) {
      const id = await killed(space, [
        bash('echo 1 > one.txt'),
        bash('echo 2 > two.txt; touch started; sleep 100'),
      ]);
      return play(space, [bash('cat one.txt two.txt'), says('Resumed.')], ['--resume', id, ...ALLOWED]);
    },
    fromJournal: ['the program ended while it ran'],
    runs: 2,
  },
  compacted: {
    record: (space) =>
      onScreen(
        space,
        [
          ...Array.from({ length: 6 }, (_, i) => [
            write(`${i}.txt`, `${i}\n`),
            says(`Number ${i}. `.repeat(50)),
          ]).flat(),
          says('A summary.'),
          bash('cat *.txt'),
          says('After it.'),
        ],
        async (lab) => {
          for (let i = 0; i < 6; i++) {
            lab.type(`make ${i}\r`);
            await lab.waitFor(`Number ${i}.`);
            await lab.waitFor((it) => !it.rows().some((row) => row.includes('esc to interrupt')));
          }
          lab.type('/compact\r');
          await lab.waitFor('ompacted');
          lab.type('after\r');
          await lab.waitFor('After it.');
        },
      ),
    notes: /Compactions are not compared/,
    runs: 7,
  },
  'declined by the user': {
    async record(space) {
      const server = await serve([
        calls(['Write', { file_path: '../x.txt', content: 'x\n' }]),
        says('Then not.'),
      ]);
      const { model, env } = doors.anthropic(server.url);
      const terminal = openTerminal(space, ['--plain', '--model', model, 'write outside'], env);
      await terminal.waitFor('[y/n]');
      terminal.type('n\r');
      await terminal.waitFor('Then not.');
      terminal.type('/quit\r');
      await terminal.exitCode;
      return sessionIn(space);
    },
  },
};
