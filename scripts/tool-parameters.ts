import { builtinTools } from '../src/tools/index.ts';
import { parametersOf } from '../src/tools/registry.ts';

/** What models are told of the built-in tools' input, for the build. Bash is left out: its limits are settings. */
export const toolParameters = Object.fromEntries(
  builtinTools()
    .filter((tool) => tool.name !== 'Bash')
    .map((tool) => [tool.name, parametersOf(tool)]),
);
