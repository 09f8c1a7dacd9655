import { expect, test } from 'vitest';
import { StartupTrace } from './startup-trace.ts';

test('what is reached is told in order, and files by what they took', () => {
  let now = 0;
  const trace = new StartupTrace(() => now);
  now = 40;
  trace.mark('program begun');
  now = 65.25;
  trace.mark('settings read');
  now = 90;
  trace.mark('settings read');
  trace.loaded('small.cjs', 0.5);
  trace.loaded('part.cjs', 3);
  trace.loaded('app.cjs', 12.34);
  expect(trace.table({ 'part.cjs': 'zod, src/a.ts' })).toBe(`   at ms     took  reached
    40.0     40.0  program begun
    65.3     25.3  settings read

 took ms  file of code
    12.3  app.cjs
     3.0  part.cjs  zod, src/a.ts
    15.8  all 3 files
`);
});
