import { demoFiles, demoTask } from '../../src/app/first-run/demo-model.ts';
import { type Lab, still } from '../../test/support/lab.ts';
import type { SeenRequest } from '../../test/support/model-server/protocol.ts';
import { both, calls, fails, type Step, says, slowly } from '../../test/support/model-server/script.ts';

/** A conversation with a scripted model, up to the moment that is drawn. */
export type Shot = {
  name: string;
  title: string;
  script: Step[];
  files?: Record<string, string>;
  args?: string[];
  /** A spinner runs: the screen never stands still. */
  moves?: true;
  play(lab: Lab): Promise<void>;
};

/** A recording: the screens that `keep` is called for, each for its time. */
export type Film = Omit<Shot, 'play'> & {
  play(lab: Lab, keep: (ms: number) => Promise<void>): Promise<void>;
};

const source = `export function read(file) {
  load(file);
  return parse(file);
}
`;

export const projectFiles: Record<string, string> = {
  'config.ts': source,
  'src/login.ts':
    'import { read } from "../config.ts";\n\nexport const login = (name: string) => read(name);\n',
  'src/auth.ts': 'export const tokens = new Map<string, string>();\n',
  'src/session.ts':
    'import { login } from "./login.ts";\n\nexport const open = (name: string) => login(name);\n',
};

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
\`\`\``;

const change = { file_path: 'config.ts', old_string: '  load(file);\n', new_string: '' };
const edit = both('`load` reads the file a second time. I will remove the call.', ['Edit', change]);

const plan = `1. Remove the first read in \`config.ts\`
2. Add a test that counts how often the file is opened
3. Run the tests`;

/** Two subagents at work: each has read something and waits for its next answer. */
const subagents: Step = (request: SeenRequest) => {
  const [first] = request.messages.filter(({ role }) => role === 'user');
  const steps = request.messages.filter(({ role }) => role === 'assistant').length;
  if (first?.text.startsWith('who uses the login')) {
    return both(
      'Two subagents look for the callers.',
      ['Explore', { description: 'find callers of login', prompt: 'find every caller of login' }],
      ['Explore', { description: 'read the session code', prompt: 'explain how sessions are opened' }],
    );
  }
  const file = first?.text.includes('caller') ? 'src/login.ts' : 'src/session.ts';
  if (steps === 0) return calls(['Grep', { pattern: 'login' }], ['Read', { file_path: file }]);
  return slowly(calls(['Read', { file_path: 'src/auth.ts' }]), { firstMs: 60_000 });
};

export const shots: Shot[] = [
  {
    name: 'start',
    title: 'The prompt of a new conversation',
    script: [],
    play: async () => undefined,
  },
  {
    name: 'answer',
    title: 'An answer with a heading, a table and highlighted code',
    script: [says(answer)],
    play: (lab) => ask(lab, 'why is reading the settings slow?', 'opens it once'),
  },
  {
    name: 'exploration',
    title: 'Files are read and searched in one growing row, then explained',
    script: [
      both(
        'I will look at the login code.',
        ['Grep', { pattern: 'login' }],
        ['Read', { file_path: 'src/login.ts' }],
        ['Read', { file_path: 'src/session.ts' }],
      ),
      calls(['Read', { file_path: 'config.ts' }], ['Glob', { pattern: 'src/**/*.ts' }]),
      says('`login` in `src/login.ts` reads the settings; `open` in `src/session.ts` is its only caller.'),
    ],
    play: (lab) => ask(lab, 'how does the login work?', 'is its only'),
  },
  {
    name: 'edit-approval',
    title: 'Approving an edit, with the change on the screen',
    script: [edit],
    play: (lab) => ask(lab, 'fix it', 'Edit config.ts?'),
  },
  {
    name: 'command-approval',
    title: 'Approving a command, with its risky part marked',
    script: [
      both('I will install the package and clean up.', [
        'Bash',
        { command: 'npm install yaml && rm -rf build' },
      ]),
    ],
    play: (lab) => ask(lab, 'use a real YAML parser', 'rm -rf build'),
  },
  {
    name: 'plan-approval',
    title: 'Plan mode ends with a choice',
    args: ['--mode', 'plan'],
    script: [both('The plan is ready.', ['PresentPlan', { plan }])],
    play: (lab) => ask(lab, 'plan how to read the file only once', 'keep planning'),
  },
  {
    name: 'subagents',
    title: 'Two subagents at work, as a tree',
    moves: true,
    script: Array.from({ length: 8 }, () => subagents),
    async play(lab) {
      await ask(lab, 'who uses the login?', 'read the session code');
      await lab.waitFor((it) => it.rows().join('\n').split('2 calls').length === 3);
    },
  },
  {
    name: 'error',
    title: 'A rejected key, with what to do next',
    script: [fails(401, { type: 'authentication_error', message: 'invalid x-api-key' })],
    play: (lab) => ask(lab, 'why is reading the settings slow?', 'aca keys set anthropic'),
  },
  {
    name: 'done',
    title: 'The file was changed and the run is done',
    script: [edit, says('`read` now opens the file once. `/undo` reverts the change.')],
    play: finishEdit,
  },
  {
    name: 'changes',
    title: 'Reviewing a change with /changes',
    script: [edit, says('`read` now opens the file once.')],
    async play(lab) {
      await finishEdit(lab);
      await ask(lab, '/changes', 'config.ts');
    },
  },
  {
    name: 'context',
    title: 'What fills the context window',
    script: [edit, says('`read` now opens the file once.')],
    async play(lab) {
      await finishEdit(lab);
      await ask(lab, '/context', 'Auto-compacts');
    },
  },
  {
    name: 'completion',
    title: 'The commands, completed as you type',
    script: [],
    async play(lab) {
      lab.type('/');
      await lab.waitFor('/clear');
    },
  },
];

const test = { command: 'node greet.test.js' };

export const demo: Film = {
  name: 'demo',
  title: 'A failing test is fixed: the model runs it, edits after your approval, runs it again; then /undo',
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
    lab.type('y\r');
    await lab.waitFor('The test passes');
    await keep(4000);
    await typed('/undo', lab, keep);
    lab.type('\r');
    await lab.waitFor('Undo this?');
    await keep(2500);
    lab.type('y\r');
    await lab.waitFor('restored greet.js');
    await keep(3500);
  },
};

async function ask(lab: Lab, prompt: string, shown: string): Promise<void> {
  lab.type(prompt);
  await lab.waitFor(prompt);
  await still(lab, 200);
  lab.type('\r');
  await lab.waitFor(shown);
}

async function finishEdit(lab: Lab): Promise<void> {
  await ask(lab, 'fix it', 'Edit config.ts?');
  await still(lab, 1_100);
  lab.type('y\r');
  await lab.waitFor('opens the file once');
}

/** Types as people do, a few letters at a time. */
async function typed(text: string, lab: Lab, keep: (ms: number) => Promise<void>): Promise<void> {
  for (const part of text.match(/.{1,4}/g) ?? []) {
    lab.type(part);
    await keep(100);
  }
}
