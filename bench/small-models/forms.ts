/** A call as a server passes it on from a model: its tool and its arguments, which may be anything. */
export type NativeForm = { family: string; source: string; name: string; tool: string; json: string };

/** A reply with a call in its text. `source`: where the format is published, or who writes it so. */
export type TextForm = { family: string; source: string; name: string; text: string };
