import { z } from 'zod'
import { SceneGenerationEvent } from '../base/events.ts'
import { DateTime, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { SceneAnalysis } from './analysis.ts'
import { SceneAnswers, SceneRefusal } from './generation.ts'

const TAG = 'scenes'

/**
 * queued       waits for its turn
 * running      the folder is read, analyzed, and a package is written and tried
 * ready        the package may be used
 * refused      the package was written and is not ready; `refusals` has each reason
 * failed       there is no package
 */
export const SceneGenerationState = z.enum(['queued', 'running', 'ready', 'refused', 'failed'])
export type SceneGenerationState = z.infer<typeof SceneGenerationState>

export const SceneGeneration = z
  .object({
    generation_id: Uuid,
    state: SceneGenerationState,
    answers: SceneAnswers,
    scene_id: z.string().max(100).optional(),
    example_instruction: z.string().max(1000).optional(),
    refusals: z.array(SceneRefusal),
    files: z.array(z.string().max(400)).describe('The paths of the package'),
    error: z.object({ code: z.string().max(80), message: z.string().max(240) }).optional(),
    created_at: DateTime,
    settled_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SceneGeneration' })
export type SceneGeneration = z.infer<typeof SceneGeneration>

const params = z.object({ generationId: Uuid })
const reply = z.object({ generation: SceneGeneration, schema_version: SchemaVersion })

export const generateScene = route({
  method: 'POST',
  url: '/api/scenes/generate',
  tag: TAG,
  summary: 'Generate a scene package from an uploaded zip file of a saved page; the reply names the job',
  privilege: 'write',
  body: strictRequestBody({
    temp_artifact_ref: text(240).describe('From POST /api/skills/import/uploads'),
    answers: SceneAnswers.default({ stand_in: false }),
  }),
  reply,
  status: 202,
  fails: ['SKILL_IMPORT_UPLOAD_NOT_FOUND'],
})

export const getSceneGeneration = route({
  method: 'GET',
  url: '/api/scenes/generations/:generationId',
  tag: TAG,
  summary: 'Get the state of a generation, and why its package is not ready',
  privilege: 'read',
  params,
  reply,
  fails: ['SCENE_GENERATION_NOT_FOUND'],
})

export const getSceneAnalysis = route({
  method: 'GET',
  url: '/api/scenes/generations/:generationId/analysis',
  tag: TAG,
  summary: 'Get what was found in the folder, with places, and what it leaves open',
  privilege: 'read',
  params,
  reply: z.object({ analysis: SceneAnalysis, schema_version: SchemaVersion }),
  fails: ['SCENE_GENERATION_NOT_FOUND', 'SCENE_GENERATION_NOT_SETTLED'],
})

export const downloadScenePackage = route({
  method: 'GET',
  url: '/api/scenes/generations/:generationId/package',
  tag: TAG,
  summary: 'Download the generated package as a zip file',
  privilege: 'read',
  params,
  reply: z.unknown(),
  media: 'application/zip',
  fails: ['SCENE_GENERATION_NOT_FOUND', 'SCENE_GENERATION_NOT_SETTLED'],
})

export const streamSceneGeneration = route({
  method: 'GET',
  url: '/api/scenes/generations/:generationId/events',
  tag: TAG,
  summary: 'Stream the progress of a generation',
  privilege: 'read',
  params,
  reply: SceneGenerationEvent,
  stream: true,
  fails: ['SCENE_GENERATION_NOT_FOUND'],
})
