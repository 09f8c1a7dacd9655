import { expect, test } from 'vitest';
import { refusalIn } from './push-branch.ts';

test.each([
  [
    'what the server and its hooks say',
    `remote: error: GH006: Protected branch update failed.
remote:
remote: Changes must be made through a pull request.
To https://example.com/a.git
 ! [remote rejected] 1a2b -> aca/b/1 (pre-receive hook declined)
error: failed to push some refs to 'https://example.com/a.git'
`,
    'error: GH006: Protected branch update failed. / Changes must be made through a pull request. / pre-receive hook declined',
  ],
  [
    'or the last line of git',
    `ssh: connect to host example.com port 22: Connection refused
fatal: Could not read from remote repository.
`,
    'fatal: Could not read from remote repository.',
  ],
])('a refused push says why: %s', (_, err, reason) => {
  expect(refusalIn(err)).toBe(reason);
});
