import { groundOfEnv, queryBackground, type ReplyLine } from './background.ts';
import { colorDepthOf } from './color.ts';
import { type Ground, type Theme, themeFor } from './theme.ts';

type ThemeOptions = {
  /** A name, or `auto` to match the terminal's background. */
  setting: string;
  /** Whether to use colors at all. */
  color: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** The last known background. */
  ground: Ground | null;
};

/** The screen's theme: from the settings, or matching the terminal's background. */
export class ScreenTheme {
  readonly #options: ThemeOptions;
  #setting: string;
  #ground: Ground | null;

  constructor(options: ThemeOptions) {
    this.#options = options;
    this.#setting = options.setting;
    this.#ground = groundOfEnv(options.env) ?? options.ground;
  }

  get now(): Theme {
    const { color, env } = this.#options;
    return themeFor(this.#setting, { ground: this.#ground, depth: color ? colorDepthOf(env) : 'none' });
  }

  choose(setting: string): void {
    this.#setting = setting;
  }

  /** Queries the terminal's background if it matters. True when it differs from the assumed one. */
  async askTerminal(line: ReplyLine): Promise<boolean> {
    const { setting, color } = this.#options;
    if (setting !== 'auto' || !color) return false;
    const before = this.now.ground;
    this.#ground = (await queryBackground(line)) ?? this.#ground;
    return this.now.ground !== before;
  }
}
