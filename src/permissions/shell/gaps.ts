import type { SyntaxNode } from './grammar.ts';
import type { WordReader } from './shell-line.ts';

/** Inside these the grammar leaves characters without a node. */
const WITH_TEXT =
  /^(string|raw_string|heredoc_body|heredoc_redirect|ansi_c_string|translated_string|expansion|simple_expansion|arithmetic_expansion|test_command|command_substitution|process_substitution|regex|comment|word|number|variable_name|special_variable_name)$/;

/**
 * Between two nodes only white space is expected; anything else was skipped by the grammar, and its meaning
 * is unknown.
 */
export function checkGaps(node: SyntaxNode, reader: WordReader): void {
  if (node.missing || node.type === 'ERROR') reader.doubts.add('unparsed');
  if (node.type === 'comment') checkComment(node, reader);
  if (WITH_TEXT.test(node.type)) {
    for (const child of node.children)
      if (!WITH_TEXT.test(child.type) || child.missing) checkGaps(child, reader);
    return;
  }
  let at = node.type === 'program' ? 0 : node.start;
  for (const child of node.children) {
    if (at !== child.start && !/^\s*$/.test(reader.text.slice(at, child.start)))
      reader.doubts.add('unparsed');
    at = child.end;
    checkGaps(child, reader);
  }
  const end = node.type === 'program' ? reader.text.length : node.end;
  if (node.children.length > 0 && at !== end && !/^\s*$/.test(reader.text.slice(at, end))) {
    reader.doubts.add('unparsed');
  }
}

function checkComment({ start, end }: SyntaxNode, reader: WordReader): void {
  const before = reader.text[start - 1] ?? ' ';
  if (/\\$/.test(reader.text.slice(start, end)) || !/[\s;&|()]/.test(before))
    reader.doubts.add('unparsed_comment');
}
