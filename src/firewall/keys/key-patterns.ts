import { isCommon, isGap } from '../looks-secret.ts';
import type { Finder } from '../scan-hints.ts';

/**
 * A secret recognized by its context. `match` starts at a hint and has one group, which is hidden; the length
 * it may read is bounded, and so is its time.
 */
export type KeyPattern = {
  name: string;
  /** At least three characters; in lower case if case is ignored. */
  hints: string[];
  ignoreCase?: true;
  match: RegExp;
  examples: { hits: string[]; misses: string[] };
};

// Examples are assembled here, so that secret scanners don't flag this repository.
const fake = (prefix: string, length: number) => prefix + 'aB3dE5gH7jK9mN1pQ2rS'.repeat(20).slice(0, length);

/** Base64 of a number, as in the first part of a Discord token. */
const numberHints = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'].flatMap((start) =>
  [...'AEIMQUYcgk'].map((next) => start + next),
);

export const keyPatterns: readonly KeyPattern[] = [
  {
    name: 'jwt',
    hints: ['eyJ'],
    match:
      /(?:(?<![A-Za-z\d])|(?<=\\[nrt]|%[\dA-F]{2}))(eyJ[\w-]{10,8192}\.eyJ[\w-]{10,8192}\.[\w-]{10,8192})/y,
    examples: {
      hits: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${fake('', 43)}`],
      misses: ['eyJhbGciOiJIUzI1NiJ9', 'eyJ.eyJ.x', 'data:application/json;base64,eyJ2ZXJzaW9uIjozfQ=='],
    },
  },
  {
    name: 'discord-token',
    hints: numberHints,
    match:
      /(?:(?<![A-Za-z\d])|(?<=\\[nrt]|%[\dA-F]{2}))([MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/y,
    examples: {
      hits: [`MTA${fake('', 21)}.G1x2Y3.${fake('', 38)}`],
      misses: ['MTAxMjM0NTY3ODkw', 'MTA.G1x2Y3.short'],
    },
  },
  {
    name: 'telegram-token',
    hints: ['/bot'],
    match: /\/bot(\d{8,10}:AA[\w-]{33})(?![\w-])/y,
    examples: {
      hits: [`https://api.telegram.org/bot123456789:${fake('AA', 33)}/getMe`],
      misses: ['https://api.telegram.org/bot123456789:AA/getMe', '/bottom/123456789:AA'],
    },
  },
  {
    name: 'session-cookie',
    hints: ['cookie'],
    ignoreCase: true,
    match:
      /cookie(?:\\*["'])?\s{0,8}:\s{0,8}(?:\\*["'])?(?:[^\s;="']{1,64}=[^\s;"']{0,400};\s{0,4}){0,20}?[\w.-]{0,40}(?:sess|sid|auth|login|remember)[\w.-]{0,20}=(?=[^;\s]{0,400}\d)(?=[^;\s]{0,400}[A-Za-z])([\w.%+/~:|-]{16,4000}={0,2})/iy,
    examples: {
      hits: [
        `Cookie: sessionid=${fake('', 32)}`,
        `cookie: theme=dark; lang=en; connect.sid=s%3A${fake('', 40)}`,
        `"Set-Cookie": "PHPSESSID=${fake('', 26)}; Path=/"`,
      ],
      misses: [
        'Cookie: sessionid=abc',
        'Cookie: theme=dark2; lang=en; consent=2024-01-01-all-of-them',
        'Set-Cookie: sessionid=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
        'the cookie: session-handling-of-release-2024-works',
      ],
    },
  },
  {
    name: 'webhook',
    hints: [
      'hooks.slack.com/',
      'discord.com/api/webhooks/',
      'discordapp.com/api/webhooks/',
      'webhook.office.com/',
      'hooks.zapier.com/',
      'chat.googleapis.com/',
    ],
    match:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks\/\d{10,24}|webhook\.office\.com\/webhookb2|hooks\.zapier\.com\/hooks\/catch|chat\.googleapis\.com\/v1\/spaces\/[\w-]{1,40}\/messages)[/?]([\w/+@=&%-]{14,400})/y,
    examples: {
      hits: [
        `https://hooks.slack.com/services/T0001/B0001/${fake('', 24)}`,
        `https://discord.com/api/webhooks/123456789012345678/${fake('', 68)}`,
        `https://acme.webhook.office.com/webhookb2/${fake('', 36)}@${fake('', 36)}/IncomingWebhook/${fake('', 32)}`,
      ],
      misses: [
        'https://hooks.slack.com/services/',
        'https://slack.com/help/articles/1234567890123456789012',
        'https://discord.com/api/webhooks/123',
      ],
    },
  },
  {
    name: 'password',
    hints: ['://'],
    match: /:\/\/[^\s:/@'"`<>[\]]{0,64}:([^\s/@'"`<>[\]${}]{6,256})@/y,
    examples: {
      hits: ['postgres://app:hunter2hunter2@db.internal/app', 'https://x:s3cr3t!@example.org'],
      misses: [
        'postgres://user:password@localhost/db',
        'https://user:pass@example.org',
        'https://user:$' + '{TOKEN}@example.org',
        'http://localhost:3000/@scope/name',
        'http://[::1]:8080/a@b',
        'git+ssh://git@github.com:owner/repo.git',
      ],
    },
  },
  {
    name: 'token',
    hints: ['://'],
    // The key in the address of a Sentry project is public: clients send it.
    match: /:\/\/(?![\da-f]{32}@[\w.-]+\/\d+(?![\w/]))(?=[\w-]{0,80}\d)([\w-]{20,200})@[\w.-]+\//y,
    examples: {
      hits: [
        `https://${fake('', 40)}@git.example.org/a/b.git`,
        `https://${'0123456789abcdef'.repeat(2)}@git.example.org/7/b.git`,
      ],
      misses: [
        'https://git@git.example.org/a.git',
        'ssh://a-long-user-name-of-a-person@example.org/x',
        `https://${'0123456789abcdef'.repeat(2)}@o1234.ingest.sentry.io/5678`,
        `https://${'0123456789abcdef'.repeat(2)}@sentry.example.org/2`,
      ],
    },
  },
  {
    name: 'password',
    hints: ['jdbc:oracle:'],
    match: /jdbc:oracle:thin:[^\s/@'"]{1,64}\/([^\s/@'"<>${}]{6,128})@/y,
    examples: {
      hits: ['jdbc:oracle:thin:app/hunter2hunter2@db:1521:X'],
      misses: ['jdbc:oracle:thin:@//db:1521/X'],
    },
  },
  {
    name: 'sas-signature',
    hints: ['sig=', 'X-Amz-Signature=', 'X-Goog-Signature='],
    match: /(?:sig|X-(?:Amz|Goog)-Signature)=([\w+/%-]{40,512}={0,2})/y,
    examples: {
      hits: [
        `https://a.blob.core.windows.net/c?sv=2024&sig=${fake('', 43)}%3D`,
        `x?X-Amz-Signature=${fake('', 64)}`,
      ],
      misses: ['sig=short', 'X-Amz-Signature=abc'],
    },
  },
  {
    name: 'password',
    hints: ['login'],
    match:
      /login\s{1,8}[^\s'"]{1,100}\s{1,8}(?:account\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}(?=[A-Za-z]{0,100}[^A-Za-z\s'",.;)])([^\s'"$<]{3,200})/y,
    examples: {
      hits: ['machine h login me password s3cr3t-pw', 'machine i\n  login you\n  password other-pw-1'],
      misses: ['login with password authentication', 'login me password $PASSWORD'],
    },
  },
  {
    name: 'password',
    hints: [':5432:', ':6432:', ':*:*:', ':3306:'],
    match: /:(?:\d{4}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:([^\s'":]{6,128})(?=[\s\\'"]|$)/y,
    examples: {
      hits: ['localhost:5432:db:me:s3cr3t-pw', '*:*:*:me:s3cr3t-pw'],
      misses: ['localhost:5432:db', 'postgres:5432:5432'],
    },
  },
  {
    name: 'password',
    hints: [' -u ', ' --user ', ' --user='],
    match: / (?:-u |--user[ =])["']?[\w.@+-]{1,64}:([^\s'"$<>{}]{6,128})["']?(?=\s|$)/y,
    examples: {
      hits: ['curl -u me:s3cr3t-pw https://example.org', "curl --user 'me:s3cr3t-pw' x"],
      misses: ['docker run -u 1000:1000 image', 'curl -u me:$PASSWORD x', 'curl -u user:password x'],
    },
  },
  {
    name: 'authorization',
    hints: ['authorization'],
    ignoreCase: true,
    match:
      /authorization(?:\\*["'])?\s{0,8}[:=]\s{0,8}(?:\\*["'`])?(?:bearer|basic|token|apikey|sso-key|key)\s{1,8}(?=[\w.~+/-]{0,400}\d)([\w.~+/-]{20,4000}={0,2})/iy,
    examples: {
      hits: [`Authorization: Bearer ${fake('', 32)}`, `"authorization": "Basic ${fake('', 24)}=="`],
      misses: [
        'Authorization: Bearer $TOKEN',
        'Authorization: Bearer tokens-are-explained-below-in-detail',
        'authorization: Basic abc',
      ],
    },
  },
  {
    name: 'bearer',
    hints: ['bearer'],
    ignoreCase: true,
    match: /bearer\s{1,8}(?=[\w.~+/-]{0,400}\d)(?=[\w.~+/-]{0,400}[A-Z])([\w.~+/-]{32,4000}={0,2})/iy,
    examples: {
      hits: [`-H "X-Auth: Bearer ${fake('', 40)}"`],
      misses: ['the bearer of this letter', 'Bearer token', 'bearer shares-of-a-company-in-the-old-days'],
    },
  },
];

export const patternFinders: readonly Finder[] = keyPatterns.map(({ name, hints, ignoreCase, match }) => ({
  hints,
  ...(ignoreCase && { ignoreCase }),
  find(text, at, from) {
    match.lastIndex = at;
    const found = match.exec(text);
    const secret = found?.[1] ?? '';
    if (!found || isCommon(secret) || isGap(secret) || /^[\d.:]+$/.test(secret)) return [];
    const start = at + found[0].lastIndexOf(secret);
    return start < from
      ? []
      : [{ start, end: start + secret.length, name, alone: secret.length >= 16 ? [secret] : [] }];
  },
}));
