import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILES = 100_000;
const FOLDERS = 2_000;
/** Part of the stamp, so that a tree of another shape is recreated. */
const SHAPE = `${FILES} files, shape 1`;
const kinds = ['ts', 'ts', 'ts', 'tsx', 'js', 'py', 'go', 'rs', 'json', 'md'];
const words = 'walk find read write match value index count result error state input'.split(' ');

/** Occurs in one file of every thousand. */
export const rareWord = 'needleInHaystack';

/** A deterministic source tree of 100,000 small files. Created once, in about ten seconds. */
export async function hundredThousandFiles(root: string): Promise<string> {
  const stamp = `${root}.stamp`;
  if ((await readFile(stamp, 'utf8').catch(() => '')) === SHAPE) return root;
  const perFolder = FILES / FOLDERS;
  for (let folder = 0; folder < FOLDERS; folder++) {
    const place = path.join(root, `area-${folder % 40}`, `part-${Math.floor(folder / 40)}`);
    await mkdir(place, { recursive: true });
    await Promise.all(
      Array.from({ length: perFolder }, (_, i) => {
        const number = folder * perFolder + i;
        return writeFile(path.join(place, nameOf(number)), textOf(number));
      }),
    );
  }
  await writeFile(path.join(root, '.gitignore'), 'dist\nnode_modules\n*.log\n');
  await writeFile(stamp, SHAPE);
  return root;
}

function nameOf(number: number): string {
  return `${words[number % words.length]}-${number}.${kinds[number % kinds.length]}`;
}

function textOf(number: number): string {
  const lines = Array.from({ length: 12 + (number % 24) }, (_, i) => {
    const word = words[(number + i) % words.length];
    return `export function ${word}${number + i}(input) { return input.${word} + ${i}; }`;
  });
  if (number % 1000 === 0) lines.push(`const ${rareWord} = ${number};`);
  return `${lines.join('\n')}\n`;
}
