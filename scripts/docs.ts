import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { configSchema } from '../src/config/schema/check-settings.ts';
import { sha256 } from '../src/lib/sha256.ts';
import { builtIn } from '../src/providers/models/models-data.ts';
import { builtinTools } from '../src/tools/index.ts';
import { parametersOf } from '../src/tools/registry.ts';
import { comingFromPages } from './coming-from.ts';
import { docsIndex } from './docs-index.ts';
import { sectionsOf, withFigures } from './figures.ts';
import { schemaOf } from './json-schema.ts';
import { brokenLinks, readPages } from './links.ts';
import { manPage } from './man-page.ts';
import { publicTypes } from './public-types.ts';
import { reference } from './reference.ts';

/**
 * Generates files from the code: documentation, and data that would be slow to compute at every start; with
 * --check it only reports whether the files are up to date.
 */
const types = await publicTypes();
const models = json(builtIn);
const comingFrom = comingFromPages();
const generated: Record<string, string> = {
  'docs/README.md': await docsIndex('.'),
  'docs/reference.md': reference(),
  ...comingFrom,
  'man/aca.1': manPage(),
  'etc/api.d.ts': types,
  'src/config/schema/defaults.json': json(configSchema().parse({})),
  'src/tools/parameters.json': json(
    Object.fromEntries(builtinTools().map((tool) => [tool.name, parametersOf(tool)])),
  ),
  'docs/schemas/event.json': json(schemaOf('AgentEvent', types)),
  'docs/schemas/result.json': json(schemaOf('Report', types)),
  ...(await pagesWithFigures()),
  'docs/models.json': models,
  'docs/models.json.sha256': `${sha256(models)}  models.json\n`,
};

/** Pages that contain figures from bench/results.md. */
async function pagesWithFigures(): Promise<Record<string, string>> {
  const pages = await readPages('.');
  const results = pages.find(({ file }) => file === 'bench/results.md');
  const sections = sectionsOf(results?.text ?? '');
  const fresh = pages.map((page) => [page.file, withFigures(page, sections), page.text] as const);
  return Object.fromEntries(fresh.flatMap(([file, text, old]) => (text === old ? [] : [[file, text]])));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (process.argv.includes('--check')) {
  for (const [file, text] of Object.entries(generated)) {
    if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
    console.error(`${file} is out of date. Run: npm run docs`);
    process.exitCode = 1;
  }
  for (const problem of brokenLinks(await readPages('.'), '.')) {
    console.error(problem);
    process.exitCode = 1;
  }
} else {
  for (const [file, text] of Object.entries(generated)) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    console.log(`${file} written`);
  }
}
