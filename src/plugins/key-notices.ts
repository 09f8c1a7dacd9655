import { otherKeys, parseFrontMatter, textField } from '../lib/text/front-matter.ts';

type Kind = 'commands' | 'skills';
export type WrittenFile = { file: string; text: string };

/** Keys with a meaning here, and those that only describe. In lower case. */
const KEYS: Readonly<Record<Kind, readonly string[]>> = {
  commands: [
    ...['description', 'argument-hint', 'model', 'tools', 'context', 'agent', 'name', 'version', 'author'],
    // The model never starts a command by itself.
    ...['disable-model-invocation', 'allowed-tools', 'disallowed-tools'],
  ],
  skills: [
    ...['name', 'description', 'when_to_use', 'disable-model-invocation', 'user-invocable', 'model'],
    ...['context', 'agent', 'argument-hint', 'license', 'metadata', 'compatibility', 'version', 'author'],
    ...['allowed-tools', 'disallowed-tools'],
  ],
};

/** Files named in one notice. */
const MOST_NAMED = 3;

/** What of commands and skills has no effect here; files with the same keys share a notice. */
export function keyNotices(kind: Kind, files: readonly WrittenFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { file, text } of files)
    for (const said of problemsIn(kind, text)) places.set(said, [...(places.get(said) ?? []), file]);
  return [...places].map(([said, named]) => `${shortList(named)}: ${said}`);
}

function problemsIn(kind: Kind, text: string): string[] {
  const parsed = parseFrontMatter(text);
  const unknown = otherKeys(parsed, KEYS[kind]);
  const context = textField(parsed, 'context');
  return [
    ...(unknown.length > 0 ? [`${unknown.join(', ')}: not supported for ${kind} and ignored.`] : []),
    ...(context !== undefined && context.toLowerCase() !== 'fork'
      ? [`unknown context ${context}; only fork is known.`]
      : []),
  ];
}

function shortList(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
