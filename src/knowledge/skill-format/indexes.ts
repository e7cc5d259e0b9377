import { createHash } from 'node:crypto'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'

/** An index file. The path is relative to `skills/`. */
export interface IndexFile {
  readonly path: string
  readonly content: string
}

const SCHEMA_VERSION = '1.0'
const MANIFEST_FILE = 'generated/manifest.json'
export const REGISTRY_FILE = 'skills-registry.json'

export function formatRegistry(skills: readonly unknown[], generatedAt: string): string {
  const $schema = './skills-registry.schema.json'
  return formatJson({ $schema, schemaVersion: SCHEMA_VERSION, generatedAt, skills })
}

/** All files generated from a registry, the manifest last. `registry` is the text on disk, whose hash the manifest has. */
export function buildIndexFiles(skills: readonly SkillEntry[], registry: string, generatedAt: string): IndexFile[] {
  const sorted = sortById(skills)
  const minIndex = toJsonFile('generated/skills-index.min.json', {
    ...buildHeader(generatedAt),
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
    content: sorted.map((entry) => `${escapeDelete(JSON.stringify(entry))}\n`).join(''),
  }
  const byApp = groupBy(sorted, ({ applicationId }) => applicationId).map(([applicationId, own]) => ({
    applicationId,
    count: own.length,
    ...buildShard(`by-app/${applicationId}`, { ...buildHeader(generatedAt), applicationId }, own),
  }))
  const byPrefix = groupBy(sorted, ({ id }) => hashPrefix(id)).map(([prefix, own]) => ({
    prefix,
    count: own.length,
    ...buildShard(`by-prefix/${prefix}`, { ...buildHeader(generatedAt), prefix }, own),
  }))
  const count = sorted.length
  const manifest = toJsonFile(MANIFEST_FILE, {
    ...buildHeader(generatedAt),
    totalSkills: count,
    artifacts: {
      registry: { ...toHashEntry({ path: REGISTRY_FILE, content: registry }), count },
      minIndex: { ...toHashEntry(minIndex), count },
      jsonlIndex: { ...toHashEntry(jsonlIndex), count },
    },
    shards: {
      byApp: byApp.map((one) => ({ applicationId: one.applicationId, ...toShardEntry(one) })),
      byPrefix: byPrefix.map((one) => ({ prefix: one.prefix, ...toShardEntry(one) })),
    },
  })
  const plain = ({ path, content }: IndexFile) => ({ path, content })
  return [minIndex, jsonlIndex, ...byApp.map(plain), ...byPrefix.map(plain), manifest]
}

/** The shard of a skill: one of 256, by the hash of its id. */
export const hashPrefix = (id: string): string => createHash('sha1').update(id).digest('hex').slice(0, 2)

export const sortById = <T extends { readonly id: string }>(skills: readonly T[]): T[] =>
  skills.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))

export const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

const buildHeader = (generatedAt: string) => ({ schemaVersion: SCHEMA_VERSION, generatedAt })

const formatJson = (value: unknown): string => `${escapeDelete(JSON.stringify(value, null, 2))}\n`

/** The generator of the peer also escapes this control character. */
const escapeDelete = (text: string): string => text.replaceAll('\u007F', String.raw`\u007f`)

const toJsonFile = (path: string, value: unknown): IndexFile => ({
  path,
  content: formatJson(value),
})

const buildShard = (name: string, head: object, skills: readonly SkillEntry[]): IndexFile =>
  toJsonFile(`generated/${name}.json`, { ...head, count: skills.length, skills })

/** The manifest names files from the root on. */
export const SKILLS_FOLDER = 'skills/'

const toHashEntry = ({ path, content }: IndexFile) => ({ file: `${SKILLS_FOLDER}${path}`, sha256: sha256(content) })

const toShardEntry = (one: IndexFile & { readonly count: number }) => ({
  ...toHashEntry(one),
  count: one.count,
})

function groupBy(skills: readonly SkillEntry[], readKey: (entry: SkillEntry) => string): [string, SkillEntry[]][] {
  const found = new Map<string, SkillEntry[]>()
  for (const entry of skills) {
    const own = found.get(readKey(entry))
    if (own === undefined) found.set(readKey(entry), [entry])
    else own.push(entry)
  }
  // The order of the file names: `com.a.b.json` comes before `com.a.json`.
  return [...found].toSorted(([one], [other]) => (`${one}.json` < `${other}.json` ? -1 : 1))
}
