import type { SlashCommand } from '../contract/command.ts';

export const undo: SlashCommand = {
  name: 'undo',
  description: 'Take back the file changes of the last run that made any',
  async execute(_args, { undo, print }) {
    const report = await undo();
    if (!report) return print('Nothing to undo.');
    const lines = [
      ...report.restored.map((file) => `restored ${file}`),
      ...report.removed.map((file) => `removed ${file}`),
      ...report.kept.map((file) => `left alone ${file}: it was changed since`),
    ];
    print(lines.join('\n'));
  },
};
