import type { Told } from './read-only-program.ts';

/** Names that a shell, or programs in the environment, give a meaning to. zsh keeps its paths and state in some. */
const SPECIAL =
  /^(path|fpath|cdpath|manpath|mailpath|module_path|argv|status|prompt|psvar|watch|signals|\w+_proxy)$/;

/** Whether a variable of that name changes nothing for later commands but the words that name it. */
export function isPlainVariable(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !SPECIAL.test(name);
}

/** `%n` sets a variable, such as PATH. */
export function formatsText({ operands }: Told): string | null {
  const [format = ''] = operands;
  const rest = format.replaceAll(/%([-+ #0]*(\d+|\*)?(\.(\d+|\*)?)?[sbqdiouxXfeEgGc]|%|\([^()]*\)T)/g, '');
  return rest.includes('%') ? 'printf could set a shell variable' : null;
}

/** strings, as all of binutils, takes further words from the file in `@file`. */
export function readsNoList({ values, operands }: Told): string | null {
  const words = [...operands, ...Object.values(values).flat()];
  return words.some((word) => word.startsWith('@')) ? 'strings reads options from a file' : null;
}

/** `lsof -i@host` would look the host up. */
export function namesNoHost({ values }: Told): string | null {
  return (values.i ?? []).every((address) => /^[46]?(TCP|UDP)?(:[\d,-]+)?$/i.test(address))
    ? null
    : 'lsof looks up the name of a host';
}
