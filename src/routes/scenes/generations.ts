import type { FastifyInstance } from 'fastify'
import {
  downloadScenePackage,
  generateScene,
  getSceneAnalysis,
  getSceneGeneration,
  streamSceneGeneration,
} from '@apprentice/contracts/scenes/generations.ts'
import {
  formatGenerationSubject,
  getGenerationResult,
  getOwnGeneration,
  queueSceneGeneration,
  toSceneGeneration,
} from '../../domain/scene-generation/scene-generations.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findSceneGeneration } from '../../store/scene-generation/scene-generations.ts'
import type { System } from '../../daemon/system.ts'

const schema_version = 1 as const

export function sceneGenerationRoutes(app: FastifyInstance, { commands, bundles, ...system }: System): void {
  const on = mountContract(app)

  on(generateScene)((request) =>
    commands.command(request, (ctx) => {
      const { temp_artifact_ref, answers } = request.body
      return {
        generation: toSceneGeneration(queueSceneGeneration(ctx, { temp_artifact_ref, answers })),
        schema_version,
      }
    }),
  )

  on(getSceneGeneration)(({ params, caller }) => {
    const row = commands.read((reader) => getOwnGeneration(reader, params.generationId, caller.user_id))
    return { generation: toSceneGeneration(row), schema_version }
  })

  on(getSceneAnalysis)(({ params, caller }) => {
    const { analysis } = commands.read((reader) => getGenerationResult(reader, params.generationId, caller.user_id))
    return { analysis, schema_version }
  })

  on(downloadScenePackage)(({ params, caller }, reply) => {
    const { files, id } = commands.read((reader) => {
      const { scene_id = 'scene' } = getOwnGeneration(reader, params.generationId, caller.user_id)
      return { ...getGenerationResult(reader, params.generationId, caller.user_id), id: scene_id }
    })
    void reply.header('content-disposition', `attachment; filename="${id}.zip"`)
    return bundles.pack(files.map(({ path, content }) => ({ path: `${id}/${path}`, content })))
  })

  mountStream(app, streamSceneGeneration, {
    ...system,
    find: async (request, read) => {
      const { generationId } = (request as RequestContext<{ generationId: string }>).params
      return commands.read((reader) => {
        getOwnGeneration(reader, generationId, request.caller.user_id)
        return read(
          reader,
          createSubjectSource(formatGenerationSubject(generationId), (now) => {
            const row = findSceneGeneration(now, generationId)
            return row === undefined || row.settled_at !== undefined
          }),
        )
      })
    },
  })
}
