import type { ExpectOutcome, WaitOutcome } from '@apprentice/contracts/devices/checks.ts'
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

/** The result of one check of an action. */
export interface Check {
  readonly kind: string
  /** Absent for a wait, which has no predicate. */
  readonly predicate?: Exclude<Predicate, 'none'>
  /** Null when the screen could not be read. */
  readonly ui_changed?: boolean | null
}

export function toExpectCheck({ kind, success, evaluated }: ExpectOutcome): Check {
  return { kind, predicate: success ? 'true' : evaluated ? 'false' : 'unevaluable' }
}

/** Only a wait for a change gives information about the action. Returns undefined for other waits. */
export function toWaitCheck({ kind, status }: WaitOutcome): Check | undefined {
  if (kind !== 'screen_change' && kind !== 'ui_change') return undefined
  return { kind, ui_changed: status === 'unobservable' ? null : status === 'satisfied' }
}

export function recordCheck(ctx: CommandContext, { facts, execution }: NamedAction, check: Check): void {
  const payload = { action_id: facts.action_id, step_id: facts.step_id, ...check }
  recordEvent(ctx, formatSubject(execution), 'execution.checked', payload)
}

export function recordDiagnosticsRead(
  ctx: CommandContext,
  { execution }: NamedAction,
  read: { readonly purpose: string; readonly lines: number },
): void {
  recordEvent(ctx, formatSubject(execution), 'execution.diagnostics_read', read)
}

/** Decides from the recorded checks of an action whether the device log may be read. */
export function admitLogReading(
  reader: Reader,
  action: NamedAction,
  purpose: DiagnosticsRequest['purpose'],
): DiagnosticsGate {
  const { execution, facts } = action
  const events = listStreamEvents(reader, formatSubject(execution), {
    afterSeq: 0,
    limit: MAX_EVENTS,
  })
  const select = (kind: string) => events.filter((event) => event.kind === kind)
  const reads_so_far = select('execution.diagnostics_read').length
  // `recordCheck` wrote these payloads.
  const checks = select('execution.checked').map(({ payload }) => payload as unknown as Check)
  const route = routeVerification({
    effect: facts.action_type,
    ...measureProgress(checks, execution.state !== 'succeeded'),
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
    return refuse('No predicate of this action has been checked. Send an expect request first.')
  }
  return admitDiagnostics({ route, purpose, reads_so_far })
}

/**
 * A failed step counts as a false predicate. An unevaluable predicate becomes ambiguous only after the second
 * attempt, because another check may still be evaluable.
 */
function measureProgress(checks: readonly Check[], failed: boolean): Omit<VerificationProgress, 'effect'> {
  const predicates = checks.flatMap(({ predicate }) => predicate ?? [])
  const unevaluable = predicates.filter((predicate) => predicate === 'unevaluable').length
  const changes = checks.filter(({ ui_changed }) => ui_changed !== undefined)
  return {
    predicate: predicates.at(-1) ?? (failed ? 'false' : 'none'),
    other_predicate_possible: unevaluable < MAX_UNEVALUABLE,
    ui_changed: changes.at(-1)?.ui_changed ?? null,
    richer_passes: failed ? Math.max(1, predicates.length - 1) : Math.max(0, predicates.length - 1),
  }
}

const MAX_UNEVALUABLE = 2
const MAX_EVENTS = 2000

const formatSubject = ({ execution_id }: NamedAction['execution']): string => `execution/${execution_id}`
