import type { SceneEntry, SceneRefusal } from '@apprentice/contracts/scenes/scenes.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { RegisteredScene } from './catalog.ts'

/** Abilities that people taught have other ids. */
const ABILITY_PREFIX = 'scene.'

/** The id of a scene as an ability. It stays the same when the package moves or gets another version. */
export const toSceneAbilityId = (sceneId: string): string => `${ABILITY_PREFIX}${sceneId}`

export function toSceneEntry(scene: RegisteredScene): SceneEntry {
  const { manifest, root, folder, warnings } = scene
  const { deterministic, bootstrap } = manifest
  return {
    scene_id: scene.id,
    title: scene.title,
    description: scene.description,
    version: manifest.scene.version,
    ability_id: toSceneAbilityId(scene.id),
    root,
    manifest: `${folder}/scene.toml`,
    suffix: deterministic.suffix,
    include_keywords: deterministic.include_keywords,
    expected_domain: bootstrap.expected_domain,
    params: scene.params.map(({ name, resolver, required, resolve }) => ({
      name,
      resolver,
      required,
      examples: [...resolve.examples],
    })),
    warnings: [...warnings],
  }
}

const MAX_SUMMARY = 240
const MAX_CHOICES = 50

/** The parameters of a scene as inputs of its ability: a text each, which is resolved like the words of an instruction. */
export const toSceneInputs = ({ params }: Pick<RegisteredScene, 'params'>): RecipeInput[] =>
  params.map(({ name, required, resolver, resolve: { examples } }) => ({
    name,
    type: 'string',
    required,
    ...(examples.length === 0 ? {} : { summary: `Such as ${examples.slice(0, 6).join(', ')}`.slice(0, MAX_SUMMARY) }),
    ...(resolver === 'fixed_enum' ? { choices: examples.slice(0, MAX_CHOICES) } : {}),
  }))

/** One line about a refusal: place, key and reason. */
export const formatRefusal = ({ root, manifest, file, key, reason }: SceneRefusal): string => {
  const path = file === 'scene.toml' ? manifest : `${manifest.slice(0, -'scene.toml'.length)}${file}`
  return `${root}: ${path}${key === undefined ? '' : `: ${key}`} ${reason}`
}
