import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBrowser } from '../test/support/browser.ts';
import { calls, says } from '../test/support/model-server/script.ts';
import { startPageServer } from '../test/support/page-server.ts';
import { signedInPage } from '../test/support/signed-in-page.ts';

/** Screenshots of the page of `aca serve` for docs/screens/page, and how long its first paint took. Build first. */
const folder = path.resolve('docs/screens/page');
const base = path.join(await realpath(tmpdir()), 'aca-page-screens');
const space = { root: path.join(base, 'shop'), home: path.join(base, 'home'), tree: async () => ({}) };
for (const place of [space.root, space.home, folder]) await mkdir(place, { recursive: true });
await writeFile(
  path.join(space.root, 'cart.ts'),
  'export function total(prices: number[]): number {\n  let sum = 0;\n  for (const price of prices) sum = price;\n  return sum;\n}\n',
);
const server = await startPageServer(space, [
  calls(['Read', { file_path: 'cart.ts' }]),
  calls(['Edit', { file_path: 'cart.ts', old_string: 'sum = price', new_string: 'sum += price' }]),
  says(
    'Fixed: `total` kept only the last price.\n\n- `sum = price` is now `sum += price`\n- An empty cart still costs 0\n\n```ts\ntotal([1, 2, 3]); // 6\n```',
  ),
]);
const browser = await startBrowser();
try {
  const { page } = await signedInPage(browser, await server.link(), {
    viewport: { width: 1280, height: 800 },
  });
  const save = async (name: string) => {
    for (const colorScheme of ['dark', 'light'] as const) {
      for (const [size, width, height] of [
        ['desktop', 1280, 800],
        ['phone', 390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await page.reload();
  await page.locator('.navigation').waitFor();
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  console.log(`first paint: ${Math.round(paint)} ms`);
  await page.keyboard.press('n');
  await page.getByLabel('Folder on the server').fill(space.root);
  await page.getByLabel('What should be done?').fill('The total of the cart is wrong. Fix it.');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.ask').waitFor();
  await page.waitForTimeout(1_000);
  await save('question');
  await page.locator('.ask').getByRole('button', { name: 'Yes', exact: true }).click();
  await page.locator('.transcript').getByText('An empty cart').waitFor();
  await page.waitForTimeout(1_000);
  await save('done');
} finally {
  await browser.close();
  await server.close();
  await rm(base, { recursive: true, force: true });
}
