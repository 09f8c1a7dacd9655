import * as z from 'zod';

/** A whole number above zero. */
export const count = () => z.number().int().min(1);

/** Lists of several sources add up. */
export const list = (description: string) => z.array(z.string().min(1)).default([]).describe(description);

/** A text that may be absent, but not empty. Nearly every one is right at a glance, and needs no schema made for it. */
export function text(description: string) {
  const schema = () => z.string().min(1).exactOptional().describe(description);
  return Object.assign(schema, { isRight: (value: unknown) => typeof value === 'string' && value !== '' });
}
