import { groundOfEnv, queryBackground, type ReplyLine } from './background.ts';
import { colorDepthOf } from './color.ts';
import { type Ground, type Theme, themeFor } from './theme.ts';

type ThemeOptions = {
  /** A name, or `auto` for what suits the terminal's background. */
  setting: string;
  /** Whether colours are wanted at all. */
  color: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** The background as it was known to be the last time. */
  ground: Ground | null;
};

/** Which colours the screen has: those of the settings, or as the terminal's background is. */
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

  /** Asks the terminal for its background where that matters. True when it is another than was supposed. */
  async askTerminal(line: ReplyLine): Promise<boolean> {
    const { setting, color } = this.#options;
    if (setting !== 'auto' || !color) return false;
    const before = this.now.ground;
    this.#ground = (await queryBackground(line)) ?? this.#ground;
    return this.now.ground !== before;
  }
}
