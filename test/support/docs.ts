import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A block of code in Markdown. */
export const FENCE = /^```([^\n`]*)\n([\s\S]*?)^```$/gm;

export type Doc = { file: string; text: string };

export async function allDocs(): Promise<Doc[]> {
  const inRoot = (await readdir(root)).filter((name) => name.endsWith('.md'));
  const inDocs = (await readdir(path.join(root, 'docs'))).map((name) => `docs/${name}`);
  return Promise.all(
    [...inRoot, ...inDocs.filter((name) => name.endsWith('.md'))].map(async (file) => ({
      file,
      text: await readFile(path.join(root, file), 'utf8'),
    })),
  );
}

/** The sources of the program without their tests, and its man page. */
export async function programTexts(): Promise<Doc[]> {
  const names = await readdir(path.join(root, 'src'), { recursive: true });
  const sources = names.filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  return Promise.all(
    [...sources.map((name) => path.join('src', name)), 'man/aca.1'].map(async (file) => ({
      file,
      text: await readFile(path.join(root, file), 'utf8'),
    })),
  );
}

export async function docNamed(file: string): Promise<string> {
  return readFile(path.join(root, 'docs', file), 'utf8');
}

export function inlineCodeOf(text: string): string[] {
  return [...text.replaceAll(FENCE, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}
