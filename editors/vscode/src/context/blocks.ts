import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';

/** Lines of a file. They count from 1, the last one included. */
export type Excerpt = { path: string; text: string; first: number; last: number };

/** A problem that the editor shows. Its line counts from 1. */
export type ProblemAt = {
  path: string;
  line: number;
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  /** Who reported it, such as `ts 2304`. */
  source?: string;
};

/** Some lines of a file with their text, as the editor has them. */
export function excerptBlock({ path, text, first, last }: Excerpt): ContentBlock {
  const range = first === last ? `#L${first}` : `#L${first}-${last}`;
  return {
    type: 'resource',
    resource: { uri: pathToFileURL(path).href + range, text, mimeType: 'text/plain' },
  };
}

/** A file or a folder that the agent can read itself. */
export function linkBlock(path: string): ContentBlock {
  const name = path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
  return { type: 'resource_link', uri: pathToFileURL(path).href, name };
}

export function explainPrompt(excerpt: Excerpt): ContentBlock[] {
  return [{ type: 'text', text: 'Explain this code: ' }, excerptBlock(excerpt)];
}

/** With the lines around the problems. */
export function fixPrompt(problems: readonly ProblemAt[], excerpt: Excerpt): ContentBlock[] {
  const list = problems.map(({ line, severity, message, source }) => {
    const by = source === undefined ? '' : ` (${source})`;
    return `- line ${line}, ${severity}: ${message.replaceAll('\n', '\n  ')}${by}`;
  });
  const what = problems.length === 1 ? 'this problem' : 'these problems';
  return [{ type: 'text', text: `Fix ${what}:\n${list.join('\n')}\n\n` }, excerptBlock(excerpt)];
}
