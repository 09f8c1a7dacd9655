import { expect, test } from 'vitest';
import { withoutPasswords } from './url-password.ts';

test.each([
  ['https://user:secret@example.com/x.git', 'https://example.com/x.git'],
  ['https://token@example.com/x.git', 'https://example.com/x.git'],
  ['https://user:pa/ss@word@example.com/x.git', 'https://example.com/x.git'],
  ['ssh://git@example.com/x.git', 'ssh://git@example.com/x.git'],
  ['ssh://git:secret@example.com/x.git', 'ssh://git@example.com/x.git'],
  ['git@example.com:x.git', 'git@example.com:x.git'],
  ['redis://:12/34@host:6379/0', 'redis://host:6379/0'],
  ['rediss://u:p%4ss%zz@host', 'rediss://host'],
  ['https://example.com:8080/package@v1', 'https://example.com:8080/package@v1'],
  ['https://example.com/package@v1', 'https://example.com/package@v1'],
  [
    "unable to access 'https://u:p@a.org/x/': no; also 'http://t@b.org'",
    "unable to access 'https://a.org/x/': no; also 'http://b.org'",
  ],
  ['{"url":"https://a.org","mail":"me@b.org"}', '{"url":"https://a.org","mail":"me@b.org"}'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutPasswords(text)).toBe(shown);
});
