import { DEFAULT_SCENE_SUFFIX } from '@apprentice/contracts/scenes/manifest.ts'
import { PhraseIndex, type PhraseHit } from './text/phrase-index.ts'
import type { PackageFinding, Scene } from './scene.ts'
import { readRouting, type SceneRouting } from './signals.ts'

/** A package as it was read, and where it is. */
export interface ReadPackage {
  readonly root: string
  /** The folder of the package, relative to its root. */
  readonly folder: string
  /** The id in the manifest, also if the package is refused. */
  readonly declared_id: string | undefined
  readonly result: { readonly scene: Scene } | { readonly problems: readonly PackageFinding[] }
}

export interface SceneRefusal extends PackageFinding {
  readonly root: string
  /** The manifest, relative to its root. */
  readonly manifest: string
  readonly scene_id?: string
}

export interface RegisteredScene extends Scene {
  readonly root: string
  readonly folder: string
  readonly routing: SceneRouting
}

const byPlace = (a: ReadPackage, b: ReadPackage): number => compare(a.folder, b.folder) || compare(a.root, b.root)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** All registered scenes and all refusals. It does not depend on the order in which packages were read. */
export class SceneCatalog {
  /** In the order of their ids. */
  readonly scenes: readonly RegisteredScene[]
  readonly refusals: readonly SceneRefusal[]
  /** The suffixes that make an instruction deterministic. */
  readonly suffixes: readonly string[]
  readonly #byId: ReadonlyMap<string, RegisteredScene>
  readonly #byHost: ReadonlyMap<string, readonly RegisteredScene[]>
  readonly #byKeyword: ReadonlyMap<string, readonly RegisteredScene[]>
  readonly #keywords: PhraseIndex

  constructor(packages: readonly ReadPackage[]) {
    const sorted = packages.toSorted(byPlace)
    const duplicates = findDuplicates(sorted)
    this.refusals = sorted.flatMap((one) => listRefusals(one, duplicates))
    const share = createSharer()
    this.scenes = sorted
      .flatMap(({ result, root, folder }) =>
        'scene' in result ? [{ ...shareKeys(result.scene, share), root, folder }] : [],
      )
      .filter(({ id }) => !duplicates.has(id))
      .toSorted((a, b) => compare(a.id, b.id))
    const suffixes = this.scenes.map(({ manifest }) => manifest.deterministic.suffix)
    this.suffixes = [...new Set([DEFAULT_SCENE_SUFFIX, ...suffixes])].toSorted()
    this.#byId = new Map(this.scenes.map((scene) => [scene.id, scene]))
    this.#byHost = groupBy(this.scenes, ({ routing }) => [routing.host])
    this.#byKeyword = groupBy(this.scenes, ({ routing }) => [...routing.include])
    this.#keywords = new PhraseIndex(this.#byKeyword.keys())
  }

  find(id: string): RegisteredScene | undefined {
    return this.#byId.get(id)
  }

  /** The scenes that share a keyword with a folded text, or whose page is on a host, with the keywords of the text. */
  findCandidates(
    text: string,
    host: string | undefined,
  ): { readonly scenes: readonly RegisteredScene[]; readonly hits: readonly PhraseHit[] } {
    const hits = this.#keywords.findAll(text)
    const phrases = new Set(hits.map(({ phrase }) => phrase))
    const found = new Set([...phrases].flatMap((phrase) => this.#byKeyword.get(phrase) ?? []))
    for (const scene of host === undefined ? [] : (this.#byHost.get(host) ?? [])) found.add(scene)
    return { scenes: [...found], hits }
  }
}

/** Equal keys become one object, so that they are compared without reading them. */
function createSharer(): (key: string) => string {
  const keys = new Map<string, string>()
  return (key) => {
    const known = keys.get(key)
    if (known === undefined) keys.set(key, key)
    return known ?? key
  }
}

const shareKeys = (scene: Scene, share: (key: string) => string) => ({
  ...scene,
  params: scene.params.map((param) => ({ ...param, key: share(param.key) })),
  routing: readRouting(scene.manifest),
})

/** The places of each id that several packages declare, also if one of them is refused for another reason. */
function findDuplicates(packages: readonly ReadPackage[]): ReadonlyMap<string, readonly ReadPackage[]> {
  const declared = packages.filter(({ declared_id }) => declared_id !== undefined)
  const groups = groupBy(declared, ({ declared_id = '' }) => [declared_id])
  return new Map([...groups].filter(([, group]) => group.length > 1))
}

function listRefusals(one: ReadPackage, duplicates: ReadonlyMap<string, readonly ReadPackage[]>): SceneRefusal[] {
  const { root, declared_id, result } = one
  const manifest = toManifest(one)
  const named = { root, manifest, ...(declared_id === undefined ? {} : { scene_id: declared_id }) }
  const others = declared_id === undefined ? undefined : duplicates.get(declared_id)
  const problems = 'problems' in result ? result.problems : []
  if (others === undefined) return problems.map((problem) => ({ ...named, ...problem }))
  const places = others.map((other) => `${toManifest(other)} (in ${other.root})`).join(' and ')
  const reason = `is declared more than once, so no scene has it: ${places}`
  return [
    { ...named, file: 'scene.toml', key: 'scene.id', reason },
    ...problems.map((problem) => ({ ...named, ...problem })),
  ]
}

const toManifest = ({ folder }: ReadPackage): string => `${folder}/scene.toml`

function groupBy<T>(items: readonly T[], read: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    for (const key of new Set(read(item))) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}
