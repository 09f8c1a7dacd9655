/** An allow pattern must cover everything; a restricting one applies if it matches anything. */
export type Intent = 'allow' | 'restrict';
