import type { FastifyInstance } from 'fastify'
import {
  getAvailability,
  getCatalog,
  listAvailability,
} from '@apprentice/contracts/abilities/availability.ts'
import { explainMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import {
  activateAbility,
  deactivateAbility,
  promoteShared,
  quarantineAbility,
  unquarantineAbility,
} from '@apprentice/contracts/abilities/standing.ts'
import { availabilityEntry, catalogEntry } from '../domain/abilities/catalog.ts'
import { explain } from '../domain/abilities/explain-match.ts'
import * as standing from '../domain/install/ability-status.ts'
import { getVisibleAbility, isVisible } from '../domain/abilities/visibility.ts'
import { currentRecipe } from '../domain/abilities/current-recipe.ts'
import { Failure } from '../failure/failure.ts'
import { type RequestContext, mounting } from '../http/mount.ts'
import { listAbilities } from '../store/abilities/abilities.ts'
import { listAbilityCategories } from '../store/abilities/abilities-categories.ts'
import { getAbilitySnapshot } from '../store/abilities/abilities-snapshot.ts'
import type { Reader } from '../store/db/db.ts'
import type { System } from '../daemon/system.ts'

export function abilityRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const on = mounting(app)

  on(listAvailability)(({ caller }) =>
    commands.read((reader) => {
      const { snapshot_as_of, latest_trigger_at, stale } = getAbilitySnapshot(reader)
      const abilities = listVisible(reader, caller.user_id).map(availabilityEntry)
      return { abilities, snapshot_as_of, stale, latest_trigger_at, schema_version: 1 as const }
    }),
  )

  on(getCatalog)(({ caller }) =>
    commands.read((reader) => {
      const categories = listAbilityCategories(reader, caller.user_id)
      return {
        items: listVisible(reader, caller.user_id).map((one) => catalogEntry(one, categories)),
        refreshed_at: getAbilitySnapshot(reader).snapshot_as_of,
        schema_version: 1 as const,
      }
    }),
  )

  on(getAvailability)(({ params, caller }) =>
    commands.read((reader) => {
      const ability = getVisibleAbility(reader, params.abilityId, caller.user_id)
      const { current_version } = ability
      const inputs = currentRecipe(reader, params.abilityId)?.recipe.inputs ?? []
      return { ...availabilityEntry(ability), current_version, inputs }
    }),
  )

  on(lookupAbilities)(async ({ body, caller }) => {
    await system.lookupWarmed
    const matches = commands.read((reader) => system.lookup.find(reader, caller.user_id, body))
    return { matches, created_at: commands.now(), schema_version: 1 as const }
  })

  on(explainMatch)(({ body, caller }) =>
    commands.read((reader) => explain(reader, caller.user_id, body)),
  )

  standingRoutes(app, system)
}

function standingRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mounting(app)

  on(activateAbility)((request) =>
    commands.command(request, (ctx) => {
      const done = standing.setEnabled(ctx, whose(request), true)
      return done instanceof Failure ? done : { ...named(request), enabled: true as const }
    }),
  )

  on(deactivateAbility)((request) =>
    commands.command(request, (ctx) => {
      const done = standing.setEnabled(ctx, whose(request), false)
      return done instanceof Failure ? done : { ...named(request), enabled: false as const }
    }),
  )

  on(quarantineAbility)((request) =>
    commands.command(request, (ctx) => {
      const { reason } = request.body
      const done = standing.quarantine(ctx, whose(request), reason)
      return done instanceof Failure
        ? done
        : { ...named(request), quarantined: true as const, reason }
    }),
  )

  on(unquarantineAbility)((request) =>
    commands.command(request, (ctx) => {
      const done = standing.unquarantine(ctx, whose(request))
      return done instanceof Failure ? done : { ...named(request), quarantined: false as const }
    }),
  )

  on(promoteShared)((request) =>
    commands.command(request, (ctx) => {
      const done = standing.promoteShared(ctx, whose(request))
      return done instanceof Failure
        ? done
        : { ...named(request), install_lane: 'shared_promoted' as const }
    }),
  )
}

type AskedOfOne = RequestContext<{ readonly abilityId: string }>

const named = ({ params }: AskedOfOne) => ({ ability_id: params.abilityId })

const whose = ({ params, caller }: AskedOfOne) => ({
  ability_id: params.abilityId,
  is_admin: caller.privilege === 'admin',
})

const listVisible = (reader: Reader, caller: string) =>
  listAbilities(reader).filter((ability) => isVisible(ability, caller))
