/** Words without a topic. Negations are kept: a note and its opposite are two notes. */
const STOP = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can could did do
  does doing done for from get gets had has have having he her here him his how i if in into is it its itself just let
  lets like make makes may me might more most must my need needs of off on once only or other our ours out over own per
  please same shall she should so some such than that the their them then there these they this those through to too
  under until up upon us use used uses using very via want wants was way we well were what when where which while who
  whom why will with within would yes you your yours`.split(/\s+/),
);

/** The words of a text: identifiers split, suffixes removed. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}+#]+/u)
    .flatMap((word) => (word === '' || STOP.has(word) ? [] : isUnspaced(word) ? pairsOf(word) : stem(word)));
}

/** Scripts without spaces between words: pairs of characters replace a dictionary. */
function isUnspaced(word: string): boolean {
  return (
    !/^[ -~]*$/.test(word) &&
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)
  );
}

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

const ENDINGS: readonly [ending: RegExp, instead: string][] = [
  [/(?<=[a-z]{3})(ations?|ators?|ating|ated|ates)$/, 'ate'],
  [/(?<=[a-z]{4})(ments?)$/, ''],
  [/(?<=[a-z]{3})(ions?)$/, ''],
  [/(?<=[a-z]{3})ies$/, 'y'],
  [/(?<=[a-z]{3})ied$/, 'y'],
  [/(?<=[a-z]{2}(?:s|x|z|ch|sh))es$/, ''],
  [/(?<=[a-z]{3})ings?$/, ''],
  [/(?<=[a-z]{3})ed$/, ''],
  [/(?<=[a-z]{3})ers?$/, ''],
  [/(?<=[a-z]{3})ly$/, ''],
  [/(?<=[a-z]{2}[^su])s$/, ''],
];

/** Texts use few words often; a lookup is far faster than stemming. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MOST_STEMS) stems.clear();
  const fresh = shorten(word);
  stems.set(word, fresh);
  return fresh;
}

/** Deliberately light: it only has to merge the forms of an English word, not find its root. */
function shorten(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const found = ENDINGS.find(([ending]) => ending.test(word));
  const cut = found ? word.replace(found[0], found[1]) : word;
  // "running" and "run", "stored" and "store".
  const single = cut.replace(/([bdfgklmnprt])\1$/, '$1');
  return single.length > 3 ? single.replace(/e$/, '') : single;
}
