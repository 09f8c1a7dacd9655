/** The five fields of cron, each as the sorted values it matches; null for every value. */
export type Calendar = {
  minute: readonly number[];
  hour: readonly number[] | null;
  /** Of the month. */
  day: readonly number[] | null;
  month: readonly number[] | null;
  /** 0 is Sunday. */
  weekday: readonly number[] | null;
};

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export const MONTHS = [
  ...['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
] as const;

const MACROS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

type Field = { name: string; from: number; to: number; names?: readonly string[] };

const FIELDS = {
  minute: { name: 'minute', from: 0, to: 59 },
  hour: { name: 'hour', from: 0, to: 23 },
  day: { name: 'day of the month', from: 1, to: 31 },
  month: { name: 'month', from: 1, to: 12, names: ['', ...MONTHS] },
  // 7 is Sunday, too.
  weekday: { name: 'day of the week', from: 0, to: 7, names: WEEKDAYS },
} as const satisfies Record<keyof Calendar, Field>;

/** Whether a text is meant as a cron expression, right or wrong. */
export function looksLikeCron(text: string): boolean {
  return text.startsWith('@') || /^[\d*]\S*(\s+\S+){4,}$/.test(text);
}

/** A cron expression, or why it is none. */
export function parseCron(text: string): Calendar | string {
  const words = (MACROS[text.toLowerCase()] ?? text).split(/\s+/);
  if (text.startsWith('@') && !Object.hasOwn(MACROS, text.toLowerCase()))
    return `${text} is not one of ${Object.keys(MACROS).join(', ')}`;
  if (words.length !== 5) return `a cron expression has five fields, not ${words.length}`;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = words;
  const minutes = valuesOf(minute, FIELDS.minute) ?? range(0, 59);
  const rest = {
    hour: valuesOf(hour, FIELDS.hour),
    day: valuesOf(day, FIELDS.day),
    month: valuesOf(month, FIELDS.month),
    weekday: valuesOf(weekday, FIELDS.weekday),
  };
  const problem = [minutes, ...Object.values(rest)].find((values) => typeof values === 'string');
  if (typeof problem === 'string') return problem;
  const days = rest.weekday as readonly number[] | null;
  return {
    ...(rest as Omit<Calendar, 'minute'>),
    minute: minutes as readonly number[],
    weekday: days && sorted(days.map((value) => value % 7)),
  };
}

/** The values of one field; null for all, a text for what is wrong. */
function valuesOf(written: string, field: Field): readonly number[] | string | null {
  const { name, from, to, names = [] } = field;
  const wrong = `"${written}" is not a ${name} (${from} to ${to}${names.length > 0 ? ' or a name' : ''}, with * , - and /)`;
  const numberOf = (text: string) => {
    const named = names.indexOf(text.toLowerCase().slice(0, 3));
    if (named >= 0 && /^[a-z]{3}$/i.test(text)) return named;
    return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  };
  const values: number[] = [];
  for (const part of written.split(',')) {
    const [, span = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [first = '', last] = span.split('-');
    const lower = span === '*' ? from : numberOf(first);
    const upper =
      span === '*' || (last === undefined && step !== undefined)
        ? Math.min(to, names === WEEKDAYS ? 6 : to)
        : numberOf(last ?? first);
    const by = step === undefined ? 1 : Number(step);
    if (!(lower >= from && upper <= to && lower <= upper && by >= 1)) return wrong;
    values.push(...range(lower, upper).filter((value) => (value - lower) % by === 0));
  }
  return written === '*' ? null : sorted(values);
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

export function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** As the five fields of a crontab line. */
export function toCron(calendar: Calendar): string {
  const { minute, hour, day, month, weekday } = calendar;
  return [
    inCron(minute.length === 60 ? null : minute, 59),
    inCron(hour, 23),
    inCron(day, 31),
    inCron(month, 12),
    inCron(weekday, 6),
  ].join(' ');
}

function inCron(values: readonly number[] | null, last: number): string {
  if (values === null) return '*';
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const isStep = values.length > 2 && values[0] === 0 && (values.at(-1) ?? 0) + step > last;
  if (isStep && step > 1 && values.every((value, i) => value === i * step)) return `*/${step}`;
  return runs(values)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
    .join(',');
}

/** Neighbouring values joined. */
function runs(values: readonly number[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last && value === last[1] + 1) last[1] = value;
    else found.push([value, value]);
  }
  return found.flatMap(([from, to]): [number, number][] =>
    to === from + 1
      ? [
          [from, from],
          [to, to],
        ]
      : [[from, to]],
  );
}

/** For `OnCalendar=`. Cron joins day and weekday by "or", systemd by "and": then there are two. */
export function toOnCalendar(calendar: Calendar): string[] {
  const { minute, hour, day, month, weekday } = calendar;
  const list = (values: readonly number[] | null) =>
    values === null
      ? '*'
      : runs(values)
          .map(([from, to]) => (from === to ? two(from) : `${two(from)}..${two(to)}`))
          .join(',');
  const time = `${list(hour)}:${minute.length === 60 ? '*' : list(minute)}:00`;
  const on = (days: readonly number[] | null, weekdays: readonly number[] | null) =>
    `${weekdays ? `${weekdays.map(weekdayName).join(',')} ` : ''}*-${list(month)}-${list(days)} ${time}`;
  return day && weekday ? [on(day, null), on(null, weekday)] : [on(day, weekday)];
}

function weekdayName(weekday: number): string {
  const name = WEEKDAYS[weekday] ?? '';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** A leap day is at most eight years away. */
const MAX_DAYS = 366 * 8 + 2;

/** The next times after a moment, in local time; fewer if there are none. */
export function nextRuns(calendar: Calendar, after: Date, count: number): Date[] {
  const found: Date[] = [];
  const hours = calendar.hour ?? range(0, 23);
  for (let i = 0; i < MAX_DAYS && found.length < count; i++) {
    const date = new Date(after.getFullYear(), after.getMonth(), after.getDate() + i);
    if (!matchesDay(calendar, date)) continue;
    for (const hour of hours)
      for (const minute of calendar.minute) {
        const at = new Date(date.getFullYear(), date.getMonth(), date.getDate(), hour, minute);
        // Skipped when the clocks go forward.
        const exists = at.getHours() === hour && at.getMinutes() === minute;
        if (exists && at > after && found.length < count) found.push(at);
      }
  }
  return found;
}

function matchesDay({ day, month, weekday }: Calendar, date: Date): boolean {
  if (month && !month.includes(date.getMonth() + 1)) return false;
  const isDay = day?.includes(date.getDate()) ?? true;
  const isWeekday = weekday?.includes(date.getDay()) ?? true;
  return day && weekday ? isDay || isWeekday : isDay && isWeekday;
}
