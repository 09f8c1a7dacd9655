/** Folders whose loss takes the machine or somebody's home with it. */
const VITAL: RegExp[] = [
  /^\/$/,
  /^~[\w.-]*$/,
  /^\/(home|users)(\/[^/]+)?$/,
  /^\/root$/,
  /^\/(bin|sbin|boot|dev|etc|proc|sys|lib|lib32|lib64|system|library)(\/.*)?$/,
  /^\/usr(\/(bin|sbin|lib|lib64|libexec|share|include|local))?$/,
  /^\/var(\/(lib|log|www|spool))?$/,
  /^\/(opt|srv|mnt|media|volumes|applications|private|nix|snap|run)$/,
  /^\/mnt\/[a-z]$/,
];

/** What a pattern in the root may come to. */
const IN_ROOT = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/home',
    '/lib',
    '/lib64',
    '/opt',
    '/proc',
    '/root',
    '/sbin',
    '/sys',
    '/usr',
  ],
  ...[
    '/var',
    '/users',
    '/system',
    '/library',
    '/applications',
    '/home/x',
    '/usr/bin',
    '/usr/lib',
    '/var/lib',
  ],
];

/** Files without which nobody logs in or nothing starts. */
const VITAL_FILE = /^\/(etc\/(passwd|shadow|group|gshadow|sudoers|fstab)(-|$|\/)|etc\/sudoers\.d\/|boot\/.)/;

/** `~`-paths stay written with `~`: where home is makes no difference to the judgement. */
export function isVital(target: string): boolean {
  const place = target.toLowerCase();
  if (VITAL.some((match) => match.test(place))) return true;
  return /[*?[]/.test(place) && place.length < 100 && IN_ROOT.some((one) => matchesName(place, one));
}

export function isVitalFile(target: string): boolean {
  return VITAL_FILE.test(target);
}

/** The shell's patterns, within one segment of a path. */
function matchesName(pattern: string, name: string): boolean {
  const source = pattern
    .replaceAll(/[.+^$(){}|\\]/g, '\\$&')
    .replaceAll(/\*+/g, '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll(/\[!/g, '[^');
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    return false;
  }
}
