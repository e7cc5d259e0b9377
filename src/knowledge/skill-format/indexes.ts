import { createHash } from 'node:crypto'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'

/** A file of the indexes, by its path below `skills/`. */
export interface IndexFile {
  readonly path: string
  readonly content: string
}

const VERSION = '1.0'
const MANIFEST = 'generated/manifest.json'
export const REGISTRY_FILE = 'skills-registry.json'

/** The registry of these skills, as it is written. */
export function registryText(skills: readonly unknown[], generatedAt: string): string {
  const $schema = './skills-registry.schema.json'
  return pretty({ $schema, schemaVersion: VERSION, generatedAt, skills })
}

/**
 * Everything that is generated from a registry, the manifest last. The manifest has the hash of the registry
 * as it is on disk, so that is handed in.
 */
export function indexFiles(
  skills: readonly SkillEntry[],
  registry: string,
  generatedAt: string,
): IndexFile[] {
  const sorted = byId(skills)
  const minIndex = file('generated/skills-index.min.json', {
    ...marks(generatedAt),
    count: sorted.length,
    skills: sorted.map(({ id, applicationId, intent, summary, path }) => ({
      id,
      applicationId,
      intent,
      summary,
      path,
    })),
  })
  const jsonlIndex = {
    path: 'generated/skills-index.jsonl',
    content: sorted.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  }
  const byApp = shards(sorted, ({ applicationId }) => applicationId).map(
    ([applicationId, own]) => ({
      applicationId,
      count: own.length,
      ...shard(`by-app/${applicationId}`, { ...marks(generatedAt), applicationId }, own),
    }),
  )
  const byPrefix = shards(sorted, ({ id }) => prefixOf(id)).map(([prefix, own]) => ({
    prefix,
    count: own.length,
    ...shard(`by-prefix/${prefix}`, { ...marks(generatedAt), prefix }, own),
  }))
  const count = sorted.length
  const manifest = file(MANIFEST, {
    ...marks(generatedAt),
    totalSkills: count,
    artifacts: {
      registry: { ...hashed({ path: REGISTRY_FILE, content: registry }), count },
      minIndex: { ...hashed(minIndex), count },
      jsonlIndex: { ...hashed(jsonlIndex), count },
    },
    shards: {
      byApp: byApp.map((one) => ({ applicationId: one.applicationId, ...summed(one) })),
      byPrefix: byPrefix.map((one) => ({ prefix: one.prefix, ...summed(one) })),
    },
  })
  const plain = ({ path, content }: IndexFile) => ({ path, content })
  return [minIndex, jsonlIndex, ...byApp.map(plain), ...byPrefix.map(plain), manifest]
}

/** Skills are spread over 256 files by the hash of their id. */
export const prefixOf = (id: string): string =>
  createHash('sha1').update(id).digest('hex').slice(0, 2)

export const byId = <T extends { readonly id: string }>(skills: readonly T[]): T[] =>
  skills.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))

export const sha256 = (content: string): string =>
  createHash('sha256').update(content).digest('hex')

const marks = (generatedAt: string) => ({ schemaVersion: VERSION, generatedAt })

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const file = (path: string, value: unknown): IndexFile => ({ path, content: pretty(value) })

const shard = (name: string, head: object, skills: readonly SkillEntry[]): IndexFile =>
  file(`generated/${name}.json`, { ...head, count: skills.length, skills })

const hashed = ({ path, content }: IndexFile) => ({ file: path, sha256: sha256(content) })

const summed = (one: IndexFile & { readonly count: number }) => ({
  ...hashed(one),
  count: one.count,
})

function shards(
  skills: readonly SkillEntry[],
  keyOf: (entry: SkillEntry) => string,
): [string, SkillEntry[]][] {
  const found = new Map<string, SkillEntry[]>()
  for (const entry of skills) {
    const own = found.get(keyOf(entry))
    if (own === undefined) found.set(keyOf(entry), [entry])
    else own.push(entry)
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))
}
