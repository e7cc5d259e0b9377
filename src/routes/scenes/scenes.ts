import type { FastifyInstance } from 'fastify'
import { dispatchScene } from '@apprentice/contracts/scenes/dispatch.ts'
import { getScene, listScenes } from '@apprentice/contracts/scenes/scenes.ts'
import type { System } from '../../daemon/system.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { RegisteredScene, SceneCatalog } from '../../knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../../knowledge/scenes/dispatch.ts'
import { toSceneEntry } from '../../knowledge/scenes/scene-entry.ts'

const schema_version = 1 as const

export function sceneRoutes(app: FastifyInstance, { scenes, sceneMoment }: System): void {
  const on = mountContract(app)

  on(listScenes)(async ({ query: { page, page_size } }) => {
    const catalog = await scenes.catalog()
    const from = (page - 1) * page_size
    return {
      scenes: catalog.scenes.slice(from, from + page_size).map(toSceneEntry),
      total: catalog.scenes.length,
      page,
      page_size,
      refusals: [...catalog.refusals],
      roots: scenes.roots,
      schema_version,
    }
  })

  on(getScene)(async ({ params }) => {
    const scene = getRegistered(await scenes.catalog(), params.sceneId)
    const { manifest, script } = scene
    return { scene: toSceneEntry(scene), manifest, script, schema_version }
  })

  on(dispatchScene)(async ({ body }) => {
    const catalog = await scenes.catalog()
    const moment = sceneMoment()
    const dispatch = dispatchInstruction(catalog, body, moment)
    return { dispatch, planned_at: moment.now.toISOString(), schema_version }
  })
}

function getRegistered(catalog: SceneCatalog, sceneId: string): RegisteredScene {
  const scene = catalog.find(sceneId)
  if (scene !== undefined) return scene
  const refusals = catalog.refusals.filter(({ scene_id }) => scene_id === sceneId)
  if (refusals.length === 0) throw new Failure('SCENE_NOT_FOUND', `No scene ${sceneId} is registered.`)
  throw new Failure('SCENE_REFUSED', `The package of the scene ${sceneId} was refused.`, { details: { refusals } })
}
