import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import { fittingKinds } from './target-kinds.ts'
import { type Nature, natureOf } from './action-class.ts'
import { mentions } from './policy-words.ts'
import { plannedTarget, seenTarget, type Target } from './touch-target.ts'

/** What an execution has done so far under its policy. */
export interface SoFar {
  readonly count: number
  /** A safe target was opened and not left since. */
  readonly inside: boolean
  /** What was touched last, and by which action. */
  readonly touched?: { readonly action_id: string; readonly path: string } | undefined
}

export const nothingYet: SoFar = { count: 0, inside: false }

export interface Refusal {
  readonly code: 'TEST_POLICY_VIOLATION'
  readonly message: string
}

/**
 * May this be done now? A pure decision: the same question always gets the same answer. Without a target the
 * action is only announced, or one that touches nothing in particular.
 */
export function admitAction(
  policy: TestPolicy,
  action: Action,
  target: Target | undefined,
  soFar: SoFar,
): Refusal | undefined {
  if (!ACTING_TYPES.has(action.type)) return undefined
  const inside = soFar.inside || namesSafeTarget(policy, action, target)
  const message =
    overBudget(policy, countAfter(action, target, soFar)) ??
    outsideDomains(policy, action) ??
    forbidden(policy, natureOf(action, target), inside)
  return message === undefined ? undefined : { code: 'TEST_POLICY_VIOLATION', message }
}

/** What is true once an admitted action was done. */
function afterAction(
  policy: TestPolicy,
  action: Action,
  target: Target | undefined,
  soFar: SoFar,
): SoFar {
  if (!ACTING_TYPES.has(action.type)) return soFar
  const leaves = ['open_app', 'close_app', 'open_uri', 'press_key'].includes(action.type)
  const path = target?.path
  return {
    count: countAfter(action, target, soFar),
    inside: namesSafeTarget(policy, action, target) || (soFar.inside && !leaves),
    touched: path === undefined ? soFar.touched : { action_id: action.id, path },
  }
}

/** Decides one action after the other, each in view of those before it. */
export function openGate(
  policy: TestPolicy,
): (action: Action, node?: NodeSummary) => Refusal | undefined {
  let soFar = nothingYet
  return (action, node) => {
    const target = node && seenTarget(action, node)
    const refused = admitAction(policy, action, target, soFar)
    if (refused === undefined) soFar = afterAction(policy, action, target, soFar)
    return refused
  }
}

/** What of a plan its policy would refuse, as far as can be told without a screen. */
export function refusedByPlan(
  policy: TestPolicy,
  actions: readonly Action[],
): { readonly action: Action; readonly refusal: Refusal }[] {
  const refused = []
  let soFar = nothingYet
  for (const action of actions) {
    const target = plannedTarget(action)
    const refusal = admitAction(policy, action, target, soFar)
    if (refusal !== undefined) refused.push({ action, refusal })
    soFar = afterAction(policy, action, target, soFar)
  }
  return refused
}

/**
 * An action that will look for something first is not counted when it is announced but with each touch; and a
 * touch is asked about twice when something around the node takes it.
 */
function countAfter(action: Action, target: Target | undefined, { count, touched }: SoFar): number {
  if (target === undefined) return plannedTarget(action) === undefined ? count + 1 : count
  const isReceiver =
    touched?.action_id === action.id &&
    target.path !== undefined &&
    touched.path.startsWith(`${target.path}.`)
  return isReceiver ? count : count + 1
}

const overBudget = ({ max_actions }: TestPolicy, count: number): string | undefined =>
  count > max_actions
    ? `The policy allows ${max_actions} actions, and they are used up.`
    : undefined

function outsideDomains({ allowed_domains }: TestPolicy, action: Action): string | undefined {
  if (action.type !== 'open_uri' || allowed_domains.length === 0) return undefined
  const host = hostOf(action.params.uri.trim())
  if (host === undefined) return undefined
  const isAllowed = allowed_domains
    .map((domain) => domain.trim().toLowerCase().replace(/^\*\./, ''))
    .some((domain) => host === domain || host.endsWith(`.${domain}`))
  return isAllowed ? undefined : `"${host}" is not among the allowed domains.`
}

/** The machine an address leads to; undefined for one that leads into an app. */
function hostOf(uri: string): string | undefined {
  if (!/^(?:https?|wss?|ftp):/i.test(uri)) return undefined
  return URL.canParse(uri) ? new URL(uri).hostname.toLowerCase() : ''
}

function forbidden(policy: TestPolicy, nature: Nature, inside: boolean): string | undefined {
  const { mode } = policy
  if (mode === 'dry_run_only') return 'The policy allows a plan and nothing more.'
  if (nature.kind === 'navigation') return undefined
  const { kind, because } = nature
  if (mode === 'read_only') return `The policy allows only reading, and ${because}.`
  const redirected = mode === 'redirect_send' && inside
  if (kind === 'destructive' && policy.forbid_destructive_writes) {
    return `The policy forbids what destroys, and ${because}.`
  }
  if (kind === 'external' && policy.forbid_external_send && !redirected) {
    return `The policy forbids what reaches others, and ${because}.`
  }
  if (mode === 'controlled_live_test' || inside) return undefined
  if (mode !== 'redirect_send') {
    return `The policy allows changes only in a safe target, and ${because}.`
  }
  return kind === 'external'
    ? `The policy allows sending only to the safe recipient, and ${because}.`
    : undefined
}

/** Does the action itself say which safe target it means, by what it touches, types or opens? */
function namesSafeTarget(
  { mode, safe_targets }: TestPolicy,
  action: Action,
  seen: Target | undefined,
): boolean {
  const said = [
    ...((seen ?? plannedTarget(action))?.words ?? []),
    ...(action.type === 'enter_text' ? [action.params.text] : []),
    ...(action.type === 'open_uri' ? [action.params.uri] : []),
  ]
  return safe_targets
    .filter(({ target_kind }) => fittingKinds[mode]?.includes(target_kind) === true)
    .some(({ ref }) => said.some((text) => mentions(text, ref)))
}
