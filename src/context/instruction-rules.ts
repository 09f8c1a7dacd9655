import { listField, parseFrontMatter, switchField, textField } from '../lib/text/front-matter.ts';

/** When a file with rules is sent: always, with the first matching file, when the model asks for it, or never. */
type RuleUse =
  | { type: 'always' }
  | { type: 'paths'; globs: readonly string[] }
  | { type: 'described'; description: string }
  | { type: 'manual' };

/** A folder with one file per topic, as other assistants have it. */
export type RuleFolder = {
  folder: string;
  file: RegExp;
  useOf(text: string): RuleUse;
  /** Where a pattern without a slash matches. */
  bare: 'root' | 'anywhere';
};

type Matter = ReturnType<typeof parseFrontMatter>;

const byGlobs = (matter: Matter, key: string): RuleUse | null => {
  const globs = listField(matter, key) ?? [];
  if (globs.length === 0) return null;
  return globs.some((glob) => /^\*\*(\/\*)?$/.test(glob)) ? { type: 'always' } : { type: 'paths', globs };
};

export const claudeRules: RuleFolder = {
  folder: '.claude/rules',
  file: /\.md$/i,
  useOf: (text) => byGlobs(parseFrontMatter(text), 'paths') ?? { type: 'always' },
  bare: 'root',
};

export const ruleFolders: readonly RuleFolder[] = [
  {
    folder: '.github/instructions',
    file: /\.instructions\.md$/i,
    useOf: (text) => byGlobs(parseFrontMatter(text), 'applyto') ?? { type: 'manual' },
    bare: 'anywhere',
  },
  {
    folder: '.cursor/rules',
    file: /\.mdc$/i,
    useOf(text) {
      const matter = parseFrontMatter(text);
      if (switchField(matter, 'alwaysapply')) return { type: 'always' };
      const description = textField(matter, 'description');
      return (
        byGlobs(matter, 'globs') ??
        (description === undefined ? { type: 'manual' } : { type: 'described', description })
      );
    },
    bare: 'anywhere',
  },
  claudeRules,
];

/** The text of a file with rules, without its header. */
export function ruleText(text: string): string {
  return parseFrontMatter(text).body;
}
