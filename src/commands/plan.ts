import type { SlashCommand } from '../contract/command.ts';

export const plan: SlashCommand = {
  name: 'plan',
  description: 'Change nothing and make a plan: /plan what is to be done; /plan done goes back',
  async execute(words, { mode, submit, print }) {
    const task = words.join(' ');
    if (task === 'done') {
      if (mode.get() !== 'plan') return print(`This is no plan mode, the mode is ${mode.get()}.`);
      mode.set('default');
      return print('The mode is default again: changes are asked about.');
    }
    mode.set('plan');
    print('The mode is plan now: nothing is changed. /plan done, or /mode, goes back.');
    if (task !== '') await submit([{ type: 'text', text: task }]);
  },
};
