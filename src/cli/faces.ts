/** Every face in one place, so that one file holds the app and is loaded as one. */
export { logCrash } from './crash-log.ts';
export { runDemo } from './demo.ts';
export { runPlain } from './plain.ts';
export { runPrint } from './print.ts';
export { runScreen } from './screen.ts';
export { runSubcommand } from './subcommands/run.ts';
export { showWelcome } from './welcome.ts';
export { inWorktree } from './worktree.ts';
