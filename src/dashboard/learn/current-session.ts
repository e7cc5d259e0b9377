import { signal } from '@preact/signals'
import {
  getSessionDetail,
  type LearnHistoryItem,
  type LearnSessionDetail,
  listHistory,
} from '@apprentice/contracts/learn/runtime.ts'
import { onChange } from '../api/changes.ts'
import { call } from '../api/client.ts'

/** The sessions that are not finished, newest first. */
export const activeSessions = signal<readonly LearnHistoryItem[]>([])
/** The session the page is about: the chosen one, else the newest active one. */
export const currentSession = signal<LearnSessionDetail | undefined>(undefined)
/** False until the daemon has answered once. */
export const sessionsKnown = signal(false)

/** The states in which a session waits for nothing more from its user. */
export const SETTLED_STATES: ReadonlySet<string> = new Set([
  'installed_private',
  'approved',
  'rejected',
  'cancelled',
  'quarantined',
])
const PAGE_SIZE = 50

let chosenId: string | undefined
let reading: Promise<void> | undefined
let isStale = false

/** Reads the session now and after every change of a session. */
export function startSession(): void {
  void reloadSession()
  onChange(['learn.'], () => void reloadSession())
}

export function chooseSession(id: string): Promise<void> {
  chosenId = id
  return reloadSession()
}

/** A chosen lesson that has ended gives way to an active one. */
export async function forgetEndedSession(): Promise<void> {
  const state = currentSession.value?.session.state
  if (state === undefined || !SETTLED_STATES.has(state)) return
  chosenId = undefined
  await reloadSession()
}

/** Reads the session again. Calls during a read cause one more read after it. */
export async function reloadSession(): Promise<void> {
  isStale = true
  reading ??= readUntilCurrent().finally(() => {
    reading = undefined
  })
  await reading
}

async function readUntilCurrent(): Promise<void> {
  while (isStale) {
    isStale = false
    // A failed read is repeated after the next event; the header shows that the daemon does not answer.
    await read().catch(() => undefined)
  }
}

async function read(): Promise<void> {
  const { items } = await call(listHistory, { query: { page_size: PAGE_SIZE } })
  const active = items.filter(({ outcome, state }) => outcome === 'in_progress' && !SETTLED_STATES.has(state))
  const isChosen = ({ learn_session_id }: LearnHistoryItem): boolean => learn_session_id === chosenId
  const id = items.find(isChosen)?.learn_session_id ?? active[0]?.learn_session_id
  const detail = id === undefined ? undefined : await call(getSessionDetail, { params: { sessionId: id } })
  activeSessions.value = active
  currentSession.value = detail
  sessionsKnown.value = true
}
