import type { ExpectOutcome, WaitOutcome } from '@apprentice/contracts/devices/looks.ts'
import type { Predicate } from '@apprentice/contracts/devices/verification.ts'
import type { Reader } from '../../store/db/db.ts'
import { listStreamEvents } from '../../store/command/events.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import type { NamedAction } from './named-action.ts'
import {
  admitDiagnostics,
  type DiagnosticsGate,
  type DiagnosticsRequest,
  routeVerification,
  type VerificationProgress,
} from '../../knowledge/verification/routing.ts'

/** What one look at an action's outcome told. */
export interface Check {
  readonly kind: string
  /** Absent for a look that expected nothing. */
  readonly predicate?: Exclude<Predicate, 'none'>
  /** Null when the screen could not be read. */
  readonly ui_changed?: boolean | null
}

export function checkOfExpect({ kind, success, evaluated }: ExpectOutcome): Check {
  return { kind, predicate: success ? 'true' : evaluated ? 'false' : 'unevaluable' }
}

/** Only a wait for a change says something of the outcome; that a wait ended well proves nothing. */
export function checkOfWait({ kind, status }: WaitOutcome): Check | undefined {
  if (kind !== 'screen_change' && kind !== 'ui_change') return undefined
  return { kind, ui_changed: status === 'unobservable' ? null : status === 'satisfied' }
}

export function recordCheck(
  ctx: CommandContext,
  { facts, execution }: NamedAction,
  check: Check,
): void {
  const payload = { action_id: facts.action_id, step_id: facts.step_id, ...check }
  recordEvent(ctx, subjectOf(execution), 'execution.checked', payload)
}

export function recordDiagnosticsRead(
  ctx: CommandContext,
  { execution }: NamedAction,
  read: { readonly purpose: string; readonly lines: number },
): void {
  recordEvent(ctx, subjectOf(execution), 'execution.diagnostics_read', read)
}

/** Whether the log may be read for an action, by what the daemon itself saw of its verification. */
export function admitLogReading(
  reader: Reader,
  action: NamedAction,
  purpose: DiagnosticsRequest['purpose'],
): DiagnosticsGate {
  const { execution, facts } = action
  const events = listStreamEvents(reader, subjectOf(execution), { afterSeq: 0, limit: MOST_EVENTS })
  const of = (kind: string) => events.filter((event) => event.kind === kind)
  const reads_so_far = of('execution.diagnostics_read').length
  // The payload is the one written above.
  const checks = of('execution.checked').map(({ payload }) => payload as unknown as Check)
  const route = routeVerification({
    effect: facts.action_type,
    ...progressOf(checks, execution.state !== 'succeeded'),
  })
  const refuse = (reason: string): DiagnosticsGate => ({
    allowed: false,
    code: 'DIAGNOSTICS_NOT_ALLOWED',
    row: route.row,
    reason,
  })
  if (execution.settled_at === undefined) return refuse('The execution has not ended.')
  const unchecked = checks.every(({ predicate }) => predicate === undefined)
  if (unchecked && execution.state === 'succeeded') {
    return refuse(
      'Nothing was expected of this action yet; expect its outcome on the screen first.',
    )
  }
  return admitDiagnostics({ route, purpose, reads_so_far })
}

/**
 * How far the checks have come. A step that failed is an answer by itself. What cannot be evaluated counts
 * as ambiguous only after a second, other attempt: until then some check could still be computed.
 */
function progressOf(
  checks: readonly Check[],
  failed: boolean,
): Omit<VerificationProgress, 'effect'> {
  const told = checks.flatMap(({ predicate }) => predicate ?? [])
  const unevaluable = told.filter((predicate) => predicate === 'unevaluable').length
  const changes = checks.filter(({ ui_changed }) => ui_changed !== undefined)
  return {
    predicate: told.at(-1) ?? (failed ? 'false' : 'none'),
    other_predicate_possible: unevaluable < ATTEMPTS,
    ui_changed: changes.at(-1)?.ui_changed ?? null,
    richer_passes: failed ? Math.max(1, told.length - 1) : Math.max(0, told.length - 1),
  }
}

const ATTEMPTS = 2
const MOST_EVENTS = 2000

const subjectOf = ({ execution_id }: NamedAction['execution']): string =>
  `execution/${execution_id}`
