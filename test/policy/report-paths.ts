import process from 'node:process';
import { checkPaths } from './check-paths.ts';

/** Checks every path case in a folder as the user who runs it: `node report-paths.mjs FOLDER`. */
const [, , folder = '.'] = process.argv;
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), wrong: await checkPaths(folder) }));
