import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { deleteCapability } from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteSceneAbility,
  findSceneAbility,
  listSceneAbilities,
  type SceneAbilityRow,
  storeSceneAbility,
} from '../../store/scenes/scene-abilities.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { registerAbility, removeAbility } from '../abilities/registry.ts'
import { forgetEarlierFailures } from '../capabilities/new-version.ts'
import type { CommandContext } from '../command/context.ts'

/** A registered scene as an ability. */
export interface SceneAbility {
  readonly ability_id: string
  readonly scene_id: string
  readonly title: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly exclude_keywords: readonly string[]
  readonly inputs: readonly RecipeInput[]
  readonly digest: string
}

export interface SceneAbilities {
  readonly scenes: readonly SceneAbility[]
  /** The ids of scenes whose packages are there and refused. */
  readonly refused: readonly string[]
}

const REFUSED = 'scene_refused'
/** Scenes come from folders of the operator, so all users find them. */
const OWNER = 'system'
const FAMILY = 'scene'
const MAX_PHRASE = 120

/** Whether anything has to be written. A start without changes writes nothing. */
export const needsSync = (reader: Reader, wanted: SceneAbilities): boolean => listChanges(reader, wanted).length > 0

/**
 * Makes the abilities of scenes agree with the packages on disk. A refused package keeps its ability, which cannot be used
 * until the package is mended: what an administrator decided about it is not forgotten. A package that is gone takes its
 * ability with it.
 */
export function syncSceneAbilities(ctx: CommandContext, wanted: SceneAbilities): void {
  const changes = listChanges(ctx.tx, wanted)
  for (const change of changes) {
    if (change.kind === 'remove') {
      deleteSceneAbility(ctx.tx, change.ability_id)
      deleteCapability(ctx.tx, change.ability_id)
      removeAbility(ctx, change.ability_id)
    } else if (change.kind === 'refuse') storeSceneAbility(ctx.tx, { ...change.row, problem: REFUSED })
    else storeScene(ctx, change.scene)
  }
  const ability_ids = changes.filter(({ kind }) => kind !== 'remove').map(({ ability_id }) => ability_id)
  if (ability_ids.length > 0) refreshAvailability(ctx, 'scenes', { ability_ids })
}

type Change =
  | { readonly kind: 'store'; readonly ability_id: string; readonly scene: SceneAbility }
  | { readonly kind: 'refuse'; readonly ability_id: string; readonly row: SceneAbilityRow }
  | { readonly kind: 'remove'; readonly ability_id: string }

function listChanges(reader: Reader, { scenes, refused }: SceneAbilities): Change[] {
  const known = new Map(listSceneAbilities(reader).map((row) => [row.ability_id, row]))
  const wanted = new Set(scenes.map(({ ability_id }) => ability_id))
  const stored = scenes
    .filter(({ ability_id, digest }) => {
      const row = known.get(ability_id)
      return row?.digest !== digest || row.problem !== undefined
    })
    .map((scene): Change => ({ kind: 'store', ability_id: scene.ability_id, scene }))
  const others = [...known.values()].filter(({ ability_id }) => !wanted.has(ability_id))
  const gone = others.flatMap((row): Change[] => {
    const { ability_id, scene_id, problem } = row
    if (!refused.includes(scene_id)) return [{ kind: 'remove', ability_id }]
    return problem === undefined ? [{ kind: 'refuse', ability_id, row }] : []
  })
  return [...stored, ...gone]
}

function storeScene(ctx: CommandContext, scene: SceneAbility): void {
  const { ability_id, scene_id, digest, inputs, title, keywords, exclude_keywords, description } = scene
  const before = findSceneAbility(ctx.tx, ability_id)
  const version = findAbility(ctx.tx, ability_id)?.current_version ?? 0
  storeSceneAbility(ctx.tx, { ability_id, scene_id, digest, inputs })
  if (before !== undefined && before.digest !== digest) forgetEarlierFailures(ctx, ability_id)
  registerAbility(ctx, {
    ability_id,
    owner_user_id: OWNER,
    visibility: 'workspace',
    title,
    family: FAMILY,
    source: 'native',
    kind: 'runnable',
    install_lane: 'approved_workspace',
    // What it can do has no other id, and no entry on the bridge.
    primary_capability_id: ability_id,
    current_version: before?.digest === digest ? Math.max(1, version) : version + 1,
    trigger_phrases: [title, description, ...keywords].map((phrase) => phrase.slice(0, MAX_PHRASE)),
    negative_triggers: exclude_keywords,
    preferred_control_surfaces: ['native_openclaw_browser'],
  })
}
