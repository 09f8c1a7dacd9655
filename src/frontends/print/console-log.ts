import type { Config } from '../../config/schema/schema.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { visible } from '../../lib/text/printable.ts';
import { type LogLevel, type LogLine, reaches } from '../../observability/log/log-entry.ts';
import { logLineOf } from '../../observability/log/log-lines.ts';

const COLORS: Record<LogLevel, string> = { debug: '90', info: '36', warn: '33', error: '31' };

export type ConsoleOptions = { level: Config['log']['level']; color: boolean; now?: () => Date };

/** Log lines for people: at least level `info`, more with `debug`. */
export function consoleLog(
  stderr: Pick<NodeJS.WriteStream, 'write'>,
  { level, color, now = () => new Date() }: ConsoleOptions,
): (event: AgentEvent) => void {
  const least = level === 'debug' ? 'debug' : 'info';
  return (event) => {
    const line = logLineOf(event);
    if (line && reaches(line.level, least)) stderr.write(`${textOf(line, now(), { color })}\n`);
  };
}

function textOf(line: LogLine, at: Date, { color }: { color: boolean }): string {
  const paint = (text: string, code: string) => (color && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { level, message, toolName, metadata } = line;
  const facts = Object.entries({ ...(toolName !== undefined && { tool: toolName }), ...metadata });
  const words = facts.map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    paint(clock(at), '90'),
    paint(level.padEnd(5), COLORS[level]),
    visible(message),
    paint(visible(words.join(' ')), '90'),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Local time, to the millisecond. */
function clock(at: Date): string {
  const padded = (value: number, width: number) => String(value).padStart(width, '0');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => padded(value, 2)).join(':');
  return `${time}.${padded(at.getMilliseconds(), 3)}`;
}
