import process from 'node:process';

/** Put in by the build. */
declare const ACA_VERSION: string | undefined;

const version = typeof ACA_VERSION === 'string' ? ACA_VERSION : 'development';

/** Who asks, before the library that asks for it: `ai-code-assistant/0.1.0 (linux; arm64) OpenAI/JS 5.2.0`. */
export function userAgent(library = ''): string {
  return `ai-code-assistant/${version} (${process.platform}; ${process.arch}) ${library}`.trimEnd();
}
