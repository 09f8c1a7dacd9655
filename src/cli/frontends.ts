/** Every face in one place, so that one file holds the app and is loaded as one. */
export { logCrash } from '../app/opening/crash-log.ts';
export { inWorktree } from '../app/opening/worktree.ts';
export { runDemo } from '../frontends/plain/demo.ts';
export { runPlain } from '../frontends/plain/run.ts';
export { runPrint } from '../frontends/print/run.ts';
export { showWelcome } from '../frontends/print/welcome.ts';
export { runScreen } from '../frontends/terminal/run.ts';
export { runSubcommand } from './subcommands/run.ts';
