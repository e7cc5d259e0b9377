import type { PageContext, SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'
import { Failure } from '../failure/failure.ts'
import type { RegisteredScene, SceneCatalog } from '../knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../knowledge/scenes/dispatch.ts'
import { planWithInputs } from '../knowledge/scenes/plan.ts'
import type { Scenes } from '../skill-runtime/open-scenes.ts'

/** What a person or an agent wants: an instruction, or a scene with a text per parameter. */
export interface WantedRun {
  readonly instruction?: string | undefined
  readonly page?: PageContext | undefined
  readonly scene_id?: string | undefined
  readonly inputs?: Readonly<Record<string, string>> | undefined
}

/** Plans a run, or throws a failure that says what is missing. */
export async function planSceneRun(
  { scenes, sceneMoment, scenesStored }: Scenes,
  wanted: WantedRun,
): Promise<ScenePlan> {
  const { instruction, page, scene_id, inputs = {} } = wanted
  if ((instruction === undefined) === (scene_id === undefined)) {
    throw new Failure('INVALID_REQUEST', 'Give either instruction or scene_id.', { details: { field: 'instruction' } })
  }
  const catalog = await scenes.catalog()
  // The run is one of an ability, which may be switched off.
  await scenesStored()
  const decided =
    scene_id === undefined
      ? dispatchInstruction(catalog, { instruction: instruction ?? '', page }, sceneMoment())
      : planWithInputs(assertInputs(getScene(catalog, scene_id), inputs), inputs, sceneMoment())
  if (decided.outcome === 'plan') return decided.plan
  throw new Failure('SCENE_NOT_PLANNED', describeDecision(decided), { details: { dispatch: decided } })
}

function getScene(catalog: SceneCatalog, sceneId: string): RegisteredScene {
  const scene = catalog.find(sceneId)
  if (scene !== undefined) return scene
  throw new Failure('SCENE_NOT_FOUND', `No scene ${sceneId} is registered.`)
}

function assertInputs(scene: RegisteredScene, inputs: Readonly<Record<string, string>>): RegisteredScene {
  const unknown = Object.keys(inputs).find((name) => scene.params.every((param) => param.name !== name))
  if (unknown === undefined) return scene
  const details = { field: `inputs.${unknown}` }
  throw new Failure('INVALID_REQUEST', `The scene ${scene.id} has no parameter ${unknown}.`, { details })
}

/** The words of the scene itself, if it has some for this case. */
function describeDecision(decided: Exclude<SceneDispatch, { outcome: 'plan' }>): string {
  const prompt = 'params' in decided ? decided.params[0]?.prompt : undefined
  return prompt ?? decided.explanation
}
