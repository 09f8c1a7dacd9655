import type { Config } from '../../config/schema/schema.ts';
import type { CloudSettings } from '../../providers/cloud/cloud.ts';
import type { CloudName, Preset } from '../../providers/presets.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Place = { config: Pick<Config, 'providers'>; env: Env };

/** Environment variables for each part of a cloud's settings; the first one set wins. */
const VARIABLES: Record<CloudName, Partial<Record<keyof CloudSettings, readonly string[]>>> = {
  aws: {
    region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    profile: ['AWS_PROFILE'],
    unsigned: ['CLAUDE_CODE_SKIP_BEDROCK_AUTH'],
  },
  google: {
    project: ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT'],
    region: ['CLOUD_ML_REGION', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'],
    unsigned: ['CLAUDE_CODE_SKIP_VERTEX_AUTH'],
  },
  azure: { apiVersion: ['AZURE_OPENAI_API_VERSION', 'OPENAI_API_VERSION'] },
};

/** Where a cloud's models are and whose account pays: settings before environment variables. */
export function cloudSettings({ name, cloud }: Preset, { config, env }: Place): CloudSettings {
  if (!cloud) return {};
  const { region, profile, project, apiVersion } = config.providers[name] ?? {};
  const { unsigned, ...texts } = Object.fromEntries(
    Object.entries(VARIABLES[cloud]).map(([key, names]) => [key, firstOf(names, env)]),
  );
  return {
    ...defined(texts),
    ...defined({ region, profile, project, apiVersion }),
    ...(isOn(unsigned) && { unsigned: true }),
  };
}

/**
 * The cloud that Claude Code's own variables select, and the model they name. They apply when no provider and
 * no model is set.
 */
export function claudeCodeCloud(env: Env): { provider: string; model: string } | null {
  const provider = isOn(env.CLAUDE_CODE_USE_BEDROCK)
    ? 'bedrock'
    : isOn(env.CLAUDE_CODE_USE_VERTEX)
      ? 'vertex'
      : null;
  if (provider === null) return null;
  // `[1m]` asks for the long window, which our models have anyway.
  const named = (env.ANTHROPIC_MODEL ?? '').replace(/\[\w+\]$/, '');
  return { provider, model: cloudModel(provider, named) ?? (named || DEFAULT[provider]) };
}

const DEFAULT = { bedrock: 'global.anthropic.claude-sonnet-5-5', vertex: 'claude-sonnet-5-5' };

/** What a vendor's model is called at a cloud; null if the cloud has another name for it or does not have it. */
export function cloudModel(provider: string, id: string): string | null {
  if (provider === 'vertex') return /^(claude|gemini)-/.test(id) ? id.replace(/-(\d{8})$/, '@$1') : null;
  if (provider !== 'bedrock' || !id.startsWith('claude-')) return null;
  return `global.anthropic.${id}${/-\d{8}$/.test(id) ? '-v1:0' : ''}`;
}

/** Signs in the environment that a user works with a cloud; files are looked up by whoever lists models. */
export const CLOUD_SIGNS: Record<CloudName, { variables: readonly string[]; files: readonly string[] }> = {
  aws: {
    variables: [
      'AWS_PROFILE',
      'AWS_ACCESS_KEY_ID',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'CLAUDE_CODE_USE_BEDROCK',
    ],
    files: ['.aws/credentials', '.aws/config'],
  },
  google: {
    variables: [
      'GOOGLE_APPLICATION_CREDENTIALS',
      'GOOGLE_CLOUD_PROJECT',
      'ANTHROPIC_VERTEX_PROJECT_ID',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: ['.config/gcloud/application_default_credentials.json'],
  },
  azure: { variables: ['AZURE_OPENAI_ENDPOINT'], files: [] },
};

/** What a user without any of them can do. */
export const CLOUD_LOGIN: Record<CloudName, string> = {
  aws: 'aws configure sso',
  google: 'gcloud auth application-default login',
  azure: 'export AZURE_OPENAI_ENDPOINT=…',
};

function firstOf(names: readonly string[], env: Env): string | undefined {
  return names.map((name) => env[name]?.trim()).find(Boolean);
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((row): row is [string, string] => row[1] !== undefined),
  );
}

function isOn(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value?.trim() ?? '');
}
