/** The runtime's own `FormData`, loaded when one is made; to ask whether something is one loads nothing. */
export const LazyFormData = new Proxy(class {}, {
  construct: () => new globalThis.FormData(),
  get: (target, key) => (key === Symbol.hasInstance ? isFormData : Reflect.get(target, key)),
});

/** The same for responses. */
export const LazyResponse = new Proxy(standIn, {
  construct: (_, [body, init]) => new globalThis.Response(body, init),
  get: (_, key) => (key === Symbol.hasInstance ? isResponse : Reflect.get(globalThis.Response, key)),
});

function standIn(): void {
  // Never called: what is asked of it is asked of the runtime's.
}

function isFormData(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object FormData]';
}

function isResponse(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Response]';
}
