import { z } from 'zod'
import { SchemaVersion } from '../base/fields.ts'
import {
  PackagePath,
  SceneArtifact,
  SceneBootstrap,
  SceneDomain,
  SceneId,
  SceneName,
  SceneParamName,
  ScenePostprocess,
  SceneVersion,
} from './manifest.ts'

/** What was found of a scene in an instruction and its page context. */
export const SceneSignal = z
  .object({
    kind: z.enum(['page', 'required_params', 'include_keywords', 'page_title', 'exclude_keyword']),
    matched: z.boolean(),
    points: z.int().min(0).describe('What the signal adds to the score'),
    found: z
      .array(z.string().max(2000))
      .describe('What was found: words of the instruction, or the address of the page'),
    explanation: z.string().max(400),
  })
  .meta({ id: 'SceneSignal' })
export type SceneSignal = z.infer<typeof SceneSignal>

/** What a run of a scene does. The same instruction, context and registry always give the same plan. */
export const ScenePlan = z
  .object({
    scene_id: SceneId,
    scene_version: SceneVersion,
    skill: SceneName,
    tool: SceneName,
    args: z
      .record(SceneParamName, z.json())
      .describe('The canonical arguments of the script, by name: those that each resolved parameter sets'),
    bootstrap: SceneBootstrap.pick({
      expected_domain: true,
      target_url: true,
      page_title_keywords: true,
      requires_target_page: true,
    }),
    allowed_domains: z.array(SceneDomain).describe('Further domains that the scene may use'),
    script: PackagePath,
    script_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The content of the script that was planned'),
    stand_in: PackagePath.optional(),
    artifact: SceneArtifact,
    postprocess: ScenePostprocess,
    signals: z.array(SceneSignal),
    plan_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the canonical JSON of all other fields'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ScenePlan' })
export type ScenePlan = z.infer<typeof ScenePlan>
