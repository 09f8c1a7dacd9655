// @module-tag soak
import { expect, test } from 'vitest';
import { root } from '../scripts/bundle.mjs';
import { bundleExtension } from '../scripts/vscode/build.mjs';
import { buildPage } from '../scripts/web-page.mjs';

/** The files of a bundle, as text. */
const bundles: Record<string, () => Promise<Map<string, string>>> = {
  'the page': async () => {
    const { files } = (await buildPage()) as { files: Record<string, { base64: string }> };
    return new Map(Object.entries(files).map(([name, { base64 }]) => [name, atob(base64)]));
  },
  'the VS Code extension': async () => {
    const { files } = (await bundleExtension()) as { files: Record<string, string | Uint8Array> };
    return new Map(Object.entries(files).map(([name, content]) => [name, String(content)]));
  },
};

test.each(Object.keys(bundles))(
  '%s contains no code for development, and no path of this machine',
  async (name) => {
    // Tests run with NODE_ENV=test, in which bundlers make code for development unless told otherwise.
    expect(process.env.NODE_ENV).toBe('test');
    const files = await bundles[name]?.();
    expect([...(files?.keys() ?? [])].filter((file) => /\.c?js$/.test(file))).not.toEqual([]);
    const withPaths = [...(files ?? [])].filter(([, text]) => text.includes(root) || text.includes('jsxDEV'));
    expect(withPaths.map(([file]) => file)).toEqual([]);
  },
);
