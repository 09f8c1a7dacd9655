import { type Message, textOf } from '../contract/message.ts';
import { doneCalls, filesChanged, filesOf, READING } from './known-tools.ts';
import type { Sections } from './sections.ts';

const MAX_ITEMS = 12;
const ITEM = 300;
const STATE = 900;

/** Words that indicate a decision. */
const DECISION =
  /\b(decided?|decision|chose|chosen|instead of|will use|must|never|always|prefer|agreed|because)\b/i;

/** A summary without a model: what was asked, decided, changed, and answered last. */
export function extract(messages: readonly Message[]): Sections {
  const said = messages.filter((message) => message.role === 'assistant').map(textOf);
  const answers = said.filter((text) => text.trim() !== '');
  return {
    Asked: prompts(messages),
    Completed: answers.slice(0, -1).map(firstLine).slice(-MAX_ITEMS),
    Decided: messages
      .flatMap((message) => (message.role === 'tool' ? [] : decisions(textOf(message))))
      .slice(-MAX_ITEMS),
    'Current state': answers.slice(-1).map((text) => clip(oneLine(text), STATE)),
    'Files touched': [...new Set([...filesRead(messages), ...filesChanged(messages)])].slice(-40),
    Open: failures(messages),
  };
}

function prompts(messages: readonly Message[]): string[] {
  const asked = messages.flatMap((message) =>
    message.role === 'user' ? [clip(oneLine(textOf(message)), ITEM)] : [],
  );
  // The first prompts state the goal, the last ones the current state.
  return asked.length <= MAX_ITEMS ? asked : [...asked.slice(0, 2), ...asked.slice(2 - MAX_ITEMS)];
}

function decisions(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?])\s/)
    .map((sentence) => oneLine(sentence))
    .filter((sentence) => sentence.length > 10 && sentence.length <= ITEM && DECISION.test(sentence));
}

function filesRead(messages: readonly Message[]): string[] {
  return doneCalls(messages).flatMap(({ call, answer }) =>
    answer.name === READING ? filesOf(call.input) : [],
  );
}

/** Failed calls of the last turns that may be unresolved. */
function failures(messages: readonly Message[]): string[] {
  return messages
    .slice(-MAX_ITEMS)
    .flatMap((message) =>
      message.role === 'tool' && !message.success
        ? [clip(`${message.name} failed: ${oneLine(textOf(message))}`, ITEM)]
        : [],
    );
}

function firstLine(text: string): string {
  return clip(text.trim().split('\n', 1)[0] ?? '', ITEM);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
