import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import { ALLOWED_TARGET_KINDS } from './target-kinds.ts'
import { type ActionClass, classifyAction } from './action-class.ts'
import { containsPhrase } from './policy-words.ts'
import { readPlannedTarget, toTouchTarget, type TouchTarget } from './touch-target.ts'

/** The state of an execution that its policy is checked against. */
export interface PolicyState {
  readonly count: number
  /** A safe target was opened, and the execution has not left it. */
  readonly insideSafeTarget: boolean
  /** The node touched last, and the action that touched it. */
  readonly lastTouch?: { readonly action_id: string; readonly path: string } | undefined
}

export const INITIAL_POLICY_STATE: PolicyState = { count: 0, insideSafeTarget: false }

export interface PolicyRefusal {
  readonly code: 'TEST_POLICY_VIOLATION'
  readonly message: string
}

/**
 * Returns a refusal if the policy does not allow the action. Without a target the action has not searched the screen
 * yet, or does not touch a node.
 */
export function checkAction(
  policy: TestPolicy,
  action: Action,
  target: TouchTarget | undefined,
  soFar: PolicyState,
): PolicyRefusal | undefined {
  if (!ACTING_TYPES.has(action.type)) return undefined
  const inside = soFar.insideSafeTarget || namesSafeTarget(policy, action, target)
  const message =
    checkBudget(policy, countActions(action, target, soFar)) ??
    checkDomain(policy, action) ??
    checkMode(policy, classifyAction(action, target), inside)
  return message === undefined ? undefined : { code: 'TEST_POLICY_VIOLATION', message }
}

/** The state after an allowed action. */
function updatePolicyState(
  policy: TestPolicy,
  action: Action,
  target: TouchTarget | undefined,
  soFar: PolicyState,
): PolicyState {
  if (!ACTING_TYPES.has(action.type)) return soFar
  const leaves = ['open_app', 'close_app', 'open_uri', 'press_key'].includes(action.type)
  const path = target?.path
  return {
    count: countActions(action, target, soFar),
    insideSafeTarget: namesSafeTarget(policy, action, target) || (soFar.insideSafeTarget && !leaves),
    lastTouch: path === undefined ? soFar.lastTouch : { action_id: action.id, path },
  }
}

/** Returns a function that checks one action after another and keeps the state between them. */
export function createPolicyGate(
  policy: TestPolicy,
  start: PolicyState = INITIAL_POLICY_STATE,
): (action: Action, node?: NodeSummary) => PolicyRefusal | undefined {
  let soFar = start
  return (action, node) => {
    const target = node && toTouchTarget(action, node)
    const refused = checkAction(policy, action, target, soFar)
    if (refused === undefined) soFar = updatePolicyState(policy, action, target, soFar)
    return refused
  }
}

/** An action that was admitted, with the texts of the node it touched. */
export interface AdmittedAction {
  readonly action: Action
  readonly target: string
}

/** The state after the admitted actions of an execution, for the execution that continues it. */
export function continuePolicyState(
  policy: TestPolicy,
  admitted: readonly AdmittedAction[],
  start: PolicyState = INITIAL_POLICY_STATE,
): PolicyState {
  let soFar = start
  let previous: AdmittedAction | undefined
  for (const one of admitted) {
    const { action, target } = one
    const touched = target === '' ? undefined : { texts: [target], class: '' }
    // The receiver of a touch is checked right after the node that was found.
    const isReceiver = previous?.action.id === action.id && previous.target !== '' && previous.target !== target
    const { count, insideSafeTarget } = updatePolicyState(policy, action, touched, soFar)
    soFar = { count: isReceiver ? soFar.count : count, insideSafeTarget }
    previous = one
  }
  return soFar
}

/** The actions of a plan that its policy refuses, judged without a screen. */
export function findRefusedActions(
  policy: TestPolicy,
  actions: readonly Action[],
): { readonly action: Action; readonly refusal: PolicyRefusal }[] {
  const refused = []
  let soFar = INITIAL_POLICY_STATE
  for (const action of actions) {
    const target = readPlannedTarget(action)
    const refusal = checkAction(policy, action, target, soFar)
    if (refusal !== undefined) refused.push({ action, refusal })
    soFar = updatePolicyState(policy, action, target, soFar)
  }
  return refused
}

/**
 * An action that searches for a node is counted with each touch, not when it starts. A touch is checked twice if an
 * ancestor of the node receives it, and counted once.
 */
function countActions(action: Action, target: TouchTarget | undefined, { count, lastTouch }: PolicyState): number {
  if (target === undefined) return readPlannedTarget(action) === undefined ? count + 1 : count
  const isReceiver =
    lastTouch?.action_id === action.id && target.path !== undefined && lastTouch.path.startsWith(`${target.path}.`)
  return isReceiver ? count : count + 1
}

const checkBudget = ({ max_actions }: TestPolicy, count: number): string | undefined =>
  count > max_actions ? `The policy allows ${max_actions} actions, and they are used up.` : undefined

function checkDomain({ allowed_domains }: TestPolicy, action: Action): string | undefined {
  if (action.type !== 'open_uri' || allowed_domains.length === 0) return undefined
  const host = readHost(action.params.uri.trim())
  if (host === undefined) return undefined
  const isAllowed = allowed_domains
    .map((domain) => domain.trim().toLowerCase().replace(/^\*\./, ''))
    .some((domain) => host === domain || host.endsWith(`.${domain}`))
  return isAllowed ? undefined : `The host "${host}" is not in allowed_domains.`
}

/** The host of a URI; undefined for a URI that opens an app. */
function readHost(uri: string): string | undefined {
  if (!/^(?:https?|wss?|ftp):/i.test(uri)) return undefined
  return URL.canParse(uri) ? new URL(uri).hostname.toLowerCase() : ''
}

function checkMode(policy: TestPolicy, nature: ActionClass, inside: boolean): string | undefined {
  const { mode } = policy
  if (mode === 'dry_run_only') return 'The policy allows a dry run only.'
  if (nature.kind === 'navigation') return undefined
  const { kind, because } = nature
  if (mode === 'read_only') return `The policy allows only reading, and ${because}.`
  const redirected = mode === 'redirect_send' && inside
  if (kind === 'destructive' && policy.forbid_destructive_writes) {
    return `The policy forbids destructive actions, and ${because}.`
  }
  if (kind === 'external' && policy.forbid_external_send && !redirected) {
    return `The policy forbids sending to others, and ${because}.`
  }
  if (mode === 'controlled_live_test' || inside) return undefined
  if (mode !== 'redirect_send') {
    return `The policy allows changes only in a safe target, and ${because}.`
  }
  return kind === 'external' ? `The policy allows sending only to the safe recipient, and ${because}.` : undefined
}

/** Whether the target, text or URI of the action names a safe target. */
function namesSafeTarget({ mode, safe_targets }: TestPolicy, action: Action, found: TouchTarget | undefined): boolean {
  const texts = [
    ...((found ?? readPlannedTarget(action))?.texts ?? []),
    ...(action.type === 'enter_text' ? [action.params.text] : []),
    ...(action.type === 'open_uri' ? [action.params.uri] : []),
  ]
  return safe_targets
    .filter(({ target_kind }) => ALLOWED_TARGET_KINDS[mode]?.includes(target_kind) === true)
    .some(({ ref }) => texts.some((text) => containsPhrase(text, ref)))
}
