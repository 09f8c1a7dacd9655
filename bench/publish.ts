import { execFileSync } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** Prints a table. With `--record`, it is also appended to bench/results.md, under a heading that starts with `about`. */
export async function publish(about: string, text: string): Promise<void> {
  console.log(text);
  if (!process.argv.includes('--record')) return;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const day = new Date().toISOString().slice(0, 10);
  const facts = [about, day, commit, `Node ${process.version}`, `${cpus().length} cores`].filter(Boolean);
  await appendFile('bench/results.md', `\n## ${facts.join(', ')}\n\n${text}\n`);
}
