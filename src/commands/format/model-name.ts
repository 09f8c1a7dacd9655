/** A release date: `-20250514`, `-2025-05-14`, `@20250514`. */
const DATE = /[-@](20\d{6}|20\d{2}-\d{2}-\d{2})\b/;
const VERSION = /^(.*?)-?(\d+)(?:[-.](\d+))?(?:-([a-z]+))?$/;

/**
 * A model's name without what rarely distinguishes it: the path or vendor before it, its date, a file
 * extension. `claude-sonnet-4-5-20250929` is `sonnet-4.5`.
 */
export function shortModel(id: string): string {
  const name = (id.split('/').at(-1) ?? id)
    .replace(/^([a-z]{2,6}\.)?(anthropic|amazon|meta|mistral|cohere)\./, '')
    .replace(/-v\d+(:\d+)?$/, '')
    .replace(/(:latest|-latest|\.gguf)$/i, '')
    .replace(DATE, '');
  const claude = name.startsWith('claude-') ? VERSION.exec(name.slice('claude-'.length)) : null;
  if (!claude) return name === '' ? id : name;
  const [, before = '', major = '', minor, after] = claude;
  const family = before || after;
  return family ? `${family}-${minor === undefined ? major : `${major}.${minor}`}` : name;
}
