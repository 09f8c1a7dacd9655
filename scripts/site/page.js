// Search, theme and the menu on small screens. The pages work without it.
const root = document.documentElement;
const side = document.querySelector('.side');
const input = document.querySelector('.search');
const list = document.querySelector('.found');
const base = document.currentScript.dataset.base;
const MOST = 12;

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

function scoreOf({ page, heading, text }, words) {
  let sum = 0;
  for (const word of words) {
    const score =
      (heading.toLowerCase().includes(word) ? 6 : 0) +
      (page.toLowerCase().includes(word) ? 4 : 0) +
      (text.toLowerCase().includes(word) ? 1 : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = words.length === 0 ? [] : await load();
  const found = sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST);
  list.replaceChildren(
    ...found.map(({ section }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      const small = document.createElement('small');
      link.href = base + section.href;
      link.textContent = section.heading;
      small.textContent = section.page;
      link.append(small);
      item.append(link);
      return item;
    }),
  );
}

input.hidden = false;
input.addEventListener('focus', load);
input.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
