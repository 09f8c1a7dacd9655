/**
 * A shape that only a key has. Every match contains one of the `hints`, so that most texts are passed over
 * cheaply; `match` has one group, which is what is hidden.
 */
export type KeyPattern = {
  name: string;
  /** Three characters at least. */
  hints: string[];
  match: RegExp;
  examples: { hits: string[]; misses: string[] };
};

// Examples are put together here, so that no scanner of this repository takes them for keys.
const fake = (prefix: string, length: number) => prefix + 'aB3dE5gH7jK9mN1pQ2rS'.repeat(20).slice(0, length);

export const keyPatterns: readonly KeyPattern[] = [
  {
    name: 'anthropic-key',
    hints: ['sk-ant-'],
    match: /\b(sk-ant-[\w-]{20,})/g,
    examples: { hits: [fake('sk-ant-api03-', 90)], misses: ['sk-ant-test', 'sk-ant-…', 'risk-ant-hill'] },
  },
  {
    name: 'openai-key',
    hints: ['sk-'],
    match: /\b(sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|[A-Za-z\d]{32,}))/g,
    examples: {
      hits: [fake('sk-proj-', 80), fake('sk-', 48), fake('sk-or-v1-', 64)],
      misses: [
        'sk-test',
        'sk-proj-x',
        'task-force-of-the-century-meeting',
        'sk-learn-contributors-guide-2024',
      ],
    },
  },
  {
    name: 'github-token',
    hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    match: /\b(gh[pousr]_[A-Za-z\d]{36,})/g,
    examples: {
      hits: [fake('ghp_', 36), fake('gho_', 36), fake('ghs_', 40)],
      misses: ['ghp_short', 'gh_pages_branch'],
    },
  },
  {
    name: 'github-token',
    hints: ['github_pat_'],
    match: /\b(github_pat_\w{36,})/g,
    examples: { hits: [fake('github_pat_', 82)], misses: ['github_pat_', 'github_patterns_for_everyone'] },
  },
  {
    name: 'gitlab-token',
    hints: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'gloas-'],
    match: /\b(gl(?:pat|dt|rt|ptt|oas)-[\w-]{20,})/g,
    examples: { hits: [fake('glpat-', 20)], misses: ['glpat-x', 'glob-pattern-with-many-words-in-it'] },
  },
  {
    name: 'aws-key-id',
    hints: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    match: /\b((?:AKIA|ASIA|ABIA|ACCA)(?!\w*EXAMPLE)[A-Z\d]{16})\b/g,
    examples: {
      hits: ['AKIA' + 'Z7QRSTUV2WXYABCD'],
      misses: ['AKIAIOSFODNN7EXAMPLE', 'ASIA', 'AKIAlowercase1234567'],
    },
  },
  {
    name: 'aws-secret-key',
    hints: ['access_key', 'ACCESS_KEY', 'accessKey', 'AccessKey', 'accesskey'],
    match: /secret_?access_?key["']?\s*[=:]\s*["']?([A-Za-z\d/+]{40})(?![A-Za-z\d/+])/gi,
    examples: {
      hits: [`aws_secret_access_key = ${fake('', 40)}`, `"SecretAccessKey": "${fake('', 40)}"`],
      misses: ['aws_secret_access_key = $SECRET', 'secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY'],
    },
  },
  {
    name: 'google-key',
    hints: ['AIza'],
    match: /\b(AIza[\w-]{35})(?![\w-])/g,
    examples: { hits: [fake('AIza', 35)], misses: ['AIza-test', fake('AIza', 60)] },
  },
  {
    name: 'google-token',
    hints: ['ya29.'],
    match: /\b(ya29\.[\w-]{20,})/g,
    examples: { hits: [fake('ya29.', 60)], misses: ['ya29.x'] },
  },
  {
    name: 'slack-token',
    hints: ['xox'],
    match: /\b(xox[abeoprs]-[\w-]{10,})/g,
    examples: { hits: [fake('xoxb-', 40)], misses: ['xoxb-', 'xoxo-kisses', 'xox-abcdefghijkl'] },
  },
  {
    name: 'slack-webhook',
    hints: ['hooks.slack.com'],
    match: /hooks\.slack\.com\/(?:services|workflows)\/([\w/+-]{20,})/g,
    examples: {
      hits: [`https://hooks.slack.com/services/T0001/B0001/${fake('', 24)}`],
      misses: ['https://hooks.slack.com/services/', 'https://slack.com/help/articles/1234567890123456789012'],
    },
  },
  {
    name: 'npm-token',
    hints: ['npm_'],
    match: /\b(npm_[A-Za-z\d]{36})(?!\w)/g,
    examples: { hits: [fake('npm_', 36)], misses: ['npm_config_registry', 'npm_package_version', 'npm_x'] },
  },
  {
    name: 'pypi-token',
    hints: ['pypi-'],
    match: /\b(pypi-[\w-]{50,})/g,
    examples: { hits: [fake('pypi-', 100)], misses: ['pypi-publish', 'pypi-simple-index'] },
  },
  {
    name: 'stripe-key',
    hints: ['k_live_'],
    match: /\b([sr]k_live_[A-Za-z\d]{16,})/g,
    examples: {
      hits: [fake('sk_live_', 24), fake('rk_live_', 24)],
      misses: [fake('sk_test_', 24), fake('pk_live_', 24)],
    },
  },
  {
    name: 'huggingface-token',
    hints: ['hf_'],
    match: /\b(hf_[A-Za-z\d]{30,})/g,
    examples: { hits: [fake('hf_', 34)], misses: ['hf_hub_download', 'hf_transformers'] },
  },
  {
    name: 'jwt',
    hints: ['eyJ'],
    match: /\b(eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})/g,
    examples: {
      hits: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${fake('', 43)}`],
      misses: ['eyJhbGciOiJIUzI1NiJ9', 'eyJ.eyJ.x', 'data:application/json;base64,eyJ2ZXJzaW9uIjozfQ=='],
    },
  },
  {
    name: 'private-key',
    hints: ['PRIVATE KEY'],
    match:
      /(-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----(?:(?:\s|\\[nr]|\b\d{1,6}\t)*(?:(?:Proc-Type|DEK-Info): [^\n]*|[A-Za-z\d+/=]{16,}))+(?:(?:\s|\\[nr]|\b\d{1,6}\t)*[A-Za-z\d+/=]{1,16}(?=\s|\\|$))?(?:(?:\s|\\[nr]|\b\d{1,6}\t)*-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----)?)/g,
    examples: {
      hits: [
        `-----BEGIN OPENSSH PRIVATE KEY-----\n${fake('', 64)}\n${fake('', 30)}\n-----END OPENSSH PRIVATE KEY-----`,
        `-----BEGIN PRIVATE KEY-----\\n${fake('', 64)}\\n-----END PRIVATE KEY-----`,
        `-----BEGIN RSA PRIVATE KEY-----\n${fake('', 64)}\n${fake('', 64)}`,
      ],
      misses: [
        '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
        "if (text.includes('-----BEGIN PRIVATE KEY-----')) return true;",
        'PRIVATE KEY',
      ],
    },
  },
  {
    name: 'password',
    hints: ['://'],
    match: /:\/\/[^\s:/@'"`<>[\]]{0,64}:([^\s/@'"`<>[\]${}]{6,256})@/g,
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
    name: 'authorization',
    hints: ['uthorization', 'UTHORIZATION'],
    match:
      /authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+(?=[\w.~+/-]*\d)([\w.~+/-]{20,}={0,2})/gi,
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
    hints: ['earer', 'EARER'],
    match: /\bbearer\s+(?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Z])([\w.~+/-]{32,}={0,2})/gi,
    examples: {
      hits: [`-H "X-Auth: Bearer ${fake('', 40)}"`],
      misses: ['the bearer of this letter', 'Bearer token', 'bearer shares-of-a-company-in-the-old-days'],
    },
  },
];

/** What looks random and is no key: no pattern may take one of these. */
export const neverKeys: readonly string[] = [
  '2391462b1d0d4c6a9d0f3c2e5a7b8c9d0e1f2a3b',
  'commit e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '123e4567-e89b-12d3-a456-426614174000',
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'https://registry.npmjs.org/@types/node/-/node-20.19.43.tgz',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vb8JKq1v7cX0aB3dE5gH7jK9mN1pQ2rS4tU6vW8x user@host',
  'pk_live_is_public_by_design_1234567890',
  'sk-test',
  'sk-ant-test',
  'AIza-test',
];
