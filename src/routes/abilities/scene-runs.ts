import type { z } from 'zod'
import type { runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import type { System } from '../../daemon/system.ts'
import { effectiveLane } from '../../domain/abilities/lanes.ts'
import { getVisibleAbility } from '../../domain/abilities/visibility.ts'
import { readInputDefaults } from '../../domain/intents/configuration.ts'
import { planAbilityRun } from '../../domain/scenes/plan-ability-run.ts'
import { assertSceneUsable } from '../../domain/scenes/scene-ability-run.ts'
import { startSceneRun } from '../../domain/scenes/start-scene-run.ts'
import { Failure } from '../../failure/failure.ts'
import type { RequestContext } from '../../http/contract-routes.ts'
import { findSceneAbility } from '../../store/scenes/scene-abilities.ts'

type RunRequest = RequestContext<{ readonly abilityId: string }, unknown, z.output<(typeof runAbility)['body']>>

/** Starts the run of an ability that is a scene, and returns its id. Undefined if the ability is not a scene. */
export async function startSceneAbility(system: System, request: RunRequest): Promise<string | undefined> {
  const { commands, scenes, sceneMoment, sceneRuns } = system
  const { abilityId } = request.params
  const found = commands.read((reader) => {
    const ability = getVisibleAbility(reader, abilityId, request.caller.user_id)
    const scene_id = findSceneAbility(reader, abilityId)?.scene_id
    return scene_id === undefined ? undefined : { ability, scene_id, defaults: readInputDefaults(reader, abilityId) }
  })
  if (found === undefined) return undefined
  const { inputs, items, timeout_ms, policy, dispatch_id, project_id } = request.body
  if (items !== undefined) {
    throw new Failure('INVALID_REQUEST', 'items: A scene runs once. Start one run for each item.', {
      details: { field: 'items' },
    })
  }
  assertSceneUsable(found.ability)
  const scene = (await scenes.catalog()).find(found.scene_id)
  if (scene === undefined) throw new Failure('ABILITY_UNUSABLE', `The package of ${found.scene_id} is refused or gone.`)
  const given: RunInputs = { ...(found.defaults as RunInputs), ...inputs }
  const plan = planAbilityRun(scene, given, sceneMoment())
  sceneRuns.assertInstalled()
  const use = { dispatch_id, project_id, input_names: Object.keys(given) }
  const lane = effectiveLane(found.ability)
  const { run_id } = await commands.command(request, (ctx) => {
    return { run_id: startSceneRun(ctx, { plan, timeout_ms, policy, lane, use }).run_id }
  })
  return run_id
}
