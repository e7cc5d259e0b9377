import { z } from 'zod'
import { AbilityId, SchemaVersion } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { SceneId, SceneManifest, SceneParam, SceneVersion } from './manifest.ts'

const TAG = 'scenes'

/** Something wrong with a file of a package. */
export const SceneFinding = z
  .object({
    file: z.string().max(400).describe('The path inside the package'),
    key: z.string().max(400).optional(),
    reason: z.string().max(2000).describe('The end of a sentence that starts with the key, or the file'),
  })
  .meta({ id: 'SceneFinding' })

/** Why a package is not registered. Other packages are not affected. */
export const SceneRefusal = SceneFinding.extend({
  root: z.string(),
  manifest: z.string().describe('The path of scene.toml, relative to the root'),
  scene_id: z.string().optional(),
}).meta({ id: 'SceneRefusal' })
export type SceneRefusal = z.infer<typeof SceneRefusal>

export const SceneEntry = z
  .object({
    scene_id: SceneId,
    title: z.string().max(120),
    description: z.string().max(2000),
    version: SceneVersion,
    ability_id: AbilityId.describe('The scene as an ability'),
    root: z.string(),
    manifest: z.string().describe('The path of scene.toml, relative to the root'),
    suffix: z.string(),
    include_keywords: z.array(z.string()),
    expected_domain: z.string(),
    params: z.array(
      SceneParam.pick({ name: true, resolver: true, required: true }).extend({
        examples: z.array(z.string()).describe('What a person may write'),
      }),
    ),
    warnings: z.array(SceneFinding),
  })
  .meta({ id: 'SceneEntry' })
export type SceneEntry = z.infer<typeof SceneEntry>

export const listScenes = route({
  method: 'GET',
  url: '/api/scenes',
  tag: TAG,
  summary: 'List the registered scenes of all roots, and the packages that were refused',
  privilege: 'read',
  query: z.object({
    page: PageQuery.shape.page,
    page_size: z.coerce.number().int().min(1).max(1000).default(1000),
  }),
  reply: z.object({
    scenes: z.array(SceneEntry),
    ...pageFields,
    page_size: z.int().min(1).max(1000),
    refusals: z.array(SceneRefusal).describe('All of them, on each page'),
    roots: z.array(z.string()),
    schema_version: SchemaVersion,
  }),
})

export const getScene = route({
  method: 'GET',
  url: '/api/scenes/:sceneId',
  tag: TAG,
  summary: 'Get one scene with its manifest',
  privilege: 'read',
  params: z.object({ sceneId: SceneId }),
  reply: z.object({ scene: SceneEntry, manifest: SceneManifest, script: z.string(), schema_version: SchemaVersion }),
  fails: ['SCENE_NOT_FOUND', 'SCENE_REFUSED'],
})
