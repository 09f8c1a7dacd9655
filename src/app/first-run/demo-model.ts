import { type Message, textOf } from '../../contract/message.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';

export const demoTask = 'The test in greet.test.js fails. Fix it.';

export const demoFiles = {
  'greet.js': "export function greet(name) {\n  return 'Hello ' + nmae + '!';\n}\n",
  'greet.test.js': [
    "import assert from 'node:assert';",
    "import { greet } from './greet.js';",
    '',
    "assert.equal(greet('Ada'), 'Hello Ada!');",
    "console.log('ok: greet greets by name');",
    '',
  ].join('\n'),
  'package.json': '{ "type": "module" }\n',
};

type Step = { text: string; calls: [name: string, input: Record<string, unknown>][] };

const LOOK: Step = {
  text: 'I will run the test and read the code it tests.',
  calls: [
    ['Bash', { command: 'node greet.test.js' }],
    ['Read', { file_path: 'greet.js' }],
  ],
};
const FIX: Step = {
  text: 'The parameter is `name`, but the code says `nmae`.',
  calls: [['Edit', { file_path: 'greet.js', old_string: '+ nmae +', new_string: '+ name +' }]],
};
const CHECK: Step = { text: 'Now the test again.', calls: [['Bash', { command: 'node greet.test.js' }]] };
const DONE: Step = { text: 'Fixed: the misspelt variable in greet.js. The test passes.', calls: [] };
const DECLINED: Step = {
  text: 'You declined, so greet.js is unchanged. The bug is `nmae` on line 2.',
  calls: [],
};

const UNKNOWN: Step = {
  text: 'I am only a script, and that was my one task. Quit with Ctrl+D, then run `aca` in your own project to connect a real model.',
  calls: [],
};

/** Plays its script, one step per turn, for its task only. A declined edit ends it early. */
export function demoModel(): Provider {
  return {
    name: 'demo',
    async *stream({ messages }) {
      yield* speak(stepAfter(messages));
    },
    countTokens: async () => null,
  };
}

function stepAfter(messages: readonly Message[]): Step {
  const prompt = messages.findLastIndex((message) => message.role === 'user');
  const asked = messages[prompt];
  if (asked && !textOf(asked).includes(demoTask)) return UNKNOWN;
  const since = messages.slice(prompt + 1);
  const declined = since.some(
    (message) => message.role === 'tool' && message.name === 'Edit' && !message.success,
  );
  if (declined) return DECLINED;
  const turn = since.filter((message) => message.role === 'assistant').length;
  return [LOOK, FIX, CHECK][turn] ?? DONE;
}

async function* speak({ text, calls }: Step): AsyncGenerator<ProviderEvent> {
  for (const word of text.split(/(?<= )/)) {
    yield { type: 'text', text: word };
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  for (const [i, [name, input]] of calls.entries()) {
    const key = String(i);
    yield { type: 'tool_call_start', key, name };
    yield { type: 'tool_call_delta', key, json: JSON.stringify(input) };
    yield { type: 'tool_call_end', key };
  }
  yield { type: 'stop', reason: calls.length > 0 ? 'tool_calls' : 'end' };
}
