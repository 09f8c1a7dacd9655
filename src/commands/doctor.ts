import type { HealthCheck, SlashCommand } from '../contract/command.ts';

const MARKS: Record<HealthCheck['state'], string> = { ok: 'ok  ', warn: 'note', bad: 'BAD ' };

export const doctor: SlashCommand = {
  name: 'doctor',
  description: 'Look into what usually goes wrong',
  async execute(_args, { health, print }) {
    if (!health) return print('Nothing can be looked into here.');
    const checks = await health();
    const width = Math.max(...checks.map(({ name }) => name.length));
    print(
      checks.map(({ name, state, text }) => `${MARKS[state]}  ${name.padEnd(width)}  ${text}`).join('\n'),
    );
  },
};
