/**
 * What becomes of the calls of small models: `npm run bench:small-models -- [--before DIR] [--only WORDS]`
 *
 * A server sends each form in `native-forms.ts` and `text-forms.ts` to the built program, whose next request shows whether
 * the call ran. The table counts the forms of each family that ran at once. `--before` names another built checkout, for a
 * column of its own. `--only` plays the forms whose family or name contains these words.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { NativeForm, TextForm } from './forms.ts';
import { nativeForms } from './native-forms.ts';
import { type Outcome, playForm } from './play-form.ts';
import { textForms } from './text-forms.ts';

const AT_A_TIME = 3;

const { values } = parseArgs({
  options: { before: { type: 'string' }, only: { type: 'string', default: '' } },
});

type Form = NativeForm | TextForm;

async function playAll(forms: readonly Form[], main: string): Promise<Map<Form, Outcome>> {
  const outcomes = new Map<Form, Outcome>();
  const waiting = [...forms];
  const work = async () => {
    for (let form = waiting.shift(); form; form = waiting.shift())
      outcomes.set(form, await playForm(form, main));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return outcomes;
}

function show(title: string, forms: readonly Form[], columns: Record<string, Map<Form, Outcome>>): void {
  const families = [...new Set(forms.map(({ family }) => family)), 'all'];
  const rows = families.map((family) => {
    const of = forms.filter((form) => family === 'all' || form.family === family);
    const counts = Object.entries(columns).map(([name, outcomes]) => [
      name,
      of.filter((form) => outcomes.get(form) === 'at once').length,
    ]);
    return { family, forms: of.length, ...Object.fromEntries(counts) };
  });
  console.log(`\n${title}`);
  console.table(rows);
  for (const [name, outcomes] of Object.entries(columns))
    for (const [{ family, name: form }, outcome] of outcomes)
      if (outcome !== 'at once') console.log(`${name}: ${family}: ${form}: ${outcome}`);
}

const mains = {
  ...(values.before !== undefined && { before: path.resolve(values.before, 'dist/main.cjs') }),
  now: path.resolve('dist/main.cjs'),
};
for (const [title, all] of [
  ['Native calls', nativeForms],
  ['Calls in the text', textForms],
] as const) {
  const forms = all.filter(({ family, name }) => `${family} ${name}`.includes(values.only));
  const columns: Record<string, Map<Form, Outcome>> = {};
  for (const [name, main] of Object.entries(mains)) columns[name] = await playAll(forms, main);
  show(title, forms, columns);
}
