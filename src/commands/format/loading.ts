import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import { fileSize } from '../../lib/text/file-size.ts';

/** `Loading qwen3-4b.gguf, 43% of 2.50 GB` */
export function loadingLine({ file, bytes, share }: Extract<AgentEvent, { type: 'loading' }>): string {
  return `Loading ${path.basename(file)}, ${Math.floor(share * 100)}% of ${fileSize(bytes)}`;
}
