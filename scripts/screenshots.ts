import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { demoFiles, demoTask } from '../src/app/first-run/demo-model.ts';
import { doors } from '../test/support/aca.ts';
import { type Lab, openLab, still } from '../test/support/lab.ts';
import { both, calls, type Step, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { type Frame, screenOf, toAnimatedSvg, toSvg } from './terminal-svg.ts';

/** Screenshots of real sessions for docs/screens: the built program in a terminal, with a scripted model. */

const folder = path.resolve('docs/screens');

type Shot = {
  name: string;
  title: string;
  rows: number;
  script: Step[];
  files?: Record<string, string>;
  args?: string[];
  /** With calls of `keep`, the picture is animated: the kept screens, each for its time. */
  play(lab: Lab, keep: (ms: number) => Promise<void>): Promise<void>;
};

const source = `export function read(file) {
  load(file);
  return parse(file);
}
`;

const answer = `## Why it is slow

\`read\` opens **config.ts twice**: once in \`load\`, once in \`parse\`.

| Step | Opens | Needed |
|:-----|------:|:------:|
| load | 1 | no |
| parse | 1 | yes |

\`\`\`ts
export function read(file: string): Config {
  return parse(file); // opens it once
}
\`\`\`

- [x] found the cause
- [ ] fix it`;

const edit = both('I will remove the first call.', [
  'Edit',
  { file_path: 'config.ts', old_string: '  load(file);\n', new_string: '' },
]);

const test = { command: 'node greet.test.js' };
const demo: Shot = {
  name: 'demo',
  title: 'A failing test is fixed: the model runs it, edits after your approval, runs it again; then /undo',
  rows: 24,
  files: demoFiles,
  args: ['--allow', `Bash(${test.command})`],
  script: [
    both(
      'I will run the test and read the code it tests.',
      ['Bash', test],
      ['Read', { file_path: 'greet.js' }],
    ),
    both('The parameter is `name`, but the code says `nmae`.', [
      'Edit',
      { file_path: 'greet.js', old_string: '+ nmae +', new_string: '+ name +' },
    ]),
    calls(['Bash', test]),
    says('Fixed: the misspelt variable in `greet.js`. The test passes.'),
  ],
  async play(lab, keep) {
    await keep(500);
    await typed(demoTask, lab, keep);
    lab.type('\r');
    await lab.waitFor('Edit greet.js?');
    await keep(4000);
    lab.type('y');
    await lab.waitFor('The test passes');
    await keep(4000);
    await typed('/undo', lab, keep);
    lab.type('\r');
    await lab.waitFor('Undo this?');
    await keep(2500);
    lab.type('y');
    await lab.waitFor('restored greet.js');
    await keep(3500);
  },
};

/** Types as people do, a few letters at a time. */
async function typed(text: string, lab: Lab, keep: (ms: number) => Promise<void>): Promise<void> {
  for (const part of text.match(/.{1,4}/g) ?? []) {
    lab.type(part);
    await keep(100);
  }
}

const shots: Shot[] = [
  demo,
  {
    name: 'start',
    title: 'The prompt of a new conversation',
    rows: 8,
    script: [],
    play: async () => undefined,
  },
  {
    name: 'answer',
    title: 'An answer: headings, a table, highlighted code',
    rows: 30,
    script: [says(answer)],
    async play(lab) {
      lab.type('why is reading the settings slow?\r');
      await lab.waitFor('fix it');
    },
  },
  {
    name: 'question',
    title: 'A question before a file is changed, with the change',
    rows: 20,
    script: [edit],
    async play(lab) {
      lab.type('fix it\r');
      await lab.waitFor('load(file)');
    },
  },
  {
    name: 'done',
    title: 'The file was changed and the run is done',
    rows: 22,
    script: [edit, says('`read` now opens the file once. `/undo` reverts the change.')],
    async play(lab) {
      lab.type('fix it\r');
      await lab.waitFor('load(file)');
      await still(lab, 600);
      lab.type('y');
      await lab.waitFor('reverts the change');
    },
  },
  {
    name: 'completion',
    title: 'The commands, completed as they are typed',
    rows: 16,
    script: [],
    async play(lab) {
      lab.type('/');
      await lab.waitFor('/commit');
    },
  },
];

async function take({
  name,
  title,
  rows,
  script,
  files = { 'config.ts': source },
  args = [],
  play,
}: Shot): Promise<void> {
  // Always the same folder: its name is on the screen.
  const base = path.join(await realpath(tmpdir()), 'aca-screens');
  await rm(base, { recursive: true, force: true });
  const space: Workspace = {
    root: path.join(base, 'project'),
    home: path.join(base, 'home'),
    tree: async () => ({}),
  };
  await using server = await startModelServer(script);
  const door = doors.anthropic(server.url);
  let end = (): void => undefined;
  try {
    for (const place of [space.root, space.home]) await mkdir(place, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(space.root, file), text);
    const lab = openLab(space, ['--model', door.model, ...args], {
      main: path.resolve('dist/main.cjs'),
      columns: 90,
      rows,
      env: { ...door.env, COLORTERM: 'truecolor' },
      whenDone: (clean) => {
        end = clean;
      },
    });
    await lab.waitFor('claude');
    const frames: Frame[] = [];
    await play(lab, async (ms) => {
      await still(lab, 600);
      frames.push({ screen: screenOf(lab.emulator), ms });
    });
    await still(lab, 600);
    const picture = frames.length > 0 ? toAnimatedSvg(frames, title) : toSvg(screenOf(lab.emulator), title);
    await writeFile(path.join(folder, `${name}.svg`), picture);
    console.log(`docs/screens/${name}.svg`);
  } finally {
    end();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

await mkdir(folder, { recursive: true });
const [, , only] = process.argv;
for (const shot of shots) if (only === undefined || only === shot.name) await take(shot);
