import type { ChangedFile, SessionSummary } from '../connection.ts';

export const CWD = '/home/ana/shop';

export const changes: ChangedFile[] = [
  {
    path: `${CWD}/src/auth.ts`,
    status: 'modified',
    hunks: [
      {
        id: 'h1',
        oldStart: 1,
        newStart: 1,
        lines: [
          " import { parse } from './token.ts';",
          '+/** Null for a token that is missing, wrong or expired. */',
          ' export function currentUser(',
        ],
      },
      {
        id: 'h2',
        oldStart: 39,
        newStart: 40,
        lines: [
          '   const token = parse(header);',
          '   if (token === null) return null;',
          '+  if (token.exp * 1000 <= now()) return null;',
          '   return { user: token.sub };',
        ],
      },
    ],
  },
  {
    path: `${CWD}/test/auth.test.ts`,
    status: 'modified',
    hunks: [
      {
        id: 'h3',
        oldStart: 44,
        newStart: 44,
        lines: [
          " test('refuses an expired token', () => {",
          "-  expect(currentUser(expired)).toEqual({ user: 'ana' });",
          '+  expect(currentUser(expired, () => 2e12)).toBeNull();',
          ' });',
        ],
      },
    ],
  },
];

export const sessions: SessionSummary[] = [
  {
    id: 'demo',
    title: 'Reject expired sign-in tokens',
    cwd: CWD,
    state: 'working',
    updatedAt: '2026-11-18T07:00:00Z',
    costUsd: 0.42,
    lastLine: 'Edit src/auth.ts',
  },
  {
    id: 's2',
    title: 'Upgrade the payment client',
    cwd: CWD,
    state: 'waiting',
    updatedAt: '2026-11-18T06:30:00Z',
    costUsd: 1.18,
    lastLine: 'Run npm install stripe@19?',
  },
  {
    id: 's3',
    title: 'Why is the cart slow?',
    cwd: CWD,
    state: 'done',
    updatedAt: '2026-11-17T15:00:00Z',
    costUsd: 0.07,
    lastLine: 'The query ran once per item.',
  },
  {
    id: 's4',
    title: 'Port the importer to streams',
    cwd: `${CWD}-importer`,
    state: 'failed',
    updatedAt: '2026-11-12T10:00:00Z',
    lastLine: 'Your Anthropic key was rejected.',
  },
];
