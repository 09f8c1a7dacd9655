import { type Calendar, MONTHS, range, sorted, WEEKDAYS } from './calendar.ts';

/** Examples for messages; each is tested. */
export const EXAMPLES = [
  'every weekday at 9',
  'daily at 7:30 and 18:30',
  'every monday and thursday at 9am',
  'every 30 minutes',
  'every 2 hours',
  'monthly on the 1st at noon',
] as const;

const WEEKDAY = `(${WEEKDAYS.map((name) => `${name}[a-z]*`).join('|')})`;
const MONTH = `(${MONTHS.map((name) => `${name}[a-z]*`).join('|')})`;
const NUMBERS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4, six: 6, twelve: 12 };

/** A schedule in plain English, or null if it is not understood. */
export function parseEnglish(text: string): Calendar | null {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ').replace(/[.!]$/, '');
  return words === '' ? null : (interval(words) ?? onDays(words));
}

const hourly = { hour: null, day: null, month: null, weekday: null };

/** Several times a day. */
function interval(text: string): Calendar | null {
  const past = /^(?:hourly|every hour)(?: at (?:minute )?:?(\d{1,2}))?$/.exec(text);
  if (past) return within(Number(past[1] ?? 0), 59) ? { ...hourly, minute: [Number(past[1] ?? 0)] } : null;
  const phrase = text
    .replace('every half hour', 'every 30 minutes')
    .replace('every quarter of an hour', 'every 15 minutes');
  const found = /^every (?:(\d+|[a-z]+) )?(minute|min|hour|hr|h)s?$/.exec(phrase);
  if (!found) return null;
  const [, amount = '1', unit = ''] = found;
  const every = NUMBERS[amount] ?? Number(amount);
  // Other steps would be uneven at the end of the hour or of the day.
  if (unit.startsWith('min'))
    return 60 % every === 0
      ? { ...hourly, minute: range(0, 59).filter((value) => value % every === 0) }
      : null;
  return 24 % every === 0
    ? { ...hourly, minute: [0], hour: range(0, 23).filter((value) => value % every === 0) }
    : null;
}

/** On certain days, at one or more times. */
function onDays(text: string): Calendar | null {
  const [, before = '', list = ''] = /^(.*?)\s*(?:\bat (.+))?$/.exec(text) ?? [];
  const days = daysOf(before);
  const times = timesOf(list);
  if (!days || !times) return null;
  // One set of minutes applies to every hour.
  const minutes = sorted(times.map(({ minute }) => minute));
  const hours = sorted(times.map(({ hour }) => hour));
  if (minutes.length * hours.length !== times.length) return null;
  return { minute: minutes, hour: hours, ...days };
}

type Days = Pick<Calendar, 'day' | 'month' | 'weekday'>;

const anyDay: Days = { day: null, month: null, weekday: null };

function daysOf(text: string): Days | null {
  const phrase = text
    .replace(/^(on |each |every )+/, '')
    .replace(/,$/, '')
    .trim();
  if (/^(|day|daily|night|morning|evening)$/.test(phrase)) return anyDay;
  if (/^(week ?days?|working days?|business days?)$/.test(phrase)) return { ...anyDay, weekday: range(1, 5) };
  if (/^week-?ends?$/.test(phrase)) return { ...anyDay, weekday: [0, 6] };
  if (/^(weekly|week)$/.test(phrase)) return { ...anyDay, weekday: [1] };
  return weekdaysOf(phrase) ?? monthDaysOf(phrase) ?? dateOf(phrase);
}

function weekdaysOf(text: string): Days | null {
  const phrase = text.replace(/^(weekly|week) on /, '');
  const span = new RegExp(`^${WEEKDAY}(?: to | through |-)${WEEKDAY}$`).exec(phrase);
  if (span) {
    const [from, to] = [weekdayOf(span[1] ?? ''), weekdayOf(span[2] ?? '')];
    if (from < 0 || to < 0) return null;
    return {
      ...anyDay,
      weekday: from <= to ? range(from, to) : sorted([...range(from, 6), ...range(0, to)]),
    };
  }
  const found = itemsOf(phrase).map(weekdayOf);
  return found.length > 0 && found.every((one) => one >= 0) ? { ...anyDay, weekday: sorted(found) } : null;
}

function weekdayOf(text: string): number {
  const full = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const word = text.replace(/s$/, '');
  return full.findIndex((name) => word.length >= 3 && name.startsWith(word));
}

/** `monthly on the 1st and 15th`. */
function monthDaysOf(text: string): Days | null {
  const found = /^(?:monthly|month)?(?: ?on)?(?: ?the)? ?(.*?)(?: of (?:every|each|the) month)?$/.exec(text);
  if (!found) return null;
  const [, list = ''] = found;
  if (list === '') return /^month/.test(text) ? { ...anyDay, day: [1] } : null;
  const days = itemsOf(list).map((item) =>
    Number(/^(?:the )?(\d{1,2})(?:st|nd|rd|th)$/.exec(item.replace(/^first$/, '1st'))?.[1] ?? 0),
  );
  return days.length > 0 && days.every((day) => day >= 1 && day <= 31)
    ? { ...anyDay, day: sorted(days) }
    : null;
}

/** `year on march 3`. */
function dateOf(text: string): Days | null {
  const phrase = text.replace(/^(yearly|year|annually)( on)? /, '');
  const found =
    new RegExp(`^${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?$`).exec(phrase) ??
    new RegExp(`^(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}$`).exec(phrase);
  if (!found) return null;
  const words = [found[1] ?? '', found[2] ?? ''];
  const day = Number(words.find((word) => /^\d/.test(word)));
  const month = MONTHS.findIndex((name) => words.some((word) => word.startsWith(name))) + 1;
  return day >= 1 && day <= 31 ? { ...anyDay, day: [day], month: [month] } : null;
}

type Time = { hour: number; minute: number };

/** Midnight if no time is given, as in cron. */
function timesOf(list: string): Time[] | null {
  if (list === '') return [{ hour: 0, minute: 0 }];
  const times = itemsOf(list).map(timeOf);
  return times.every((time) => time !== null) ? times : null;
}

function timeOf(text: string): Time | null {
  if (text === 'noon') return { hour: 12, minute: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0 };
  const found = /^(\d{1,2})(?:[:.h](\d{2}))?(?: ?(a\.?m\.?|p\.?m\.?|o'?clock|h))?$/.exec(text);
  if (!found) return null;
  const [, hours = '', minutes = '0', half = ''] = found;
  const isHalf = /^[ap]/.test(half);
  const hour = isHalf ? (Number(hours) % 12) + (half.startsWith('p') ? 12 : 0) : Number(hours);
  if (isHalf && !(Number(hours) >= 1 && Number(hours) <= 12)) return null;
  return within(hour, 23) && within(Number(minutes), 59) ? { hour, minute: Number(minutes) } : null;
}

function itemsOf(list: string): string[] {
  return list.split(/,? and |, ?/).map((item) => item.trim());
}

function within(value: number, last: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= last;
}
