import { isAbsolute, join, normalize, sep } from 'node:path'
import { Failure } from '../../failure/failure.ts'
import { ManifestError, readRunManifest, type SkillAgent, type SkillManifest } from './run-manifest.ts'

/** A skill on disk. */
export interface FoundSkill {
  readonly skill_id: string
  /** The absolute path of its folder. */
  readonly folder: string
  /** Paths in `skill.json` are relative to this folder, the parent of the folder with the registry. */
  readonly root: string
  /** The registry that lists the skill. */
  readonly registry_path?: string | undefined
  /** The parsed `skill.json`; undefined when it is not valid JSON. */
  readonly document: unknown
  /** Set when the validation of a registry failed. */
  readonly problem?: { readonly message: string; readonly details: Record<string, unknown> }
}

/** The script of a skill and how to start it. */
export interface SkillPlan {
  readonly skill_id: string
  readonly kind: 'script' | 'agent'
  readonly folder: string
  readonly script: string
  /** SKILL.md, which is the program of an agent. */
  readonly program: string
  readonly registry_path?: string | undefined
  readonly manifest: SkillManifest
}

/** Throws for a skill that cannot be run. It does not check whether the files exist. */
export function planRun(skill: FoundSkill, { lenient }: { readonly lenient: boolean }): SkillPlan {
  const { skill_id, folder, problem } = skill
  if (problem !== undefined && !lenient) throw skillInvalid(skill_id, problem.message, problem.details)
  const manifest = readSkillManifest(skill)
  const { agent } = manifest
  return {
    skill_id,
    kind: agent === undefined ? 'script' : 'agent',
    folder,
    script: chooseScript(skill, agent),
    program: join(folder, 'SKILL.md'),
    registry_path: skill.registry_path,
    manifest,
  }
}

const DEFAULT_TIMEOUT_MS = 120_000

export const chooseTimeout = (requested: number | undefined, agent: SkillAgent | undefined): number =>
  requested ?? agent?.timeoutMs ?? DEFAULT_TIMEOUT_MS

function readSkillManifest({ skill_id, document }: FoundSkill): SkillManifest {
  try {
    return readRunManifest(document)
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    throw skillInvalid(skill_id, error.message, { reason: error.message })
  }
}

/** The first .js script of the list, else the first .sh, else the first entry. Unlisted files are ignored. */
function chooseScript(skill: FoundSkill, agent: SkillAgent | undefined): string {
  const { skill_id, document } = skill
  const listed: unknown = (document as { scripts?: unknown }).scripts
  const scripts = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : []
  if (agent !== undefined) {
    const harness = scripts.find((path) => toSlashes(path).endsWith('/scripts/run.js'))
    if (harness !== undefined) return resolveInside(skill, harness)
    throw skillInvalid(skill_id, 'an agent skill must list scripts/run.js', {
      reason: 'scripts/run.js',
    })
  }
  const chosen =
    scripts.find((path) => path.endsWith('.js')) ?? scripts.find((path) => path.endsWith('.sh')) ?? scripts[0]
  if (chosen !== undefined) return resolveInside(skill, chosen)
  throw new Failure('SKILL_SCRIPT_NOT_FOUND', `${skill_id} lists no script.`)
}

/** Resolves a listed path. Throws if it is outside the folder of the skill. */
function resolveInside({ skill_id, root, folder }: FoundSkill, listed: string): string {
  const path = toSlashes(listed)
  const full = normalize(join(root, path))
  if (isAbsolute(path) || path.split('/').includes('..') || !full.startsWith(`${folder}${sep}`)) {
    throw skillInvalid(skill_id, `${listed} is not a path inside the skill`, { path: listed })
  }
  return full
}

const toSlashes = (path: string): string => path.replaceAll('\\', '/')

export const skillInvalid = (skillId: string, reason: string, details: Record<string, unknown>): Failure =>
  new Failure('SKILL_VALIDATION_FAILED', `Skill ${skillId} cannot be run: ${reason}.`, {
    details: { skill_id: skillId, ...details },
  })
