import type { AbilityKind, AbilityLane, AbilitySource, OpenLane } from '@apprentice/contracts/abilities/ability.ts'
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
import { readCheckpointHealth } from './checkpoint-health.ts'

/** The fields of an ability that an installation sets. */
export interface AbilityFacts {
  readonly ability_id: string
  readonly owner_user_id: string
  /** Unchanged if omitted; `private` for a new ability. */
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
  /** Unknown control surfaces are dropped. */
  readonly preferred_control_surfaces?: readonly string[]
  readonly support_pack_refs?: readonly string[]
  readonly last_validated_at?: string | undefined
  readonly learn_session_id?: string | undefined
  readonly proposal_id?: string | undefined
  /** Nothing on the screen shows the outcome of its recipe. */
  readonly unproven?: true | undefined
  /** By default guidance. */
  readonly kind?: AbilityKind | undefined
}

/**
 * Registers an ability or a further version of it. It is unusable until availability is refreshed. A further version
 * keeps `enabled` and stays quarantined: the new lane becomes the one that is restored after the quarantine.
 */
export function registerAbility(ctx: CommandContext, facts: AbilityFacts): AbilityRow {
  const before = findAbility(ctx.tx, facts.ability_id)
  const ability: AbilityRow = {
    ...toAbilityFields(facts),
    ...carryStatus(before, facts),
    kind: facts.kind ?? 'guidance',
    visibility: facts.visibility ?? before?.visibility ?? 'private',
    usable_now: false,
    reason_unusable: 'bridge_pending',
    created_at: before?.created_at ?? ctx.now,
    updated_at: ctx.now,
  }
  const registered = { ...ability, checkpoint_health: readCheckpointHealth(ctx.tx, ability) }
  if (before === undefined) insertAbility(ctx.tx, registered)
  else updateAbility(ctx.tx, registered)
  const { current_version } = registered
  recordAbilityEvent(ctx, registered, 'ability.registered', { current_version })
  return registered
}

/** Returns false if there is no such ability. Its checkpoint receipts are not deleted. */
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

/** Quarantine stores the previous lane; any other lane clears it. The caller refreshes availability. */
export function changeLane(ctx: CommandContext, abilityId: string, lane: AbilityLane): AbilityRow {
  const ability = getAbility(ctx.tx, abilityId)
  if (ability.install_lane === lane) return ability
  return saveAbility(
    ctx,
    { ...ability, install_lane: lane, prior_lane: toPriorLane(ability, lane) },
    { from: ability.install_lane, to: lane },
  )
}

/** Updates an ability and records the change. */
export function saveAbility(
  ctx: CommandContext,
  ability: AbilityRow,
  change: Readonly<Record<string, unknown>>,
): AbilityRow {
  const health = readCheckpointHealth(ctx.tx, ability)
  const saved = { ...ability, checkpoint_health: health, updated_at: ctx.now }
  updateAbility(ctx.tx, saved)
  recordAbilityEvent(ctx, saved, 'ability.changed', change)
  return saved
}

function toPriorLane(ability: AbilityRow, lane: AbilityLane): OpenLane | undefined {
  return lane !== 'quarantined' || ability.install_lane === 'quarantined' ? undefined : ability.install_lane
}

function toAbilityFields(facts: AbilityFacts) {
  const title = facts.title.trim()
  if (title === '') throw new Error(`The ability ${facts.ability_id} has no title.`)
  const { install_lane: _, ...given } = facts
  return {
    ...given,
    title,
    trigger_phrases: trimPhrases(facts.trigger_phrases),
    negative_triggers: trimPhrases(facts.negative_triggers),
    aliases: trimPhrases(facts.aliases),
    project_scopes: [...(facts.project_scopes ?? [])],
    preferred_control_surfaces: (facts.preferred_control_surfaces ?? []).flatMap((surface) => {
      const read = ControlSurface.safeParse(surface)
      return read.success ? [read.data] : []
    }),
    support_pack_refs: [...(facts.support_pack_refs ?? [])],
  }
}

/** Drops empty phrases: they would match every query. */
const trimPhrases = (phrases: readonly string[] = []): string[] =>
  phrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== '')

function carryStatus(before: AbilityRow | undefined, { install_lane }: AbilityFacts) {
  const initial = { enabled: before?.enabled ?? true, checkpoint_health: 'no_data' as const }
  return before?.install_lane === 'quarantined'
    ? { ...initial, install_lane: 'quarantined' as const, prior_lane: install_lane }
    : { ...initial, install_lane, prior_lane: undefined }
}
