import type { Memory, RememberedNote, SlashCommand } from '../contract/command.ts';
import { MEMORY_IS_OFF, outcome } from './memory.ts';

/** Prefixes before the text, and the kind of note they select. */
const KINDS: Record<string, RememberedNote['kind']> = {
  user: 'user',
  me: 'user',
  context: 'context',
  project: 'context',
  decision: 'decisions',
  decisions: 'decisions',
  learning: 'learnings',
  learnings: 'learnings',
};

export const remember: SlashCommand = {
  name: 'remember',
  description: 'Save a memory for later sessions; without text, extract memories from this conversation',
  async execute(args, { memory, print, signal }) {
    if (!memory) return print(MEMORY_IS_OFF);
    const said = args.join(' ').trim();
    if (said === '') return print(await learnt(memory, signal));
    const { kind, text } = readNote(said);
    if (text === '') return print('Add the text to remember after the colon.');
    print(outcome(await memory.remember(kind, text), `Saved under ${kind}.`));
  },
};

/**
 * `decision: text` names its file; text about the user goes to the user's notes; everything else is a
 * learning.
 */
export function readNote(said: string): { kind: RememberedNote['kind']; text: string } {
  const [head = '', word = ''] = /^(\w+):\s*/.exec(said) ?? [];
  const named = KINDS[word.toLowerCase()];
  if (named !== undefined) return { kind: named, text: said.slice(head.length).trim() };
  return { kind: /^(i|i'm|my|me)\b/i.test(said) ? 'user' : 'learnings', text: said };
}

async function learnt(memory: Memory, signal: AbortSignal): Promise<string> {
  const notes = await memory.learn(signal);
  if (!notes) return 'No model available for this. Use /remember TEXT.';
  if (notes.length === 0) return 'Nothing new to remember.';
  return ['Noted:', ...notes.map(({ kind, text }) => `  ${text} (${kind})`)].join('\n');
}
