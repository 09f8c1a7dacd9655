import type { AgentEvent } from '../contract/event.ts';
import type { OperationIds } from './telemetry/trace-ids.ts';

/**
 * Is told of all that happens in a session, with the operation it belongs to. An event may hold secrets; `hide` takes
 * them out of a text, or of the texts of a plain value.
 */
export type Watcher = (event: AgentEvent, about: { ids: OperationIds; hide<T>(value: T): T }) => void;
