import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rollUp } from './roll-up-types.ts';

const HEAD =
  '// The public API of ai-code-assistant, generated from the source by `npm run docs`. See docs/api.md.\n\n';

/** The published type declarations, in one file that depends only on external packages. */
export async function publicTypes(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-types-'));
  try {
    // Types are checked elsewhere; here declarations are only emitted.
    const tsc = [path.resolve('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json', '--noCheck'];
    execFileSync(process.execPath, [...tsc, '--outDir', folder], { stdio: 'inherit' });
    const text = HEAD + rollUp(await declarationsIn(folder), 'index.d.ts');
    const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: object };
    for (const [, from = ''] of text.matchAll(/^import .* from '(.+)';$/gm))
      if (!Object.hasOwn(dependencies, from))
        throw new Error(`The public types import ${from}, which is not a dependency.`);
    return text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function declarationsIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  const read = names.map(
    async (name): Promise<[string, string]> => [
      name.replaceAll(path.sep, '/'),
      await readFile(path.join(folder, name), 'utf8'),
    ],
  );
  return new Map(await Promise.all(read));
}
