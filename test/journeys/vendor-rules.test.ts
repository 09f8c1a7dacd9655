import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { published } from '../support/mcp.ts';
import { but, calls, cuts, type Step, says, stalls } from '../support/model-server/script.ts';
import { sweep } from '../support/soak.ts';
import {
  FILES,
  MODEL,
  Objection,
  openScenario,
  type Play,
  type Scenario,
} from '../support/vendor-scenario.ts';

const OTHER_MODEL = 'anthropic/claude-opus-5-5';

const reads = (file = 'a.txt') => calls(['Read', { file_path: file }]);
const LONG = 'It goes on and on. '.repeat(210);

/** Two prompts, with something in between that a user does every day. */
function resumed(name: string, between: (it: Play) => Promise<string[]>): Scenario {
  return {
    name,
    script: [reads(), says('First.'), reads('b.txt'), says('Second.'), says('Third.')],
    async play(it) {
      await it.run('one');
      const args = await between(it);
      await it.run('two', '--continue', ...args);
      await it.run('three', '--continue', ...args);
    },
  };
}

const plain: Scenario[] = [
  {
    name: 'two prompts with tools in one process',
    script: [reads(), says('First.'), reads('b.txt'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'several tool loops, with parallel and failing calls',
    script: [
      reads(),
      calls(['Read', { file_path: 'b.txt' }], ['Glob', { pattern: '*' }]),
      reads('none.txt'),
      calls(['Grep', {}, { noArguments: true }]),
      reads(),
      says('First.'),
      says('Second.'),
    ],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'an edit and a command',
    script: [
      calls(['Read', { file_path: 'a.txt' }]),
      calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'omega' }]),
      calls(['Bash', { command: 'cat a.txt' }]),
      says('First.'),
      says('Second.'),
    ],
    play: (it) => it.talk(['one', 'two'], '--mode', 'auto'),
  },
  {
    name: 'text and thoughts between calls',
    script: [
      { ...says('Looking.'), parts: [...says('Looking.').parts, ...reads().parts] },
      { ...says('And b.'), parts: [...says('And b.').parts, ...reads('b.txt').parts] },
      says('First.'),
      says('Second.'),
    ],
    play: (it) => it.talk(['one', 'two']),
  },
];

const afterResume: Scenario[] = [
  resumed('resumed in a new process', async () => []),
  resumed('resumed after AGENTS.md was edited', async ({ write }) => {
    await write('AGENTS.md', '# Rules\n\n- Spaces.\n');
    return [];
  }),
  resumed('resumed with one more folder', async ({ space }) => {
    const other = path.join(space.home, 'other');
    await mkdir(other);
    return ['--add-dir', other];
  }),
  resumed('resumed with one more MCP server', async () => [
    '--mcp-config',
    JSON.stringify({ mcpServers: { every: published('everything') } }),
  ]),
  resumed('resumed with one more skill', async ({ space, write }) => {
    const skill = '---\nname: zebra\ndescription: Draws zebras.\n---\nDraw a zebra.\n';
    await write(path.join(space.home, '.ai-assistant/skills/zebra/SKILL.md'), skill);
    return [];
  }),
  resumed('resumed in another mode', async () => ['--mode', 'plan']),
  resumed('resumed with another output style', async ({ configure }) => {
    await configure({ outputStyle: 'explanatory' });
    return [];
  }),
  resumed('resumed with another effort', async () => ['--effort', 'low']),
  resumed('resumed as a fork', async () => ['--fork']),
  {
    name: 'another model for one prompt, and back',
    script: [reads(), says('First.'), reads('b.txt'), says('Second.'), reads(), says('Third.')],
    async play(it) {
      await it.run('one');
      await it.run('two', '--continue', '--model', OTHER_MODEL);
      await it.run('three', '--continue', '--model', MODEL);
    },
  },
];

const isSummary: Step = ({ messages }) =>
  says((messages.at(-1)?.text ?? '').startsWith('Below ') ? '[Completed: a round]' : `Answer. ${LONG}`);
const questions = (count: number) => Array.from({ length: count }, (_, i) => `question ${i + 1}`);

const compacted: Scenario[] = [
  {
    name: 'after /compact',
    script: [isSummary],
    loop: true,
    play: (it) => it.talk([...questions(9), '/compact', 'and now?', 'and then?']),
  },
  {
    name: 'after /compact, resumed in a new process',
    script: [isSummary],
    loop: true,
    async play(it) {
      await it.talk([...questions(9), '/compact', 'and now?']);
      await it.run('and then?', '--continue');
    },
  },
  {
    name: 'after automatic compaction',
    script: [isSummary],
    loop: true,
    async play(it) {
      await it.configure({
        models: { [MODEL]: { contextWindow: 24_000, maxOutputTokens: 1000 } },
        summarizationThreshold: 0.5,
      });
      await it.talk(questions(16));
    },
  },
  {
    name: 'long tool results in a small window',
    files: { ...FILES, 'long.txt': 'word '.repeat(4_000) },
    script: [...questions(8).map(() => reads('long.txt')), says('First.'), says('Second.')],
    async play(it) {
      await it.configure({ models: { [MODEL]: { contextWindow: 40_000, maxOutputTokens: 1000 } } });
      await it.talk(['one', 'two']);
    },
  },
];

