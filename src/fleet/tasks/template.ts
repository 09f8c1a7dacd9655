export const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

export type Variables = Readonly<Record<string, string>>;

/** The names in a template, in order. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** Replaces each `{{name}}` by its value. Names without a value are kept, and reported. */
export function fillTemplate(text: string, variables: Variables): { text: string; missing: string[] } {
  const missing = new Set<string>();
  const filled = text.replaceAll(PLACEHOLDER, (written, name: string) => {
    if (Object.hasOwn(variables, name)) return variables[name] ?? '';
    missing.add(name);
    return written;
  });
  return { text: filled, missing: [...missing] };
}
