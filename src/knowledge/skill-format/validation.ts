import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { SCRIPT_SKILL, type SkillEntry, SkillType } from '@apprentice/contracts/skills/skill.ts'
import { NO_ARTIFACTS, type SkillChecks } from '@apprentice/contracts/skills/validate.ts'
import { checkArtifact } from './artifact-check.ts'
import { type BlockedPlace, findBlockedTerms } from './blocked-terms.ts'
import { readEntry } from './entry.ts'
import { readDeclaredType } from './frontmatter.ts'
import { readManifest, listUnsupportedInputs } from './manifest.ts'
import { listMismatches } from './manifest-mismatches.ts'
import { readId } from './registry.ts'
import { isSafePath, toSlashes } from './skill-paths.ts'

/** The files of a skill. Paths are as in the registry. */
export interface SkillFiles {
  /** Resolves a path of the registry. */
  readonly absolute: (path: string) => string
  /** Paths that do not exist or are outside the root. */
  readonly missing: ReadonlySet<string>
  /** The text of skill.json, SKILL.md and, for a dry run, of every artifact. */
  readonly texts: ReadonlyMap<string, string>
}

export interface ValidateOptions {
  readonly dryRun: boolean
  readonly blockedTerms?: readonly string[] | undefined
}

export interface ValidationProblem {
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export type SkillValidation =
  | {
      readonly valid: true
      readonly skill: SkillEntry
      readonly checks: SkillChecks
      readonly dryRun?: { readonly payloadValidation: 'skipped'; readonly reason: string }
    }
  | ({ readonly valid: false } & ValidationProblem)

/** The files that an entry names. */
export function listFiles(raw: unknown): {
  readonly paths: readonly string[]
  readonly manifest: string
  readonly document: string
  readonly scripts: readonly string[]
  readonly artifacts: readonly string[]
} {
  const entry = isRecord(raw) ? raw : {}
  const folder = typeof entry['path'] === 'string' ? toSlashes(entry['path']) : ''
  const manifest = `${folder}/skill.json`
  const document = typeof entry['skillFile'] === 'string' ? toSlashes(entry['skillFile']) : ''
  const scripts = listPaths(entry['scripts'])
  const artifacts = listPaths(entry['artifacts'])
  const paths = [manifest, document, ...scripts, ...artifacts].filter(isSafePath)
  return { paths: [...new Set(paths)], manifest, document, scripts, artifacts }
}

/** Runs the checks in order and returns the first problem. */
export function validateSkill(
  raw: unknown,
  files: SkillFiles,
  { dryRun, blockedTerms = [] }: ValidateOptions,
): SkillValidation {
  const id = readId(raw) ?? ''
  const { manifest, document, scripts, artifacts } = listFiles(raw)
  const problem =
    checkShape(id, raw) ??
    checkFiles(id, files, [manifest, document, ...scripts, ...artifacts]) ??
    checkManifest(id, raw, files) ??
    (dryRun ? checkArtifacts(id, artifacts, files) : undefined) ??
    checkBlockedTerms(id, findBlockedTerms(files.texts, blockedTerms))
  if (problem !== undefined) return { valid: false, ...problem }
  const read = readEntry(raw)
  if ('reason' in read) {
    const message = `Skill ${id} has an unusable registry entry`
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

const REQUIRED_FIELDS = ['applicationId', 'intent', 'summary', 'path', 'skillFile'] as const

function checkShape(id: string, raw: unknown): ValidationProblem | undefined {
  const entry = isRecord(raw) ? raw : {}
  const missingFields = [
    ...REQUIRED_FIELDS.filter((key) => typeof entry[key] !== 'string' || entry[key] === ''),
    ...(Array.isArray(entry['scripts']) ? [] : ['scripts']),
  ]
  if (missingFields.length > 0) {
    const message = `Skill ${id} is missing required registry fields`
    return { message, details: { missingFields } }
  }
  const invalidField = ['artifacts', 'keywords'].find((key) => entry[key] !== undefined && !Array.isArray(entry[key]))
  if (invalidField !== undefined) {
    const message = `Skill ${id} has a registry entry that is not well formed`
    return { message, details: { reason: `${invalidField} must be a list` } }
  }
  const { scripts, artifacts, path, skillFile } = entry
  const paths = [path, skillFile, ...(scripts as unknown[]), ...((artifacts ?? []) as unknown[])]
  const outside = paths.find((one) => typeof one !== 'string' || !isSafePath(one))
  if (outside === undefined) return undefined
  const message = `Skill ${id} names a path outside its root`
  return {
    message,
    details: { reason: `The path is outside the root: ${JSON.stringify(outside)}` },
  }
}

function checkFiles(id: string, files: SkillFiles, paths: readonly string[]): ValidationProblem | undefined {
  const missing = paths.filter((path) => files.missing.has(path))
  if (missing.length === 0) return undefined
  const message = `Skill ${id} is missing required files`
  return { message, details: { missingFiles: [...new Set(missing)].map(files.absolute) } }
}

/** Checks skill.json and SKILL.md. */
function checkManifest(id: string, raw: unknown, files: SkillFiles): ValidationProblem | undefined {
  const { manifest, document } = listFiles(raw)
  const parsed = parseManifest(files.texts.get(manifest) ?? '')
  if ('reason' in parsed) {
    return { message: `Skill ${id} has a skill.json that cannot be read`, details: parsed }
  }
  const mismatchFields = listMismatches(raw, parsed.document)
  if (mismatchFields.length > 0) {
    const message = `Skill ${id} metadata does not match the registry entry`
    return { message, details: { mismatchFields } }
  }
  return checkType(id, files.texts.get(document) ?? '') ?? checkContract(id, raw, parsed.document)
}

function parseManifest(text: string): { readonly document: Record<string, unknown> } | { readonly reason: string } {
  try {
    const document: unknown = JSON.parse(text)
    if (isRecord(document)) return { document }
    return { reason: 'skill.json must contain an object' }
  } catch (error) {
    return { reason: `skill.json is not JSON: ${(error as Error).message}` }
  }
}

function checkType(id: string, text: string): ValidationProblem | undefined {
  const type = readDeclaredType(text)
  if (type === undefined) {
    const message = `Skill ${id} is missing required clawperator-skill-type frontmatter`
    return { message, details: { missingFields: ['clawperator-skill-type'] } }
  }
  if (isAllowedType(id, type)) return undefined
  const reason = `clawperator-skill-type must be replay or orchestrated, not ${type.slice(0, 80)}`
  return { message: `Skill ${id} has an unknown type`, details: { reason } }
}

/** Only one legacy skill may have the type `script`. */
export const isAllowedType = (id: string, type: string): type is SkillType =>
  type === 'script' ? id === SCRIPT_SKILL : SkillType.safeParse(type).success

function checkContract(
  id: string,
  raw: unknown,
  document: Readonly<Record<string, unknown>>,
): ValidationProblem | undefined {
  const message = `Skill ${id} has a skill.json that is not well formed`
  const read = readManifest(document)
  if ('reason' in read) return { message, details: { reason: read.reason } }
  const { agent, contract } = read.manifest
  const invalidKeys = contract === undefined ? [] : listUnsupportedInputs(contract)
  if (invalidKeys.length > 0) {
    const unsupported = `Skill ${id} declares inputs of an unknown type`
    return { message: unsupported, details: { invalidKeys } }
  }
  const { scripts } = listFiles(raw)
  if (agent === undefined || scripts.some((path) => path.endsWith('/scripts/run.js'))) {
    return undefined
  }
  return { message, details: { reason: 'A skill with an agent must list scripts/run.js' } }
}

function checkArtifacts(id: string, artifacts: readonly string[], files: SkillFiles): ValidationProblem | undefined {
  for (const artifact of artifacts) {
    const details = checkArtifact(artifact, files.texts.get(artifact) ?? '')
    if (details === undefined) continue
    return { message: `Skill ${id}: artifact payload schema violation`, details }
  }
  return undefined
}

function checkBlockedTerms(id: string, places: readonly BlockedPlace[]): ValidationProblem | undefined {
  if (places.length === 0) return undefined
  const message = `Skill ${id} contains a blocked term`
  return { message, details: { reason: 'a blocked term', places } }
}

const listPaths = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').map(toSlashes) : []
