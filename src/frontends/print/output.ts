import type { Report } from '../../app/conversation/run-report.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { exitCodeOf } from '../shared/exit-codes.ts';
import type { Options } from '../shared/options.ts';

/** What a headless run writes to standard output. */
export type Output = {
  take(event: AgentEvent): void;
  result(report: Report): Promise<void>;
  exitCode(report: Report): number;
};

type Writable = Pick<NodeJS.WriteStream, 'write'>;

/** Our own formats. */
export function ownOutput(
  { outputFormat, jsonSchema }: Pick<Options, 'outputFormat' | 'jsonSchema'>,
  stdout: Writable,
): Output {
  return {
    take(event) {
      if (outputFormat === 'stream-json') printLine(stdout, event);
    },
    async result(report) {
      if (outputFormat !== 'text') printLine(stdout, report);
      else if ('structured' in report) printLine(stdout, report.structured);
      else if (jsonSchema === undefined && report.result !== '') stdout.write(`${report.result}\n`);
    },
    exitCode: ({ stopReason, denials }) => exitCodeOf(stopReason, denials.length),
  };
}

export function printLine(stdout: Writable, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}
