import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { oddServer } from './mcp.ts';
import type { Changes, Played, Player } from './played-sessions.ts';
import type { Workspace } from './workspace.ts';

/** Learned when it is written to `.env`, perhaps after it was sent. */
export const LATE_SECRET = 'tr0ub4dor-Zq81kXw90';

/** What happens between two prompts of a conversation. */
export const changes = [
  'none',
  'resume',
  'fork',
  'rewind to a copy',
  'rewind',
  'undo',
  'edit instructions',
  'edit the instructions of a folder',
  'remove instructions',
  'add a skill',
  'add a folder',
  'add an MCP server',
  'change an MCP server',
  'remove an MCP server',
  'change the mode',
  'change the mode and back',
  'change the effort',
  'change the output style',
  'pin a fact',
  'learn a secret',
  'compact',
  'uncompact',
  'refresh',
  'another model',
  'another vendor',
] as const;
export type Change = (typeof changes)[number];

export type ChangingConversationOptions = {
  space: Workspace;
  player: Player;
  models: { model: string; otherModel: string; otherVendor: string };
};

/** A conversation, and what its user does between prompts. Every second change of a kind takes back the one before. */
export class ChangingConversation {
  readonly #options: ChangingConversationOptions;
  #settings: Changes = {};
  #played: Played | undefined;
  #count = 0;

  constructor(options: ChangingConversationOptions) {
    this.#options = options;
  }

  async open(): Promise<Played> {
    this.#played ??= await this.#options.player.begin();
    return this.#played;
  }

  async close(): Promise<void> {
    await this.#played?.close();
  }

  /** `back` chooses the prompt that a rewind returns to. */
  async make(change: Change, back: number): Promise<void> {
    const played = await this.open();
    const { player, models } = this.#options;
    const { model, otherModel, otherVendor } = models;
    const isOdd = this.#count++ % 2 === 1;
    switch (change) {
      case 'none':
        return;
      case 'resume':
        return this.#resume();
      case 'fork':
        return this.#reopen(() => player.fork(played.id));
      case 'rewind to a copy':
        return this.#reopen(() => player.fork(played.id, startOfPrompt(played, back)));
      case 'rewind':
        return played.rewind(startOfPrompt(played, back));
      case 'undo':
        return played.undo();
      case 'edit instructions':
        return this.#write('AGENTS.md', `Rule ${this.#count}.\n`);
      case 'edit the instructions of a folder':
        return this.#write('sub/AGENTS.md', `Rule ${this.#count}.\n`);
      case 'remove instructions':
        return this.#write('AGENTS.md', '');
      case 'add a skill':
        return this.#addSkill();
      case 'add a folder':
        return this.#resume({ folders: [await this.#newFolder()] });
      case 'add an MCP server':
        return this.#resume({ servers: await this.#servers('Says what it was told') });
      case 'change an MCP server':
        return this.#resume({ servers: await this.#servers(`Says it ${this.#count} times`) });
      case 'remove an MCP server':
        return this.#resume({ servers: {} });
      case 'change the mode':
        return played.setMode(isOdd ? 'default' : 'plan');
      case 'change the mode and back':
        played.setMode('plan');
        return played.setMode('default');
      case 'change the effort':
        return played.setEffort(isOdd ? 'high' : 'low');
      case 'change the output style':
        return played.setStyle(isOdd ? 'default' : 'explanatory');
      case 'pin a fact':
        return played.pin(`Fact ${this.#count}.`);
      case 'learn a secret':
        return this.#learn();
      case 'compact':
        await played.compact();
        return;
      case 'uncompact':
        await played.uncompact();
        return;
      case 'refresh':
        return played.refresh();
      case 'another model':
        return this.#resume({ model: isOdd ? model : otherModel });
      case 'another vendor':
        return this.#resume({ model: isOdd ? model : otherVendor });
      default:
        change satisfies never;
    }
  }

  #resume(settings: Changes = {}): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    return this.#reopen((id) => this.#options.player.resume(id, this.#settings));
  }

  async #reopen(open: (id: string) => Promise<Played>): Promise<void> {
    const { id, close } = await this.open();
    await close();
    this.#played = await open(id);
  }

  async #addSkill(): Promise<void> {
    const folder = path.join(this.#options.space.home, `.ai-assistant/skills/zebra-${this.#count}`);
    await mkdir(folder, { recursive: true });
    const text = `---\nname: zebra-${this.#count}\ndescription: Draws zebras.\n---\nDraw a zebra.\n`;
    await writeFile(path.join(folder, 'SKILL.md'), text);
    await this.#resume();
  }

  async #newFolder(): Promise<string> {
    const folder = path.join(this.#options.space.home, `other-${this.#count}`);
    await mkdir(folder);
    return folder;
  }

  /** A server whose tool has this description. */
  async #servers(description: string): Promise<NonNullable<Changes['servers']>> {
    const file = path.join(this.#options.space.home, 'description.txt');
    await writeFile(file, description);
    return { odd: oddServer('changing', file) };
  }

  async #learn(): Promise<void> {
    const file = path.join(this.#options.space.root, '.env');
    await writeFile(file, `${await readFile(file, 'utf8')}\nPASSWORD=${LATE_SECRET}\n`);
  }

  #write(file: string, text: string): Promise<void> {
    return writeFile(path.join(this.#options.space.root, file), text);
  }
}

function startOfPrompt(played: Played, back: number): number {
  const starts = played.promptStarts();
  return starts.at(-1 - (back % Math.max(1, starts.length))) ?? played.messageCount();
}
