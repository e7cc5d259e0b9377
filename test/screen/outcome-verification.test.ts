import { expect, test } from 'vitest'
import { ACTION_TYPES, DECLARED_EFFECTS, type Effect } from '@apprentice/contracts/devices/action.ts'
import { Classification, type NetworkEvidence, type Predicate } from '@apprentice/contracts/devices/verification.ts'
import { type OutcomeEvidence, classifyOutcome } from '../../src/knowledge/verification/classification.ts'
import { decideEffect } from '../../src/knowledge/verification/effect.ts'
import {
  type VerificationProgress,
  admitDiagnostics,
  isAmbiguous,
  routeVerification,
} from '../../src/knowledge/verification/routing.ts'

test.each([
  [{ verb: 'click' }, 'local_state', 'fallback_table'],
  [{ verb: '  CLICK ' }, 'local_state', 'fallback_table'],
  [{ verb: 'swipe' }, 'local_state', 'fallback_table'],
  [{ verb: 'swipe', handler: 'side_effect' }, 'side_effect', 'handler'],
  [{ verb: 'open_app' }, 'side_effect', 'fallback_table'],
  [{ verb: 'enter_text' }, 'local_state', 'fallback_table'],
  [{ verb: 'enter_text', submits: true }, 'side_effect', 'fallback_table'],
  [{ verb: 'press_key', submits: true }, 'side_effect', 'fallback_table'],
  [{ verb: 'adjust_control' }, 'local_state', 'fallback_table'],
  [{ verb: 'teleport' }, 'side_effect', 'default'],
  [{ verb: 'click', submits: true }, 'side_effect', 'default'],
  [{ verb: 'click', handler: 'side_effect' }, 'side_effect', 'handler'],
  [{ verb: 'click', schema: 'local_state', handler: 'side_effect' }, 'local_state', 'schema'],
] as const)('the effect of %j is %s by %s', (sources, effect, source) => {
  expect(decideEffect(sources)).toEqual({ effect, source, table_version: 1 })
})

test('every action type has an effect from its definition or from the table', () => {
  for (const verb of ACTION_TYPES) {
    const { source } = decideEffect({ verb, schema: DECLARED_EFFECTS[verb] })
    expect([verb, source]).not.toEqual([verb, 'default'])
  }
})

const NETWORK: Readonly<Record<string, NetworkEvidence | null>> = {
  'not collected': null,
  none: [],
  failure: [
    { endpoint: '/a', status: 'success' },
    { endpoint: '/b', status: 'failure' },
  ],
  retryable: [{ endpoint: '/a', status: 'retryable' }],
  'all success': [{ endpoint: '/a', status: 'success' }],
  odd: [{ endpoint: '/a', status: 'pending' }],
}

const evidence = (more: Partial<OutcomeEvidence>): OutcomeEvidence => ({
  verb: 'click',
  effect: 'local_state',
  ui_changed: false,
  predicate: 'none',
  expected_element_visible: null,
  network_requests: null,
  has_log_errors: null,
  ...more,
})

test.each([
  ['not collected', 'unknown', 'no_op', 'unknown'],
  ['none', 'unknown', 'no_op', 'no_op'],
  ['failure', 'backend_failure', 'backend_failure', 'backend_failure'],
  ['retryable', 'backend_failure', 'backend_failure', 'backend_failure'],
  ['all success', 'unknown', 'no_op', 'ui_failure'],
  ['odd', 'unknown', 'no_op', 'unknown'],
])('an unchanged screen, requests %s: %s, %s, %s', (requests, ...outcomes) => {
  const effects: readonly (Effect | null)[] = [null, 'local_state', 'side_effect']
  const network_requests = NETWORK[requests] ?? null
  expect(effects.map((effect) => classifyOutcome(evidence({ effect, network_requests })).outcome)).toEqual(outcomes)
})

/** An independent implementation of the outcome table, as nested conditions instead of rules. */
function expectedOutcome(seen: OutcomeEvidence): string {
  const launch = seen.verb === 'open_app'
  const statuses = seen.network_requests?.map(({ status }) => status) ?? null
  const failed = statuses !== null && (statuses.includes('failure') || statuses.includes('retryable'))
  let predicate: Predicate = seen.predicate
  if (predicate === 'none') {
    const front = launch ? (seen.foreground_matches ?? null) : null
    const said = [front, seen.expected_element_visible]
    if (said.includes(false)) predicate = 'false'
    else if (said.includes(true)) predicate = 'true'
  }
  if (predicate === 'true') return 'success'
  if (seen.ui_changed) {
    if (predicate === 'none') return 'success'
    return failed ? 'backend_failure' : 'changed_unverified'
  }
  if (failed) return 'backend_failure'
  if (seen.effect === null) return 'unknown'
  if (seen.effect === 'local_state') return 'no_op'
  if (launch && predicate === 'none') return 'unknown'
  if (statuses === null) return 'unknown'
  if (statuses.length === 0) return 'no_op'
  return statuses.some((status) => status !== 'success') ? 'unknown' : 'ui_failure'
}

function* everyCell(): Generator<OutcomeEvidence> {
  const maybe = [null, true, false]
  for (const verb of ['click', 'open_app'])
    for (const effect of [null, 'local_state', 'side_effect'] as const)
      for (const ui_changed of [true, false])
        for (const predicate of ['true', 'false', 'unevaluable', 'none'] as const)
          for (const expected_element_visible of maybe)
            for (const foreground_matches of maybe)
              for (const network_requests of Object.values(NETWORK))
                yield evidence({
                  verb,
                  effect,
                  ui_changed,
                  predicate,
                  expected_element_visible,
                  foreground_matches,
                  network_requests,
                })
}

