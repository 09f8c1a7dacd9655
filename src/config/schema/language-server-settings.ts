import * as z from 'zod';
import { count, list } from './setting-kinds.ts';

const server = () =>
  z.strictObject({
    command: z.string().min(1).describe('Program to start, from PATH or node_modules, or its absolute path'),
    args: list('Its arguments'),
    extensions: z
      .record(
        z.string().regex(/^\.[^./]+$/, 'It must be a file name ending such as ".zig".'),
        z.string().min(1),
      )
      .describe('Language ids by file name ending, such as `{ ".zig": "zig" }`'),
    markers: list('Files that mark the root of a project'),
    initializationOptions: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .describe('Options that the server gets when it starts'),
  });

export const languageServerSettings = () =>
  z.strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Use language servers that are installed, in folders that you trust'),
    limitMs: count()
      .default(1500)
      .describe('How long in milliseconds a run waits for the new errors after a change; then it goes on'),
    maxMemoryMb: count()
      .default(4096)
      .describe('Maximum memory in MB per server, including its child processes; beyond it, it is restarted'),
    outsideSandbox: z
      .boolean()
      .default(false)
      .describe('Start servers with your own permissions if there is no sandbox'),
    servers: z
      .record(z.string().min(1), server())
      .default({})
      .describe('More servers, by name; they come before the built-in ones'),
  });

export const checkSettings = () =>
  z.array(
    z.strictObject({
      command: z.string().min(1).describe('Command line, such as `npx tsc --noEmit`'),
      files: list('Glob patterns of the files it checks (default: all)'),
      timeoutMs: count().default(120_000).describe('Timeout in milliseconds'),
    }),
  );
