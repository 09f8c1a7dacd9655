import process from 'node:process';
import { version } from '../../lib/version.ts';

/** The user agent, such as `ai-code-assistant/0.1.0 (linux; arm64)`. */
export function userAgent(): string {
  return `ai-code-assistant/${version} (${process.platform}; ${process.arch})`;
}
