const LONGEST = 40;

/** Controls, invisible and formatting characters, lone surrogates, unassigned and private code points. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0]/gu;

/**
 * A name that somebody chose, as one short line of visible characters that cannot pass for the owner's. It is still
 * text: whoever shows it escapes it.
 */
export function participantName(wanted: string, owner: string): string {
  const line = wanted
    .slice(0, 1_000)
    .normalize('NFKC')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSAFE, '')
    .replaceAll(/ +/g, ' ')
    .trim();
  // At most two combining marks on one letter: more would cover other lines.
  const name = [...line.replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')].slice(0, LONGEST).join('').trim();
  if (name === '') return 'Guest';
  const isOwners = [owner, 'owner', 'you'].some((other) => other !== '' && folded(other) === folded(name));
  return isOwners && owner !== '' ? `${name} (guest)` : name;
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s\p{P}]/gu, '');
}
