import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import { Capability, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { inferExecutionCapabilities } from '../lower/capabilities.ts'

export type PolicyDecision =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly code: 'POLICY_DENIED'
      readonly message: string
      readonly details: {
        readonly profile: string
        readonly denied_capabilities: readonly Capability[]
        readonly denied_packages: readonly string[]
        readonly recipe_id?: string
      }
    }

/** The profile without configuration: allows everything except purchases. */
export const DEFAULT_PROFILE: PolicyProfile = { name: 'default' }

/**
 * Checks the declared capabilities and the actions themselves, so a recipe that declares too little, or an execution
 * without a recipe, cannot bypass the policy.
 */
export function decidePolicy(
  profile: PolicyProfile,
  { recipe, execution }: { readonly recipe?: Recipe | undefined; readonly execution: Execution },
): PolicyDecision {
  const used = new Set([...(recipe?.capabilities ?? []), ...inferExecutionCapabilities(execution)])
  const capabilities = Capability.options.filter((one) => used.has(one) && !mayUse(profile, one))
  const packages = listPackages(execution, recipe).filter((one) => !mayTouch(profile, one))
  if (capabilities.length === 0 && packages.length === 0) return { allowed: true }
  return {
    allowed: false,
    code: 'POLICY_DENIED',
    message: `The profile ${profile.name} does not allow ${[...capabilities, ...packages].join(', ')}.`,
    details: {
      profile: profile.name,
      denied_capabilities: capabilities,
      denied_packages: packages,
      ...(recipe !== undefined && { recipe_id: recipe.recipe_id }),
    },
  }
}

function mayUse(profile: PolicyProfile, capability: Capability): boolean {
  const { allow_capabilities: allowed, deny_capabilities: denied = [] } = profile
  if (denied.includes(capability)) return false
  return allowed?.includes(capability) ?? capability !== 'purchase_risk'
}

function mayTouch(profile: PolicyProfile, name: string): boolean {
  const { allow_packages: allowed, deny_packages: denied = [] } = profile
  if (denied.some((pattern) => matchesPackage(pattern, name))) return false
  return allowed?.some((pattern) => matchesPackage(pattern, name)) ?? true
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
