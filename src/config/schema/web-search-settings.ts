import * as z from 'zod';
import { searchBackendNames } from '../../contract/web-search.ts';

export const webSearchSettings = () =>
  z.strictObject({
    backend: z
      .enum(searchBackendNames)
      .default('auto')
      .describe(
        "What the WebSearch tool searches with: a service; `model` for the search of the model's vendor; `auto` for the first service with a key or address, or else the model; or `off`",
      ),
    address: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Address of your SearXNG server, or of a gateway to the service in `backend`'),
  });
