import { expect, test } from 'vitest';
import { bundleOf } from '../extensions/plugin-bundles.ts';
import { createOutputStyles } from './output-styles.ts';

test("a plugin's styles are named after it", () => {
  const files = ['.claude-plugin/plugin.json', 'output-styles/pirate.md'].map((name) => ({
    name,
    content: Buffer.from(name.endsWith('.md') ? '---\ndescription: Arr\n---\nTalk so.\n' : '{"name":"sea"}'),
    executable: false,
  }));
  const bundles = [bundleOf('sea@shop', { root: '/p', files, entry: {} })];
  const warnings: string[] = [];
  const config = { outputStyle: 'Sea:Pirate' } as Parameters<typeof createOutputStyles>[0]['config'];
  const styles = createOutputStyles({ config, bundles }, (text) => warnings.push(text));
  expect(styles.selected()).toMatchObject({ name: 'sea:pirate', text: 'Talk so.' });
  expect(styles.list().at(-1)).toEqual({ name: 'sea:pirate', description: 'Arr', source: 'plugin' });
  expect([warnings, bundles[0]?.notices]).toEqual([[], []]);
});
