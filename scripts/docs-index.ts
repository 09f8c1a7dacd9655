import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { grouped, order, pagesOutside } from './site/order.ts';

/** The index of the documentation, docs/README.md. */
export async function docsIndex(root: string): Promise<string> {
  const names = (await readdir(path.join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  const abouts = new Map(order.flatMap(({ pages }) => Object.entries(pages)));
  const sections = grouped([...names.sort(), ...pagesOutside()]).map(async ({ title, about, files }) => {
    const lines = files.map(async (file) => {
      const heading = /^# (.+)$/m.exec(await readFile(path.join(root, 'docs', file), 'utf8'))?.[1] ?? file;
      const words = abouts.get(file);
      return `- [${heading.replaceAll('`', '')}](${file})${words === undefined ? '' : `: ${words}`}`;
    });
    return [`## ${title}`, ...(about === '' ? [] : [about]), (await Promise.all(lines)).join('\n')].join(
      '\n\n',
    );
  });
  return `${[
    '# Documentation',
    'New here? Read the [quick start](quick-start.md). Looking for a flag or a setting? See the [reference](reference.md).',
    '![A failing test is fixed in a conversation, with an approval and undo](screens/demo.svg)',
    ...(await Promise.all(sections)),
    '`npm run docs:site` builds these pages as a site with search. This list is generated from `scripts/site/order.ts`.',
  ].join('\n\n')}\n`;
}
