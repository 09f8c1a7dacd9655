import type { SyntaxNode } from './grammar.ts';

/** Conditions that are always true: of `while`, and of `until`. */
const ALWAYS =
  /^(:|(\/(usr\/)?bin\/)?true|!\s*(\/(usr\/)?bin\/)?false|(test|\[\[?)\s+["']?[1-9a-z]\w*["']?(\s+\]\]?)?|\(\(\s*[1-9]\d*\s*\)\)|let\s+[1-9]\d*)$/;
const NEVER = /^((\/(usr\/)?bin\/)?false|!\s*(:|(\/(usr\/)?bin\/)?true)|\[\s+\]|\(\(\s*0\s*\)\))$/;
/** `for ((;;))`, `for ((i = 0;; i++))`, `for ((;1;))`. */
const COUNTS_ON = /^for\s*\(\([^;]*;\s*[1-9]?\s*;/;
/** Hundreds of thousands of iterations. */
const COUNTS_FAR =
  /^(for|select)\s+\w+\s+in\s+["'`]?(\{-?\d+\.\.\d{6,}|(\$\(|`)\s*(seq\s[^)`]*\b(\d{6,}|inf\w*)\b|yes\b))/;

/** Whether a loop certainly never ends, or practically never. */
export function isEndless(node: SyntaxNode, text: string): boolean {
  switch (node.type) {
    case 'while_statement': {
      const [keyword, condition] = node.children.filter(({ type }) => type !== 'comment');
      const written = condition === undefined ? '' : text.slice(condition.start, condition.end).trim();
      return (keyword?.type === 'until' ? NEVER : ALWAYS).test(written);
    }
    case 'c_style_for_statement':
      return COUNTS_ON.test(text.slice(node.start, node.end));
    case 'for_statement':
      return COUNTS_FAR.test(text.slice(node.start, node.end));
    default:
      return false;
  }
}
