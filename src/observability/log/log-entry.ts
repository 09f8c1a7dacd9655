/** From most to least verbose. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** One line of the log. Ids are UUIDs: `traceId` is the run, `spanId` the operation in it. */
export type LogEntry = {
  /** ISO 8601, in UTC. */
  timestamp: string;
  level: LogLevel;
  message: string;
  context: { sessionId: string; toolName?: string; traceId: string; spanId: string };
  metadata: Record<string, unknown>;
};

/** The content of a line, before time and ids are added. */
export type LogLine = Pick<LogEntry, 'level' | 'message' | 'metadata'> & { toolName?: string };

export function reaches(level: LogLevel, least: LogLevel | 'off'): boolean {
  return least !== 'off' && logLevels.indexOf(level) >= logLevels.indexOf(least);
}
