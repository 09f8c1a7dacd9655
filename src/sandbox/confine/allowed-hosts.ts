type Target = { host: string; port: number };

/** An entry without a port allows 80 and 443; `*.` matches every subdomain, but not the name itself. */
export function allowsHost(allowed: readonly string[], { host, port }: Target): boolean {
  return allowed.some((entry) => {
    const [, wildcard, name = '', only] = /^(\*\.)?([^:]+)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || name.includes('*')) return false;
    const fits = wildcard === undefined ? host === name : host.endsWith(`.${name}`);
    return fits && (only === undefined ? port === 443 || port === 80 : port === Number(only));
  });
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
