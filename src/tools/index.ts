import type { Tool } from '../contract/tool.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { read } from './read.ts';
import { write } from './write.ts';

export const builtinTools: readonly Tool[] = [read, write, edit, glob, grep, bash];
