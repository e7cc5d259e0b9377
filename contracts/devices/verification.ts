import { z } from 'zod'
import { Effect } from './action.ts'
import { NodeMatcher } from './matcher.ts'
import { ElementOutline, ElementRef, LoadingState } from './snapshot.ts'

const optionalText = z.string().max(512).optional()
const pollIntervalMs = z.number().min(50).max(2000)
const timeoutMs = z.number().min(0).max(120_000)

/** All given fields must match. Case and surrounding white space are ignored. */
export const UiSelector = z
  .strictObject({
    text: optionalText,
    resource_id: optionalText,
    accessibility_id: optionalText,
    contains: z.boolean().default(false).describe('Match a part of the value'),
  })
  .refine(
    ({ text, resource_id, accessibility_id }) =>
      [text, resource_id, accessibility_id].some((value) => (value ?? '').trim() !== ''),
    'selector requires text, resource_id or accessibility_id',
  )
export type UiSelector = z.output<typeof UiSelector>

const targetFields = {
  selector: UiSelector.optional(),
  matcher: NodeMatcher.optional(),
  ref: ElementRef.optional(),
}
const ONE_TARGET_MESSAGE = 'requires exactly one of selector, matcher and ref'

/** The target of a wait or an expectation. */
export type ElementTarget = {
  readonly selector?: UiSelector | undefined
  readonly matcher?: NodeMatcher | undefined
  readonly ref?: ElementRef | undefined
}

export const UiCondition = z.enum(['exists', 'not_exists', 'visible', 'clickable'])
export type UiCondition = z.infer<typeof UiCondition>

export const WaitForUi = z
  .strictObject({
    ...targetFields,
    condition: UiCondition.default('exists'),
    match: z.strictObject({ index: z.int().min(0).optional() }).default({}),
    timeout_ms: timeoutMs.default(60_000).describe('For each attempt'),
    poll_interval_ms: pollIntervalMs.default(300),
    retry: z
      .strictObject({
        max_attempts: z.int().min(1).max(10).default(1),
        backoff_ms: z.number().min(0).max(60_000).default(0),
      })
      .prefault({}),
  })
  .refine(hasOneTarget, ONE_TARGET_MESSAGE)
  .meta({ id: 'WaitForUi' })
export type WaitForUi = z.output<typeof WaitForUi>

export const WaitForScreenChange = z
  .strictObject({
    previous_fingerprint: z.string().min(1).max(128),
    timeout_ms: timeoutMs.default(5000),
    poll_interval_ms: pollIntervalMs.default(300),
  })
  .meta({ id: 'WaitForScreenChange' })
export type WaitForScreenChange = z.output<typeof WaitForScreenChange>

export const UiChange = z.enum(['hierarchy_diff', 'text_change', 'state_change'])
export type UiChange = z.infer<typeof UiChange>

/** The reading that a change is compared with; by default the one before the last action. */
export const WaitBaseline = z.union([
  z.strictObject({ snapshot_revision: z.int().min(1) }),
  z.strictObject({ fingerprint: z.string().min(1) }),
  z.strictObject({ action_id: z.string().min(1) }),
])
export type WaitBaseline = z.infer<typeof WaitBaseline>

export const WaitForUiChange = z
  .strictObject({
    baseline: WaitBaseline.optional(),
    expected_change: UiChange.optional(),
    timeout_ms: timeoutMs.default(60_000),
    poll_interval_ms: pollIntervalMs.default(300),
    stability_window_ms: z.number().min(0).max(10_000).default(250),
  })
  .meta({ id: 'WaitForUiChange' })
export type WaitForUiChange = z.output<typeof WaitForUiChange>

export const WaitForIdle = z
  .strictObject({
    timeout_ms: timeoutMs.default(30_000),
    poll_interval_ms: pollIntervalMs.default(300),
    stability_ms: z.number().min(0).max(10_000).default(700),
  })
  .meta({ id: 'WaitForIdle' })
export type WaitForIdle = z.output<typeof WaitForIdle>

