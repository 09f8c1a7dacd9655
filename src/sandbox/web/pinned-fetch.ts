import { isIPv4, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';

/** A fetch that connects only to these addresses, whatever the name in the URL resolves to now. */
export function pinnedFetch(addresses: readonly string[], ca?: string[]): typeof fetch {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = found;
    if (!first) return callback(new Error('The name does not resolve.'), []);
    return all ? callback(null, found) : callback(null, first.address, first.family);
  };
  // Without pipelining a connection ends with its response: none outlives the check of its address.
  const dispatcher = new Agent({ pipelining: 0, connect: { lookup, ...(ca && { ca }) } });
  // The types of the runtime and undici describe the same standard but are incompatible.
  const open = undiciFetch as unknown as (url: unknown, init: object) => Promise<Response>;
  return (input, init) => open(input, { ...init, dispatcher });
}
