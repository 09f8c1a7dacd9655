import { ChainedLog } from '../../src/observability/audit/chained-log.ts';

/** Appends entries to a log that other processes write to concurrently: FILE MAX-BYTES COUNT NAME. */
const [file = '', maxBytes, count, name = ''] = process.argv.slice(2);
const log = new ChainedLog(file, Number(maxBytes));
for (let i = 0; i < Number(count); i++) log.append({ line: `${name}-${i}`.padEnd(90) });
