import type { SlashCommand } from '../contract/command.ts';
import { didYouMean } from '../lib/text/nearest.ts';

export const outputStyle: SlashCommand = {
  name: 'output-style',
  forGuests: true,
  description: 'Show or switch how the model answers: /output-style explanatory',
  async execute(words, { styles, print }) {
    if (!styles)
      return print('Output styles can only be set at the start here, with the setting outputStyle.');
    const wanted = words.join(' ');
    const all = styles.list();
    if (wanted === '') {
      const width = Math.max(...all.map(({ name }) => name.length));
      const lines = all.map(({ name, description, source }) =>
        `${name === styles.current() ? '*' : ' '} ${name.padEnd(width)}  ${description}${source === 'built-in' ? '' : ` (${source})`}`.trimEnd(),
      );
      return print(lines.join('\n'));
    }
    if (!styles.select(wanted)) {
      const names = all.map(({ name }) => name);
      return print(
        `There is no output style ${wanted}.${didYouMean(wanted, names)} /output-style lists them.`,
      );
    }
    print(
      `Output style: ${styles.current()}, from your next prompt on. Keep it with: aca config set outputStyle ${styles.current()}`,
    );
  },
};
