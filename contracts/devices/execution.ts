import { z } from 'zod'
import { ACTION_PARAMS, Action, type ActionType, type ClickType, isActionType } from './action.ts'
import { PARAM_ALIASES, TYPE_ALIASES } from './aliases.ts'
import { canonicalMatcher, isRecord, NodeMatcher, renameKeys } from './matcher.ts'

export const MAX_PAYLOAD_BYTES = 64_000
export const MIN_TIMEOUT_MS = 1000
export const MAX_TIMEOUT_MS = 120_000

const markHash = z.string().regex(/^[0-9a-f]{12}$/)

/** Who was signed in during the demonstration, as hashes of the words around the name and of the name. */
export const AccountMarks = z.array(z.strictObject({ frame: markHash, name: markHash })).max(10)

export const Execution = z
  .strictObject({
    commandId: z.string().min(1).max(128),
    taskId: z.string().min(1).max(128),
    source: z.string().min(1).max(64),
    expectedFormat: z.literal('android-ui-automator'),
    timeoutMs: z.number().min(MIN_TIMEOUT_MS).max(MAX_TIMEOUT_MS),
    actions: z.array(Action).min(1).max(50).superRefine(refuseRepeatedIds).superRefine(refuseSkippingBack),
    mode: z.enum(['artifact_compiled', 'direct']).optional(),
    dismissals: z
      .array(NodeMatcher)
      .max(10)
      .optional()
      .describe('Extension: clicked if they block a step, each at most twice'),
    landmarks: z
      .array(NodeMatcher)
      .max(10)
      .optional()
      .describe('Extension: tabs and filters to select, each once, if a target is missing and another is selected'),
    accounts: AccountMarks.optional().describe('Extension: a step fails if the screen names another account'),
    words: z
      .array(z.string().min(1).max(120))
      .max(60)
      .optional()
      .describe('Extension: texts of the app on its pages, to know whether it speaks another language'),
  })
  .meta({ id: 'Execution' })
export type Execution = z.output<typeof Execution>

/** How a payload is handled: execute it (default), only validate it, or return the plan. */
export const ExecutionForm = z.strictObject({
  validate_only: z.boolean().default(false),
  dry_run: z.boolean().default(false),
})
export type ExecutionForm = z.output<typeof ExecutionForm>

