import type { Effect } from '@apprentice/contracts/devices/action.ts'
import type { Predicate } from '@apprentice/contracts/devices/verification.ts'

/** The progress of the verification of one action. */
export interface VerificationProgress {
  readonly effect: Effect
  /** The result of the expected-state check; `unevaluable` after a failed or stale reading. */
  readonly predicate: Predicate
  /** Another deterministic check of the screen is still possible. */
  readonly other_predicate_possible: boolean
  /** Null if the screen could not be read, which differs from unchanged. */
  readonly ui_changed: boolean | null
  /** How often the state was verified again with more detail. */
  readonly richer_passes: number
}

export interface Route {
  /** The row of the decision table that matched. */
  readonly row: 1 | 2 | 3 | 4
  readonly result:
    | 'success'
    | 'retry_with_richer_state'
    | 'no_op'
    | 'verification_failed'
    | 'may_inspect_diagnostics'
    | 'inconclusive'
  readonly diagnostics: 'not_needed' | 'forbidden' | 'allowed' | 'not_allowed'
  /** The verification is complete. */
  readonly terminal: boolean
}

const MAX_RICHER_PASSES = 1

/** Returns the first matching row of the decision table. */
export function routeVerification(progress: VerificationProgress): Route {
  if (progress.predicate === 'true') {
    return { row: 1, result: 'success', diagnostics: 'not_needed', terminal: true }
  }
  if (progress.effect === 'local_state') return routeLocal(progress)
  if (isAmbiguous(progress)) {
    return { row: 3, result: 'may_inspect_diagnostics', diagnostics: 'allowed', terminal: false }
  }
  return { row: 4, result: 'inconclusive', diagnostics: 'not_allowed', terminal: true }
}

/**
 * Ambiguous means: the expected state cannot be evaluated on the screen, and no other check is possible. A check with
 * the result false is not ambiguous, nor is an unchanged screen.
 */
export function isAmbiguous({
  predicate,
  other_predicate_possible,
}: Pick<VerificationProgress, 'predicate' | 'other_predicate_possible'>): boolean {
  return (predicate === 'unevaluable' || predicate === 'none') && !other_predicate_possible
}

export interface DiagnosticsRequest {
  readonly route: Route
  readonly purpose: 'verification' | 'diagnosis'
  /** How often network or logs were already read for this action. */
  readonly reads_so_far: number
}

export type DiagnosticsGate =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly code: 'DIAGNOSTICS_NOT_ALLOWED'
      readonly row: Route['row']
      readonly reason: string
    }

/**
 * Network and logs may be read once per action: to verify it where the table allows it, or to explain a verification
 * that has finally failed. They never prove that an action succeeded.
 */
export function admitDiagnostics({ route, purpose, reads_so_far }: DiagnosticsRequest): DiagnosticsGate {
  const refuse = (reason: string): DiagnosticsGate => ({
    allowed: false,
    code: 'DIAGNOSTICS_NOT_ALLOWED',
    row: route.row,
    reason,
  })
  if (reads_so_far > 0) return refuse('Diagnostics were already read for this action.')
  if (route.diagnostics === 'allowed') return { allowed: true }
  if (purpose === 'diagnosis') {
    const failed = route.terminal && route.result !== 'success'
    return failed ? { allowed: true } : refuse('A diagnosis requires a failed verification.')
  }
  return refuse(REASONS[route.row])
}

const REASONS: Readonly<Record<Route['row'], string>> = {
  1: 'The expected state is verified; diagnostics are not needed.',
  2: 'The effect is visible on the screen; verify the state there.',
  3: 'The state cannot be verified on the screen.',
  4: 'The state can be evaluated on the screen, so the evidence is not ambiguous.',
}

function routeLocal({ predicate, ui_changed, richer_passes }: VerificationProgress): Route {
  const row = { row: 2, diagnostics: 'forbidden' } as const
  if (richer_passes < MAX_RICHER_PASSES) {
    return { ...row, result: 'retry_with_richer_state', terminal: false }
  }
  const result = ui_changed === false ? 'no_op' : predicate === 'false' ? 'verification_failed' : 'inconclusive'
  return { ...row, result, terminal: true }
}
