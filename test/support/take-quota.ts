import { createLocalQuota } from '../../src/observability/spending/local-quota.ts';

/** Makes this many requests at the same moment: FOLDER COUNT LIMIT. Prints how many were allowed. */
const [folder = '', count, limit] = process.argv.slice(2);
const quota = createLocalQuota({
  folder,
  now: () => 1_000_000,
  onTrouble: (message) => process.stderr.write(message),
});
let through = 0;
for (let i = 0; i < Number(count); i++) {
  const asked = { cost: { requests: 1, tokens: 10 }, limits: { requestsPerMinute: Number(limit) } };
  if ((await quota.take('a/*', asked, new AbortController().signal)) === 0) through += 1;
}
process.stdout.write(String(through));
