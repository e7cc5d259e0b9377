import { randomUUID } from 'node:crypto'
import { assignCategory, createCategory } from '@apprentice/contracts/admin/categories.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { submitIntent } from '@apprentice/contracts/admin/intents.ts'
import { ingestObservations } from '@apprentice/contracts/learn/observation.ts'
import { verifyCheckpoint } from '@apprentice/contracts/learn/receipts.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import * as learn from '@apprentice/contracts/learn/sessions.ts'
import type { Command } from './ledger.ts'
import type { Random } from './random.ts'

/** The state of a user according to the replies. */
export interface UserState {
  readonly user: string
  readonly session?: { readonly id: string; readonly state: LearnSessionState } | undefined
  readonly categories: readonly string[]
}

type Step = Omit<Command, 'user' | 'key'>

/** Picks the next command of a user. It is always valid when it is sent. */
export function nextCommand(state: UserState, random: Random): Command {
  const step = random.chance(0.2) ? unrelatedStep(state, random) : sessionStep(state, random)
  return { user: state.user, key: randomUUID(), ...step }
}

const WEIGHTS = {
  armed: { start: 9, cancel: 1 },
  capturing: { observe: 8, mark: 3, pause: 4, stop: 2, cancel: 1 },
  paused: { resume: 6, mark: 2, stop: 2, cancel: 1 },
  stopped: { cancel: 1 },
  cancelled: { delete: 1, create: 3 },
} as const satisfies Partial<Record<LearnSessionState, Partial<Record<StepName, number>>>>

type StepName = 'create' | 'delete' | 'observe' | 'mark' | keyof typeof TRANSITIONS

function sessionStep({ user, session }: UserState, random: Random): Step {
  if (session === undefined) return create(user, random)
  const weights: Partial<Record<StepName, number>> = WEIGHTS[session.state as keyof typeof WEIGHTS]
  const name = random.pickWeighted(weights)
  if (name === 'create') return create(user, random)
  if (name === 'delete') return remove(user, session.id)
  if (name === 'observe') return observe(session.id, random)
  return name === 'mark' ? mark(session.id) : move(user, session.id, name)
}

const receipts = (user: string, ...kinds: string[]): string[] => kinds.map((kind) => `${user} receipt ${kind}`)

function create(user: string, random: Random): Step {
  return {
    method: 'POST',
    path: learn.createSession.url,
    body: {
      entry_mode: 'demonstrating_skill',
      observation_mode: 'inside_agent',
      target_app_family: random.pick(['shop', 'notes', 'portal']),
    },
    effects: receipts(user, 'learn.session.started', 'learn.observation.armed'),
    leadsTo: 'armed',
  }
}

function remove(user: string, session: string): Step {
  return {
    method: 'DELETE',
    path: fillPath(learn.deleteSession.url, { sessionId: session }),
    effects: receipts(user, 'learn.session.deleted'),
    session,
    deletes: true,
  }
}

const TRANSITIONS = {
  start: [learn.startCapture.url, 'capturing', 'learn.capture.started', 'learn.observation.armed'],
  pause: [learn.pauseCapture.url, 'paused', 'learn.capture.paused'],
  resume: [learn.resumeCapture.url, 'capturing', 'learn.capture.resumed'],
  stop: [learn.stopCapture.url, 'stopped', 'learn.capture.stopped'],
  cancel: [learn.cancelSession.url, 'cancelled', 'learn.session.cancelled'],
} as const

function move(user: string, session: string, name: keyof typeof TRANSITIONS): Step {
  const [url, leadsTo, ...kinds] = TRANSITIONS[name]
  return {
    method: 'POST',
    path: fillPath(url, { sessionId: session }),
    body: {},
    effects: [`${session} boundary ${name}`, ...receipts(user, ...kinds)],
    session,
    leadsTo,
  }
}

function observe(session: string, random: Random): Step {
  const events = Array.from({ length: random.int(1, 5) }, (_, n) => ({
    event_id: randomUUID(),
    learn_session_id: session,
    adapter_kind: 'wrapper_receipt',
    action_label: `Press button ${n}`,
    control_surface: 'wrapper_script',
    caused_state_change: true,
    created_at: new Date().toISOString(),
  }))
  return {
    method: 'POST',
    path: fillPath(ingestObservations.url, { sessionId: session }),
    body: { batch_request_id: randomUUID(), adapter_id: 'wrapper_receipt', events },
    effects: events.map(({ event_id }) => `${session} observation ${event_id}`),
    session,
  }
}

function mark(session: string): Step {
  const step_label = `Step ${randomUUID()}`
  return {
    method: 'POST',
    path: fillPath(learn.markStep.url, { sessionId: session }),
    body: { step_label },
    effects: [`${session} boundary ${step_label}`],
    session,
  }
}

/** Picks a command that is not about the session. */
function unrelatedStep({ user, categories }: UserState, random: Random): Step {
  const kind = random.pickWeighted({ intent: 3, checkpoint: 3, category: 1, item: 3 })
  if (kind === 'intent') return intend(user, random)
  if (kind === 'checkpoint') return check(user, random)
  if (kind === 'item' && categories.length > 0) return assign(user, random.pick(categories))
  return categorize(user)
}

function intend(user: string, random: Random): Step {
  const intent_id = randomUUID()
  return {
    method: 'POST',
    path: submitIntent.url,
    body: {
      intent_id,
      target: 'user_preference',
      payload: { ask_when_ambiguous: random.chance(0.5) },
      requested_by: 'ui',
      correlation_id: intent_id,
      created_at: new Date().toISOString(),
    },
    effects: [`${user} intent ${intent_id}`, ...receipts(user, 'config.intent.applied')],
  }
}

function check(user: string, random: Random): Step {
  const checkpoint_id = randomUUID()
  const status = random.pick(['reached', 'skipped', 'failed'])
  return {
    method: 'POST',
    path: verifyCheckpoint.url,
    body: { checkpoint_id, status, evidence: 'seen', reason: 'so', dispatch_id: user },
    effects: [`${user} checkpoint ${checkpoint_id}`],
  }
}

function categorize(user: string): Step {
  const title = randomUUID()
  const effects = [`${user} category ${title}`]
  return { method: 'POST', path: createCategory.url, body: { title }, effects }
}

function assign(user: string, categoryId: string): Step {
  const item_id = randomUUID()
  return {
    method: 'POST',
    path: fillPath(assignCategory.url, { categoryId }),
    body: { item_kind: 'skill', item_id },
    effects: [`${user} item ${item_id}`, `${user} item log ${item_id}`],
  }
}
