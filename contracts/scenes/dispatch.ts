import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { SceneId, SceneParamName, SceneVersion } from './manifest.ts'
import { ScenePlan, SceneSignal } from './plan.ts'

export const MAX_INSTRUCTION = 1000
export const MAX_SCENE_CANDIDATES = 20

/** The page that the user looks at. */
export const PageContext = z
  .object({
    url: z.string().max(2000).optional(),
    title: z.string().max(500).optional(),
  })
  .meta({ id: 'PageContext' })
export type PageContext = z.infer<typeof PageContext>

const candidate = z.object({ label: z.string().max(400), args: z.record(z.string(), z.json()) })

const openParam = z.object({
  name: SceneParamName,
  prompt: z.string().max(400).describe('What to ask the user, in the words of the scene'),
  candidates: z.array(candidate).max(MAX_SCENE_CANDIDATES).describe('The values it may mean; empty if it is missing'),
})
export type OpenParam = z.infer<typeof openParam>

const explanation = z.string().max(500)
const sceneFields = {
  explanation,
  scene_id: SceneId,
  scene_version: SceneVersion,
  params: z.array(openParam).min(1).describe('All parameters that are missing or ambiguous'),
  signals: z.array(SceneSignal),
}

const SceneCandidate = z
  .object({
    scene_id: SceneId,
    title: z.string().max(120),
    score: z.int().min(0),
    signals: z.array(SceneSignal),
  })
  .meta({ id: 'SceneCandidate' })

/**
 * What a dispatch decided.
 *
 * not_deterministic  the instruction does not end with a suffix; nothing else was looked at
 * no_scene           no scene fits
 * ambiguous_scene    several scenes fit, and nothing but keywords tells them apart
 * missing_params     the scene is certain, and a required parameter is not in the instruction
 * ambiguous_params   the scene is certain, and a parameter may mean several values
 * plan               the scene and its arguments are certain
 */
export const SceneDispatch = z
  .discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('not_deterministic'), explanation }),
    z.object({
      outcome: z.literal('no_scene'),
      explanation,
      excluded: z
        .array(z.object({ scene_id: SceneId, keyword: z.string().max(80) }))
        .max(MAX_SCENE_CANDIDATES)
        .describe('Scenes that an exclude keyword ruled out'),
    }),
    z.object({
      outcome: z.literal('ambiguous_scene'),
      explanation,
      candidates: z.array(SceneCandidate).max(MAX_SCENE_CANDIDATES),
      candidates_total: z.int().min(2),
    }),
    z.object({ outcome: z.literal('missing_params'), ...sceneFields }),
    z.object({ outcome: z.literal('ambiguous_params'), ...sceneFields }),
    z.object({ outcome: z.literal('plan'), explanation, plan: ScenePlan }),
  ])
  .meta({ id: 'SceneDispatch' })
export type SceneDispatch = z.infer<typeof SceneDispatch>

export const dispatchScene = route({
  method: 'POST',
  url: '/api/scenes/dispatch',
  tag: 'scenes',
  summary: 'Find the scene and the arguments that an instruction means; nothing is run',
  privilege: 'read',
  body: requestBody({
    instruction: z.string().min(1).max(MAX_INSTRUCTION),
    page: PageContext.optional(),
  }),
  reply: z.object({
    dispatch: SceneDispatch,
    planned_at: DateTime.describe('The time that relative periods refer to'),
    schema_version: SchemaVersion,
  }),
})
