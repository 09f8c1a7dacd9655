/** Folders whose loss takes the machine or somebody's home with it. */
const VITAL: RegExp[] = [
  /^\/$/,
  /^~[\w.-]*$/,
  /^\/(home|users)(\/[^/]+)?$/,
  /^\/root$/,
  /^\/(bin|sbin|boot|dev|etc|proc|sys|lib|lib32|lib64|system|library)(\/.*)?$/,
  /^\/usr(\/(bin|sbin|lib|lib64|libexec|share|include|local))?$/,
  /^\/var(\/(lib|log|www|spool))?$/,
  /^\/(opt|srv|mnt|media|volumes|applications|private|nix|snap)$/,
  /^\/mnt\/[a-z]$/,
];

/** `~`-paths stay written with `~`: where home is makes no difference to the judgement. */
export function isVital(target: string): boolean {
  return VITAL.some((match) => match.test(target.toLowerCase()));
}