/** An action in a reply: canonical, with defaults. `Action` is the schema for requests. */
export const ActionView = z
  .object({
    id: z.string(),
    type: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .loose()
  .meta({ id: 'ActionView' })

export const ExecutionView = z
  .object({
    commandId: z.string(),
    taskId: z.string(),
    source: z.string(),
    expectedFormat: z.string(),
    timeoutMs: z.number(),
    mode: z.string().optional(),
    actions: z.array(ActionView),
    dismissals: z.array(z.record(z.string(), z.unknown())).optional(),
    landmarks: z.array(z.record(z.string(), z.unknown())).optional(),
    accounts: z.array(z.record(z.string(), z.unknown())).optional(),
    words: z.array(z.string()).optional(),
  })
  .meta({ id: 'ExecutionView' })

export const ValidateOnlyReply = z.object({
  ok: z.literal(true),
  validated: z.literal(true),
  execution: ExecutionView,
})
export type ValidateOnlyReply = z.output<typeof ValidateOnlyReply>

export const DryRunReply = z.object({
  ok: z.literal(true),
  dryRun: z.literal(true),
  plan: z.object({
    commandId: z.string(),
    timeoutMs: z.number(),
    actionCount: z.int(),
    actions: z.array(ActionView),
  }),
})
export type DryRunReply = z.output<typeof DryRunReply>

export const StepResult = z.object({
  id: z.string(),
  actionType: z.string(),
  success: z.boolean(),
  outcome: z.enum(['succeeded', 'failed', 'skipped', 'partial']).optional(),
  data: z.record(z.string(), z.string()),
})
export type StepResult = z.infer<typeof StepResult>

export const ResultEnvelope = z
  .object({
    commandId: z.string(),
    taskId: z.string(),
    status: z.enum(['success', 'failed']),
    stepResults: z.array(StepResult),
    error: z.string().nullable(),
    errorCode: z.string().nullable().optional(),
    hint: z.string().optional(),
  })
  .meta({ id: 'ResultEnvelope' })
export type ResultEnvelope = z.infer<typeof ResultEnvelope>

export const ExecutionFailure = z.object({
  code: z.enum(['EXECUTION_VALIDATION_FAILED', 'EXECUTION_ACTION_UNSUPPORTED', 'PAYLOAD_TOO_LARGE']),
  message: z.string().describe('The first problem'),
  path: z.string().describe('The path of the invalid field, joined with dots'),
  reason: z.string().describe('Every problem, one per line'),
  actionId: z.string().optional(),
  actionType: z.string().optional().describe('As sent'),
  invalidKeys: z.array(z.string()).optional(),
  hint: z.string().optional(),
})
export type ExecutionFailure = z.infer<typeof ExecutionFailure>

export type NormalizedExecution =
  | { readonly ok: true; readonly execution: Execution }
  | { readonly ok: false; readonly failure: ExecutionFailure }

/** Converts a payload in any documented spelling to the canonical one, with defaults. */
export function normalizeExecution(input: unknown): NormalizedExecution {
  const canonical = canonicalExecution(input)
  const parsed = Execution.safeParse(canonical, { error: describeMissingParameter(canonical) })
  if (!parsed.success) return { ok: false, failure: describeFailure(parsed.error.issues, input) }
  const bytes = new TextEncoder().encode(JSON.stringify(canonical)).length
  if (bytes > MAX_PAYLOAD_BYTES) return { ok: false, failure: describeOversize(bytes) }
  return { ok: true, execution: parsed.data }
}

/** Replaces the timeout of the payload. */
export function overrideTimeout(execution: Execution, timeoutMs: unknown): NormalizedExecution {
  const message =
    typeof timeoutMs !== 'number' || !Number.isFinite(timeoutMs)
      ? 'timeoutMs must be a finite number'
      : timeoutMs < MIN_TIMEOUT_MS || timeoutMs > MAX_TIMEOUT_MS
        ? `timeoutMs must be between ${MIN_TIMEOUT_MS} and ${MAX_TIMEOUT_MS}`
        : undefined
  if (message === undefined) {
    return { ok: true, execution: { ...execution, timeoutMs: timeoutMs as number } }
  }
  const code = 'EXECUTION_VALIDATION_FAILED'
  return { ok: false, failure: { code, message, path: 'timeoutMs', reason: message } }
}

export function toDryRunReply({ commandId, timeoutMs, actions }: Execution): DryRunReply {
  const plan = { commandId, timeoutMs, actionCount: actions.length, actions }
  return { ok: true, dryRun: true, plan }
}

/** Derives the status of the envelope from its steps. An envelope without steps is unchanged. */
export function reconcileEnvelope(envelope: ResultEnvelope): ResultEnvelope {
  if (envelope.stepResults.length === 0) return envelope
  const failed =
    envelope.stepResults.find((step) => !step.success && step.outcome !== 'skipped') ??
    envelope.stepResults.find((step) => !step.success)
  if (failed === undefined) {
    const { errorCode: _errorCode, hint: _hint, ...rest } = envelope
    return { ...rest, status: 'success', error: null }
  }
  const cause = failed.data['error'] ?? 'unknown error'
  const error = `Step ${failed.id} (${failed.actionType}) failed: ${cause}`
  return { ...envelope, status: 'failed', error }
}

function refuseRepeatedIds(actions: readonly { readonly id: string }[], ctx: z.RefinementCtx): void {
  const seen = new Set<string>()
  for (const [position, { id }] of actions.entries()) {
    const message = `Action id "${id}" is used more than once`
    if (seen.has(id)) ctx.addIssue({ code: 'custom', path: [position, 'id'], message })
    seen.add(id)
  }
}

/** Skip targets must be later actions, so that an execution always ends. */
function refuseSkippingBack(actions: readonly Action[], ctx: z.RefinementCtx): void {
  for (const [position, action] of actions.entries()) {
    if (action.type !== 'expect') continue
    const later = new Set(actions.slice(position + 1).map(({ id }) => id))
    for (const key of ['skipTo', 'elseSkipTo'] as const) {
      const named = action.params[key]
      if (named === undefined || later.has(named)) continue
      const message = `expect params.${key} must name a later action`
      ctx.addIssue({ code: 'custom', path: [position, 'params', key], message })
    }
  }
}

function canonicalExecution(input: unknown): unknown {
  if (!isRecord(input)) return input
  const execution = renameKeys(input, new Map(), EXECUTION_KEYS)
  const actions = execution['actions']
  if (Array.isArray(actions)) execution['actions'] = actions.map(canonicalAction)
  for (const key of ['dismissals', 'landmarks'] as const) {
    const matchers = execution[key]
    if (Array.isArray(matchers)) execution[key] = matchers.map((matcher) => canonicalMatcher(matcher))
  }
  return execution
}

/** Converts one action to the canonical spelling. Invalid parts are kept; the schema reports them. */
function canonicalAction(input: unknown): unknown {
  if (!isRecord(input)) return input
  const type = canonicalType(input['type'])
  const action: Record<string, unknown> = { ...input, type }
  for (const guard of ['when', 'unless']) {
    if (guard in action) action[guard] = canonicalMatcher(action[guard])
  }
  const { params } = input
  if (isActionType(type) && isRecord(params)) action['params'] = canonicalParams(type, params)
  return action
}

function canonicalType(type: unknown): unknown {
  if (typeof type !== 'string') return type
  const word = type.trim().toLowerCase()
  return TYPE_ALIASES.get(word) ?? word
}

function canonicalParams(type: ActionType, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = new Set(Object.keys(ACTION_PARAMS[type].shape))
  const params = renameKeys(input, PARAM_ALIASES, known)
  for (const key of MATCHER_PARAMS) {
    if (known.has(key) && key in params) params[key] = canonicalMatcher(params[key])
  }
  for (const key of ['direction', 'key', 'validator', 'clickType']) {
    const word = params[key]
    if (known.has(key) && typeof word === 'string') params[key] = word.trim().toLowerCase()
  }
  if (known.has('clickType')) canonicalClick(params)
  canonicalRetries(type, params)
  return params
}

function canonicalClick(params: Record<string, unknown>): void {
  const aliases: Record<string, ClickType> = { default: 'click', longclick: 'long_click' }
  const given = params['clickType']
  if (typeof given === 'string' && Object.hasOwn(aliases, given)) params['clickType'] = aliases[given]
  const longPress = params['longPress'] ?? params['long_press']
  if (typeof longPress !== 'boolean') return
  delete params['longPress']
  delete params['long_press']
  if (longPress && given === undefined) params['clickType'] = 'long_click'
}

/** `scroll_and_click` has two retries; `retry` is the default of both. */
function canonicalRetries(type: ActionType, params: Record<string, unknown>): void {
  if (type === 'scroll_and_click' && 'retry' in params) {
    params['scrollRetry'] ??= params['retry']
    params['clickRetry'] ??= params['retry']
    delete params['retry']
  }
  for (const key of ['retry', 'scrollRetry', 'clickRetry']) {
    const retry = params[key]
    if (isRecord(retry)) params[key] = renameKeys(retry, new Map(), RETRY_KEYS)
  }
}

type IssueMessage = (issue: {
  readonly code?: string | undefined
  readonly input?: unknown
  readonly path?: readonly PropertyKey[] | undefined
}) => string | undefined

/** Names the action and its missing parameter, which the schema of the value does not know. */
function describeMissingParameter(execution: unknown): IssueMessage {
  return ({ code, input, path = [] }) => {
    const [list, position, params, key, ...deeper] = path
    if (code !== 'invalid_type' || input !== undefined) return undefined
    if (list !== 'actions' || params !== 'params' || deeper.length > 0) return undefined
    const type = actionAt(execution, position)?.['type']
    return `${String(type)} requires ${REQUIRED_PARAMS.get(`${String(type)}.${String(key)}`) ?? `params.${String(key)}`}`
  }
}

function describeFailure(issues: readonly z.core.$ZodIssue[], input: unknown): ExecutionFailure {
  const [first] = issues
  if (first === undefined) throw new Error('An invalid payload has at least one issue.')
  const action = first.path[0] === 'actions' ? actionAt(input, first.path[1]) : undefined
  const invalidKeys = first.code === 'unrecognized_keys' ? first.keys : undefined
  const hint = invalidKeys && findHint(invalidKeys, first.path, action?.['type'])
  const { id, type } = action ?? {}
  return {
    code: isUnsupportedType(first) ? 'EXECUTION_ACTION_UNSUPPORTED' : 'EXECUTION_VALIDATION_FAILED',
    message: first.message,
    path: first.path.join('.'),
    reason: issues.map(({ path, message }) => `${path.join('.') || '(payload)'}: ${message}`).join('\n'),
    ...(typeof id === 'string' && { actionId: id }),
    ...(typeof type === 'string' && { actionType: type }),
    ...(invalidKeys && { invalidKeys: [...invalidKeys] }),
    ...(hint !== undefined && { hint }),
  }
}

function isUnsupportedType(issue: z.core.$ZodIssue): boolean {
  const [list, , key] = issue.path
  return issue.code === 'invalid_union' && list === 'actions' && key === 'type'
}

function findHint(keys: readonly string[], path: readonly PropertyKey[], rawType: unknown): string | undefined {
  const type = canonicalType(rawType)
  if (path.length !== 3 || path[2] !== 'params' || !isActionType(type)) return undefined
  if (type === 'snapshot_ui' && keys.includes('format')) {
    return "'format' was removed from snapshot_ui. Remove this parameter."
  }
  return `${type} takes: ${Object.keys(ACTION_PARAMS[type].shape).join(', ')}`
}

function actionAt(
  execution: unknown,
  position: PropertyKey | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const actions = isRecord(execution) ? execution['actions'] : undefined
  if (!Array.isArray(actions) || typeof position !== 'number') return undefined
  const action: unknown = actions[position]
  return isRecord(action) ? action : undefined
}

function describeOversize(bytes: number): ExecutionFailure {
  const message = `Payload exceeds ${MAX_PAYLOAD_BYTES} bytes (got ${bytes})`
  return { code: 'PAYLOAD_TOO_LARGE', message, path: '', reason: message }
}

const EXECUTION_KEYS: ReadonlySet<string> = new Set(Object.keys(Execution.shape))
const RETRY_KEYS: ReadonlySet<string> = new Set([
  'maxAttempts',
  'initialDelayMs',
  'maxDelayMs',
  'backoffMultiplier',
  'jitterRatio',
])

const MATCHER_PARAMS = [
  'matcher',
  'container',
  'labelMatcher',
  'expectedNode',
  'value',
  'increase',
  'decrease',
  'slider',
  'onto',
] as const

const REQUIRED_PARAMS: ReadonlyMap<string, string> = new Map([
  ['sleep.durationMs', 'params.durationMs >= 0'],
  ['enter_text.text', 'non-empty params.text'],
  ['wait_for_navigation.timeoutMs', 'params.timeoutMs > 0'],
])
