import { RotatingFile } from '../../src/observability/log/rotating-file.ts';

/** Appends lines to a file that other processes write to concurrently: FILE MAX-BYTES COUNT NAME. */
const [file = '', maxBytes, count, name = ''] = process.argv.slice(2);
const lines = new RotatingFile(file, Number(maxBytes));
for (let i = 0; i < Number(count); i++) lines.append(JSON.stringify({ line: `${name}-${i}`.padEnd(90) }));
