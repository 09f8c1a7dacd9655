/** How urgent requests are: `flex` is cheaper and slower, `priority` faster and dearer. */
export type Tier = 'flex' | 'standard' | 'priority';

export const tiers = ['flex', 'standard', 'priority'] as const satisfies readonly Tier[];
