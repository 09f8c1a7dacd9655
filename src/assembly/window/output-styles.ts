import { extensionsOf } from '../../config/extension-files.ts';
import {
  builtinStyles,
  DEFAULT_STYLE,
  type OutputStyle,
  parseOutputStyle,
} from '../../context/prompt/output-style.ts';
import type { OutputStyles } from '../../contract/command.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import type { Parts } from '../parts.ts';

/** The styles of a session. `warn` is called if the one from the settings does not exist. */
export function createOutputStyles(
  parts: Pick<Parts, 'config' | 'userFiles' | 'projectFiles' | 'bundles'>,
  warn: (text: string) => void,
): OutputStyles & { selected(): OutputStyle } {
  const { config, userFiles = [], projectFiles = [], bundles = [] } = parts;
  const fromFiles = (files: typeof userFiles, source: 'user' | 'project') =>
    extensionsOf(files, 'output-style').flatMap((file) => {
      const style = parseOutputStyle(file);
      return style ? [{ ...style, source }] : [];
    });
  // The user's come first: a project cannot override a name.
  const all = [
    ...builtinStyles.map((style) => ({ ...style, source: 'built-in' as const })),
    ...fromFiles(userFiles, 'user'),
    ...fromFiles(projectFiles, 'project'),
    ...bundles.flatMap(({ parts: { name, outputStyles } }) =>
      outputStyles.flatMap((file) => {
        const style = parseOutputStyle(file);
        return style ? [{ ...style, name: `${name}:${style.name}`, source: 'plugin' as const }] : [];
      }),
    ),
  ];
  const styles = all.filter((style, i) => all.findIndex((other) => isNamed(other, style.name)) === i);
  const find = (name: string) => styles.find((style) => isNamed(style, name));
  let selected: OutputStyle = DEFAULT_STYLE;
  const wanted = find(config.outputStyle);
  if (wanted) selected = wanted;
  else {
    const names = styles.map(({ name }) => name);
    warn(
      `There is no output style ${config.outputStyle}.${didYouMean(config.outputStyle, names)} /output-style lists them.`,
    );
  }
  return {
    list: () => styles.map(({ name, description, source }) => ({ name, description, source })),
    current: () => selected.name,
    select(name) {
      const style = find(name);
      if (style) selected = style;
      return style !== undefined;
    },
    selected: () => selected,
  };
}

function isNamed(style: OutputStyle, name: string): boolean {
  return style.name.toLowerCase() === name.trim().toLowerCase();
}
