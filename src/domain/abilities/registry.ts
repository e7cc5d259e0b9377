import type {
  AbilityLane,
  AbilitySource,
  OpenLane,
} from '@apprentice/contracts/abilities/ability.ts'
import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import {
  type AbilityRow,
  deleteAbility,
  findAbility,
  insertAbility,
  updateAbility,
} from '../../store/abilities/abilities.ts'
import type { AbilityVisibility } from '@apprentice/contracts/abilities/ability.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordAbilityEvent } from './ability-events.ts'
import { checkpointHealth } from './checkpoint-health.ts'

/** What an installation knows of the ability it puts in place. */
export interface AbilityFacts {
  readonly ability_id: string
  readonly owner_user_id: string
  /** Of one that is known already: as it was. */
  readonly visibility?: AbilityVisibility | undefined
  readonly title: string
  readonly family: string
  readonly source: AbilitySource
  readonly install_lane: OpenLane
  readonly current_version: number
  readonly skill_slug?: string | undefined
  readonly primary_capability_id?: string | undefined
  readonly trigger_phrases?: readonly string[]
  readonly negative_triggers?: readonly string[]
  readonly aliases?: readonly string[]
  readonly project_scopes?: readonly string[]
  /** Words that name no control surface are left out. */
  readonly preferred_control_surfaces?: readonly string[]
  readonly support_pack_refs?: readonly string[]
  readonly last_validated_at?: string | undefined
  readonly learn_session_id?: string | undefined
  readonly proposal_id?: string | undefined
}

/**
 * Puts an ability on record, or a further version of it. It cannot be used before availability is worked out. A
 * further version keeps whether it is switched on, and does not lead out of quarantine: the new lane is remembered.
 */
export function registerAbility(ctx: CommandContext, facts: AbilityFacts): AbilityRow {
  const before = findAbility(ctx.tx, facts.ability_id)
  const ability: AbilityRow = {
    ...described(facts),
    ...standing(before, facts),
    visibility: facts.visibility ?? before?.visibility ?? 'private',
    usable_now: false,
    reason_unusable: 'bridge_pending',
    created_at: before?.created_at ?? ctx.now,
    updated_at: ctx.now,
  }
  const known = { ...ability, checkpoint_health: checkpointHealth(ctx.tx, ability) }
  if (before === undefined) insertAbility(ctx.tx, known)
  else updateAbility(ctx.tx, known)
  recordAbilityEvent(ctx, known, 'ability.registered', { current_version: known.current_version })
  return known
}

/** False when there was none. What was learnt of its checkpoints stays. */
export function removeAbility(ctx: CommandContext, abilityId: string): boolean {
  const ability = findAbility(ctx.tx, abilityId)
  if (ability === undefined) return false
  deleteAbility(ctx.tx, abilityId)
  recordAbilityEvent(ctx, ability, 'ability.removed')
  return true
}

export function getAbility(reader: Reader, abilityId: string): AbilityRow {
  const ability = findAbility(reader, abilityId)
  if (ability === undefined) throw abilityNotFound(abilityId)
  return ability
}

export const abilityNotFound = (abilityId: string): Failure =>
  new Failure('ABILITY_NOT_FOUND', `No ability ${abilityId}.`)

/** Quarantine remembers where the ability was; any other lane forgets that. Availability is the caller's to refresh. */
export function changeLane(ctx: CommandContext, abilityId: string, lane: AbilityLane): AbilityRow {
  const ability = getAbility(ctx.tx, abilityId)
  if (ability.install_lane === lane) return ability
  return saveAbility(
    ctx,
    { ...ability, install_lane: lane, prior_lane: remembered(ability, lane) },
    { from: ability.install_lane, to: lane },
  )
}

/** Writes a change and marks that it happened. */
export function saveAbility(
  ctx: CommandContext,
  ability: AbilityRow,
  change: Readonly<Record<string, unknown>>,
): AbilityRow {
  const health = checkpointHealth(ctx.tx, ability)
  const saved = { ...ability, checkpoint_health: health, updated_at: ctx.now }
  updateAbility(ctx.tx, saved)
  recordAbilityEvent(ctx, saved, 'ability.changed', change)
  return saved
}

function remembered(ability: AbilityRow, lane: AbilityLane): OpenLane | undefined {
  return lane !== 'quarantined' || ability.install_lane === 'quarantined'
    ? undefined
    : ability.install_lane
}

function described(facts: AbilityFacts) {
  const title = facts.title.trim()
  if (title === '') throw new Error(`The ability ${facts.ability_id} has no title.`)
  const { install_lane: _, ...given } = facts
  return {
    ...given,
    title,
    trigger_phrases: said(facts.trigger_phrases),
    negative_triggers: said(facts.negative_triggers),
    aliases: said(facts.aliases),
    project_scopes: [...(facts.project_scopes ?? [])],
    preferred_control_surfaces: (facts.preferred_control_surfaces ?? []).flatMap((surface) => {
      const read = ControlSurface.safeParse(surface)
      return read.success ? [read.data] : []
    }),
    support_pack_refs: [...(facts.support_pack_refs ?? [])],
  }
}

/** An empty phrase would be found in every question, and an empty refusal would refuse all of them. */
const said = (phrases: readonly string[] = []): string[] =>
  phrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== '')

function standing(before: AbilityRow | undefined, { install_lane }: AbilityFacts) {
  const start = { enabled: before?.enabled ?? true, checkpoint_health: 'no_data' as const }
  return before?.install_lane === 'quarantined'
    ? { ...start, install_lane: 'quarantined' as const, prior_lane: install_lane }
    : { ...start, install_lane, prior_lane: undefined }
}
