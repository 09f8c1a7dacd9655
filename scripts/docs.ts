import { readFile, writeFile } from 'node:fs/promises';
import { reference } from './reference.ts';

/** Writes docs/reference.md from the code; with --check it only tells whether the file is up to date. */
const file = 'docs/reference.md';
const text = reference();

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${file} is out of date. Run: npm run docs`);
    process.exitCode = 1;
  }
} else {
  await writeFile(file, text);
  console.log(`${file} written`);
}
