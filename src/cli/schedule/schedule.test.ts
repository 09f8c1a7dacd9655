import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { looksLikeCron, nextRuns, parseCron, toCron, toOnCalendar } from './calendar.ts';
import { EXAMPLES, parseEnglish } from './english.ts';
import { cronLine, systemdUnits } from './units.ts';

const english: [text: string, cron: string][] = [
  ['every weekday at 9', '0 9 * * 1-5'],
  ['Every Weekday at 9am', '0 9 * * 1-5'],
  ['weekdays at 17:45', '45 17 * * 1-5'],
  ['on weekends at noon', '0 12 * * 0,6'],
  ['daily', '0 0 * * *'],
  ['every day at midnight', '0 0 * * *'],
  ['at 9', '0 9 * * *'],
  ['daily at 7:30 and 18:30', '30 7,18 * * *'],
  ['every day at 6, 12 and 18', '0 6,12,18 * * *'],
  ['every monday at 8', '0 8 * * 1'],
  ['mondays at 8pm', '0 20 * * 1'],
  ['on tue and thu at 12 am', '0 0 * * 2,4'],
  ['every monday, wednesday and friday at 12:15 pm', '15 12 * * 1,3,5'],
  ['monday to friday at 9', '0 9 * * 1-5'],
  ['friday through monday at 9', '0 9 * * 0,1,5,6'],
  ['weekly', '0 0 * * 1'],
  ['weekly on sunday at 5', '0 5 * * 0'],
  ['monthly', '0 0 1 * *'],
  ['monthly on the 15th at 3', '0 3 15 * *'],
  ['every month on the 1st and 15th at 9', '0 9 1,15 * *'],
  ['on the 1st of every month at 9', '0 9 1 * *'],
  ['every year on march 3 at 9', '0 9 3 3 *'],
  ['yearly on the 24th of december at 18:00', '0 18 24 12 *'],
  ['every minute', '* * * * *'],
  ['every 5 minutes', '*/5 * * * *'],
  ['every half hour', '*/30 * * * *'.replace('*/30', '0,30')],
  ['hourly', '0 * * * *'],
  ['every hour at :15', '15 * * * *'],
  ['every 2 hours', '0 */2 * * *'],
  ['every six hours', '0 */6 * * *'],
];

test.each(english)('%s', (text, cron) => {
  const calendar = parseEnglish(text);
  expect(calendar && toCron(calendar)).toBe(cron);
});

test('the examples in messages are understood', () => {
  expect(EXAMPLES.filter((text) => parseEnglish(text) === null)).toEqual([]);
});

test.each([
  ...[
    '',
    'sometimes',
    'every 7 minutes',
    'every 0 minutes',
    'every 5 hours',
    'every day at 25',
    'at 9:75',
    'at 13pm',
  ],
  ...['every blue moon', 'monthly on the 32nd', 'every monday at', 'daily at 7:30 and 18:00', 'at 0am'],
])('not understood: %s', (text) => {
  // Two times that differ in minutes need two lines.
  expect(parseEnglish(text)).toBeNull();
});

test.each([
  ['60 * * * *', '"60" is not a minute (0 to 59, with * , - and /)'],
  ['* 24 * * *', '"24" is not a hour (0 to 23, with * , - and /)'],
  ['* * 0 * *', '"0" is not a day of the month (1 to 31, with * , - and /)'],
  ['* * * foo *', '"foo" is not a month (1 to 12 or a name, with * , - and /)'],
  ['* * * * 8', '"8" is not a day of the week (0 to 7 or a name, with * , - and /)'],
  ['5-1 * * * *', '"5-1" is not a minute (0 to 59, with * , - and /)'],
  ['*/0 * * * *', '"*/0" is not a minute (0 to 59, with * , - and /)'],
  ['* * L * *', '"L" is not a day of the month (1 to 31, with * , - and /)'],
  ['* * * * * *', 'a cron expression has five fields, not 6'],
  ['@reboot', '@reboot is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually'],
])('%s is refused with the reason', (text, reason) => {
  expect([looksLikeCron(text), parseCron(text)]).toEqual([true, reason]);
});

test.each([
  ['0 9 * * MON-FRI', '0 9 * * 1-5'],
  ['*/15 0,12 1-7 jan,jul *', '*/15 0,12 1-7 1,7 *'],
  ['0 0 * * 7', '0 0 * * 0'],
  ['5/20 * * * *', '5,25,45 * * * *'],
  ['@weekly', '0 0 * * 0'],
])('%s means %s', (text, cron) => {
  const parsed = parseCron(text);
  expect(typeof parsed === 'string' ? parsed : toCron(parsed)).toBe(cron);
});

