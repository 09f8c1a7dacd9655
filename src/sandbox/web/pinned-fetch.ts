import { isIPv4, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';

/** A fetch that connects to these addresses and no other, whatever the name in the URL means by now. */
export function pinnedFetch(addresses: readonly string[], ca?: string[]): typeof fetch {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = found;
    if (!first) return callback(new Error('The name has no address.'), []);
    return all ? callback(null, found) : callback(null, first.address, first.family);
  };
  // Without pipelining a connection ends with its answer: none outlives the look at its address.
  const dispatcher = new Agent({ pipelining: 0, connect: { lookup, ...(ca && { ca }) } });
  // The runtime's types and undici's describe the same standard, yet do not know each other.
  const open = undiciFetch as unknown as (url: unknown, init: object) => Promise<Response>;
  return (input, init) => open(input, { ...init, dispatcher });
}
