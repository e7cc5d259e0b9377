import type { LaneSettings } from '@apprentice/contracts/abilities/lanes.ts'
import { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { ACTING_TYPES, isActionType } from '@apprentice/contracts/devices/action.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import { listCalls } from '../../knowledge/recipes/parse/ability-calls.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { listAbilitiesWithDraft } from '../../store/abilities/ability-versions.ts'
import {
  type ContentProof,
  findLaneSettings,
  hasContentProof,
  insertContentProof,
  upsertAcceptedRisk,
  upsertLaneSettings,
} from '../../store/abilities/content-proofs.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { recordAbilityEvent } from './ability-events.ts'
import { refreshAvailability } from './availability.ts'
import { findCurrentVersion } from './current-recipe.ts'
import { assertMayChange, getVisibleAbility } from './visibility.ts'

/**
 * Whether a successful execution of a recipe shows that the recipe works. If the goal was already reached and nothing
 * was touched, it does not, unless the recipe only reads.
 */
export const provesRecipe = (recipe: Recipe, acted: boolean): boolean =>
  acted ||
  (listCalls(recipe).length === 0 && !recipe.steps.some(({ type }) => isActionType(type) && ACTING_TYPES.has(type)))

/** Records that a device carried out a draft. The abilities with this content become usable. */
export function recordProof(ctx: CommandContext, proof: Omit<ContentProof, 'created_at'>): void {
  const isNew = !hasContentProof(ctx.tx, proof.draft_hash)
  insertContentProof(ctx.tx, { ...proof, created_at: ctx.now })
  if (!isNew) return
  const ability_ids = listAbilitiesWithDraft(ctx.tx, proof.draft_hash)
  if (ability_ids.length > 0) refreshAvailability(ctx, 'content.proven', { ability_ids })
}

const DEFAULT_SETTINGS: Readonly<Record<OpenLane, boolean>> = {
  experimental_private: true,
  approved_workspace: false,
  shared_promoted: false,
}

export const readLaneSettings = (reader: Reader, install_lane: OpenLane): LaneSettings => ({
  install_lane,
  accept_unrehearsed: findLaneSettings(reader, install_lane)?.accept_unrehearsed ?? DEFAULT_SETTINGS[install_lane],
})

export const listLaneSettings = (reader: Reader): LaneSettings[] =>
  OpenLane.options.map((lane) => readLaneSettings(reader, lane))

/** Risks that were accepted before stay accepted. */
export function changeLaneSettings(ctx: CommandContext, settings: LaneSettings): LaneSettings {
  const before = readLaneSettings(ctx.tx, settings.install_lane)
  upsertLaneSettings(ctx.tx, { ...settings, updated_at: ctx.now })
  recordEvent(ctx, `lane/${settings.install_lane}`, 'ability.lane.settings_changed', { ...settings })
  recordReceipt(ctx, 'ability.lane.settings_changed', {
    summary: `Abilities in ${settings.install_lane} may ${settings.accept_unrehearsed ? '' : 'not '}be used unrehearsed.`,
    details: { before, after: settings },
  })
  return settings
}

/** Records that a person uses the current content of an ability although no device has carried it out. */
export function acceptRisk(
  ctx: CommandContext,
  { ability_id, is_admin }: { readonly ability_id: string; readonly is_admin: boolean },
  { draft_hash, reason }: { readonly draft_hash: string; readonly reason: string },
): { readonly ability: AbilityRow; readonly receipt_id: string } {
  const ability = getVisibleAbility(ctx.tx, ability_id, ctx.actor.user_id)
  assertMayChange(ability, is_admin)
  const { install_lane } = ability
  if (install_lane === 'quarantined' || !readLaneSettings(ctx.tx, install_lane).accept_unrehearsed) {
    throw new Failure('INSTALL_LANE_DENIED', `An ability in ${install_lane} must be rehearsed before it is used.`, {
      details: { install_lane, needs: 'rehearsal' },
    })
  }
  const current = findCurrentVersion(ctx.tx, ability_id)
  if (current?.draft_hash !== draft_hash) {
    throw new Failure('DRAFT_CHANGED', 'Another version was installed since; review it first.', {
      details: { draft_hash: current?.draft_hash },
    })
  }
  upsertAcceptedRisk(ctx.tx, {
    ability_id,
    draft_hash,
    install_lane,
    accepted_by: ctx.actor.user_id,
    reason,
    created_at: ctx.now,
  })
  recordAbilityEvent(ctx, ability, 'ability.risk_accepted', { draft_hash, install_lane })
  const receipt_id = recordReceipt(ctx, 'ability.risk_accepted', {
    ability_id,
    ...(ability.learn_session_id === undefined ? {} : { learn_session_id: ability.learn_session_id }),
    summary: `${ability.title} is used without a rehearsal.`.slice(0, 500),
    reason: reason.slice(0, 240),
    details: { draft_hash, install_lane },
  })
  refreshAvailability(ctx, 'risk.accepted', { ability_ids: [ability_id] })
  return { ability: findAbility(ctx.tx, ability_id) ?? ability, receipt_id }
}
