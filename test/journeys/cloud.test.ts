import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { AWS_KEYS, PROJECT, REGION, startCloudServer, TOKEN } from '../support/cloud/cloud-server.ts';
import { calls, says } from '../support/model-server/script.ts';
import { soak, sweepFor } from '../support/soak.ts';
import { type WhenDone, type Workspace, workspace } from '../support/workspace.ts';

type Door = { model?: string; env: Record<string, string>; asked: RegExp };

/** How users of each cloud set it up. */
const doors: [string, (url: string, space: Workspace) => Promise<Door>][] = [
  [
    'Claude on Amazon Bedrock, with a profile, set up for Claude Code',
    async (url, space) => {
      await mkdir(path.join(space.home, '.aws'), { recursive: true });
      await writeFile(path.join(space.home, '.aws/config'), `[profile work]\nregion = ${REGION}\n`);
      await writeFile(
        path.join(space.home, '.aws/credentials'),
        `[work]\naws_access_key_id = ${AWS_KEYS.accessKeyId}\naws_secret_access_key = ${AWS_KEYS.secretAccessKey}\n`,
      );
      const env = {
        CLAUDE_CODE_USE_BEDROCK: '1',
        ANTHROPIC_BEDROCK_BASE_URL: url,
        ANTHROPIC_MODEL: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
        AWS_PROFILE: 'work',
      };
      return { env, asked: /^\/model\/eu\.anthropic\.claude-sonnet-4-5-20250929-v1%3A0\/invoke-with/ };
    },
  ],
  [
    'Gemini on Vertex AI, on a machine of Google Cloud',
    async (url) => ({
      model: 'vertex/gemini-2.5-pro',
      env: {
        GOOGLE_VERTEX_BASE_URL: url,
        GOOGLE_CLOUD_PROJECT: PROJECT,
        GOOGLE_CLOUD_LOCATION: 'europe-west1',
        GCE_METADATA_HOST: url.replace('http://', ''),
        METADATA_SERVER_DETECTION: 'assume-present',
      },
      asked: /locations\/europe-west1\/publishers\/google\/models\/gemini-2\.5-pro:streamGenerateContent/,
    }),
  ],
  [
    'a deployment of Azure OpenAI, with a key',
    async (url) => ({
      model: 'azure/my-gpt',
      env: { AZURE_OPENAI_ENDPOINT: url, AZURE_OPENAI_API_KEY: TOKEN, OPENAI_API_VERSION: '2024-10-21' },
      asked: /^\/openai\/deployments\/my-gpt\/chat\/completions\?api-version=2024-10-21$/,
    }),
  ],
];

const secret = `${AWS_KEYS.secretAccessKey} ${TOKEN}`;

async function start(whenDone: WhenDone) {
  const space = await workspace({ 'note.txt': `kept ${secret} kept\n` }, whenDone);
  const script = [calls(['Read', { file_path: 'note.txt' }]), says('done'), says('done')];
  const server = await startCloudServer(script, {
    other: ({ url = '' }) =>
      url.includes('token') ? { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 } : null,
  });
  whenDone(() => server.close());
  return { space, server };
}

describe('[V03][V05] a conversation over a cloud', () => {
  sweepFor(doors, (door) => door === doors[0])(
    '%s: runs tools, and never sends its credentials to the model',
    async ([, open], { onTestFinished }) => {
      const { space, server } = await start(onTestFinished);
      const { model, env, asked } = await open(server.url, space);
      const args = ['-p', 'read note.txt', ...(model ? ['--model', model] : [])];
      const { code, stdout, stderr } = await aca(space, args, { env });
      expect([code, stdout, stderr, server.models.refusals]).toEqual([0, 'done\n', '', []]);
      expect(server.paths.every((one) => asked.test(one))).toBe(true);
      const told = server.models.requests[1]?.messages.at(-1)?.results[0]?.text ?? '';
      expect(told).toContain('kept');
      expect(told).not.toContain(env.AWS_PROFILE ? AWS_KEYS.secretAccessKey : TOKEN);
    },
  );

  test('without credentials, the error names the next step', soak, async ({ onTestFinished }) => {
    const { space, server } = await start(onTestFinished);
    const env = {
      ANTHROPIC_BEDROCK_BASE_URL: server.url,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const { code, stderr } = await aca(space, ['-p', 'go', '--model', 'bedrock/anthropic.claude-x'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('No AWS credentials found.');
    expect(stderr).toContain('aws sso login');
  });
});
