import type { BuiltinGroup } from '../../../commands/groups.ts';
import type { CommandContext, SlashCommand } from '../../../contract/command.ts';
import { compareText } from '../../../lib/text/compare.ts';
import { accountCommand } from '../../shared/account-command.ts';
import { contextLines } from '../components/context-view.ts';
import { helpView } from '../components/help-view.ts';
import { changesByReview } from './changes.ts';
import { mcpByPicking } from './mcp.ts';
import { memoryByPicking } from './memory.ts';
import { modelByPicking } from './models.ts';
import { modeByPicking, permissionsByPicking } from './permissions.ts';
import type { Pickers } from './pickers.ts';
import { rewindByPicking } from './rewind.ts';
import { resumeByPicking } from './sessions.ts';
import { themeByName, themeByPicking } from './themes.ts';
import { redoByPreview, undoByPreview } from './undo.ts';

type Flow = (context: CommandContext, desk: Pickers) => Promise<void>;

/** What a command without arguments opens. */
const flows: Readonly<Record<string, Flow>> = {
  context: async ({ window }, { draw }) => {
    const use = await window.use();
    draw((place) => contextLines(use, place));
  },
  help: async ({ commands }, { draw }) => draw((place) => helpView(commands, place)),
  mcp: mcpByPicking,
  memory: memoryByPicking,
  mode: modeByPicking,
  permissions: permissionsByPicking,
  redo: redoByPreview,
  resume: resumeByPicking,
  rewind: rewindByPicking,
  sessions: resumeByPicking,
  undo: undoByPreview,
};

/** The commands for the screen: unchanged with arguments, as pickers and previews without. */
export function withDialogs(commands: readonly SlashCommand[], desk: Pickers): SlashCommand[] {
  const known = commands.map((command) => {
    if (command.name === 'changes')
      return {
        ...command,
        execute: (args: string[], context: CommandContext) => changesByReview(args, context, desk),
      };
    const flow = flows[command.name];
    if (!flow) return command;
    return {
      ...command,
      execute: (args: string[], context: CommandContext) =>
        args.length > 0 ? command.execute(args, context) : flow(context, desk),
    };
  });
  const own = [
    backgroundCommand(desk),
    modelCommand(desk),
    accountCommand(desk.accounts),
    themeCommand(desk),
  ];
  return [...known, ...own].sort((a, b) => compareText(a.name, b.name));
}

function backgroundCommand(desk: Pickers): SlashCommand {
  return {
    name: 'background',
    group: 'Conversation' satisfies BuiltinGroup,
    description: 'Continue this session in the server, and leave; a run goes on there',
    execute: async () => desk.send('/background'),
  };
}

function modelCommand(desk: Pickers): SlashCommand {
  return {
    name: 'model',
    group: 'Model' satisfies BuiltinGroup,
    description: 'Select a model; /model NAME switches right away',
    execute: ([name]) => (name === undefined ? modelByPicking(desk) : desk.models.use(name)),
  };
}

function themeCommand(desk: Pickers): SlashCommand {
  return {
    name: 'theme',
    group: 'Setup' satisfies BuiltinGroup,
    description: 'Select a color theme, with a preview; /theme dark',
    execute: ([name], { print }) =>
      name === undefined ? themeByPicking(desk, print) : themeByName(name, desk, print),
  };
}
