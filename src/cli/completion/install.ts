import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { dataRoot, homeFolder } from '../../lib/files/data-root.ts';
import { updateFile, userFile } from '../../lib/files/file-update.ts';
import { peek } from '../../lib/files/peek.ts';
import { singleQuoted } from '../../lib/text/shell-quote.ts';
import type { Shell } from './script.ts';

type Env = NodeJS.ProcessEnv;

/** Where a shell's script belongs, and the line of its start-up file that loads it; null if the shell finds it itself. */
type Installation = { script: string; startup: { file: string; line: string } | null };

/** `aca uninstall` recognizes lines by this. */
const MARK = '# aca completion';

/** Installs a completion script, and returns what was done, a line for each file. Does nothing twice. */
export async function installCompletion(shell: Shell, script: string, env: Env): Promise<string[]> {
  const { script: file, startup } = placeOf(shell, env);
  await write(file, env, () => script);
  if (startup === null) return [`Wrote ${file}.`];
  const { line } = startup;
  await write(startup.file, env, (text) =>
    text.includes(line) ? text : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`,
  );
  return [`Wrote ${file}.`, `${startup.file} loads it.`];
}

function placeOf(shell: Shell, env: Env): Installation {
  const home = homeFolder(env);
  const data = env.XDG_DATA_HOME || path.join(home, '.local/share');
  const settings = env.XDG_CONFIG_HOME || path.join(home, '.config');
  switch (shell) {
    case 'bash': {
      const script = path.join(data, 'bash-completion/completions/aca');
      // Without the package bash-completion, bash looks for no scripts.
      const line = `[ -r ${singleQuoted(script)} ] && . ${singleQuoted(script)} ${MARK}`;
      return { script, startup: { file: path.join(home, '.bashrc'), line } };
    }
    case 'zsh': {
      const script = path.join(home, '.zfunc/_aca');
      const ready = '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }';
      const line = `[[ -r ${singleQuoted(script)} ]] && { ${ready}; source ${singleQuoted(script)} } ${MARK}`;
      return { script, startup: { file: path.join(env.ZDOTDIR || home, '.zshrc'), line } };
    }
    case 'fish':
      return { script: path.join(settings, 'fish/completions/aca.fish'), startup: null };
    case 'powershell':
      throw new UserError(
        'aca does not know where PowerShell keeps its profile.',
        'Run in PowerShell: aca completion powershell >> $PROFILE',
      );
    default:
      return shell satisfies never;
  }
}

/** Links to dotfiles elsewhere stay links. */
async function write(file: string, env: Env, change: (text: string) => string): Promise<void> {
  await updateFile(userFile(dataRoot(env), file), async (replace) => {
    const before = peek.text(file);
    const after = change(before);
    if (after !== before) await replace(after, { mode: 0o644 });
  });
}
