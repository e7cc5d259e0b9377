import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { SCRIPT_SKILL, type SkillEntry, SkillType } from '@apprentice/contracts/skills/skill.ts'
import { NO_ARTIFACTS, type SkillChecks } from '@apprentice/contracts/skills/validate.ts'
import { artifactProblem } from './artifact-check.ts'
import { type BlockedPlace, blockedPlaces } from './blocked-terms.ts'
import { readEntry } from './entry.ts'
import { declaredType } from './frontmatter.ts'
import { readManifest, unsupportedInputs } from './manifest.ts'
import { mismatches } from './parity.ts'
import { idOf } from './registry.ts'
import { isSafePath, plainPath } from './skill-paths.ts'

/** What a validation needs to know of a skill's files. Paths are those of the registry. */
export interface SkillFiles {
  /** Where a path of the registry is on this machine. */
  readonly absolute: (path: string) => string
  /** Those that are not there, or lead out of the root. */
  readonly missing: ReadonlySet<string>
  /** The text of skill.json, SKILL.md and, if asked for, of every artifact. */
  readonly texts: ReadonlyMap<string, string>
}

export interface ValidateOptions {
  readonly dryRun: boolean
  readonly blockedTerms?: readonly string[] | undefined
}

export interface Problem {
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export type Verdict =
  | {
      readonly valid: true
      readonly skill: SkillEntry
      readonly checks: SkillChecks
      readonly dryRun?: { readonly payloadValidation: 'skipped'; readonly reason: string }
    }
  | ({ readonly valid: false } & Problem)

/** The files a validation of this entry looks at; none when the entry does not even say. */
export function filesToRead(raw: unknown): {
  readonly paths: readonly string[]
  readonly manifest: string
  readonly document: string
  readonly scripts: readonly string[]
  readonly artifacts: readonly string[]
} {
  const entry = isRecord(raw) ? raw : {}
  const folder = typeof entry['path'] === 'string' ? plainPath(entry['path']) : ''
  const manifest = `${folder}/skill.json`
  const document = typeof entry['skillFile'] === 'string' ? plainPath(entry['skillFile']) : ''
  const scripts = textsIn(entry['scripts'])
  const artifacts = textsIn(entry['artifacts'])
  const paths = [manifest, document, ...scripts, ...artifacts].filter(isSafePath)
  return { paths: [...new Set(paths)], manifest, document, scripts, artifacts }
}

/** Everything in its order; the first thing that is wrong is the verdict. */
export function validateSkill(
  raw: unknown,
  files: SkillFiles,
  { dryRun, blockedTerms = [] }: ValidateOptions,
): Verdict {
  const id = idOf(raw) ?? ''
  const { manifest, document, scripts, artifacts } = filesToRead(raw)
  const problem =
    shapeProblem(id, raw) ??
    fileProblem(id, files, [manifest, document, ...scripts, ...artifacts]) ??
    manifestProblem(id, raw, files) ??
    (dryRun ? payloadProblem(id, artifacts, files) : undefined) ??
    termProblem(id, blockedPlaces(files.texts, blockedTerms))
  if (problem !== undefined) return { valid: false, ...problem }
  const read = readEntry(raw)
  if ('reason' in read) {
    const message = `Skill ${id} has a registry entry that cannot be used`
    return { valid: false, message, details: { reason: read.reason } }
  }
  const checks = {
    skillJsonPath: files.absolute(manifest),
    skillFilePath: files.absolute(document),
    scriptPaths: scripts.map(files.absolute),
    artifactPaths: artifacts.map(files.absolute),
  }
  const skipped = dryRun && artifacts.length === 0
  return {
    valid: true,
    skill: read.entry,
    checks,
    ...(skipped && { dryRun: { payloadValidation: 'skipped' as const, reason: NO_ARTIFACTS } }),
  }
}

const REQUIRED = ['applicationId', 'intent', 'summary', 'path', 'skillFile'] as const

function shapeProblem(id: string, raw: unknown): Problem | undefined {
  const entry = isRecord(raw) ? raw : {}
  const missingFields = [
    ...REQUIRED.filter((key) => typeof entry[key] !== 'string' || entry[key] === ''),
    ...(Array.isArray(entry['scripts']) ? [] : ['scripts']),
  ]
  if (missingFields.length > 0) {
    const message = `Skill ${id} is missing required registry fields`
    return { message, details: { missingFields } }
  }
  const odd = ['artifacts', 'keywords'].find(
    (key) => entry[key] !== undefined && !Array.isArray(entry[key]),
  )
  if (odd !== undefined) {
    const message = `Skill ${id} has a registry entry that is not well formed`
    return { message, details: { reason: `${odd} must be a list` } }
  }
  const { scripts, artifacts, path, skillFile } = entry
  const named = [path, skillFile, ...(scripts as unknown[]), ...((artifacts ?? []) as unknown[])]
  const outside = named.find((one) => typeof one !== 'string' || !isSafePath(one))
  if (outside === undefined) return undefined
  const message = `Skill ${id} names a path outside its root`
  return { message, details: { reason: `Not a path below the root: ${JSON.stringify(outside)}` } }
}

function fileProblem(id: string, files: SkillFiles, paths: readonly string[]): Problem | undefined {
  const missing = paths.filter((path) => files.missing.has(path))
  if (missing.length === 0) return undefined
  const message = `Skill ${id} is missing required files`
  return { message, details: { missingFiles: [...new Set(missing)].map(files.absolute) } }
}

/** What skill.json and SKILL.md say. */
function manifestProblem(id: string, raw: unknown, files: SkillFiles): Problem | undefined {
  const { manifest, document } = filesToRead(raw)
  const parsed = parseManifest(files.texts.get(manifest) ?? '')
  if ('reason' in parsed) {
    return { message: `Skill ${id} has a skill.json that cannot be read`, details: parsed }
  }
  const mismatchFields = mismatches(raw, parsed.document)
  if (mismatchFields.length > 0) {
    const message = `Skill ${id} metadata does not match the registry entry`
    return { message, details: { mismatchFields } }
  }
  return (
    typeProblem(id, files.texts.get(document) ?? '') ?? promiseProblem(id, raw, parsed.document)
  )
}

function parseManifest(
  text: string,
): { readonly document: Record<string, unknown> } | { readonly reason: string } {
  try {
    const document: unknown = JSON.parse(text)
    if (isRecord(document)) return { document }
    return { reason: 'skill.json must hold an object' }
  } catch (error) {
    return { reason: `skill.json is not JSON: ${(error as Error).message}` }
  }
}

function typeProblem(id: string, text: string): Problem | undefined {
  const type = declaredType(text)
  if (type === undefined) {
    const message = `Skill ${id} is missing required clawperator-skill-type frontmatter`
    return { message, details: { missingFields: ['clawperator-skill-type'] } }
  }
  if (isAllowedType(id, type)) return undefined
  const reason = `clawperator-skill-type must be replay or orchestrated, not ${type.slice(0, 80)}`
  return { message: `Skill ${id} is of no known type`, details: { reason } }
}

/** One skill of old may be a script; nobody else. */
export const isAllowedType = (id: string, type: string): type is SkillType =>
  type === 'script' ? id === SCRIPT_SKILL : SkillType.safeParse(type).success

function promiseProblem(
  id: string,
  raw: unknown,
  document: Readonly<Record<string, unknown>>,
): Problem | undefined {
  const message = `Skill ${id} has a skill.json that is not well formed`
  const read = readManifest(document)
  if ('reason' in read) return { message, details: { reason: read.reason } }
  const { agent, contract } = read.manifest
  const invalidKeys = contract === undefined ? [] : unsupportedInputs(contract)
  if (invalidKeys.length > 0) {
    const unsupported = `Skill ${id} declares inputs of a kind that does not exist`
    return { message: unsupported, details: { invalidKeys } }
  }
  const { scripts } = filesToRead(raw)
  if (agent === undefined || scripts.some((path) => path.endsWith('/scripts/run.js'))) {
    return undefined
  }
  return { message, details: { reason: 'A skill with an agent must list scripts/run.js' } }
}

function payloadProblem(
  id: string,
  artifacts: readonly string[],
  files: SkillFiles,
): Problem | undefined {
  for (const artifact of artifacts) {
    const details = artifactProblem(artifact, files.texts.get(artifact) ?? '')
    if (details === undefined) continue
    return { message: `Skill ${id}: artifact payload schema violation`, details }
  }
  return undefined
}

function termProblem(id: string, places: readonly BlockedPlace[]): Problem | undefined {
  if (places.length === 0) return undefined
  const message = `Skill ${id} holds a blocked term`
  return { message, details: { reason: 'a blocked term', places } }
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').map(plainPath) : []
