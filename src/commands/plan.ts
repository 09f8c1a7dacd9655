import type { SlashCommand } from '../contract/command.ts';

export const plan: SlashCommand = {
  name: 'plan',
  description: 'Plan without changing files: /plan TASK; /plan done leaves plan mode',
  async execute(words, { mode, submit, print }) {
    const task = words.join(' ');
    if (task === 'done') {
      if (mode.get() !== 'plan') return print(`You're not in plan mode (current mode: ${mode.get()}).`);
      mode.set('default');
      return print('Plan mode off. Changes need your approval.');
    }
    mode.set('plan');
    print('Plan mode on. No files will be changed. Leave it with /plan done or /mode.');
    if (task !== '') await submit([{ type: 'text', text: task }]);
  },
};
