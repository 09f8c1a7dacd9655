// Search, theme and the menu on small screens. The pages work without it.
const root = document.documentElement;
const side = document.querySelector('.side');
const input = document.querySelector('.search');
const list = document.querySelector('.found');
const base = document.currentScript.dataset.base;
const MOST = 10;

try {
  const kept = localStorage.getItem('theme');
  if (kept) root.dataset.theme = kept;
} catch {
  // If storage is unavailable, the system's theme is used.
}

document.querySelector('.theme').addEventListener('click', () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('theme', root.dataset.theme);
  } catch {
    // Then it applies to this page only.
  }
});

document.querySelector('.menu').addEventListener('click', () => side.classList.toggle('open'));

let index;
/** Loaded as a script, not fetched: pages opened from disk may not use fetch. */
function load() {
  index ??= new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = `${base}search-index.js`;
    script.addEventListener('load', () => resolve(globalThis.searchIndex));
    document.head.append(script);
  });
  return index;
}

/** Whole words count more than parts of words; headings and titles count more than text. 0 if a word is missing. */
function scoreOf({ page, heading, text }, words) {
  let sum = 0;
  for (const word of words) {
    const score = 6 * found(word, heading) + 4 * found(word, page) + found(word, text);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function found(word, text) {
  const at = text.toLowerCase().indexOf(word);
  if (at < 0) return 0;
  return /^\W?$/.test(text.charAt(at - 1)) ? 2 : 1;
}

/** The text around the first word that occurs in it, with that word marked. */
function excerpt(text, words) {
  const word = words.find((one) => found(one, text) > 0);
  const small = document.createElement('small');
  if (word === undefined) return small;
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, text.lastIndexOf(' ', at - 30));
  const mark = document.createElement('mark');
  mark.textContent = text.slice(at, at + word.length);
  small.append(from > 0 ? '…' : '', text.slice(from, at), mark, `${text.slice(at + word.length, at + 50)}…`);
  return small;
}

function entryOf({ page, heading, href, text }, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const small = document.createElement('small');
  link.href = base + href;
  link.textContent = heading;
  small.textContent = page;
  link.append(small, excerpt(text, words));
  item.append(link);
  return item;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = words.length === 0 ? [] : await load();
  const best = sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST);
  list.replaceChildren(...best.map(({ section }) => entryOf(section, words)));
  if (words.length > 0 && best.length === 0) list.textContent = 'Nothing found.';
}

input.hidden = false;
input.addEventListener('focus', load);
input.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