const brokenReplies: Scenario[] = [
  {
    name: 'a secret that becomes known after it was sent',
    files: { 'log.txt': 'retry with tr0ub4dor-and-3x\n', 'db.ini': 'password = "tr0ub4dor-and-3x"\n' },
    script: [reads('log.txt'), reads('db.ini'), says('First.'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'a reply cut off by the output limit, and continued',
    script: [but(says('The first half '), { stop: 'max_tokens' }), says('and the rest.'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'a call cut off by the output limit',
    script: [
      but(calls(['Write', {}, { rawArguments: '{"file_path":"c.txt","content":"ha' }]), {
        stop: 'max_tokens',
      }),
      says('First.'),
      says('Second.'),
    ],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'a stream that breaks in the middle of the text, and is retried',
    script: [cuts(says(`Half. ${LONG}`), { after: 'content' }), says('First.'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'a stream that breaks in the middle of the thinking, and is retried',
    script: [cuts(says('Half.'), { after: 4 }), says('First.'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
  {
    name: 'an empty reply',
    script: [says(''), says('First.'), says('Second.')],
    play: (it) => it.talk(['one', 'two']),
  },
];

/** Typed lines and what each of them shows. */
function typed(name: string, script: Step[], lines: [line: string, shown: string][]): Scenario {
  return {
    name,
    script,
    async play(it) {
      const terminal = it.terminal('--mode', 'accept-edits');
      await it.shown(terminal, 'sonnet');
      for (const [line, text] of lines) {
        terminal.type(`${line}\r`);
        await it.shown(terminal, text);
      }
      terminal.type('/quit\r');
      await terminal.exitCode;
    },
  };
}

const inTheTerminal: Scenario[] = [
  typed(
    'modes switched in one process',
    [reads(), says('First.'), reads('b.txt'), says('Second.'), says('Third.')],
    [
      ['one', 'First.'],
      ['/mode plan', 'plan'],
      ['two', 'Second.'],
      ['/mode accept-edits', 'accept-edits'],
      ['three', 'Third.'],
    ],
  ),
  typed(
    'rewound by one prompt',
    [reads(), says('First.'), reads('b.txt'), says('Second.'), says('Third.')],
    [
      ['one', 'First.'],
      ['two', 'Second.'],
      ['/rewind 2 conversation', 'Rewound to before'],
      ['three', 'Third.'],
    ],
  ),
  typed(
    'a change undone',
    [calls(['Write', { file_path: 'c.txt', content: 'c\n' }]), says('First.'), says('Second.')],
    [
      ['one', 'First.'],
      ['/undo', 'Undo this?'],
      ['y', 'removed c.txt'],
      ['two', 'Second.'],
    ],
  ),
  typed(
    'forked in one process',
    [reads(), says('First.'), reads('b.txt'), says('Second.')],
    [
      ['one', 'First.'],
      ['/fork', "You're in the copy"],
      ['two', 'Second.'],
    ],
  ),
  typed(
    'another model in one process, and back',
    [reads(), says('First.'), reads('b.txt'), says('Second.'), says('Third.')],
    [
      ['one', 'First.'],
      [`/model ${OTHER_MODEL}`, `ai-code-assistant · ${OTHER_MODEL}`],
      ['two', 'Second.'],
      [`/model ${MODEL}`, `ai-code-assistant · ${MODEL}`],
      ['three', 'Third.'],
    ],
  ),
  typed(
    'a folder added in one process',
    [reads(), says('First.'), says('Second.')],
    [
      ['one', 'First.'],
      ['/add-dir /tmp', '/tmp'],
      ['two', 'Second.'],
    ],
  ),
  typed(
    'another output style in one process',
    [reads(), says('First.'), says('Second.')],
    [
      ['one', 'First.'],
      ['/output-style explanatory', 'Output style: explanatory'],
      ['two', 'Second.'],
    ],
  ),
  {
    name: 'canceled in the middle of a reply',
    script: [reads(), stalls(says(`Half. ${LONG}`), { after: 40 }), says('Second.'), says('Third.')],
    async play(it) {
      const terminal = it.terminal();
      await it.shown(terminal, 'sonnet');
      terminal.type('one\r');
      await it.shown(terminal, 'Half.');
      terminal.type('\u0003');
      await it.shown(terminal, 'Interrupted.');
      terminal.type('two\r');
      await it.shown(terminal, 'Second.');
      terminal.type('three\r');
      await it.shown(terminal, 'Third.');
      terminal.type('/quit\r');
      await terminal.exitCode;
    },
  },
];

const groups = { plain, afterResume, compacted, brokenReplies, inTheTerminal };

describe.each(Object.entries(groups))('Anthropic objects to nothing: %s', (_group, scenarios) => {
  sweep(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const it = await openScenario(scenario);
    await scenario.play(it).catch((error: unknown) => {
      if (!(error instanceof Objection)) throw error;
    });
    const { refusals, degradations } = it.server;
    const objections = [...refusals, ...degradations.map(({ rule, detail }) => `${rule}: ${detail}`)];
    expect(objections).toEqual([]);
    expect(it.server.exhausted).toBe(false);
  });
});
