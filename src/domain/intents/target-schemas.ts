import type { z } from 'zod'
import {
  type ConfigurationIntent,
  ConnectorMode,
  ConnectorPolicy,
  type IntentTarget,
  SupportPackBinding,
  UserPreferences,
} from '@apprentice/contracts/admin/intents.ts'
import { Failure } from '../../failure/failure.ts'
import { describeMismatch } from '../../knowledge/recipes/parse/input-values.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import { findAbilityInputs } from '../abilities/ability-inputs.ts'
import { assertMayChange } from '../abilities/visibility.ts'
import { getAbilityOfCapability } from '../capabilities/ability-of-capability.ts'
import type { CommandContext } from '../command/context.ts'

type Body = Readonly<Record<string, unknown>>

interface Configuration {
  readonly intent: ConfigurationIntent
  /** The document after the change. */
  readonly body: Body
  readonly isAdmin: boolean
}

/** Throws if the capability is unknown or the document would not match the schema of its target. */
export function checkConfiguration(ctx: CommandContext, { intent, body, isAdmin }: Configuration): void {
  switch (intent.target) {
    case 'user_preference':
      return parseBody(UserPreferences, body, Object.keys(UserPreferences.shape))
    case 'connector_policy':
      return parseBody(ConnectorPolicy, body, [])
    case 'support_pack_binding': {
      getChangeableAbility(ctx, intent, isAdmin)
      return parseBody(SupportPackBinding, body, Object.keys(SupportPackBinding.shape))
    }
    case 'skill_config':
      return checkSkillConfig(ctx, getChangeableAbility(ctx, intent, isAdmin), body)
  }
}

/** The connectors whose mode would become less restrictive. Other targets hold no policy. */
export function findLoosened(target: IntentTarget, before: Body, after: Body): string[] {
  if (target !== 'connector_policy') return []
  return Object.keys(before).filter((server) => rankMode(after[server]) < rankMode(before[server]))
}

/** A connector without an entry is enabled. */
function rankMode(entry: unknown): number {
  const mode = (entry as { mode?: ConnectorMode } | undefined)?.mode ?? 'enabled'
  return ConnectorMode.options.indexOf(mode)
}

function getChangeableAbility(
  ctx: CommandContext,
  { capability_id = '' }: ConfigurationIntent,
  isAdmin: boolean,
): AbilityRow {
  const ability = getAbilityOfCapability(ctx.tx, capability_id, ctx.actor.user_id)
  assertMayChange(ability, isAdmin)
  return ability
}

function parseBody(schema: z.ZodType, body: Body, known: readonly string[]): void {
  const read = schema.safeParse(body)
  if (read.success) return
  const [issue] = read.error.issues
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : []
  const path = [...(issue?.path ?? []), ...keys.slice(0, 1)].map(String)
  throw invalidPayload(path, keys.length > 0 ? 'is not a key of this target' : (issue?.message ?? 'is invalid'), known)
}

/**
 * The configuration of an ability with a recipe holds default values of its inputs. Other skills declare no schema, so
 * only the form of their keys is checked.
 */
function checkSkillConfig({ tx }: CommandContext, { ability_id }: AbilityRow, body: Body): void {
  const inputs = findAbilityInputs(tx, ability_id)
  for (const [key, value] of Object.entries(body)) {
    if (inputs === undefined) {
      if (!KEY_FORM.test(key)) throw invalidPayload([key], 'must consist of letters, digits, dots and underscores', [])
      continue
    }
    const input = inputs.find(({ name }) => name === key)
    const names = inputs.map(({ name }) => name)
    if (input === undefined) throw invalidPayload([key], 'is not an input of the ability', names)
    const mismatch = describeMismatch(input, value)
    if (mismatch !== undefined) throw invalidPayload([key], `must be ${mismatch}`, names)
  }
}

const KEY_FORM = /^[A-Za-z][\w.-]{0,79}$/

function invalidPayload(path: readonly string[], problem: string, known_keys: readonly string[]): Failure {
  const field = ['payload', ...path].join('.').slice(0, 120)
  return new Failure('CONFIG_INTENT_INVALID', `${field}: ${problem}.`.slice(0, 240), { details: { field, known_keys } })
}
