/** A server in the settings: either a command to start or an address to connect to. */
export type ServerSettings = {
  type?: 'stdio' | 'http' | 'sse';
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
  enabledTools?: string[];
  disabledTools?: string[];
  disabled?: boolean;
  oauth?: OAuthSettings;
};

export type OAuthSettings = {
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  callbackPort?: number;
};

export type Env = Readonly<Record<string, string | undefined>>;

export type TransportKind = NonNullable<ServerSettings['type']>;

export function transportOf({ type, url }: ServerSettings): TransportKind {
  if (url === undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}

const ADDRESS_LENGTH = 100;

/** One short line for people; the query of an address may contain a secret. */
export function addressOf({ command = '', args = [], url }: ServerSettings): string {
  const whole = url === undefined ? [command, ...args].join(' ') : url.replace(/[?#].*$/, '');
  const line = whole.replaceAll(/\s+/g, ' ');
  return line.length > ADDRESS_LENGTH ? `${line.slice(0, ADDRESS_LENGTH)}…` : line;
}

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string. Throws if a variable is unset and has no
 * default.
 */
export function expandSettings(settings: ServerSettings, env: Env): ServerSettings {
  const { expanded, missing } = expand(settings, env);
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set in the environment`,
    );
  return expanded;
}

/** Missing variables that the server needs. */
export function missingVariables(settings: ServerSettings, env: Env): string[] {
  return expand(settings, env).missing;
}

function expand(settings: ServerSettings, env: Env): { expanded: ServerSettings; missing: string[] } {
  const missing = new Set<string>();
  const filled = (text: string) =>
    text.replaceAll(VARIABLE, (_, name: string, fallback: string | undefined) => {
      // As in a shell, `:-` also replaces a variable that is set but empty.
      const value = fallback === undefined ? env[name] : env[name] || fallback;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const table = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, filled(text)]));
  const { command, args, env: own, cwd, url, headers, oauth } = settings;
  const expanded = {
    ...settings,
    ...(command !== undefined && { command: filled(command) }),
    ...(args && { args: args.map(filled) }),
    ...(own && { env: table(own) }),
    ...(cwd !== undefined && { cwd: filled(cwd) }),
    ...(url !== undefined && { url: filled(url) }),
    ...(headers && { headers: table(headers) }),
    ...(oauth?.clientSecret && { oauth: { ...oauth, clientSecret: filled(oauth.clientSecret) } }),
  };
  return { expanded, missing: [...missing] };
}

/** What a program may need to run at all; keys and the like must be configured by name. */
const HARMLESS =
  /^(PATH|HOME|LOGNAME|USER|USERNAME|SHELL|TERM|TZ|LANG|LANGUAGE|LC_\w+|TMPDIR|TEMP|TMP|XDG_\w+|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|APPDATA|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|USERPROFILE|COMSPEC)$/i;

export function serverEnvironment(
  env: Env,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && HARMLESS.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...own };
}