export const ExpectScreen = z
  .strictObject({
    fingerprint: z.string().min(1).max(128).optional(),
    screen_id: z.string().min(1).max(128).optional(),
    screen: z.string().min(1).max(512).optional(),
  })
  .refine(
    ({ fingerprint, screen_id, screen }) => (fingerprint ?? screen_id ?? screen) !== undefined,
    'requires fingerprint, screen_id or screen',
  )
  .meta({ id: 'ExpectScreen' })
export type ExpectScreen = z.output<typeof ExpectScreen>

export const ExpectElementVisible = z
  .strictObject({
    ...targetFields,
    timeout_ms: timeoutMs.default(5000),
    poll_interval_ms: pollIntervalMs.default(300),
  })
  .refine(hasOneTarget, ONE_TARGET_MESSAGE)
  .meta({ id: 'ExpectElementVisible' })
export type ExpectElementVisible = z.output<typeof ExpectElementVisible>

export const StateProperty = z.enum(['checked', 'focused', 'expanded', 'enabled', 'selected', 'text_value', 'value'])
export type StateProperty = z.infer<typeof StateProperty>

export const ExpectedState = z.union([
  z.boolean(),
  z.number(),
  z.string(),
  z.strictObject({ id: z.string().optional(), label: z.string().optional() }),
])
export type ExpectedState = z.infer<typeof ExpectedState>

export const ExpectState = z
  .strictObject({
    ...targetFields,
    property: StateProperty,
    expected: ExpectedState,
    stabilization_window_ms: z.number().min(500).max(120_000).default(1000),
    stable_observation_count: z.int().min(1).max(10).default(2),
    poll_interval_ms: z.number().min(100).max(200).default(150),
  })
  .refine(hasOneTarget, ONE_TARGET_MESSAGE)
  .meta({ id: 'ExpectState' })
export type ExpectState = z.output<typeof ExpectState>

/** Statistics of the screen readings. Only good readings affect the result. */
export const Readings = z.object({
  latency_ms: z.number(),
  poll_count: z.int(),
  attempts: z.int(),
  good_reads: z.int(),
  failed_reads: z.int(),
  stale_reads: z.int(),
})
export type Readings = z.infer<typeof Readings>

/** `unobservable` means that no good reading was possible, so the condition is unknown. */
export const WaitStatus = z.enum(['satisfied', 'timeout', 'unobservable'])
export type WaitStatus = z.infer<typeof WaitStatus>

export const FAILURE_CLASSES = {
  ELEMENT_NOT_FOUND: 'TargetResolutionFailure',
  AMBIGUOUS_TARGET: 'TargetResolutionFailure',
  STALE_REFERENCE: 'TargetResolutionFailure',
  ELEMENT_NOT_INTERACTABLE: 'ExecutionFailure',
  TIMEOUT: 'ExecutionFailure',
  ACTION_REJECTED: 'ExecutionFailure',
  NAVIGATION_NO_CHANGE: 'ExecutionFailure',
  SCREEN_UNREADABLE: 'ExecutionFailure',
  UNKNOWN: 'ExecutionFailure',
  VERIFICATION_FAILED: 'VerificationFailure',
  EXPECT_STATE_MISMATCH: 'VerificationFailure',
  STATE_UNAVAILABLE: 'VerificationFailure',
  CONTROL_CONVERGENCE_FAILED: 'ControlConvergenceFailure',
  SEMANTIC_MISMATCH: 'SemanticMismatchFailure',
} as const
export const FailureCode = z.enum(
  Object.keys(FAILURE_CLASSES) as [keyof typeof FAILURE_CLASSES, ...(keyof typeof FAILURE_CLASSES)[]],
)
export type FailureCode = z.infer<typeof FailureCode>

const failureFields = {
  failure_code: FailureCode.optional(),
  retryable: z.boolean().optional(),
  reason: z.string().optional(),
}

export const WaitForUiResult = z.object({
  status: WaitStatus,
  matched: z.boolean(),
  element: ElementOutline.nullable(),
  observed: z.object({
    matched_count: z.int(),
    condition_satisfied: z.boolean(),
    selected_index: z.int().nullable(),
    last_matched_element: ElementOutline.nullable(),
  }),
  metrics: Readings,
  ...failureFields,
})
export type WaitForUiResult = z.infer<typeof WaitForUiResult>

