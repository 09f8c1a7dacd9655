import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { fillCommand } from './shell-template.ts';

const value = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '!', '*', '(', ';', '#', '~', '-', 'é'),
    }),
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\0\r\n]/g, '')),
  )
  .filter((text) => text !== '');

sweep([40, 800])(
  'a value is one unchanged word to sh, with quotes around it or without (%i runs)',
  (numRuns) => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const command = [
          `printf '%s\\0' x{{a}} "{{b}}" '{{a}}' "it's \\"{{a}}\\"" 'a "'{{b}}'" {{a}}' y{{b}}"{{a}}"'{{b}}'`,
          `printf '%s\\0' "$(printf %s. {{a}} "{{b}}" '{{a}}')" \\' {{b}}`,
          `# don't {{c}}`,
          `printf '%s\\0' 'a # b' "{{a}}" "c # d" {{b}} {{a}}# "{{b}}"`,
          `printf '%s\\0' "\`printf %s. {{a}}\`" "\`printf %s. '{{b}}'\`" "$( (printf %s. {{a}}) )" "({{b}}"`,
        ].join('\n');
        const { text, missing } = fillCommand(command, { a, b });
        expect(missing).toEqual(['c']);
        const words = execFileSync('sh', ['-c', text], { encoding: 'utf8' }).split('\0').slice(0, -1);
        expect(words).toEqual([
          ...[`x${a}`, b, a, `it's "${a}"`, `a "${b}" ${a}`, `y${b}${a}${b}`],
          ...[`${a}.${b}.${a}.`, "'", b],
          ...['a # b', a, 'c # d', b, `${a}#`, b],
          ...[`${a}.`, `${b}.`, `${a}.`, `(${b}`],
        ]);
      }),
      { numRuns },
    );
  },
);
