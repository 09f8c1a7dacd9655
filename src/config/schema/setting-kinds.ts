import * as z from 'zod';

/** A whole number above zero. */
export const count = () => z.number().int().min(1);

/** Lists from several sources are concatenated. */
export const list = (description: string) => z.array(z.string().min(1)).default([]).describe(description);

/** An optional, non-empty string. Most values pass a cheap check, without creating a schema. */
export function text(description: string) {
  const schema = () => z.string().min(1).exactOptional().describe(description);
  return Object.assign(schema, { isRight: (value: unknown) => typeof value === 'string' && value !== '' });
}
