import process from 'node:process';

/** Defined by the build. */
declare const ACA_VERSION: string | undefined;

const version = typeof ACA_VERSION === 'string' ? ACA_VERSION : 'development';

/** The user agent, such as `ai-code-assistant/0.1.0 (linux; arm64)`. */
export function userAgent(): string {
  return `ai-code-assistant/${version} (${process.platform}; ${process.arch})`;
}
