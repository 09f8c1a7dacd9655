import { isIPv6 } from 'node:net';
import { isLoopback } from './hosts.ts';

const FREE_FAILURES = 5;
const LONGEST_WAIT_MS = 5 * 60_000;
/** After this long without a failure, an address starts again. */
const FORGET_MS = 15 * 60_000;
const MAX_ADDRESSES = 10_000;
const GLOBAL_PER_MINUTE = 300;

type Failures = { count: number; last: number };

/**
 * Slows down guessing: each address may fail a few times, then waits longer after each failure. If many addresses
 * fail at once, those that never signed in wait, too. Connections from this machine never wait with a correct
 * secret, so that no other user can lock the owner out.
 */
export class Attempts {
  readonly #failures = new Map<string, Failures>();
  readonly #known = new Set<string>();
  readonly #now: () => number;
  #minute = { start: 0, count: 0 };

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Milliseconds until this address may try again, 0 if it may now. */
  waitFor(address: string): number {
    const key = networkOf(address);
    const now = this.#now();
    const { count, last } = this.#failures.get(key) ?? { count: 0, last: 0 };
    const own = count <= FREE_FAILURES || now - last > FORGET_MS ? 0 : last + backOff(count) - now;
    const isFlood = this.#minute.count > GLOBAL_PER_MINUTE && now - this.#minute.start < 60_000;
    const all = isFlood && !this.#known.has(key) ? this.#minute.start + 60_000 - now : 0;
    return Math.max(0, own, all);
  }

  /** Whether the secret may be looked at: from this machine always. */
  mayTry(address: string): boolean {
    return isLoopback(address) || this.waitFor(address) === 0;
  }

  failed(address: string): void {
    const key = networkOf(address);
    const now = this.#now();
    const before = this.#failures.get(key);
    this.#failures.delete(key);
    this.#failures.set(key, {
      count: before && now - before.last <= FORGET_MS ? before.count + 1 : 1,
      last: now,
    });
    trim(this.#failures);
    if (isLoopback(address)) return;
    if (now - this.#minute.start >= 60_000) this.#minute = { start: now, count: 0 };
    this.#minute.count += 1;
  }

  succeeded(address: string): void {
    const key = networkOf(address);
    this.#failures.delete(key);
    this.#known.add(key);
    trim(this.#known);
  }
}

function backOff(count: number): number {
  return Math.min(1_000 * 2 ** Math.min(count - FREE_FAILURES - 1, 20), LONGEST_WAIT_MS);
}

/** Whose connections count together: one customer usually has a whole /64 of IPv6 addresses. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const start = head.split(':').filter(Boolean);
  const end = tail.split(':').filter(Boolean);
  const gap = Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  return [...start, ...gap, ...end].slice(0, 4).join(':');
}

function trim(entries: Map<string, unknown> | Set<string>): void {
  if (entries.size <= MAX_ADDRESSES) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
