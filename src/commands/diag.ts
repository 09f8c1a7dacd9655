import type { SlashCommand } from '../contract/command.ts';

const SHOWN = 10;

export const diag: SlashCommand = {
  name: 'diag',
  description: 'Show recent warnings and where the log is',
  async execute(_args, { log, print }) {
    if (!log) return print('No log available.');
    const warnings = await log.warnings(SHOWN);
    const lines = warnings.map(
      ({ timestamp, level, message }) =>
        `${timestamp.slice(0, 19).replace('T', ' ')} ${level.padEnd(5)} ${firstLine(message)}`,
    );
    print(
      [
        ...(lines.length === 0 ? ['No warnings.'] : lines),
        `The log is ${log.file} (level ${log.level}; \`--debug\` for every step).`,
      ].join('\n'),
    );
  },
};

function firstLine(text: string): string {
  const [first = '', ...others] = text.split('\n');
  return others.length === 0 ? first : `${first} …`;
}
