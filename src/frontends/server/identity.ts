/** From most to least powerful. */
const ROLES = ['owner', 'editor', 'viewer'] as const;

/** Owners may do everything, editors prompt and approve, viewers only watch. */
export type Role = (typeof ROLES)[number];

/** Who is connected, as the server established it. Never changes during a connection. */
export type Identity = {
  /** The same for all connections of one person: `owner`, or the id of the invitation. */
  id: string;
  /** Shown to the other participants: one line, sanitized. */
  name: string;
  role: Role;
  /** The sessions this person may see. */
  sessions: 'all' | readonly string[];
};

/** Whether a role includes everything that `least` may do. */
export function includesRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least);
}

export function maySee({ sessions }: Identity, sessionId: string): boolean {
  return sessions === 'all' || sessions.includes(sessionId);
}

/** As the audit log names a person. */
export function named({ id, name, role }: Identity): Pick<Identity, 'id' | 'name' | 'role'> {
  return { id, name, role };
}
