import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'

/** A command with the effects it must have in the database, exactly once. */
export interface Command {
  readonly user: string
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly key: string
  /** Effects in the database. Those of a session start with its id. */
  readonly effects: readonly string[]
  readonly session?: string
  readonly leadsTo?: LearnSessionState
  /** Deletes the session with all its effects. */
  readonly deletes?: boolean
}

export interface Acknowledged {
  readonly command: Command
  readonly reply: unknown
}

/** The expected state of the daemon: acknowledged commands, and commands without a reply. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = []
  /** At most one per user: a user sends the next command after the reply. */
  readonly unanswered = new Map<string, Command>()
  readonly states = new Map<string, LearnSessionState>()
  /** Violations that were found. */
  readonly faults: string[] = []
  #effects = new Map<string, number>()

  send(command: Command): void {
    this.unanswered.set(command.user, command)
  }

  acknowledge(command: Command, reply: unknown): void {
    this.unanswered.delete(command.user)
    this.acknowledged.push({ command, reply })
    for (const effect of command.effects) this.#effects.set(effect, (this.#effects.get(effect) ?? 0) + 1)
    const session = command.session ?? readSessionId(reply)
    if (session === undefined) return
    if (command.leadsTo !== undefined) this.states.set(session, command.leadsTo)
    if (command.deletes === true) this.#deleteSession(session)
  }

  /** Finds effects that are missing, duplicated or unexpected. */
  compare(found: { effects: Map<string, number>; states: Map<string, string> }): string[] {
    const open = [...this.unanswered.values()]
    // A command without a reply was executed completely or not at all.
    const possible = new Set(open.flatMap(({ effects }) => effects))
    const deleting = new Set(open.flatMap((c) => (c.deletes === true && c.session ? [c.session] : [])))
    const deleted = [...deleting].filter((session) => !found.states.has(session))
    const faults: string[] = []
    for (const effect of new Set([...this.#effects.keys(), ...found.effects.keys()])) {
      const expected = deleted.some((session) => effect.startsWith(session)) ? 0 : (this.#effects.get(effect) ?? 0)
      const actual = found.effects.get(effect) ?? 0
      if (actual !== expected && !(possible.has(effect) && actual === expected + 1)) {
        faults.push(`"${effect}" occurs ${actual} times instead of ${expected}`)
      }
    }
    return [
      ...faults,
      ...this.#compareStates(found.states, { open, deleted }),
      ...findPartial(open, found, this.#effects),
    ]
  }

  #compareStates(
    states: Map<string, string>,
    { open, deleted }: { open: readonly Command[]; deleted: readonly string[] },
  ): string[] {
    const creations = open.filter(({ session, leadsTo }) => leadsTo === 'armed' && !session).length
    const unknown = [...states.keys()].filter((session) => !this.states.has(session))
    const unexpected = unknown.length > creations ? [`no command created ${unknown.join(', ')}`] : []
    const wrong = [...this.states].flatMap(([session, expected]) => {
      const actual = states.get(session)
      const next = open.find((command) => command.session === session)?.leadsTo
      if (actual === expected || (next !== undefined && actual === next) || deleted.includes(session)) return []
      return [`session ${session} is ${actual ?? 'deleted'} instead of ${expected}`]
    })
    return [...unexpected, ...wrong]
  }

  #deleteSession(session: string): void {
    this.states.delete(session)
    for (const effect of this.#effects.keys()) if (effect.startsWith(session)) this.#effects.delete(effect)
  }
}

/** Finds commands without a reply that have only some of their effects. */
function findPartial(
  open: readonly Command[],
  found: { effects: Map<string, number> },
  before: Map<string, number>,
): string[] {
  return open.flatMap(({ effects, path }) => {
    const fresh = effects.filter((effect) => (found.effects.get(effect) ?? 0) > (before.get(effect) ?? 0))
    return fresh.length === 0 || fresh.length === effects.length
      ? []
      : [`${path} was executed in part: only ${fresh.join(', ')}`]
  })
}

export function readSessionId(reply: unknown): string | undefined {
  return (reply as { session?: { learn_session_id: string } } | null)?.session?.learn_session_id
}
