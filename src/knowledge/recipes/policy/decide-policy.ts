import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile, PolicyRule } from '@apprentice/contracts/policy/profile.ts'
import { Capability, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { inferExecutionCapabilities, isPurchaseText } from '../lower/capabilities.ts'
import { describeHours, isWithinHours } from './policy-hours.ts'

export interface PolicyRefusal {
  readonly allowed: false
  readonly code: 'POLICY_DENIED'
  readonly message: string
  readonly details: {
    readonly profile: string
    /** The first rule that refused. */
    readonly rule: PolicyRule
    readonly denied_capabilities: readonly Capability[]
    readonly denied_packages: readonly string[]
    /** Whether the same request with consent to a purchase would be allowed by this profile. */
    readonly consent_suffices: boolean
    readonly recipe_id?: string
  }
}

export type PolicyDecision = { readonly allowed: true } | PolicyRefusal

/** What is to be done. Absent facts are not judged. */
export interface PolicySubject {
  readonly capabilities: readonly Capability[]
  readonly packages: readonly string[]
  readonly serial?: string | undefined
  readonly now?: string | undefined
  /** Whether the request consents to a purchase. */
  readonly consent: boolean
  readonly recipe_id?: string | undefined
}

/** The profile of tokens without a profile of their own, until an administrator changes it. */
export const DEFAULT_PROFILE: PolicyProfile = { name: 'default', purchase_risk: 'consent' }

/** Every profile must allow the subject. The first that does not gives the refusal. */
export function decidePolicy(profiles: readonly PolicyProfile[], subject: PolicySubject): PolicyDecision {
  for (const profile of profiles) {
    const decision = decideProfile(profile, subject)
    if (!decision.allowed) return decision
  }
  return { allowed: true }
}

/**
 * The declared capabilities and those of the actions themselves, so that a recipe that declares too little, or an
 * execution without a recipe, cannot bypass the policy.
 */
export function describeWork({
  recipe,
  execution,
}: {
  readonly recipe?: Recipe | undefined
  readonly execution: Execution
}): Pick<PolicySubject, 'capabilities' | 'packages' | 'recipe_id'> {
  const used = new Set([...(recipe?.capabilities ?? []), ...inferExecutionCapabilities(execution)])
  return {
    capabilities: Capability.options.filter((one) => used.has(one)),
    packages: listPackages(execution, recipe),
    recipe_id: recipe?.recipe_id,
  }
}

/** A node that is about to be touched. */
export interface TouchedNode {
  readonly package: string
  readonly texts: readonly string[]
}

/** Judges a touch by the app and the words of the node, which are known only on the screen. */
export function decideTouch(
  profiles: readonly PolicyProfile[],
  { package: name, texts }: TouchedNode,
  consent: boolean,
): PolicyDecision {
  const risky = texts.some(isPurchaseText)
  const packages = name === '' ? [] : [name]
  return decidePolicy(profiles, { capabilities: risky ? ['purchase_risk'] : [], packages, consent })
}

/** Whether a touch can be refused although its execution was allowed. */
export const judgesTouches = (profiles: readonly PolicyProfile[], consent: boolean): boolean =>
  profiles.some(
    (profile) =>
      profile.allow_packages !== undefined || profile.deny_packages !== undefined || !mayPurchase(profile, consent),
  )

function decideProfile(profile: PolicyProfile, subject: PolicySubject): PolicyDecision {
  const { serial, now, consent, recipe_id } = subject
  const capabilities = Capability.options.filter(
    (one) => subject.capabilities.includes(one) && !mayUse(profile, one, consent),
  )
  const packages = subject.packages.filter((one) => !mayTouch(profile, one))
  const isClosedDevice = serial !== undefined && !mayUseDevice(profile, serial)
  const { hours } = profile
  const isClosedHour = hours !== undefined && now !== undefined && !isWithinHours(hours, now)
  const named = [...capabilities, ...packages, ...(isClosedDevice ? [`the device ${serial}`] : [])]
  if (named.length === 0 && !isClosedHour) return { allowed: true }
  const message =
    named.length > 0
      ? `The profile ${profile.name} does not allow ${named.join(', ')}.`
      : `The profile ${profile.name} allows work only at ${describeHours(hours as NonNullable<typeof hours>)}.`
  const isPurchaseOnly = capabilities.length === 1 && capabilities[0] === 'purchase_risk'
  return {
    allowed: false,
    code: 'POLICY_DENIED',
    message: message.slice(0, 240),
    details: {
      profile: profile.name,
      rule: nameRule(capabilities, packages, isClosedDevice),
      denied_capabilities: capabilities,
      denied_packages: packages,
      consent_suffices: isPurchaseOnly && named.length === 1 && !isClosedHour && mayPurchase(profile, true),
      ...(recipe_id !== undefined && { recipe_id }),
    },
  }
}

function nameRule(
  capabilities: readonly Capability[],
  packages: readonly string[],
  isClosedDevice: boolean,
): PolicyRule {
  if (capabilities.some((one) => one !== 'purchase_risk')) return 'capabilities'
  if (capabilities.length > 0) return 'purchase_risk'
  if (packages.length > 0) return 'packages'
  return isClosedDevice ? 'devices' : 'hours'
}

function mayUse(profile: PolicyProfile, capability: Capability, consent: boolean): boolean {
  if (capability === 'purchase_risk') return mayPurchase(profile, consent)
  const { allow_capabilities: allowed, deny_capabilities: denied = [] } = profile
  return !denied.includes(capability) && (allowed?.includes(capability) ?? true)
}

function mayPurchase(
  { allow_capabilities, deny_capabilities, purchase_risk }: PolicyProfile,
  consent: boolean,
): boolean {
  if (deny_capabilities?.includes('purchase_risk') === true) return false
  const byList = allow_capabilities?.includes('purchase_risk')
  const rule = purchase_risk ?? (byList === undefined ? 'consent' : byList ? 'allow' : 'deny')
  return rule === 'allow' || (rule === 'consent' && consent)
}

function mayTouch(profile: PolicyProfile, name: string): boolean {
  const { allow_packages: allowed, deny_packages: denied = [] } = profile
  if (denied.some((pattern) => matchesPackage(pattern, name))) return false
  return allowed?.some((pattern) => matchesPackage(pattern, name)) ?? true
}

function mayUseDevice({ allow_devices: allowed, deny_devices: denied = [] }: PolicyProfile, serial: string): boolean {
  return !denied.includes(serial) && (allowed?.includes(serial) ?? true)
}

function matchesPackage(pattern: string, name: string): boolean {
  if (!pattern.endsWith('.*')) return pattern === name
  const prefix = pattern.slice(0, -2)
  return name === prefix || name.startsWith(`${prefix}.`)
}

function listPackages({ actions }: Execution, recipe: Recipe | undefined): string[] {
  const named = actions.flatMap(readPackage)
  return [...new Set([...(recipe === undefined ? [] : [recipe.application_id]), ...named])].toSorted()
}

function readPackage(action: Action): string[] {
  return action.type === 'open_app' || action.type === 'close_app' ? [action.params.applicationId] : []
}
