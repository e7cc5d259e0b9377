import type { AbilityAvailabilityEntry, SkillCatalogEntry } from '@apprentice/contracts/abilities/ability.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'

/** The public fields of an ability. */
export function toAvailabilityEntry(ability: AbilityRow): AbilityAvailabilityEntry {
  const {
    owner_user_id: _owner,
    visibility: _visibility,
    prior_lane: _lane,
    learn_session_id: _session,
    proposal_id: _proposal,
    current_version: _version,
    created_at: _created,
    updated_at: _updated,
    unproven: _unproven,
    ...entry
  } = ability
  return { ...entry, ...describeProof(ability), schema_version: 1 }
}

const NOTHING_SHOWS_IT = 'Nothing on the screen shows the outcome, so a run cannot be verified.'

/** Says that the runs of an ability cannot be verified. Empty for all others. */
export const describeProof = ({
  unproven,
}: Pick<AbilityRow, 'unproven'>): Pick<AbilityAvailabilityEntry, 'proven' | 'reason_unproven'> =>
  unproven === true ? { proven: false, reason_unproven: NOTHING_SHOWS_IT } : {}

const MAX_TAG_LENGTH = 80

/** The tags are the family and the aliases. */
export function toCatalogEntry(
  ability: AbilityRow,
  categories: ReadonlyMap<string, readonly string[]>,
): SkillCatalogEntry {
  const { ability_id, title, family, source, kind, install_lane, enabled, usable_now } = ability
  const { reason_unusable, aliases, created_at, updated_at } = ability
  const tags = [family, ...aliases].map((tag) => tag.slice(0, MAX_TAG_LENGTH))
  return {
    ability_id,
    title,
    family,
    source,
    kind,
    install_lane,
    enabled,
    usable_now,
    ...(reason_unusable === undefined ? {} : { reason_unusable }),
    ...describeProof(ability),
    tags: [...new Set(tags)],
    category_ids: [...(categories.get(ability_id) ?? [])],
    created_at,
    updated_at,
    schema_version: 1,
  }
}
