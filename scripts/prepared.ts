import { settled } from '../src/config/schema/check-settings.ts';
import { builtinTools } from '../src/tools/index.ts';
import { parametersOf } from '../src/tools/registry.ts';

/** What takes long to make at each start and is always the same: made by the build, and put in by these names. */
export const prepared = {
  CONFIG_DEFAULTS: settled({}),
  /** What models are told of the built-in tools' input. */
  TOOL_PARAMETERS: Object.fromEntries(builtinTools().map((tool) => [tool.name, parametersOf(tool)])),
};