const observedScreen = z.object({
  fingerprint: z.string().nullable(),
  screen_id: z.string().nullable(),
  activity: z.string().nullable(),
})

export const WaitForScreenChangeResult = z.object({
  status: WaitStatus,
  new_fingerprint: z.string().nullable(),
  last_fingerprint: z.string().nullable(),
  observed_screen: observedScreen,
  elapsed_ms: z.number(),
  metrics: Readings,
  ...failureFields,
})
export type WaitForScreenChangeResult = z.infer<typeof WaitForScreenChangeResult>

export const WaitForUiChangeResult = z.object({
  status: WaitStatus,
  observed_change: UiChange.nullable(),
  snapshot_revision: z.int().nullable(),
  loading_state: LoadingState.nullable(),
  elapsed_ms: z.number(),
  metrics: Readings,
  ...failureFields,
})
export type WaitForUiChangeResult = z.infer<typeof WaitForUiChangeResult>

export const ExpectScreenResult = z.object({
  success: z.boolean(),
  evaluated: z.boolean().describe('Whether a good reading was available; false means the result is unknown'),
  observed_screen: observedScreen,
  expected_screen: ExpectScreen,
  comparison: z.object({
    basis: z.enum(['fingerprint', 'screen_id', 'screen']),
    matched: z.boolean(),
    reason: z.string(),
  }),
  confidence: z.union([z.literal(0), z.literal(1)]),
  metrics: Readings,
  ...failureFields,
})
export type ExpectScreenResult = z.infer<typeof ExpectScreenResult>

export const ExpectElementVisibleResult = z.object({
  success: z.boolean(),
  evaluated: z.boolean(),
  element: ElementOutline.nullable(),
  metrics: Readings,
  ...failureFields,
})
export type ExpectElementVisibleResult = z.infer<typeof ExpectElementVisibleResult>

export const ExpectStateResult = z.object({
  success: z.boolean(),
  evaluated: z.boolean(),
  element: ElementOutline.nullable(),
  property: StateProperty,
  expected: ExpectedState,
  observed: z.union([z.boolean(), z.number(), z.string()]).nullable(),
  metrics: Readings,
  ...failureFields,
})
export type ExpectStateResult = z.infer<typeof ExpectStateResult>

export const EffectDecision = z.object({
  effect: Effect,
  source: z.enum(['schema', 'handler', 'fallback_table', 'default']),
  table_version: z.int().min(1),
})
export type EffectDecision = z.infer<typeof EffectDecision>

export const NetworkEvidence = z.array(
  z.object({ endpoint: z.string(), status: z.string().describe('success, failure, retryable') }),
)
export type NetworkEvidence = z.infer<typeof NetworkEvidence>

/** The result of checking the expected state; `none` without an expectation. */
export const Predicate = z.enum(['true', 'false', 'unevaluable', 'none'])
export type Predicate = z.infer<typeof Predicate>

/** The observations of the caller. The effect is taken from the stored action, not from the request. */
export const ClassifyRequest = z
  .strictObject({
    action_id: z.string().min(1).max(128),
    ui_changed: z.boolean(),
    predicate: Predicate.default('none'),
    expected_element_visible: z.boolean().nullable().default(null),
    network_requests: NetworkEvidence.max(200).nullable().default(null),
    has_log_errors: z.boolean().nullable().default(null),
  })
  .meta({ id: 'ClassifyRequest' })
export type ClassifyRequest = z.output<typeof ClassifyRequest>

export const ActionOutcome = z.enum([
  'success',
  'changed_unverified',
  'no_op',
  'backend_failure',
  'ui_failure',
  'unknown',
])
export type ActionOutcome = z.infer<typeof ActionOutcome>

export const Classification = z.object({
  outcome: ActionOutcome,
  rule_id: z.string(),
  table_version: z.int(),
  inputs_digest: z.string(),
  reasoning: z.string(),
})
export type Classification = z.infer<typeof Classification>

function hasOneTarget({ selector, matcher, ref }: ElementTarget): boolean {
  return [selector, matcher, ref].filter((one) => one !== undefined).length === 1
}
