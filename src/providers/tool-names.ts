import { createHash } from 'node:crypto';

const LIMIT = 64;
const HASH_LENGTH = 10;
const PLAIN = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Converts tool names to ones that vendors accept, and back. */
export type WireNames = { toWire(name: string): string; fromWire(wire: string): string };

/**
 * Vendors reject `:` and other characters in tool names, so `server:tool` is sent as `server__tool`; plain
 * names are unchanged. If the result is too long or could collide with another tool, a hash of the name is
 * added. Independent of the order of the tools. A name without a tool (since removed, or made up by the
 * model) is converted, too.
 */
export function wireNames(tools: readonly { name: string }[]): WireNames {
  const known = made.get(tools) ?? namesFor(tools);
  made.set(tools, known);
  return known;
}

/** A session sends the same list with every request. */
const made = new WeakMap<readonly { name: string }[], WireNames>();

function namesFor(tools: readonly { name: string }[]): WireNames {
  const names = [...new Set(tools.map((tool) => tool.name))].sort();
  const coded = names.filter((name) => !PLAIN.test(name));
  const claims = new Map<string, number>();
  for (const name of coded) claims.set(readable(name), (claims.get(readable(name)) ?? 0) + 1);

  const byWire = new Map(names.filter((name) => PLAIN.test(name)).map((name) => [name, name]));
  for (const name of coded) {
    const shared = claims.get(readable(name)) !== 1;
    byWire.set(shared ? hashedApart(name, byWire) : encode(name, byWire), name);
  }
  const byName = new Map([...byWire].map(([wire, name]) => [name, wire]));

  return {
    toWire: (name) => byName.get(name) ?? (PLAIN.test(name) ? name : encode(name, byWire)),
    fromWire: (wire) => byWire.get(wire) ?? wire,
  };
}

function encode(name: string, taken: ReadonlyMap<string, string>): string {
  const wire = readable(name);
  return wire.length > LIMIT || taken.has(wire) ? hashedApart(name, taken) : wire;
}

function hashedApart(name: string, taken: ReadonlyMap<string, string>): string {
  for (let salt = 0; ; salt++) {
    const wire = hashed(name, salt);
    if (!taken.has(wire)) return wire;
  }
}

function readable(name: string): string {
  const safe = name.replace(':', '__').replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return /^[a-zA-Z_]/.test(safe) ? safe : `_${safe}`;
}

function hashed(name: string, salt: number): string {
  const digest = createHash('sha256').update(`${salt}:${name}`).digest('hex').slice(0, HASH_LENGTH);
  return `${readable(name).slice(0, LIMIT - HASH_LENGTH - 1)}_${digest}`;
}
