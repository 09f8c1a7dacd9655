/** A key for display: its last four characters, or none if it is short. */
export function maskKey(key: string): string {
  return key.length < 12 ? '…' : `…${key.slice(-4)}`;
}

/** A copy for display: keys, header values and passwords in URLs are masked. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(\w+:\/\/)[^/@\s]+@/, '$1…@');
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) ? maskAll(inner) : maskSecrets(inner),
    ]),
  );
}

function isSecret(name: string): boolean {
  return ['apiKey', 'headers', 'key', 'env'].includes(name);
}

function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return maskKey(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner)]));
}
