import { parsePattern } from '../pattern.ts';
import { domainOf, hostOf, isWithin } from './address-rule.ts';
import { globOf } from './tool-names.ts';

/**
 * Which hosts are left out of the results of a search. Domains that must not be searched or fetched always are;
 * those that need approval are, unless the search was limited to them, because then the user has approved it.
 */
export function searchFilter(
  { deny, ask }: { deny: readonly string[]; ask: readonly string[] },
  named: readonly string[],
): (host: string) => boolean {
  const asked = domainsIn(ask, ['WebSearch']).filter(
    (domain) => !named.some((approved) => isWithin(approved, domain)),
  );
  const hidden = [...domainsIn(deny, ['WebSearch', 'WebFetch']), ...asked];
  return (host) => hidden.some((domain) => isWithin(host, domain));
}

function domainsIn(rules: readonly string[], tools: readonly string[]): string[] {
  return rules.map(parsePattern).flatMap(({ tool, specifier }) => {
    if (specifier === null || !tools.some((name) => globOf(tool).test(name))) return [];
    const domain = domainOf(specifier);
    if (domain === null && specifier.includes('/')) return [];
    return hostOf(domain ?? specifier) ?? [];
  });
}
