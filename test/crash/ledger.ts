import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'

/** A command as it is sent, with what it must leave behind if it is done, and done once. */
export interface Command {
  readonly user: string
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly key: string
  /** Marks in the database; those of a session begin with its id. */
  readonly leaves: readonly string[]
  readonly session?: string
  readonly leadsTo?: LearnSessionState
  /** The session is gone after it, with every mark of its own. */
  readonly forgets?: boolean
}

export interface Acknowledged {
  readonly command: Command
  readonly reply: unknown
}

/** What the daemon has promised: every reply it gave, and the commands it never answered. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = []
  /** At most one for each user, who sends nothing else before it is answered. */
  readonly unanswered = new Map<string, Command>()
  readonly states = new Map<string, LearnSessionState>()
  /** What was seen that must not be. */
  readonly faults: string[] = []
  #marks = new Map<string, number>()

  send(command: Command): void {
    this.unanswered.set(command.user, command)
  }

  acknowledge(command: Command, reply: unknown): void {
    this.unanswered.delete(command.user)
    this.acknowledged.push({ command, reply })
    for (const mark of command.leaves) this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + 1)
    const session = command.session ?? sessionIn(reply)
    if (session === undefined) return
    if (command.leadsTo !== undefined) this.states.set(session, command.leadsTo)
    if (command.forgets === true) this.#forget(session)
  }

  /** What the database lacks, has twice, or has without being asked. */
  compare(found: { marks: Map<string, number>; states: Map<string, string> }): string[] {
    const open = [...this.unanswered.values()]
    // A command that was never answered may have been done or not, but as a whole.
    const maybe = new Set(open.flatMap(({ leaves }) => leaves))
    const leaving = new Set(
      open.flatMap((c) => (c.forgets === true && c.session ? [c.session] : [])),
    )
    const gone = [...leaving].filter((session) => !found.states.has(session))
    const faults: string[] = []
    for (const mark of new Set([...this.#marks.keys(), ...found.marks.keys()])) {
      const want = gone.some((session) => mark.startsWith(session))
        ? 0
        : (this.#marks.get(mark) ?? 0)
      const have = found.marks.get(mark) ?? 0
      if (have !== want && !(maybe.has(mark) && have === want + 1)) {
        faults.push(`"${mark}" is there ${have} times instead of ${want}`)
      }
    }
    return [
      ...faults,
      ...this.#compareStates(found.states, { open, gone }),
      ...torn(open, found, this.#marks),
    ]
  }

  #compareStates(
    states: Map<string, string>,
    { open, gone }: { open: readonly Command[]; gone: readonly string[] },
  ): string[] {
    const creations = open.filter(({ session, leadsTo }) => leadsTo === 'armed' && !session).length
    const unknown = [...states.keys()].filter((session) => !this.states.has(session))
    const uncalled = unknown.length > creations ? [`nobody asked for ${unknown.join(', ')}`] : []
    const wrong = [...this.states].flatMap(([session, want]) => {
      const have = states.get(session)
      const next = open.find((command) => command.session === session)?.leadsTo
      if (have === want || (next !== undefined && have === next) || gone.includes(session))
        return []
      return [`session ${session} is ${have ?? 'gone'} instead of ${want}`]
    })
    return [...uncalled, ...wrong]
  }

  #forget(session: string): void {
    this.states.delete(session)
    for (const mark of this.#marks.keys()) if (mark.startsWith(session)) this.#marks.delete(mark)
  }
}

/** Of what an unanswered command leaves, all is there or nothing. */
function torn(
  open: readonly Command[],
  found: { marks: Map<string, number> },
  before: Map<string, number>,
): string[] {
  return open.flatMap(({ leaves, path }) => {
    const fresh = leaves.filter((mark) => (found.marks.get(mark) ?? 0) > (before.get(mark) ?? 0))
    return fresh.length === 0 || fresh.length === leaves.length
      ? []
      : [`${path} was done in part: only ${fresh.join(', ')}`]
  })
}

export function sessionIn(reply: unknown): string | undefined {
  return (reply as { session?: { learn_session_id: string } } | null)?.session?.learn_session_id
}
