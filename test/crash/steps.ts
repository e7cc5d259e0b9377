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

/** Where a user stands, as far as replies have told. */
export interface Standing {
  readonly user: string
  readonly session?: { readonly id: string; readonly state: LearnSessionState } | undefined
  readonly categories: readonly string[]
}

type Step = Omit<Command, 'user' | 'key'>

/** What the user does next. Every command is legal when it is sent. */
export function nextCommand(standing: Standing, random: Random): Command {
  const step = random.chance(0.2) ? aside(standing, random) : forward(standing, random)
  return { user: standing.user, key: randomUUID(), ...step }
}

const ways = {
  armed: { start: 9, cancel: 1 },
  capturing: { observe: 8, mark: 3, pause: 4, stop: 2, cancel: 1 },
  paused: { resume: 6, mark: 2, stop: 2, cancel: 1 },
  stopped: { cancel: 1 },
  cancelled: { delete: 1, create: 3 },
} as const satisfies Partial<Record<LearnSessionState, Partial<Record<StepName, number>>>>

type StepName = 'create' | 'delete' | 'observe' | 'mark' | keyof typeof moves

function forward({ user, session }: Standing, random: Random): Step {
  if (session === undefined) return create(user, random)
  const way: Partial<Record<StepName, number>> = ways[session.state as keyof typeof ways]
  const name = random.weighed(way)
  if (name === 'create') return create(user, random)
  if (name === 'delete') return remove(user, session.id)
  if (name === 'observe') return observe(session.id, random)
  return name === 'mark' ? mark(session.id) : move(user, session.id, name)
}

const receipts = (user: string, ...kinds: string[]): string[] =>
  kinds.map((kind) => `${user} receipt ${kind}`)

function create(user: string, random: Random): Step {
  return {
    method: 'POST',
    path: learn.createSession.url,
    body: {
      entry_mode: 'demonstrating_skill',
      observation_mode: 'inside_agent',
      target_app_family: random.pick(['shop', 'notes', 'portal']),
    },
    leaves: receipts(user, 'learn.session.started', 'learn.observation.armed'),
    leadsTo: 'armed',
  }
}

function remove(user: string, session: string): Step {
  return {
    method: 'DELETE',
    path: fillPath(learn.deleteSession.url, { sessionId: session }),
    leaves: receipts(user, 'learn.session.deleted'),
    session,
    forgets: true,
  }
}

const moves = {
  start: [learn.startCapture.url, 'capturing', 'learn.capture.started', 'learn.observation.armed'],
  pause: [learn.pauseCapture.url, 'paused', 'learn.capture.paused'],
  resume: [learn.resumeCapture.url, 'capturing', 'learn.capture.resumed'],
  stop: [learn.stopCapture.url, 'stopped', 'learn.capture.stopped'],
  cancel: [learn.cancelSession.url, 'cancelled', 'learn.session.cancelled'],
} as const

function move(user: string, session: string, name: keyof typeof moves): Step {
  const [url, leadsTo, ...kinds] = moves[name]
  return {
    method: 'POST',
    path: fillPath(url, { sessionId: session }),
    body: {},
    leaves: [`${session} boundary ${name}`, ...receipts(user, ...kinds)],
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
    leaves: events.map(({ event_id }) => `${session} observation ${event_id}`),
    session,
  }
}

function mark(session: string): Step {
  const step_label = `Step ${randomUUID()}`
  return {
    method: 'POST',
    path: fillPath(learn.markStep.url, { sessionId: session }),
    body: { step_label },
    leaves: [`${session} boundary ${step_label}`],
    session,
  }
}

/** Something that has nothing to do with the session. */
function aside({ user, categories }: Standing, random: Random): Step {
  const kind = random.weighed({ intent: 3, checkpoint: 3, category: 1, item: 3 })
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
      payload: { [`choice_${random.int(1, 20)}`]: random.int(1, 1000) },
      requested_by: 'ui',
      correlation_id: intent_id,
      created_at: new Date().toISOString(),
    },
    leaves: [`${user} intent ${intent_id}`, ...receipts(user, 'config.intent.applied')],
  }
}

function check(user: string, random: Random): Step {
  const checkpoint_id = randomUUID()
  const status = random.pick(['reached', 'skipped', 'failed'])
  return {
    method: 'POST',
    path: verifyCheckpoint.url,
    body: { checkpoint_id, status, evidence: 'seen', reason: 'so', dispatch_id: user },
    leaves: [`${user} checkpoint ${checkpoint_id}`],
  }
}

function categorize(user: string): Step {
  const title = randomUUID()
  const leaves = [`${user} category ${title}`]
  return { method: 'POST', path: createCategory.url, body: { title }, leaves }
}

function assign(user: string, categoryId: string): Step {
  const item_id = randomUUID()
  return {
    method: 'POST',
    path: fillPath(assignCategory.url, { categoryId }),
    body: { item_kind: 'skill', item_id },
    leaves: [`${user} item ${item_id}`, `${user} item log ${item_id}`],
  }
}
