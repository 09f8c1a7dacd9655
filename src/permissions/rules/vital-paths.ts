/** Folders whose loss destroys the system or a user's home. */
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

/** What a glob in the root may expand to. */
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

/** Files that login or booting depends on. */
const VITAL_FILE = /^\/(etc\/(passwd|shadow|group|gshadow|sudoers|fstab)(-|$|\/)|etc\/sudoers\.d\/|boot\/.)/;

/** `~` paths stay as written: the location of home does not affect the verdict. */
export function isVital(target: string): boolean {
  const place = target.toLowerCase();
  if (VITAL.some((match) => match.test(place))) return true;
  return /[*?[]/.test(place) && place.length < 100 && IN_ROOT.some((one) => matchesName(place, one));
}

export function isVitalFile(target: string): boolean {
  return VITAL_FILE.test(target);
}

/** Shell globs, within one path segment. */
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
