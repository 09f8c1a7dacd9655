import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

/** A folder to copy into the registry of the Agent Client Protocol; its name is the agent's id. */
const ID = 'ai-code-assistant';
const folder = path.join(import.meta.dirname, '../editors/registry', ID);

/** What the registry accepts of what we use. Versions are fixed; addresses lead somewhere. */
const agent = z.strictObject({
  id: z.literal(ID),
  name: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string().min(1),
  repository: z.url(),
  authors: z.array(z.string()).min(1),
  license: z.string(),
  distribution: z.strictObject({
    npx: z.strictObject({ package: z.string(), args: z.array(z.string()) }),
  }),
});

test('the entry for the registry of agents is complete, and of this version', async () => {
  const entry = agent.parse(JSON.parse(await readFile(path.join(folder, 'agent.json'), 'utf8')));
  const own = JSON.parse(await readFile(path.join(import.meta.dirname, '../package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
    repository: { url: string };
  };
  expect(entry.version).toBe(own.version);
  expect(entry.license).toBe(own.license);
  expect(`git+${entry.repository}.git`).toBe(own.repository.url);
  expect(entry.distribution.npx).toEqual({ package: `${own.name}@${own.version}`, args: ['acp'] });
});

test('its icon is 16 by 16, and has the color of the text around it', async () => {
  const icon = await readFile(path.join(folder, 'icon.svg'), 'utf8');
  expect(icon).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="16" height="16" viewBox="0 0 16 16"/,
  );
  const colors = Array.from(icon.matchAll(/\b(?:fill|stroke)="([^"]*)"/g), ([, color]) => color);
  expect(new Set(colors)).toEqual(new Set(['none', 'currentColor']));
  expect(icon).not.toMatch(/style|<script|<image|href|#[0-9a-f]{3}/i);
  // Every element is closed.
  const open = icon.match(/<[a-z]/g)?.length;
  expect(icon.match(/\/>|<\/[a-z]+>/g)).toHaveLength(open ?? -1);
});
