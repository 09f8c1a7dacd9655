import type { HealthCheck, SlashCommand } from '../contract/command.ts';

const MARKS: Record<HealthCheck['state'], string> = { ok: 'ok  ', warn: 'note', bad: 'BAD ' };

export const doctor: SlashCommand = {
  name: 'doctor',
  description: 'Check your setup and suggest fixes',
  async execute(_args, { health, print }) {
    if (!health) return print('No checks available here.');
    print(healthLines(await health()).join('\n'));
  },
};

/** One line per check, with its suggestion below. */
export function healthLines(checks: readonly HealthCheck[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap(({ name, state, text, next }) => [
    `${MARKS[state]}  ${name.padEnd(width)}  ${text}`,
    ...(next === undefined ? [] : [`${' '.repeat(width + 8)}${next}`]),
  ]);
}
