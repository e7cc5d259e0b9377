import type { FastifyInstance } from 'fastify'
import { getAvailability, getCatalog, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { explainMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import {
  activateAbility,
  deactivateAbility,
  promoteShared,
  quarantineAbility,
  unquarantineAbility,
} from '@apprentice/contracts/abilities/lifecycle.ts'
import { acceptRisk, changeLane, listLanes } from '@apprentice/contracts/abilities/lanes.ts'
import { toAvailabilityEntry, toCatalogEntry } from '../../domain/abilities/catalog.ts'
import { explainAbilityMatch } from '../../domain/abilities/explain-match.ts'
import * as proofs from '../../domain/abilities/proofs.ts'
import * as status from '../../domain/install/ability-status.ts'
import { getVisibleAbility, isVisible } from '../../domain/abilities/visibility.ts'
import { findAbilityInputs } from '../../domain/abilities/ability-inputs.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { listAbilities } from '../../store/abilities/abilities.ts'
import { listAbilityCategories } from '../../store/abilities/abilities-categories.ts'
import { getAbilitySnapshot } from '../../store/abilities/abilities-snapshot.ts'
import { findSceneAbility } from '../../store/scenes/scene-abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import type { System } from '../../daemon/system.ts'

export function abilityRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const on = mountContract(app)

  on(listAvailability)(({ caller }) =>
    commands.read((reader) => {
      const { snapshot_as_of, latest_trigger_at, stale } = getAbilitySnapshot(reader)
      const abilities = listVisible(reader, caller.user_id).map(toAvailabilityEntry)
      return { abilities, snapshot_as_of, stale, latest_trigger_at, schema_version: 1 as const }
    }),
  )

  on(getCatalog)(({ caller }) =>
    commands.read((reader) => {
      const categories = listAbilityCategories(reader, caller.user_id)
      return {
        items: listVisible(reader, caller.user_id).map((one) => toCatalogEntry(one, categories)),
        refreshed_at: getAbilitySnapshot(reader).snapshot_as_of,
        schema_version: 1 as const,
      }
    }),
  )

  on(getAvailability)(({ params, caller }) =>
    commands.read((reader) => {
      const ability = getVisibleAbility(reader, params.abilityId, caller.user_id)
      const { current_version } = ability
      const inputs = [...(findAbilityInputs(reader, params.abilityId) ?? [])]
      const scene_id = findSceneAbility(reader, params.abilityId)?.scene_id
      return { ...toAvailabilityEntry(ability), current_version, inputs, ...(scene_id && { scene_id }) }
    }),
  )

  on(lookupAbilities)(async ({ body, caller }) => {
    await system.lookupWarmed
    // A broken registry must not keep abilities from being found.
    if (body.include_skills) system.lookup.setSkills(await listRunnableSkills(system))
    const matches = commands.read((reader) => system.lookup.find(reader, caller.user_id, body))
    return { matches, created_at: commands.now(), schema_version: 1 as const }
  })

  on(explainMatch)(({ body, caller }) => commands.read((reader) => explainAbilityMatch(reader, caller.user_id, body)))

  statusRoutes(app, system)
  proofRoutes(app, system)
}

const listRunnableSkills = ({ skills }: System) =>
  skills.catalog().then(
    (catalog) => catalog.skills,
    () => [],
  )

function proofRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(listLanes)(() =>
    commands.read((reader) => ({ lanes: proofs.listLaneSettings(reader), schema_version: 1 as const })),
  )

  on(changeLane)((request) =>
    commands.command(request, (ctx) =>
      proofs.changeLaneSettings(ctx, {
        install_lane: request.params.installLane,
        accept_unrehearsed: request.body.accept_unrehearsed,
      }),
    ),
  )

  on(acceptRisk)((request) =>
    commands.command(request, (ctx) => {
      const { ability, receipt_id } = proofs.acceptRisk(ctx, toAbilityAccess(request), request.body)
      const { ability_id, usable_now, reason_unusable } = ability
      return { ability_id, usable_now, reason_unusable, receipt_id }
    }),
  )
}

function statusRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(activateAbility)((request) =>
    commands.command(request, (ctx) => {
      const changed = status.setEnabled(ctx, toAbilityAccess(request), true)
      return changed instanceof Failure ? changed : { ...toAbilityId(request), enabled: true as const }
    }),
  )

  on(deactivateAbility)((request) =>
    commands.command(request, (ctx) => {
      const changed = status.setEnabled(ctx, toAbilityAccess(request), false)
      return changed instanceof Failure ? changed : { ...toAbilityId(request), enabled: false as const }
    }),
  )

  on(quarantineAbility)((request) =>
    commands.command(request, (ctx) => {
      const { reason } = request.body
      const changed = status.quarantine(ctx, toAbilityAccess(request), reason)
      return changed instanceof Failure ? changed : { ...toAbilityId(request), quarantined: true as const, reason }
    }),
  )

  on(unquarantineAbility)((request) =>
    commands.command(request, (ctx) => {
      const changed = status.unquarantine(ctx, toAbilityAccess(request))
      return changed instanceof Failure ? changed : { ...toAbilityId(request), quarantined: false as const }
    }),
  )

  on(promoteShared)((request) =>
    commands.command(request, (ctx) => {
      const changed = status.promoteShared(ctx, toAbilityAccess(request))
      return changed instanceof Failure
        ? changed
        : { ...toAbilityId(request), install_lane: 'shared_promoted' as const }
    }),
  )
}

type AbilityRequest = RequestContext<{ readonly abilityId: string }>

const toAbilityId = ({ params }: AbilityRequest) => ({ ability_id: params.abilityId })

const toAbilityAccess = ({ params, caller }: AbilityRequest) => ({
  ability_id: params.abilityId,
  is_admin: caller.privilege === 'admin',
})

const listVisible = (reader: Reader, caller: string) =>
  listAbilities(reader).filter((ability) => isVisible(ability, caller))
