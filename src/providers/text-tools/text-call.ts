/** `json`: the arguments as the model wrote them: a JSON object, or raw text that the router will reject. */
export type TextCall = { name: string; json: string };
