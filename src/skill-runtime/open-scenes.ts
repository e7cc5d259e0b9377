import { join } from 'node:path'
import { readTimeZone, resolveSceneRoots, type Config } from '../config/config.ts'
import { DAEMON_ACTOR, writeAs } from '../domain/command/context.ts'
import { needsSync, type SceneAbilities, syncSceneAbilities } from '../domain/scenes/scene-abilities.ts'
import { ScenePackageRoot } from '../files/scene-packages.ts'
import { chooseModes, makeFolder } from '../home/private-files.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import type { SceneCatalog } from '../knowledge/scenes/catalog.ts'
import { toSceneAbilityId, toSceneInputs } from '../knowledge/scenes/scene-entry.ts'
import type { Moment } from '../knowledge/scenes/resolvers/resolver.ts'
import { SceneLibrary } from './scene-library.ts'

export interface Scenes {
  /** Scene packages on disk. */
  readonly scenes: SceneLibrary
  /** The time and the time zone that periods such as "last month" refer to. */
  readonly sceneMoment: () => Moment
  /** Resolves when the abilities are those of the scenes that were read last. */
  readonly scenesStored: () => Promise<void>
}

type SceneConfig = Pick<Config, 'home' | 'settings' | 'skillRoots'>

/** Opens the scene packages. What is registered becomes abilities. */
export async function openScenes(config: Config, deps: RunnerDeps): Promise<Scenes> {
  const { clock, log } = deps
  const { home } = config
  // A folder that exists can be watched, so that the first package in it is noticed.
  await makeFolder(join(home, 'skills'), chooseModes(home, home))
  let stored: Promise<void> = Promise.resolve()
  const scenes = openSceneLibrary(config, (catalog) => {
    log.debug({ scenes: catalog.scenes.length, refusals: catalog.refusals.length }, 'the scene packages were read')
    stored = stored
      .then(() => storeAbilities(deps, toAbilities(catalog)))
      .catch((error: unknown) => log.error({ err: error }, 'the abilities of scenes could not be stored'))
  })
  // Only instructions need the zone of the system, and finding it takes a tenth of the start.
  const sceneMoment = (): Moment => ({ now: clock(), time_zone: readTimeZone(config) })
  return { scenes, sceneMoment, scenesStored: () => stored }
}

/** The scene packages of the configured roots. */
export function openSceneLibrary(config: SceneConfig, onChanged: (catalog: SceneCatalog) => void): SceneLibrary {
  const roots = resolveSceneRoots(config).map(({ root, packages }) => new ScenePackageRoot(root, packages))
  return new SceneLibrary(roots, { onChanged })
}

async function storeAbilities(deps: RunnerDeps, wanted: SceneAbilities): Promise<void> {
  if (!deps.store.read((reader) => needsSync(reader, wanted))) return
  await writeAs(deps, { actor: DAEMON_ACTOR, correlation_id: deps.newId() }, (ctx) => {
    syncSceneAbilities(ctx, wanted)
  })
}

const toAbilities = ({ scenes, refusals }: SceneCatalog): SceneAbilities => ({
  scenes: scenes.map((scene) => ({
    ability_id: toSceneAbilityId(scene.id),
    scene_id: scene.id,
    title: scene.title,
    description: scene.description,
    keywords: scene.manifest.deterministic.include_keywords,
    exclude_keywords: scene.manifest.deterministic.exclude_keywords,
    inputs: toSceneInputs(scene),
    digest: scene.digest,
  })),
  refused: refusals.flatMap(({ scene_id }) => scene_id ?? []),
})
