import { hash } from 'node:crypto'
import type { SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { ScenePlan, SceneSignal } from '@apprentice/contracts/scenes/plan.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { createInputResolver, type ResolvedParams, resolveParams } from './resolve-params.ts'
import type { Moment } from './resolvers/resolver.ts'
import type { Scene } from './scene.ts'
import { explainParams } from './signals.ts'

/** What becomes of a scene that is certain: a plan, or what is missing or ambiguous. */
export type SceneDecision = Extract<SceneDispatch, { outcome: 'plan' | 'missing_params' | 'ambiguous_params' }>

export function decideScene(scene: Scene, params: ResolvedParams, signals: readonly SceneSignal[]): SceneDecision {
  const { missing, ambiguous } = params
  const fields = {
    scene_id: scene.id,
    scene_version: scene.manifest.scene.version,
    params: [...missing, ...ambiguous],
    signals: [...signals],
  }
  const names = fields.params.map(({ name }) => name).join(', ')
  if (missing.length > 0) {
    return { outcome: 'missing_params', explanation: `${scene.id} needs more: ${names}.`.slice(0, 500), ...fields }
  }
  if (ambiguous.length > 0) {
    const explanation = `${scene.id} needs a clearer value: ${names}.`.slice(0, 500)
    return { outcome: 'ambiguous_params', explanation, ...fields }
  }
  const explanation = `${scene.id} is the only scene that fits, and all its parameters are certain.`
  return { outcome: 'plan', explanation, plan: buildPlan(scene, params, signals) }
}

/** Plans a scene with a text for each parameter, as abilities are run. Unknown names are the caller's concern. */
export function planWithInputs(scene: Scene, inputs: Readonly<Record<string, unknown>>, moment: Moment): SceneDecision {
  const params = resolveParams(scene, createInputResolver(inputs, moment))
  return decideScene(scene, params, [explainParams(params)])
}

function buildPlan(scene: Scene, { args }: ResolvedParams, signals: readonly SceneSignal[]): ScenePlan {
  const { bootstrap, scene: header, artifact, postprocess } = scene.manifest
  const { expected_domain, target_url, page_title_keywords, requires_target_page, allowed_domains, stand_in } =
    bootstrap
  const plan: Omit<ScenePlan, 'plan_hash'> = {
    scene_id: scene.id,
    scene_version: header.version,
    skill: header.skill,
    tool: header.tool,
    args: { ...args },
    bootstrap: { expected_domain, target_url, page_title_keywords, requires_target_page },
    allowed_domains,
    script: scene.script,
    script_sha256: scene.script_sha256,
    ...(stand_in === undefined ? {} : { stand_in }),
    artifact,
    postprocess,
    signals: [...signals],
    schema_version: 1,
  }
  return { ...plan, plan_hash: computePlanHash(plan) }
}

/** The hash of a plan. Two plans with the same hash do the same. */
export function computePlanHash(plan: Omit<ScenePlan, 'plan_hash'> & { readonly plan_hash?: string }): string {
  const { plan_hash: _hash, ...hashed } = plan
  return hash('sha256', canonicalJson(hashed), 'hex')
}
