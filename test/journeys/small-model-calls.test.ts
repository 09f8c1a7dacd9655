import { describe, expect } from 'vitest';
import { nativeForms } from '../../bench/small-models/native-forms.ts';
import { playForm } from '../../bench/small-models/play-form.ts';
import { textForms } from '../../bench/small-models/text-forms.ts';
import { built } from '../support/program.ts';
import { sampled, sweep } from '../support/soak.ts';

describe('a call of a small model runs at once', () => {
  sweep(sampled(nativeForms, 30), 2)('native: $family: $name', async (form) => {
    expect(await playForm(form, built)).toBe('at once');
  });

  sweep(sampled(textForms, 30), 2)('in the text: $family: $name', async (form) => {
    expect(await playForm(form, built)).toBe('at once');
  });
});
