import {
  isSecretValue,
  type NamedSecret,
  nameStrength,
  passwordsInAddress,
  SHORTEST,
} from './looks-secret.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Secrets in environment variables. Those in `keyVariables` are always secret. */
export function envSecrets(env: Env, keyVariables: readonly string[] = []): NamedSecret[] {
  return Object.keys(env)
    .sort()
    .flatMap((name) => {
      const value = env[name]?.trim() ?? '';
      const whole = keyVariables.includes(name)
        ? value.length >= SHORTEST
        : isSecretValue(value, nameStrength(name));
      const values = [...(whole ? [value] : []), ...passwordsInAddress(value)];
      return values.map((found) => ({ name, value: found }));
    });
}
