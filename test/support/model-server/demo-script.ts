import { both, calls, type Step, says, thinks } from './script.ts';

/** A short script for trying out the program: it looks around, runs one command, and reports. */
export const demo: Step[] = [
  thinks(
    'First I should see what is here.',
    both('Let me look at the folder.', ['Glob', { pattern: '**/*' }]),
  ),
  calls(['Bash', { command: 'node --version' }]),
  ({ messages }) => {
    const last = messages
      .at(-1)
      ?.results.map(({ text }) => text.trim())
      .join(' ');
    return says(`Node answered: ${last || 'nothing'}. This was a scripted model.`);
  },
];
