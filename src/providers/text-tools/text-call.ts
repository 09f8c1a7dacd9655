/** `json` is what the model wrote as arguments: a JSON object, or raw text that the router will refuse. */
export type TextCall = { name: string; json: string };