test('every cell of the outcome table agrees with the reference', () => {
  let cells = 0
  for (const cell of everyCell()) {
    cells += 1
    expect([cell, classifyOutcome(cell).outcome]).toEqual([cell, expectedOutcome(cell)])
  }
  expect(cells).toBe(2592)
})

test('a change alone is not a success if something was expected', () => {
  const changed = { ui_changed: true }
  expect(classifyOutcome(evidence(changed))).toMatchObject({ outcome: 'success' })
  expect(classifyOutcome(evidence({ ...changed, predicate: 'false' }))).toMatchObject({
    outcome: 'changed_unverified',
    rule_id: 'changed_otherwise',
  })
})

test('a launch is decided by the foreground app, not by network requests', () => {
  const launch: Partial<OutcomeEvidence> = {
    verb: 'open_app',
    effect: 'side_effect',
    network_requests: [],
  }
  expect(classifyOutcome(evidence(launch)).rule_id).toBe('launch_without_foreground')
  expect(classifyOutcome(evidence({ ...launch, foreground_matches: true })).outcome).toBe('success')
  expect(classifyOutcome(evidence({ ...launch, foreground_matches: false })).outcome).toBe('no_op')
})

test('log errors change only the text of a no-op', () => {
  for (const cell of everyCell()) {
    const [plain, logged] = [cell, { ...cell, has_log_errors: true }].map(classifyOutcome)
    expect(logged?.outcome).toBe(plain?.outcome)
    expect(logged?.reasoning === plain?.reasoning).toBe(plain?.outcome !== 'no_op')
  }
})

test('a classification names its rule, its table and its inputs', () => {
  const one = classifyOutcome(evidence({}))
  expect(Classification.parse(one)).toEqual(one)
  expect(one).toMatchObject({ rule_id: 'local_without_change', table_version: 1 })
  expect(classifyOutcome(evidence({})).inputs_digest).toBe(one.inputs_digest)
  expect(classifyOutcome(evidence({ ui_changed: true })).inputs_digest).not.toBe(one.inputs_digest)
})

const progress = (more: Partial<VerificationProgress>): VerificationProgress => ({
  effect: 'local_state',
  predicate: 'unevaluable',
  other_predicate_possible: false,
  ui_changed: false,
  richer_passes: 0,
  ...more,
})

test.each([
  [{ predicate: 'true', effect: 'local_state' }, 1, 'success', 'not_needed', true],
  [{ predicate: 'true', effect: 'side_effect' }, 1, 'success', 'not_needed', true],
  [{ predicate: 'false' }, 2, 'retry_with_richer_state', 'forbidden', false],
  [{ predicate: 'unevaluable' }, 2, 'retry_with_richer_state', 'forbidden', false],
  [{ predicate: 'false', richer_passes: 1 }, 2, 'no_op', 'forbidden', true],
  [{ predicate: 'false', richer_passes: 1, ui_changed: true }, 2, 'verification_failed', 'forbidden', true],
  [{ richer_passes: 1, ui_changed: true }, 2, 'inconclusive', 'forbidden', true],
  [{ richer_passes: 1, ui_changed: null }, 2, 'inconclusive', 'forbidden', true],
  [{ effect: 'side_effect' }, 3, 'may_inspect_diagnostics', 'allowed', false],
  [{ effect: 'side_effect', predicate: 'none' }, 3, 'may_inspect_diagnostics', 'allowed', false],
  [{ effect: 'side_effect', predicate: 'false' }, 4, 'inconclusive', 'not_allowed', true],
  [{ effect: 'side_effect', other_predicate_possible: true }, 4, 'inconclusive', 'not_allowed', true],
] as const)('%j is row %i: %s', (...[more, row, result, diagnostics, terminal]) => {
  expect(routeVerification(progress(more))).toEqual({ row, result, diagnostics, terminal })
})

test('a failed or pending check is not ambiguous', () => {
  const other_predicate_possible = false
  expect(isAmbiguous({ predicate: 'unevaluable', other_predicate_possible })).toBe(true)
  expect(isAmbiguous({ predicate: 'false', other_predicate_possible })).toBe(false)
  expect(isAmbiguous({ predicate: 'unevaluable', other_predicate_possible: true })).toBe(false)
})

test.each([
  ['local_state', 'unevaluable', 0, 'verification', false],
  ['local_state', 'unevaluable', 1, 'verification', false],
  ['local_state', 'false', 0, 'diagnosis', false],
  ['local_state', 'false', 1, 'diagnosis', true],
  ['local_state', 'true', 0, 'diagnosis', false],
  ['side_effect', 'unevaluable', 0, 'verification', true],
  ['side_effect', 'false', 0, 'verification', false],
  ['side_effect', 'false', 0, 'diagnosis', true],
  ['side_effect', 'true', 0, 'verification', false],
] as const)('%s, %s after %i richer passes, for %s: %s', (...row) => {
  const [effect, predicate, richer_passes, purpose, allowed] = row
  const route = routeVerification(progress({ effect, predicate, richer_passes }))
  const gate = admitDiagnostics({ route, purpose, reads_so_far: 0 })
  const refusal = { allowed: false, code: 'DIAGNOSTICS_NOT_ALLOWED', row: route.row }
  expect(gate).toMatchObject(allowed ? { allowed: true } : refusal)
})

test('network and logs are read once per action', () => {
  const route = routeVerification(progress({ effect: 'side_effect' }))
  expect(admitDiagnostics({ route, purpose: 'verification', reads_so_far: 1 })).toMatchObject({
    allowed: false,
    row: 3,
  })
})
