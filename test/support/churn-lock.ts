import fs, { appendFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as tick } from 'node:timers/promises';
import { tryLock } from '../../src/lib/files/lock.ts';

/** Gives other processes a chance to run first before any of these calls. */
for (const name of ['lstatSync', 'readlinkSync', 'symlinkSync', 'unlinkSync'] as const) {
  const call = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (Math.random() < 0.3) sleep(Math.random() * 3);
      return call(...args);
    },
  });
}
syncBuiltinESMExports();

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Takes a lock repeatedly, and logs when it held it. Every other time it exits as if killed: its lock stays,
 * and names a dead process.
 */
const [file = '', log = '', rounds = '1'] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round++) {
  let lock = tryLock(file);
  for (; !lock; lock = tryLock(file)) await tick();
  const who = `${process.pid}.${round}`;
  appendFileSync(log, `in ${who}\n`);
  sleep(1);
  appendFileSync(log, `out ${who}\n`);
  if (round % 2 === 0) lock.release();
  else {
    const [pid, , ...others] = readlinkSync(`${file}.lock`).split('.');
    symlinkSync([pid, 1, ...others].join('.'), `${log}.${who}`);
    renameSync(`${log}.${who}`, `${file}.lock`);
  }
}
