import type { SlashCommand } from '../contract/command.ts';

const FILE = 'AGENTS.md';

const PROMPT = `Write ${FILE} in the working directory: what somebody new to this project, human or not, must know to work in it.

Look first: the README, the manifests, the scripts, the folders, the tests, the settings of linters and of CI, and rules that other assistants left (CLAUDE.md, .cursorrules, .github/copilot-instructions.md). Then write, in at most 60 lines:
- how to install, build, run, lint and test, and how to run a single test;
- how the code is laid out, and where a change of each kind goes;
- the conventions that a reader would otherwise break, each as you found it in the code;
- traps.
Say nothing that is true of every project, nothing you have not seen here, and no secrets. If ${FILE} exists, keep what is right in it and change only what is wrong or missing.`;

export const init: SlashCommand = {
  name: 'init',
  forGuests: true,
  description: `Explore the project and write ${FILE}; extra instructions are followed: /init keep it short`,
  async execute(words, { submit }) {
    const wishes = words.join(' ');
    const text = wishes === '' ? PROMPT : `${PROMPT}\n\nThe user adds: ${wishes}`;
    await submit([{ type: 'text', text, ...(wishes !== '' && { typed: wishes }) }]);
  },
};
