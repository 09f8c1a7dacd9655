import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { doors } from '../test/support/aca.ts';
import { type Lab, openLab, still } from '../test/support/lab.ts';
import { both, type Step, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { toSvg } from './terminal-svg.ts';

/** Screenshots of real sessions for docs/screens: the built program in a terminal, with a scripted model. */

const folder = path.resolve('docs/screens');

type Shot = {
  name: string;
  title: string;
  rows: number;
  script: Step[];
  /** Configured like a user's machine. */
  env?: Record<string, string>;
  play(lab: Lab): Promise<void>;
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
- [ ] mend it`;

const edit = both('I will take the first one out.', [
  'Edit',
  { file_path: 'config.ts', old_string: '  load(file);\n', new_string: '' },
]);

const shots: Shot[] = [
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
      await lab.waitFor('mend it');
    },
  },
  {
    name: 'question',
    title: 'A question before a file is changed, with the change',
    rows: 20,
    script: [edit],
    async play(lab) {
      lab.type('mend it\r');
      await lab.waitFor('load(file)');
    },
  },
  {
    name: 'done',
    title: 'The file is changed and the run is over',
    rows: 22,
    script: [edit, says('`read` opens the file once now. `/undo` takes it back.')],
    async play(lab) {
      lab.type('mend it\r');
      await lab.waitFor('load(file)');
      await still(lab, 600);
      lab.type('y');
      await lab.waitFor('takes it back');
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

async function take({ name, title, rows, script, env = {}, play }: Shot): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-shot-')));
  const space: Workspace = {
    root: path.join(base, 'project'),
    home: path.join(base, 'home'),
    tree: async () => ({}),
  };
  await using server = await startModelServer(script);
  const door = doors.anthropic(server.url);
  let end = (): void => undefined;
  try {
    await Promise.all([mkdir(space.root), mkdir(space.home)]);
    await writeFile(path.join(space.root, 'config.ts'), source);
    const lab = openLab(space, ['--model', door.model], {
      main: path.resolve('dist/main.cjs'),
      columns: 90,
      rows,
      env: { ...door.env, COLORTERM: 'truecolor', ...env },
      whenDone: (clean) => {
        end = clean;
      },
    });
    await lab.waitFor('claude');
    await play(lab);
    await still(lab, 600);
    await writeFile(path.join(folder, `${name}.svg`), toSvg(lab.emulator, title));
    console.log(`docs/screens/${name}.svg`);
  } finally {
    end();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

await mkdir(folder, { recursive: true });
for (const shot of shots) await take(shot);
