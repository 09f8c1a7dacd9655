import { HOST_REFUSED, type SandboxState } from '../../contract/sandbox.ts';
import type { CommandOutcome } from '../../contract/tool.ts';

type SandboxError = {
  match: RegExp;
  because(sandbox: SandboxState): string | null;
  examples: { hits: string[]; misses: string[] };
};

/** Typical program output when the sandbox blocks something. */
export const sandboxErrors: readonly SandboxError[] = [
  {
    match: /Read-only file system|EROFS/,
    because: ({ level }) =>
      level === 'strict' ? 'no files can be changed' : 'only the working directory and /tmp can be changed',
    examples: {
      hits: [
        "touch: cannot touch '/etc/x': Read-only file system",
        'Error: EROFS: read-only file system, open',
      ],
      misses: ['read the file system'],
    },
  },
  {
    match: /Device or resource busy|EBUSY/,
    because: () =>
      'git’s hooks, secrets and settings of programs cannot be changed, and git’s config only by running git itself in the foreground',
    examples: {
      hits: ['error: could not write config file .git/config: Device or resource busy'],
      misses: ['the device is busy'],
    },
  },
  {
    match:
      /Network is unreachable|ENETUNREACH|Could not resolve host|Temporary failure in name resolution|Name or service not known|EAI_AGAIN|ENOTFOUND|bad address '/i,
    because: ({ network }) =>
      network === 'none'
        ? 'there is no network'
        : network === 'listed'
          ? 'allowed hosts only, and only through the proxy'
          : null,
    examples: {
      hits: [
        'curl: (6) Could not resolve host: example.com',
        'npm error code EAI_AGAIN',
        'getaddrinfo ENOTFOUND registry.npmjs.org',
        "wget: bad address 'example.com'",
      ],
      misses: ['resolve the host name'],
    },
  },
  {
    match: new RegExp(`response 403|HTTP code 403 from proxy|${HOST_REFUSED}`),
    because: ({ network }) => (network === 'listed' ? 'that host is not allowed' : null),
    examples: {
      hits: ['curl: (56) CONNECT tunnel failed, response 403', `${HOST_REFUSED}: a.b`],
      misses: ['HTTP 403 Forbidden'],
    },
  },
  {
    match:
      /(\.env|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|credential|secret|\.pem|\.key)[^\n]*Permission denied|EACCES/i,
    because: () => 'files with secrets are protected',
    examples: {
      hits: ['cat: .env: Permission denied', "Error: EACCES: permission denied, open '.env'"],
      misses: ['bash: ./run.sh: Permission denied'],
    },
  },
  {
    match: /Operation not permitted/,
    because: ({ kind }) => (kind === 'seatbelt' ? 'the system’s sandbox blocked it' : null),
    examples: { hits: ['touch: /etc/x: Operation not permitted'], misses: ['not permitted'] },
  },
];

/**
 * A one-line hint for the model if a command failed and its output suggests the sandbox as the cause, else
 * null. `mayLeave`: whether a command outside the sandbox could be approved at all.
 */
export function sandboxHint(
  { sandbox, stdout, stderr }: CommandOutcome,
  { mayLeave }: { mayLeave: boolean },
): string | null {
  if (sandbox.kind === 'host') return null;
  const way = mayLeave
    ? 'If it is necessary, ask for outside_sandbox.'
    : 'Nothing can run outside it here: find another way, or tell the user what is missing.';
  for (const text of [stderr, stdout]) {
    for (const { match, because } of sandboxErrors) {
      const why = match.test(text) ? because(sandbox) : null;
      if (why !== null) return `The sandbox blocked this (${why}). ${way}`;
    }
  }
  return null;
}
