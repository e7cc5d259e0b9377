import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { ChangeRow } from '../../store/projections/projection-cursors.ts'

/** What the events of one round changed, without duplicates. */
export interface Changes {
  readonly kinds: ReadonlySet<EventKind>
  /** The kinds of events that belong to no session. */
  readonly kindsWithoutSession: ReadonlySet<EventKind>
  /** Sessions with any event, deleted ones included. */
  readonly sessions: ReadonlySet<string>
  /** Proposals named by an event that belongs to no session. */
  readonly proposals: ReadonlySet<string>
  /** The names of configuration documents that changed. */
  readonly documents: ReadonlySet<string>
  /** Capabilities named by an event of their own, removed ones included. */
  readonly capabilities: ReadonlySet<string>
  /** Installations with any event. */
  readonly installs: ReadonlySet<string>
  /** Imports with any event. */
  readonly imports: ReadonlySet<string>
}

export class ChangeSet implements Changes {
  readonly kinds = new Set<EventKind>()
  readonly kindsWithoutSession = new Set<EventKind>()
  readonly sessions = new Set<string>()
  readonly proposals = new Set<string>()
  readonly documents = new Set<string>()
  readonly capabilities = new Set<string>()
  readonly installs = new Set<string>()
  readonly imports = new Set<string>()

  add({ kind, subject, learn_session_id, proposal_id }: ChangeRow): void {
    this.kinds.add(kind)
    if (learn_session_id === null) this.kindsWithoutSession.add(kind)
    else this.sessions.add(learn_session_id)
    if (proposal_id !== null) this.proposals.add(proposal_id)
    const id = subject.slice(subject.indexOf('/') + 1)
    // The last event of a deleted session has no session id any more, but its subject names the session.
    if (subject.startsWith('learn/')) this.sessions.add(id)
    else if (subject.startsWith('proposal/')) this.proposals.add(id)
    else if (subject.startsWith('config/')) this.documents.add(id)
    else if (subject.startsWith('capability/')) this.capabilities.add(id)
    else if (subject.startsWith('install/')) this.installs.add(id)
    else if (subject.startsWith('import/')) this.imports.add(id)
  }
}