const calendars = fc
  .tuple(
    fc.constantFrom('0', '*/15', '30', '5,7', '*'),
    fc.constantFrom('*', '9', '0-6', '*/4', '22,23'),
    fc.constantFrom('*', '1', '31', '1,15', '29'),
    fc.constantFrom('*', '2', 'jan', '6-8'),
    fc.constantFrom('*', '1-5', '0', 'sat,sun', '3'),
  )
  .map((fields) => fields.join(' '));

test('property: an expression survives being written, and its runs match it', () => {
  fc.assert(
    fc.property(calendars, (text) => {
      const calendar = parseCron(text);
      if (typeof calendar === 'string') throw new Error(calendar);
      expect(parseCron(toCron(calendar))).toEqual(calendar);
      const runs = nextRuns(calendar, new Date(2026, 0, 15, 10, 0), 3);
      expect([...runs].sort((a, b) => a.getTime() - b.getTime())).toEqual(runs);
    }),
  );
});

test('a date that does not exist has no runs; a leap day has', () => {
  const runsOf = (text: string) => {
    const calendar = parseCron(text);
    return typeof calendar === 'string' ? [] : nextRuns(calendar, new Date(2026, 0, 1), 1);
  };
  expect(runsOf('0 0 30 2 *')).toEqual([]);
  expect(runsOf('0 0 29 2 *')).toEqual([new Date(2028, 1, 29)]);
});

const analyze = 'systemd-analyze';

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!has(analyze))('systemd', () => {
  sweep([15, 150])('finds the same next runs (%i expressions)', (numRuns) => {
    fc.assert(
      fc.property(calendars, (text) => {
        const calendar = parseCron(text);
        if (typeof calendar === 'string') throw new Error(calendar);
        const now = new Date();
        const theirs = toOnCalendar(calendar).flatMap((expression) => {
          const args = ['calendar', '--iterations=3', expression];
          const out = execFileSync(analyze, args, {
            stdio: 'pipe',
            env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
          }).toString();
          return [...out.matchAll(/(?:Next elapse|Iter(?:ation|\.) #\d): \w+ (\S+ \S+) UTC/g)].map(
            (found) => new Date(`${found[1]?.replace(' ', 'T')}Z`),
          );
        });
        const expected = [...new Set(theirs.map(Number))].sort((a, b) => a - b).slice(0, 3);
        if (new Date().getTimezoneOffset() === 0)
          expect([text, nextRuns(calendar, now, 3).map(Number)]).toEqual([text, expected]);
        else expect(expected.length).toBeGreaterThan(0);
      }),
      { numRuns },
    );
  });

  test('accepts the units', async () => {
    const { root } = await workspace();
    const calendar = parseEnglish('every weekday at 9');
    if (!calendar) throw new Error('not understood');
    const job = {
      name: 'aca-test',
      command: ['/bin/echo', `it's 100% "$HOME" \\n\nnext`],
      folder: root,
      path: '/usr/bin:/a b',
      log: `${root}/x y.log`,
    };
    const files = systemdUnits(calendar, job).map(({ file, text }) => ({
      file: path.join(root, file),
      text,
    }));
    for (const { file, text } of files) await writeFile(file, text);
    const out = execFileSync(analyze, ['verify', '--man=no', ...files.map(({ file }) => file)], {
      stdio: 'pipe',
    });
    expect(out.toString()).toBe('');
    expect(files[0]?.text).toContain(`ExecStart=/bin/echo "it's 100%% \\"$$HOME\\" \\\\n\\nnext"\n`);
    expect(files[1]?.text).toContain('OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 09:00:00\n');
  });
});

sweep([6, 25])('property: cron runs exactly these arguments, in this folder (%i runs)', async (numRuns) => {
  const { root } = await workspace();
  const calendar = parseEnglish('daily');
  if (!calendar) throw new Error('not understood');
  const text = fc
    .array(fc.constantFrom('a', ' ', "'", '"', '%', '\\', '$HOME', '`', '\n', ';', '*', 'é', '\\n', '-'), {
      minLength: 1,
      maxLength: 8,
    })
    .map((parts) => `${parts.join('')}.`);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), (words) => {
      const print = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.cwd()]))';
      const command = [process.execPath, '-e', print, '--', ...words];
      const line = cronLine(calendar, {
        name: 'x',
        command,
        folder: root,
        path: '/usr/bin:/bin',
        log: '/dev/stdout',
      });
      expect(line).not.toContain('\n');
      // What cron does: cut the five fields, then an unescaped percent sign would end the command.
      const shell = line.split(' ').slice(5).join(' ');
      expect(shell).not.toMatch(/(^|[^\\])%/);
      const out = execFileSync('/bin/sh', ['-c', shell.replaceAll('\\%', '%').replace(/ >> \S+ 2>&1$/, '')], {
        env: {},
        cwd: '/',
      });
      expect(JSON.parse(out.toString())).toEqual([words, root]);
    }),
    { numRuns },
  );
});
